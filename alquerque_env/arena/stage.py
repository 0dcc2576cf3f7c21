"""How far an arena is."""

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

    @property
    def what(self) -> str:
        """What is counted, in words."""
        return {"openings": "balanced openings found", "matches": "matches played"}[self.stage]

    def __str__(self) -> str:
        return f"{self.done} of {self.count} {self.what}"


Watch = Callable[[Progress], None]
"""Called from time to time with how far an arena is; what it raises ends the arena."""


def unwatched(_progress: Progress) -> None:
    """Does nothing."""
