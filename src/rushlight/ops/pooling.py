"""Two-dimensional pooling."""
