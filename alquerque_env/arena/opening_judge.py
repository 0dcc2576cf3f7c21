"""Judges openings: an opening is balanced unless a bot that plays itself from it wins both matches with the same side.

A random opening is often decided already: of 240 of Alquerque, one side won 141 in both of two matches of a strong bot
against itself. Such an opening gives any two good players one win each and moves every score towards one half.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from math import inf

import numpy as np

from ..bots.packed import PackedBot, pack_bot, unpacked_bot
from ..game.game import Game
from ..progress import Progress, Watch, unwatched
from .match_runner import play_matches
from .openings import Opening, Openings, OpeningsError, draw_lines
from .schedule import PLIES, derive_seed, in_order

TRIED_PER_OPENING = 12  # most openings that are judged for each wanted one

JUDGED_AT_ONCE = 32


def judge_lines(
    game: Game, lines: Sequence[tuple[str, ...]], judge: str | PackedBot, seeds: Sequence[int], max_steps: int
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


def _judge_lot(game: Game, judge: str | PackedBot, seed: int, max_steps: int, lot: Lot) -> list[int | None]:
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
    ask = partial(_judge_lot, game, judge if executor is None else pack_bot(judge), seed, max_steps)
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
