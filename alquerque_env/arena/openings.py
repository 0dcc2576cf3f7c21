"""Openings: random first turns, no two of which lead to the same position. `opening_lists.py` judges them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..engine.player_view import PlayerView
from ..errors import AlquerqueError
from ..game.game import Game
from ..match.match import Match

DRAWN_PER_OPENING = 200  # draws in a row without a new opening after which all openings of a length count as found


class OpeningsError(AlquerqueError):
    """A game has too few openings.

    Attributes:
      found: How many it has, in words and without advice.
    """

    def __init__(self, found: str) -> None:
        super().__init__(f"{found}: ask for fewer games or for more plies")
        self.found = found


@dataclass(frozen=True)
class Opening:
    """The first turns of a match.

    Attributes:
      steps: Texts of the steps from the start of the game; whole turns.
      is_balanced: Whether it is balanced according to the judge.
    """

    steps: tuple[str, ...]
    is_balanced: bool

    def begin(self, game: Game) -> Match:
        """Returns a match that begins with these steps."""
        match = Match(game)
        for step in self.steps:
            match.push(step)
        return match


@dataclass(frozen=True)
class Openings:
    """The openings of an arena.

    Attributes:
      list: The openings to play.
      tried: Number of openings that were judged to find them.
      is_published: Whether they are from the list that comes with the package.
    """

    list: tuple[Opening, ...]
    tried: int
    is_published: bool = False

    @property
    def num_balanced(self) -> int:
        """Number of balanced openings."""
        return sum(opening.is_balanced for opening in self.list)


def draw_lines(game: Game, lengths: Iterable[int], generator: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Draws random openings, texts of steps, all of one length in turns before the next, until it finds no new ones.

    No two lead to the same position or to symmetric ones, and none ends the match.
    """
    keys = PositionKeys(game)
    seen: set[bytes] = set()
    for plies in lengths:
        misses = 0
        while misses < DRAWN_PER_OPENING:
            match = draw_match(game, plies, generator)
            key = None if match.is_over else keys.key(match, match.occurrences() - 1)
            if key is None or key in seen:
                misses += 1
                continue
            misses = 0
            seen.add(key)
            yield tuple(step.text for step in match.steps)


def draw_match(game: Game, plies: int, generator: np.random.Generator) -> Match:
    """Plays random turns from the start of the game, as many as asked for unless the match ends."""
    match = Match(game)
    turns = 0
    while turns < plies and not match.is_over:
        match.push(match.legal_steps[int(generator.integers(len(match.legal_steps)))])
        turns += not match.turn_goes_on
    return match


class PositionKeys:
    """Makes keys of positions that are equal for symmetric positions."""

    def __init__(self, game: Game) -> None:
        self._view = PlayerView(game)
        self._inverses = [(np.argsort(symmetry.planes), np.argsort(symmetry.points)) for symmetry in game.symmetries]

    def key(self, match: Match, earlier: int = 0) -> bytes:
        """Returns the key of a position that has occurred `earlier` times before."""
        seen = self._view.observe(match.state, match.player, earlier)
        return min(seen[planes][:, points].tobytes() for planes, points in self._inverses)
