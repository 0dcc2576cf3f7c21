"""Exact values of positions with few pieces: solved by `alquerque solve`, looked up with `load_table`."""

from .build import build_table
from .table import EndgameTable, Probed, StepValue, load_table, present_table

__all__ = ["EndgameTable", "Probed", "StepValue", "build_table", "load_table", "present_table"]
