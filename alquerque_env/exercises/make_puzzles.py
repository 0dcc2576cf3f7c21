"""Makes the puzzles of a game: finds them in an endgame table, grades them by bots, and chooses of every grade."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from ..arena.exact_errors import uniform_lots
from ..arena.match_runner import choose_many
from ..batch.make_batch import make_batch
from ..bots import load_bot
from ..errors import AlquerqueError
from ..game.game import Game
from ..match.match import Match
from ..solve.tables import EndgameTable
from .only_wins import OnlyWins, find_only_wins, natural_endings
from .puzzle_set import FORMAT, NATURAL, UNIFORM, Puzzle, PuzzleSet, join_line

BOTS = "greedy", "alphabeta:1", "mcts:50", "alphabeta:3", "alphabeta:5"
"""Who grades the puzzles. They look up no table."""
CHECKED = "alphabeta:3"
"""The bot that at least `LEAST_MISSED` of the puzzles are too hard for."""
LEAST_MISSED = 0.1
COUNT = 300

_POOL = 2  # lines of which one is chosen
_PLANES = "_men", "_kings", "_hand", "player"  # how the names of the planes end that show pieces, and who plays
_MISSES = 40  # lots without a line after which no more are looked for


class Watch(Protocol):
    """Receives what is being done, how much of it is done, and of how much."""

    def __call__(self, stage: str, done: int, *, of: int) -> None:
        """Receives the progress."""


def _unwatched(stage: str, done: int, *, of: int) -> None:
    """Does nothing."""


class _Graded(NamedTuple):
    line: OnlyWins
    missed: str


def make_puzzles(
    table: EndgameTable, *, command: str, count: int = COUNT, seed: int = 0, watch: Watch = _unwatched
) -> PuzzleSet:
    """Makes the puzzles of a game, half of them from natural positions; the same at every call.

    Args:
      table: The table in which they are looked for.
      command: The command that the file names.
      count: How many puzzles, an even number.
      seed: Seed of the positions and of the bots' choices.
      watch: Is called now and then with the progress.

    Returns:
      The puzzles, those of the lowest grade first.

    Raises:
      AlquerqueError: If the table has too few, or too few that are hard.
    """
    game = table.game
    chosen: list[Puzzle] = []
    most = _POOL * count // 2
    collection = _Collection(table)
    for source, lots in ((NATURAL, natural_endings(table, seed)), (UNIFORM, uniform_lots(table, seed))):
        lines = collection.collect(lots, most, partial(watch, source, of=most))
        if len(lines) < count // 2:
            few = f"{len(lines)} {source} puzzles with at most {table.pieces} pieces"
            raise AlquerqueError(f"{game.name} has only {few}, expected {count // 2}")
        graded = [_Graded(line, "") for line in lines]
        for number, spec in enumerate(BOTS):
            watch(f"{source}: {spec}", number, of=len(BOTS))
            graded = [
                _Graded(line, missed + str(int(is_missed)))
                for (line, missed), is_missed in zip(graded, find_missed(game, lines, spec, seed), strict=True)
            ]
        chosen += [_describe(game, each, source) for each in _of_every_grade(graded, count // 2)]
    hard = sum(puzzle.missed[BOTS.index(CHECKED)] == "1" for puzzle in chosen) / len(chosen)
    if hard < LEAST_MISSED:
        raise AlquerqueError(
            f"{game.name} has too easy puzzles with at most {table.pieces} pieces: {CHECKED} misses {hard:.1%}, "
            f"expected {LEAST_MISSED:.0%}"
        )
    return PuzzleSet(
        format=FORMAT,
        game=game.name,
        options=dict(game.options),
        version=game.version,
        table_hash=game.table_hash,
        pieces=table.pieces,
        seed=seed,
        command=command,
        bots=BOTS,
        puzzles=tuple(sorted(chosen, key=lambda puzzle: (puzzle.grade, puzzle.distance, puzzle.position))),
    )


def find_missed(game: Game, lines: Sequence[OnlyWins], spec: str, seed: int) -> np.ndarray:
    """Returns bool `[N]`: whether a bot misses one of the choices of each line; later ones are asked too."""
    bot = load_bot(spec, game, seed=seed, tables=False)
    asked = [(number, state, line.actions[place]) for number, line in enumerate(lines) for state, place in line.asked]
    steps = choose_many(bot, Match.of_engine(game, np.array([state for _, state, _ in asked], np.int64)))
    missed = np.zeros(len(lines), bool)
    for (number, _, action), step in zip(asked, steps, strict=True):
        missed[number] |= step.action != action
    return missed


class _Collection:
    """Lines of which none begins within another or within the image of another."""

    def __init__(self, table: EndgameTable) -> None:
        self._table = table
        self._starts: set[bytes] = set()
        self._visited: set[bytes] = set()

    def collect(self, lots: Iterator[np.ndarray], most: int, watch: Callable[[int], None]) -> list[OnlyWins]:
        """So many new lines from lots of positions, or fewer if there are no more."""
        found: list[OnlyWins] = []
        empty = 0
        for states in lots:
            before = len(found)
            for line in find_only_wins(self._table, states):
                if len(found) < most and self._is_new(line):
                    found.append(line)
            watch(len(found))
            empty = 0 if len(found) > before else empty + 1
            if len(found) == most or empty == _MISSES:
                break
        return found

    def _is_new(self, line: OnlyWins) -> bool:
        states = np.array([line.state, *(state for state, _ in line.asked)])
        start, *others = find_images(self._table.game, states)
        if start in self._visited or self._starts.intersection(others):
            return False
        self._starts.add(start)
        self._visited |= {start, *others}
        return True


def find_images(game: Game, states: np.ndarray) -> list[bytes]:
    """Returns for each of the states, int64 `[N, S]`, a key that those and only those of the same pieces share.

    Pieces are the same if a symmetry of the board, with the sides changed or not, makes them the same. What the rules
    remember besides is left out.
    """
    shown = [number for number, plane in enumerate(game.planes) if plane.name.endswith(_PLANES)]
    seen = make_batch(game, len(states)).set(states).observation[:, shown]
    turned = [seen[:, :, np.argsort(symmetry.points)] for symmetry in game.symmetries]
    return [min(image[place].tobytes() for image in turned) for place in range(len(states))]


def _of_every_grade(graded: Sequence[_Graded], count: int) -> list[_Graded]:
    """So many of them, of every grade as many as there are of the others, as far as possible; the first ones."""
    grades = [[each for each in graded if each.missed.count("1") == grade] for grade in range(len(BOTS) + 1)]
    chosen: list[_Graded] = []
    while len(chosen) < count:
        for grade in grades:
            chosen += grade[:1] if len(chosen) < count else []
            del grade[:1]
    return chosen


def _describe(game: Game, graded: _Graded, source: str) -> Puzzle:
    line = graded.line
    (match,) = Match.of_engine(game, line.state[None])
    position = match.position
    for action in line.actions:
        match.push(action)
    turns = [[step.text for step in steps] for _, steps in match.history]
    return Puzzle(position, join_line(turns), line.distance, graded.missed, source, tuple(_tags(game, position, match)))


def _tags(game: Game, position: str, match: Match) -> Iterator[str]:
    """What a line shows; the match is the one after it."""
    before = Match(game, position)
    own, kings = before.player, _kings(before)
    first = match.history[0][1]
    yield "capture" if any(step.captured for step in first) else "quiet"
    if any(player == own and sum(bool(step.captured) for step in turn) > 1 for player, turn in match.history):
        yield "chain"
    if any(player != own and any(step.captured for step in turn) for player, turn in match.history):
        yield "sacrifice"
    for step in match.steps:
        is_own = before.player == own
        before.push(step)
        if is_own and _kings(before)[own] > kings[own]:
            yield "promotion"
            break
        kings = _kings(before)
    if match.outcome is not None:
        yield match.outcome.reason


def _kings(match: Match) -> tuple[int, int]:
    pieces = [piece for piece in match.picture().pieces.values() if piece[1]]
    return sum(player == 0 for player, _ in pieces), sum(player == 1 for player, _ in pieces)
