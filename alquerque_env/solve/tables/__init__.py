"""Endgame tables: built by `alquerque solve`, opened by `load_table`, verified by `verify_table.verify_table`."""

from .build import build_table
from .match_values import StepValue
from .table import ActionValues, EndgameTable, Probed, load_table, present_table

__all__ = ["ActionValues", "EndgameTable", "Probed", "StepValue", "build_table", "load_table", "present_table"]
