"""Makes the puzzles that come with the package.

    python -m tools.puzzles
    python -m tools.puzzles --seed 42 felli alquerque

Without a game it makes those of all games in `PIECES`. For each game it builds an endgame table in a temporary folder,
looks in it for puzzles, grades them by bots, and writes `alquerque_env/exercises/puzzles/GAME.json.gz`. The same
command writes the same files. It prints the processor time of each game, table included.
"""

import gzip
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import click
import numpy as np

from alquerque_env import Match, load_bot, load_game, load_table
from alquerque_env.arena.exact_errors import natural_lots, uniform_lots
from alquerque_env.arena.match_runner import choose_many
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.cli.console.signals import terminate_as_ctrl_c
from alquerque_env.engine.forms import compile_at_once
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises.exercise import Exercise, winning_line
from alquerque_env.exercises.puzzle_set import FORMAT, NATURAL, SHIPPED, SUFFIX, UNIFORM, Columns, Puzzle, PuzzleSet
from alquerque_env.exercises.solved_share import choices
from alquerque_env.files.atomic import write_whole
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.build import build_table

PIECES = {
    "alquerque": 4,
    "alquerque_alfonso_x": 6,
    "alquerque_murray": 6,
    "dash_guti": 7,
    "draughts_english": 4,
    "egara_guti": 6,
    "fetach": 4,
    "fetaix": 4,
    "high_jump": 6,
    "lau_kata_kati": 7,
    "pretwa": 8,
    "terhuchu_small": 6,
    "tiger_and_buffaloes": 14,
}
"""The pieces of the table of each game."""
SEED = 42
COUNT = 300
BOTS = "greedy", "alphabeta:1", "mcts:50", "alphabeta:3", "alphabeta:5"
"""Who grades the puzzles. They look up no table."""
CHECKED, LEAST_MISSED = "alphabeta:3", 0.1
"""The bot that must miss at least this share of the puzzles."""
LEAST_DISTANCE = 5
"""Plies to the end of a win that is worth finding."""
LEAST_STEPS = 3
"""Legal steps of a first position."""
LEAST_CHOICES = 2
"""Turns in which the player can choose, and one turn alone wins."""

_POOL = 2  # lines of which one is chosen
_PLANES = "_men", "_kings", "_hand", "player"  # how the names of the planes end that show pieces, and who plays
_MISSES = 40  # lots without a line after which no more are looked for

Watch = Callable[[str, int, int], None]  # receives what is being done, how much of it is done, and of how much


def make_puzzles(
    table: EndgameTable, *, command: str, count: int = COUNT, seed: int = 0, watch: Watch = lambda *_: None
) -> PuzzleSet:
    """Makes the puzzles of a game, half of them from natural positions; the same at every call.

    Raises:
      AlquerqueError: If the table has too few, or too few that are hard.
    """
    game = table.game
    chosen: list[Puzzle] = []
    most = _POOL * count // 2
    collection = Collection(table)
    for source, lots in ((NATURAL, natural_endings(table, seed)), (UNIFORM, uniform_lots(table, seed))):
        puzzles = collection.collect(source, lots, most, partial(watch, source))
        if len(puzzles) < count // 2:
            few = f"{len(puzzles)} {source} puzzles with at most {table.pieces} pieces"
            raise AlquerqueError(f"{game.name} has only {few}, expected {count // 2}")
        for number, spec in enumerate(BOTS):
            watch(f"{source}: {spec}", number, len(BOTS))
            missed = find_missed(game, puzzles, spec, seed)
            puzzles = [
                replace(each, missed=each.missed + str(int(miss))) for each, miss in zip(puzzles, missed, strict=True)
            ]
        chosen += of_every_grade(puzzles, count // 2)
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


def natural_endings(table: EndgameTable, seed: int) -> Iterator[np.ndarray]:
    """Yields positions of matches, see `natural_states`, that the table has, with a clock of 0."""
    for states in natural_lots(table.game, seed):
        men = states[:, [STATE.MEN, STATE.MEN + 1, STATE.KINGS, STATE.KINGS + 1]]
        few = np.bitwise_count(men).sum(1) <= table.pieces
        kept = states[few & (states[:, STATE.CHAIN] < 0)]
        kept[:, STATE.QUIET] = 0
        yield kept


def find_puzzles(table: EndgameTable, states: np.ndarray, source: str) -> Iterator[Puzzle]:
    """Yields the puzzles that begin in states, int64 `[N, S]`; left out are those with too few choices."""
    if not len(states):
        return
    found = table.probe(states)
    mask = make_batch(table.game, len(states)).set(states).mask == 1
    values = table.action_values(states)
    has_only_win = (values.known == mask).all(1) & ((values.value == 1).sum(1) == 1) & (mask.sum(1) >= LEAST_STEPS)
    for place in np.flatnonzero(has_only_win & found.known & (found.distance >= LEAST_DISTANCE)):
        (match,) = Match.of_engine(table.game, states[place : place + 1])
        exercise = Exercise(match.position, winning_line(match, table))
        if exercise.line and count_choices(table.game, exercise) >= LEAST_CHOICES:
            yield describe(table.game, exercise, int(found.distance[place]), source)


def count_choices(game: Game, exercise: Exercise) -> int:
    """The turns of a line in which its player can choose."""
    return len({len(match.history) - match.turn_goes_on for match, _ in choices(game, exercise)})


def find_missed(game: Game, puzzles: Sequence[Puzzle], spec: str, seed: int) -> np.ndarray:
    """Returns bool `[N]`: whether a bot misses one of the choices of each puzzle; later ones are asked too."""
    bot = load_bot(spec, game, seed=seed, tables=False)
    asked = [(number, *each) for number, puzzle in enumerate(puzzles) for each in choices(game, puzzle.exercise)]
    # Without their pasts, which grading leaves out.
    matches = Match.of_engine(game, np.array([match.state for _, match, _ in asked], np.int64))
    missed = np.zeros(len(puzzles), bool)
    for (number, _, text), step in zip(asked, choose_many(bot, matches), strict=True):
        missed[number] |= step.text != text
    return missed


class Collection:
    """Puzzles of which none begins within the line of another, or of an image of another."""

    def __init__(self, table: EndgameTable) -> None:
        self._table = table
        self._starts: set[bytes] = set()
        self._visited: set[bytes] = set()

    def collect(
        self, source: str, lots: Iterator[np.ndarray], most: int, watch: Callable[[int, int], None]
    ) -> list[Puzzle]:
        """At most `most` new puzzles from lots of positions."""
        found: list[Puzzle] = []
        empty = 0
        for states in lots:
            before = len(found)
            for puzzle in find_puzzles(self._table, states, source):
                if self._is_new(puzzle):
                    found.append(puzzle)
                if len(found) == most:
                    return found
            watch(len(found), most)
            empty = 0 if len(found) > before else empty + 1
            if empty == _MISSES:
                break
        return found

    def _is_new(self, puzzle: Puzzle) -> bool:
        game = self._table.game
        matches = [Match(game, puzzle.position), *(match for match, _ in choices(game, puzzle.exercise))]
        start, *others = find_images(game, np.array([match.state for match in matches], np.int64))
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


def of_every_grade(puzzles: Sequence[Puzzle], count: int) -> list[Puzzle]:
    """Picks `count` puzzles, spread evenly over the grades; earlier ones first."""
    grades = [[each for each in puzzles if each.grade == grade] for grade in range(len(BOTS) + 1)]
    chosen: list[Puzzle] = []
    while len(chosen) < count:
        for grade in grades:
            chosen += grade[:1] if len(chosen) < count else []
            del grade[:1]
    return chosen


def describe(game: Game, exercise: Exercise, distance: int, source: str) -> Puzzle:
    """The puzzle of an exercise, not graded yet."""
    line = " ".join(",".join(turn) for turn in exercise.line)
    return Puzzle(exercise.position, line, distance, "", source, tuple(find_tags(game, exercise)))


def find_tags(game: Game, exercise: Exercise) -> Iterator[str]:
    """What a line shows."""
    before = Match(game, exercise.position)
    own, promoted = before.player, count_promoted(before)
    match = before.copy()
    for text in exercise.steps:
        match.push(next(step for step in match.legal_steps if step.text == text))
    yield "capture" if any(step.captured for step in match.history[0][1]) else "quiet"
    if any(player == own and sum(bool(step.captured) for step in turn) > 1 for player, turn in match.history):
        yield "chain"
    if any(player != own and any(step.captured for step in turn) for player, turn in match.history):
        yield "sacrifice"
    for step in match.steps:
        is_own = before.player == own
        before.push(step)
        if is_own and count_promoted(before)[own] > promoted[own]:
            yield "promotion"
            break
        promoted = count_promoted(before)
    if match.outcome is not None:
        yield match.outcome.reason


def count_promoted(match: Match) -> tuple[int, int]:
    """The promoted pieces of both sides."""
    players = [player for player, promoted in match.picture().pieces.values() if promoted]
    return players.count(0), players.count(1)


def write_puzzles(path: Path, puzzles: PuzzleSet, game: Game) -> None:
    """Writes a file, the same for the same puzzles of a game."""
    rows = puzzles.puzzles
    columns = Columns(
        position=" ".join(row.position for row in rows),
        line=" ".join(number_steps(game, row.exercise) for row in rows),
        distance=tuple(row.distance for row in rows),
        missed=" ".join(row.missed for row in rows),
        source=" ".join(row.source for row in rows),
        tags=" ".join(",".join(row.tags) for row in rows),
    )
    text = json.dumps(vars(puzzles) | {"puzzles": asdict(columns)}, separators=(",", ":"))
    write_whole(path, gzip.compress(text.encode(), mtime=0))


def number_steps(game: Game, exercise: Exercise) -> str:
    """A line as a file has it: a character for the number of each step among the legal ones."""
    match, written = Match(game, exercise.position), ""
    for text in exercise.steps:
        number = [step.text for step in match.legal_steps].index(text)
        match.push(match.legal_steps[number])
        written += chr(ord("0") + number)
    return written


def sum_up(puzzles: PuzzleSet, size: int) -> str:
    """The figures of a set in a line."""
    total = len(puzzles.puzzles)
    natural = sum(puzzle.source == NATURAL for puzzle in puzzles.puzzles)
    misses = [sum(puzzle.missed[place] == "1" for puzzle in puzzles.puzzles) / total for place in range(len(BOTS))]
    shares = ", ".join(f"{bot} {share:.0%}" for bot, share in zip(BOTS, misses, strict=True))
    grades = Counter(puzzle.grade for puzzle in puzzles.puzzles)
    spread = "/".join(str(grades[grade]) for grade in range(len(BOTS) + 1))
    return f"{total} puzzles, {natural} natural; missed by {shares}; grades {spread}; {size:,} bytes"


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True)
@click.option("--tables", type=click.Path(path_type=Path), help="Keep the tables in this folder, and use those in it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=SHIPPED, help="The folder of the files.")
def main(games: tuple[str, ...], seed: int, tables: Path | None, output: Path) -> None:
    """Make puzzles."""
    output.mkdir(parents=True, exist_ok=True)
    compile_at_once()
    began = time.process_time()
    with terminate_as_ctrl_c(), tempfile.TemporaryDirectory() as folder:
        for name in games or PIECES:
            begun = time.process_time()
            game = load_game(name)
            path = build_table(game, PIECES[name], (tables or Path(folder)) / f"{name}-{PIECES[name]}.aqt")
            table = load_table(game, path)
            table.load()
            solved = time.process_time()
            try:
                found = make_puzzles(table, command=f"python -m tools.puzzles --seed {seed} {name}", seed=seed)
            except AlquerqueError as error:
                click.echo(f"{name}: left out: {error} ({time.process_time() - begun:.0f} s)")
                continue
            target = output / f"{name}{SUFFIX}"
            write_puzzles(target, found, game)
            seconds = f"{solved - begun:.1f} s table, {time.process_time() - solved:.1f} s puzzles"
            click.echo(f"{name}: {sum_up(found, target.stat().st_size)}; {seconds}")
    click.echo(f"{time.process_time() - began:.0f} s of processor time; hard are those that {CHECKED} misses")


if __name__ == "__main__":
    main()
