"""Lists of balanced openings that come with the package, so that an arena starts at once.

A list is a file of JSON lines. The first line has everything that decides the list; each further line has the number of
openings in a lot that was judged, and the balanced ones. A list can be extended at any time.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..bots import load_bot
from ..bots.packed import PackedBot, pack_bot
from ..errors import AlquerqueError
from ..files.json_lines import JsonLines
from ..files.schema import Key, parse
from ..game.game import Game
from ..progress import Progress, Watch, unwatched
from .opening_judge import JUDGED_AT_ONCE, Lot, cut_lots, find_openings, judge_lines
from .openings import Opening, Openings, OpeningsError, draw_lines
from .schedule import PLIES, Settings, default_judges, derive_seed, in_order

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


def _judge_lot(game: Game, judges: Sequence[str | PackedBot], seed: int, lot: Lot) -> Sequence[tuple[str, ...]]:
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
