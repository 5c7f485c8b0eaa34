"""Comparisons, and tests of single values."""
