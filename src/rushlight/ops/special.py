"""Special functions of each element that PyTorch keeps in the ``torch`` namespace."""
