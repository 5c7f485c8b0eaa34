"""Dropout in its forms."""
