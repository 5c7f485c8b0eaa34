"""Views and rearrangements."""
