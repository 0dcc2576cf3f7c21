"""What Python 3.9 lacks of the standard library. The exported player carries it in place of the original."""

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import TypeVar

T = TypeVar("T")


def pairwise(items: Iterable[T]) -> Iterator[tuple[T, T]]:
    """Each item with the next one, as `itertools.pairwise` since 3.10."""
    first, second = tee(items)
    next(second, None)
    return zip(first, second, strict=False)
