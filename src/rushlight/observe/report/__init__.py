"""Showing a file of runs: as a page, in the terminal, beside another run, for TensorBoard."""
