"""Patterns: an evaluation for alpha-beta whose weights are learned, and the command that learns them."""
