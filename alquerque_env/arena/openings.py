"""Openings: random first turns, different from each other, that do not yet decide the match.

A random opening is often decided already: of 240 of Alquerque only 99 were not won by the same side in both of two
matches of a strong player against itself. Such an opening gives one win each to any two good players, and draws every
score towards one half.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..batch.single import PlayerView
from ..bots import load_bot
from ..errors import AlquerqueError
from ..game.game import Game
from ..match.match import Match
from .arena_settings import PLIES
from .match_runner import play_matches
from .seeds import derive_seed
from .stage import Progress, Watch, unwatched

TRIED_PER_OPENING = 12
"""Openings that are judged at most for each that is wanted."""

DRAWN_PER_OPENING = 200
"""Openings that are drawn in a row without a new one before they are taken to be exhausted."""

JUDGED_AT_ONCE = 32


class OpeningsError(AlquerqueError):
    """There are not as many openings as are asked for.

    Attributes:
      found: How many there are, in words without advice.
    """

    def __init__(self, found: str) -> None:
        super().__init__(f"{found}: ask for fewer games or for more plies")
        self.found = found


@dataclass(frozen=True)
class Opening:
    """The first steps of a match.

    Attributes:
      steps: Texts of the steps from the start of the game, whole turns.
      is_balanced: Whether the judge did not win it for the same side twice.
    """

    steps: tuple[str, ...]
    is_balanced: bool

    def begin(self, game: Game) -> Match:
        """A match after these steps."""
        match = Match(game)
        for step in self.steps:
            match.push(step)
        return match


@dataclass(frozen=True)
class Openings:
    """The openings of an arena.

    Attributes:
      list: Those that are played.
      tried: How many were judged to find them.
      is_published: Whether they are from a list that comes with the package.
    """

    list: tuple[Opening, ...]
    tried: int
    is_published: bool = False

    @property
    def num_balanced(self) -> int:
        """How many of them the judge found balanced."""
        return sum(opening.is_balanced for opening in self.list)


def find_openings(
    game: Game,
    count: int,
    plies: int | None,
    *,
    seed: int,
    judge: str,
    max_steps: int,
    watch: Watch = unwatched,
) -> Openings:
    """Draws openings until enough of them are balanced, or too many have been tried.

    A judge plays each against itself twice; it is balanced if the same side did not win both. Where too few are, those
    come along that took the judge longest to win.

    Args:
      game: What is played.
      count: How many openings.
      plies: Length of an opening in turns; if None, those of `PLIES`, the next one when all of a length are judged.
      seed: Makes the choice repeatable.
      judge: Spec of the bot that judges.
      max_steps: Length at which the judge's matches are cut.
      watch: Is told how many are found of how many, from time to time.

    Raises:
      OpeningsError: If the game has not so many openings of that length.
    """
    lengths = [length for length in PLIES if length < max_steps] if plies is None else [plies]
    drawn = draw_lines(game, lengths, np.random.default_rng(derive_seed(seed, "openings")))
    kept: list[Opening] = []
    decided: list[tuple[int, Opening]] = []
    tried = 0
    while len(kept) < count and tried < TRIED_PER_OPENING * count:
        lines = list(islice(drawn, JUDGED_AT_ONCE))
        if not lines:
            break
        seeds = [derive_seed(seed, "judge", tried, number) for number in (0, 1)]
        for line, length in zip(lines, judge_lines(game, lines, judge, seeds, max_steps), strict=True):
            opening = Opening(line, length is None)
            if length is None:
                kept.append(opening)
            else:
                decided.append((length, opening))
        tried += len(lines)
        watch(Progress("openings", min(len(kept), count), count))
    decided.sort(key=lambda entry: -entry[0])
    found = [*kept, *(opening for _, opening in decided)][:count]
    if len(found) < count:
        turns = " to ".join(str(length) for length in sorted({lengths[0], lengths[-1]}))
        raise OpeningsError(f"found only {len(found)} openings of {turns} plies in {game.name}, expected {count}")
    return Openings(tuple(found), tried)


def draw_lines(game: Game, lengths: Iterable[int], generator: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Texts of random steps of so many turns, after which the match goes on; all of a length before the next length.

    No two lead to the same position, or to images of each other under the game's symmetries; ends when no new ones
    turn up.
    """
    keys = PositionKeys(game)
    seen: set[bytes] = set()
    for plies in lengths:
        misses = 0
        while misses < DRAWN_PER_OPENING:
            match = _draw(game, plies, generator)
            key = None if match.is_over else keys.key(match, match.occurrences() - 1)
            if key is None or key in seen:
                misses += 1
                continue
            misses = 0
            seen.add(key)
            yield tuple(step.text for step in match.steps)


def _draw(game: Game, plies: int, generator: np.random.Generator) -> Match:
    match = Match(game)
    turns = 0
    while turns < plies and not match.is_over:
        match.push(match.legal_steps[int(generator.integers(len(match.legal_steps)))])
        turns += match.chain is None
    return match


def judge_lines(
    game: Game, lines: Sequence[tuple[str, ...]], judge: str, seeds: Sequence[int], max_steps: int
) -> list[int | None]:
    """Lets a judge play openings against itself, once with each seed.

    Args:
      game: What is played.
      lines: Texts of the steps of each opening.
      judge: Spec of the judge.
      seeds: Of its matches.
      max_steps: Length at which they are cut.

    Returns:
      For each opening the steps in all its matches until the same side had won; None where it had not: it is balanced.
    """
    matches = [Opening(line, False).begin(game) for line in lines for _ in seeds]
    bots = [load_bot(judge, game, seed=seed, tables=False) for seed in seeds]
    winners = {
        place: end.winner
        for place, end in play_matches(matches, [(bot, bot) for _ in lines for bot in bots], max_steps)
    }
    verdicts: list[int | None] = []
    for place in range(0, len(matches), len(seeds)):
        places = range(place, place + len(seeds))
        won = {winners[place] for place in places}
        is_decided = len(won) == 1 and None not in won
        verdicts.append(sum(len(matches[place].steps) for place in places) if is_decided else None)
    return verdicts


class PositionKeys:
    """Tells positions apart as the players see them, but for the symmetries of the game."""

    def __init__(self, game: Game) -> None:
        self._view = PlayerView(game)
        self._inverses = [(np.argsort(symmetry.planes), np.argsort(symmetry.points)) for symmetry in game.symmetries]

    def key(self, match: Match, earlier: int = 0) -> bytes:
        """The same for a position and its images; `earlier` says how often it has occurred in the match before."""
        seen = self._view.observe(match.state, match.player, earlier)
        return min(seen[planes][:, points].tobytes() for planes, points in self._inverses)
