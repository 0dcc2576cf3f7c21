"""Functions of the standard library that Python 3.9 lacks, for the exported player."""

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import TypeVar

T = TypeVar("T")


def pairwise(items: Iterable[T]) -> Iterator[tuple[T, T]]:
    """Each item with the next one, as `itertools.pairwise` since 3.10."""
    first, second = tee(items)
    next(second, None)
    return zip(first, second, strict=False)
