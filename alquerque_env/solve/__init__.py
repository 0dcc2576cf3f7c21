"""Exact values: endgame tablebases and proof-number search."""
