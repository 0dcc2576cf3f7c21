"""Openings: random first turns, no two of which lead to the same position; judged; and lists of balanced ones.

An opening is balanced unless a bot that plays itself from it wins both matches with the same side. A random opening is
often decided already: of 240 of Alquerque, one side won 141 in both of two matches of a strong bot against itself. Such
an opening gives any two good players one win each and moves every score towards one half.

Lists come with the package, so that an arena starts at once. A list is a file of JSON lines. The first line has
everything that decides the list; each further line has the number of openings in a lot that was judged, and the
balanced ones. A list can be extended at any time.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from importlib import resources
from itertools import islice
from math import inf
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..bots import load_bot
from ..bots.portable import PortableBot, pack_bot, unpacked_bot
from ..engine.player_view import PlayerView
from ..errors import AlquerqueError
from ..files.json_lines import JsonLines
from ..files.schema import Key, parse
from ..game.game import Game
from ..match.match import Match
from ..progress import Progress, Watch, unwatched
from .match_runner import play_matches
from .schedule import PLIES, Settings, default_judges, derive_seed, in_order

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


TRIED_PER_OPENING = 12  # most openings that are judged for each wanted one

JUDGED_AT_ONCE = 32


def judge_lines(
    game: Game, lines: Sequence[tuple[str, ...]], judge: str | PortableBot, seeds: Sequence[int], max_steps: int
) -> list[int | None]:
    """Lets a judge play openings, texts of steps, against itself, once with each seed.

    Returns for each opening None if it is balanced; if the same side won all matches, their steps in all.
    """
    matches = [Opening(line, False).begin(game) for line in lines for _ in seeds]
    with ExitStack() as stack:
        bots = [stack.enter_context(unpacked_bot(judge, game, seed=seed)) for seed in seeds]
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


Lot = tuple[int, tuple[tuple[str, ...], ...]]  # openings that are judged together, and the number of those before


def cut_lots(drawn: Iterator[tuple[str, ...]], *, start: int = 0, most: float = inf) -> Iterator[Lot]:
    """Yields openings in lots; the number of openings before begins at `start` and stays below `most`."""
    place = start
    while place < most and (lines := tuple(islice(drawn, JUDGED_AT_ONCE))):
        yield place, lines
        place += len(lines)


def _judge_openings(game: Game, judge: str | PortableBot, seed: int, max_steps: int, lot: Lot) -> list[int | None]:
    place, lines = lot
    seeds = [derive_seed(seed, "judge", place, number) for number in (0, 1)]
    return judge_lines(game, lines, judge, seeds, max_steps)


def find_openings(
    game: Game,
    count: int,
    plies: int | None,
    *,
    seed: int,
    judge: str,
    max_steps: int,
    watch: Watch = unwatched,
    executor: Executor | None = None,
) -> Openings:
    """Draws openings and judges them until enough are balanced, or too many have been tried.

    If too few are balanced, the openings that took the judge longest to win fill up the list.

    Args:
      game: The game.
      count: Number of openings.
      plies: Length of an opening in turns; None for those in `PLIES`, the next one when all of a length are judged.
      seed: Makes the choice repeatable.
      judge: Spec of the judge.
      max_steps: Length at which the judge's matches are cut.
      watch: Is called with the progress.
      executor: Judges in other processes or on other machines, with the same result.

    Returns:
      The openings, and how many were tried.

    Raises:
      OpeningsError: If the game has too few openings of these lengths.
    """
    lengths = [length for length in PLIES if length < max_steps] if plies is None else [plies]
    drawn = draw_lines(game, lengths, np.random.default_rng(derive_seed(seed, "openings")))
    kept: list[Opening] = []
    decided: list[tuple[int, Opening]] = []
    tried = 0
    ask = partial(_judge_openings, game, judge if executor is None else pack_bot(judge), seed, max_steps)
    with closing(in_order(executor, ask, cut_lots(drawn, most=TRIED_PER_OPENING * count))) as judged:
        for (_, lines), verdicts in judged:
            for line, length in zip(lines, verdicts, strict=True):
                opening = Opening(line, length is None)
                if length is None:
                    kept.append(opening)
                else:
                    decided.append((length, opening))
            tried += len(lines)
            watch(Progress("balanced openings found", min(len(kept), count), count))
            if len(kept) >= count:
                break
    decided.sort(key=lambda entry: -entry[0])
    found = [*kept, *(opening for _, opening in decided)][:count]
    if len(found) < count:
        turns = " to ".join(str(length) for length in sorted({lengths[0], lengths[-1]}))
        raise OpeningsError(f"found only {len(found)} openings of {turns} plies in {game.name}, expected {count}")
    return Openings(tuple(found), tried)


FOLDER = resources.files(__package__) / "lists"  # the folder of the lists `<game>.jsonl`

FORMAT = 1

MAX_STEPS = 1_000  # length at which the judges' matches are cut


@dataclass(frozen=True)
class _Lot:
    """A line of a list after the first."""

    tried: Annotated[int, Key(low=0, high=JUDGED_AT_ONCE)]
    balanced: tuple[str, ...]


@dataclass(frozen=True)
class OpeningList:
    """Balanced openings, as the texts of their steps, and how many were judged to find them."""

    lines: tuple[tuple[str, ...], ...]
    tried: int


def choose_openings(
    game: Game, settings: Settings, watch: Watch = unwatched, *, executor: Executor | None = None
) -> Openings:
    """Chooses the openings of an arena from the list of the game, or draws and judges new ones.

    New ones are drawn with a judge, a length of openings, or more games than the list has openings for. Raises
    `OpeningsError` if the game has too few.
    """
    count = settings.games // 2
    known = published_list(game) if settings.judge is None and settings.plies is None else None
    lines = [line for line in known.lines if len(line) < settings.max_steps] if known else []
    if known and len(lines) >= count:
        order = np.random.default_rng(derive_seed(settings.seed, "openings")).permutation(len(lines))
        chosen = tuple(Opening(lines[place], is_balanced=True) for place in order[:count])
        return Openings(chosen, known.tried, is_published=True)
    return find_openings(
        game,
        count,
        settings.plies,
        seed=settings.seed,
        judge=settings.judge_of(game),
        max_steps=settings.max_steps,
        watch=watch,
        executor=executor,
    )


def published_list(game: Game) -> OpeningList | None:
    """Returns the list of a game that comes with the package; None if there is none for its options."""
    file = FOLDER / f"{game.name}.jsonl"
    if not file.is_file():
        return None
    header, *lots = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return _gather(lots) if header["table_hash"] == game.table_hash else None


def extend_list(
    path: Path,
    game: Game,
    count: int,
    *,
    seed: int = 0,
    judges: Sequence[str] | None = None,
    watch: Watch = unwatched,
    executor: Executor | None = None,
) -> OpeningList:
    """Makes or extends a list until it has enough openings. An interrupted call can be repeated.

    Args:
      path: The file of the list. An existing file of the same arguments is extended.
      game: The game.
      count: Least number of openings.
      seed: Seed of the openings and the judges.
      judges: Specs of the judges; None for `default_judges`. Each judges what is balanced according to those before it.
      watch: Is called with the progress.
      executor: Judges in other processes or on other machines, with the same list.

    Returns:
      The list as it is in the file.

    Raises:
      AlquerqueError: If a spec names no bot, or the file is not a list or was made with other arguments.
      OpeningsError: If the game has too few openings; the list keeps those found.
      OSError: If the file cannot be read or written.
    """
    judges = judges or default_judges(game)
    for judge in judges:
        load_bot(judge, game, seed=seed, tables=False)
    header = {
        "game": game.name,
        "options": dict(game.options),
        "table_hash": game.table_hash,
        "seed": seed,
        "judges": list(judges),
    }
    with JsonLines(path, "a list of openings", ("openings", FORMAT), header) as file:
        lots = file.entries
        for place, lot in enumerate(lots):
            try:
                read = parse(_Lot, lot, "openings")
            except AlquerqueError:
                raise file.damaged(place) from None
            if len(read.balanced) > read.tried:
                raise file.damaged(place)
        drawn = draw_lines(game, PLIES, np.random.default_rng(derive_seed(seed, "openings")))
        tried = sum(1 for _ in islice(drawn, _gather(lots).tried))
        ask = partial(_judge_lot, game, tuple(judges) if executor is None else tuple(map(pack_bot, judges)), seed)
        with closing(in_order(executor, ask, cut_lots(drawn, start=tried))) as judged:
            while (found := len(_gather(lots).lines)) < count:
                watch(Progress("balanced openings found", found, count))
                judged_lot, balanced = next(judged, (None, ()))
                if judged_lot is None:
                    raise OpeningsError(f"found only {found} balanced openings of {PLIES[0]} to {PLIES[-1]} plies")
                lots.append({"tried": len(judged_lot[1]), "balanced": [" ".join(line) for line in balanced]})
                file.add(lots[-1])
        watch(Progress("balanced openings found", count, count))
    return _gather(lots)


def _judge_lot(game: Game, judges: Sequence[str | PortableBot], seed: int, lot: Lot) -> Sequence[tuple[str, ...]]:
    """Returns the openings of a lot that all judges call balanced."""
    tried, lines = lot
    balanced: Sequence[tuple[str, ...]] = lines
    for place, judge in enumerate(judges):
        seeds = [derive_seed(seed, "judge", place, tried, number) for number in (0, 1)]
        verdicts = judge_lines(game, balanced, judge, seeds, MAX_STEPS)
        balanced = [line for line, verdict in zip(balanced, verdicts, strict=True) if verdict is None]
    return balanced


def _gather(lots: Sequence[Mapping[str, Any]]) -> OpeningList:
    lines = tuple(tuple(text.split()) for lot in lots for text in lot["balanced"])
    return OpeningList(lines, sum(lot["tried"] for lot in lots))
