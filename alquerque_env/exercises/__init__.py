"""Positions to solve by doing: puzzles from exact values, and lessons in the rules."""
