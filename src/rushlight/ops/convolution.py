"""Two-dimensional convolution."""
