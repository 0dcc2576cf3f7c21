"""Arrays of programs without NumPy, in which all kernels are plain Python: lists. They replace `game.kernel_arrays`."""

from collections.abc import Iterable
from typing import Any


def constants(values: list[int]) -> Any:
    """Integers that kernels read."""
    return tuple(values)


def short_words(values: Iterable[int]) -> Any:
    """Integers that kernels read, sign included."""
    return list(values)


def words(_table: Any, count: int) -> Any:
    """`count` zero words that kernels write."""
    return [0] * count


def copied(_table: Any, values: Iterable[int]) -> Any:
    """Words that kernels write, with these values at first."""
    return [int(value) for value in values]


def word_rows(_table: Any, rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words that kernels write."""
    return [[0] * count for _ in range(rows)]


def borrowed(sequence: Any) -> Any:
    """Replaces `alquerque_env.engine.kernel_types.borrowed`: the same sequence, or named tuple of sequences."""
    return sequence
