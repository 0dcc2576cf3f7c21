"""Progress of an arena or a benchmark run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Progress:
    """The progress of one stage.

    Attributes:
      stage: The stage.
      done: Openings found, matches played, positions judged, or games measured so far.
      count: The most there can be.
      about: The game or the player, if there are several.
    """

    stage: Literal["openings", "matches", "positions", "games"]
    done: int
    count: int
    about: str = ""

    @property
    def what(self) -> str:
        """What is counted."""
        words = {
            "openings": "balanced openings found",
            "matches": "matches played",
            "positions": "positions judged",
            "games": "games measured",
        }
        return words[self.stage]

    def __str__(self) -> str:
        return f"{self.about}: " * bool(self.about) + f"{self.done} of {self.count} {self.what}"


Watch = Callable[[Progress], None]  # Is called with the progress. An exception that it raises ends the work.


def unwatched(_progress: Progress) -> None:
    """Does nothing."""
