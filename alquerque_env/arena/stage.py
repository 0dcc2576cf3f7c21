"""How far an arena or a run of the benchmark is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Progress:
    """How far it is.

    Attributes:
      stage: What is under way.
      done: Openings found, matches played, or positions judged.
      count: How many there are to be at most.
      about: The game or the player, where there are several.
    """

    stage: Literal["openings", "matches", "positions"]
    done: int
    count: int
    about: str = ""

    @property
    def what(self) -> str:
        """What is counted, in words."""
        words = {"openings": "balanced openings found", "matches": "matches played", "positions": "positions judged"}
        return words[self.stage]

    def __str__(self) -> str:
        return f"{self.about}: " * bool(self.about) + f"{self.done} of {self.count} {self.what}"


Watch = Callable[[Progress], None]
"""Called from time to time with how far it is; what it raises ends the work."""


def unwatched(_progress: Progress) -> None:
    """Does nothing."""
