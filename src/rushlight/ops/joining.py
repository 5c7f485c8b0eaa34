"""Joining and splitting."""
