"""Gathering, scattering, masking and index_* operators."""
