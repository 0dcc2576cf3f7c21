"""Boards and rules as data, compiled to step tables."""
