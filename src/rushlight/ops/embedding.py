"""Linear maps and look-ups: linear, bilinear, embedding."""
