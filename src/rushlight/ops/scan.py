"""Running reductions along a dimension."""
