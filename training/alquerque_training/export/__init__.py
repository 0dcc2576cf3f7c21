"""Writes a trained player as one plain-Python file."""
