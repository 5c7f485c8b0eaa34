"""Bitwise and logical operators."""
