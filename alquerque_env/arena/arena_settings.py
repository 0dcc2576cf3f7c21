"""The settings of an arena: everything that decides its results beside the game and the bots."""

from dataclasses import dataclass

from ..errors import AlquerqueError
from ..game.array_check import python_number
from ..game.game import Game
from .sprt import Question

PLIES = range(8, 17)  # lengths of openings in turns, if none is given; the next length when too few of one are balanced


def default_judges(game: Game) -> tuple[str, ...]:
    """Specs of the bots that judge openings of a game if none is given.

    A list of openings has those that all of them call balanced. The first one is fast and leaves the others less to
    judge; an arena that draws its own openings asks it alone.
    """
    # Boards of more than 63 points have no compiled kernels: alphabeta:4 needs half an hour for the first openings.
    return ("alphabeta:2",) if game.board.is_wide else ("alphabeta:4", "alphabeta:8")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of an arena.

    Without `plies` and `judge`, the openings come from the list that comes with the package, if it has enough for the
    game and its options. Otherwise the arena draws openings and lets the judge play them.

    Attributes:
      games: Matches of each pairing, even: each opening is played from both seats.
      gauntlet: Whether only the first player meets all others, instead of everyone everyone.
      plies: Length of the openings in turns; None for as few of `PLIES` as leave enough balanced openings.
      seed: Seed of the openings, the bots and the intervals.
      judge: Spec of the bot that judges which openings are balanced; None for the first of `default_judges`.
      batch: Matches that are played together, even. Each batch loads its own bots.
      max_steps: A match of this length is cut and counts as a draw.
      seconds: `time_limit` of `load_bot`; None for none. With it, the same seed need not give the same result.
      sprt: The arena stops as soon as this question is decided; None to play all matches.
      resamples: Number of bootstrap resamples for the intervals.

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

    def judge_of(self, game: Game) -> str:
        """Returns the spec of the bot that judges the openings of a game."""
        return self.judge or default_judges(game)[0]

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
            given = shortest if name == "plies" else getattr(self, name)
            number = python_number(given)
            if type(number) is not int or not low <= number <= high:
                raise AlquerqueError(f"{name} is {given!r}, expected a whole number from {low} to {high}")
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number)
        for name in ("games", "batch"):
            if getattr(self, name) % 2:
                raise AlquerqueError(
                    f"{name} is {getattr(self, name)}, expected an even number: openings are played from both seats"
                )
        if self.max_steps <= shortest:
            raise AlquerqueError(f"max_steps is {self.max_steps}, expected more than the {shortest} plies of openings")
