"""Indexing with brackets."""
