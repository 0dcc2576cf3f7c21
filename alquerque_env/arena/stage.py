"""How far an arena is, for those who watch it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Progress:
    """How far an arena is.

    Attributes:
      stage: What is under way.
      done: Openings found, or matches played.
      count: How many there are to be at most.
    """

    stage: Literal["openings", "matches"]
    done: int
    count: int


Watch = Callable[[Progress], None]
"""Is told from time to time how far an arena is; what it raises ends it."""


def unwatched(_progress: Progress) -> None:
    """For who does not want to know."""
