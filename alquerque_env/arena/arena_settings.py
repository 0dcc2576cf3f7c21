"""What an arena is to play: the choices that decide its results."""

from dataclasses import asdict, dataclass
from typing import Any

from ..errors import AlquerqueError
from .sprt import Question

DEFAULT_JUDGE = "alphabeta:4"
"""Who judges where no judge is named and openings are to be found."""

PLIES = range(8, 17)
"""Turns of an opening where no number is asked for: the least, and one more whenever too few are balanced."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What decides the results of an arena, beside the game and the players.

    Attributes:
      games: Matches of each pairing, even: each opening is played from both seats.
      gauntlet: Whether only the first player meets all others; else everyone meets everyone.
      plies: Random turns before the bots take over; None for those of the list of openings that comes with the package
        if nobody else is to judge, and else for as few of `PLIES` as leave enough balanced openings.
      seed: Decides the openings, what the bots leave to chance, and the intervals.
      judge: Spec of the bot that finds out which openings are balanced; None for that list, and for `DEFAULT_JUDGE`
        where there is none for the game and its options, it is too short, or `plies` is given.
      batch: Matches that are played at once, even. A batch is played by bots of its own.
      max_steps: A match of so many steps is cut and counts as a draw.
      seconds: That searches, engines and exported players may take for a turn, as `load_bot` says; None for their own
        way. With it, the same seed need not give the same result.
      sprt: Stop as soon as this is decided, None to play all games.
      resamples: How often the results are drawn anew for the intervals.

    Raises:
      AlquerqueError: If a number is out of range.
    """

    games: int = 100
    gauntlet: bool = False
    plies: int | None = None
    seed: int = 0
    judge: str | None = None
    batch: int = 64
    max_steps: int = 1_000
    seconds: float | None = None
    sprt: Question | None = None
    resamples: int = 200

    def __post_init__(self) -> None:
        shortest = PLIES[0] if self.plies is None else self.plies
        ranges = {
            "games": (2, 1_000_000),
            "plies": (0, 100),
            "seed": (0, 2**63 - 1),
            "batch": (2, 1_000_000),
            "max_steps": (1, 1_000_000),
            "resamples": (10, 100_000),
        }
        for name, (low, high) in ranges.items():
            number = shortest if name == "plies" else getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
                raise AlquerqueError(f"{name} is {number!r}, expected a whole number from {low} to {high}")
        for name in ("games", "batch"):
            if getattr(self, name) % 2:
                raise AlquerqueError(
                    f"{name} is {getattr(self, name)}, expected an even number: openings are played from both seats"
                )
        if self.max_steps <= shortest:
            raise AlquerqueError(f"max_steps is {self.max_steps}, expected more than the {shortest} plies of openings")

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON has them."""
        return asdict(self)
