"""The settings of an arena and what follows: pairings, order of matches, seeds, calls in other processes."""

import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from ..errors import AlquerqueError
from ..game.array_check import python_number
from ..game.game import Game
from .sprt import Question

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 1024  # most calls that are submitted before the first of them has its result: more than most clusters have CPUs

_TICK = 0.2


def derive_seed(seed: int, *part: str | int) -> int:
    """Returns a seed for a named part of the whole, independent of the seeds of all other parts."""
    entropy = [seed, *(zlib.crc32(name.encode()) if isinstance(name, str) else name for name in part)]
    # Seeds of bots are below 2**63.
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]) >> 1


class Key(NamedTuple):
    """Names a match of an arena by pairing, opening, and the seat of the first player of the pairing, 0 or 1."""

    pairing: int
    opening: int
    seat: int


class Batch(NamedTuple):
    """Matches of one pairing that bots of their own play together: some openings, each from both seats."""

    pairing: int
    number: int
    openings: range

    @property
    def keys(self) -> list[Key]:
        """Its matches."""
        return [Key(self.pairing, opening, seat) for opening in self.openings for seat in (0, 1)]


def make_pairings(num_players: int, *, gauntlet: bool) -> list[tuple[int, int]]:
    """Pairs every player with every other one, or, in a gauntlet, the first player with all others."""
    rows = range(1 if gauntlet else num_players)
    return [(first, second) for first in rows for second in range(first + 1, num_players)]


def make_batches(num_pairings: int, num_openings: int, batch_size: int) -> Iterator[Batch]:
    """Yields all batches of `batch_size` matches, two for each opening.

    All pairings advance together, so that an interrupted arena has results of each.
    """
    openings = batch_size // 2
    for number, start in enumerate(range(0, num_openings, openings)):
        for pairing in range(num_pairings):
            yield Batch(pairing, number, range(start, min(start + openings, num_openings)))


def in_order(
    executor: Executor | None, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Generator[tuple[Task, Result], None, None]:
    """Calls a function with each task, and yields tasks and results in order.

    The tasks are drawn and submitted ahead of the results. When the caller stops early, those without a result are
    cancelled. Without an executor the calls are made here, one at a time; with one the function must be importable.
    """
    if executor is None:
        yield from ((task, function(task)) for task in tasks)
        return
    left = iter(tasks)
    running: deque[tuple[Task, Future[Result]]] = deque()
    try:
        while True:
            while len(running) < AHEAD and not (running and running[0][1].done()):
                if (task := next(left, None)) is None:
                    break
                running.append((task, executor.submit(function, task)))
            if not running:
                return
            task, future = running[0]
            while not future.done():  # on some systems Ctrl-C does not interrupt a wait without a timeout
                wait([future], _TICK)
            result = future.result()
            running.popleft()
            yield task, result
    finally:
        for _, future in running:
            future.cancel()


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
