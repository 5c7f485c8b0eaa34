"""Sorting, selection and search."""
