"""Makes the puzzles that come with the package.

    python benchmarks/puzzle_sets.py
    python benchmarks/puzzle_sets.py --seed 42 felli alquerque

Without a game it makes those of all games in `PIECES`. For each game it builds an endgame table in a temporary folder,
looks in it for puzzles, grades them, and writes `alquerque_env/exercises/puzzles/GAME.json.gz`. The same command writes
the same files. It prints the processor time of each game, table included.
"""

import tempfile
import time
from collections import Counter
from pathlib import Path

import click

from alquerque_env import load_game, load_table
from alquerque_env.cli.console.signals import terminate_as_ctrl_c
from alquerque_env.engine.forms import compile_at_once
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises.make_puzzles import BOTS, CHECKED, make_puzzles
from alquerque_env.exercises.puzzle_set import NATURAL, SHIPPED, SUFFIX, PuzzleSet, write_puzzles
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
}
"""The pieces of the table of each game."""
SEED = 42


def describe(puzzles: PuzzleSet, size: int) -> str:
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
                found = make_puzzles(table, command=f"python benchmarks/puzzle_sets.py --seed {seed} {name}", seed=seed)
            except AlquerqueError as error:
                click.echo(f"{name}: left out: {error} ({time.process_time() - begun:.0f} s)")
                continue
            target = output / f"{name}{SUFFIX}"
            write_puzzles(target, found, game)
            seconds = f"{solved - begun:.1f} s table, {time.process_time() - solved:.1f} s puzzles"
            click.echo(f"{name}: {describe(found, target.stat().st_size)}; {seconds}")
    click.echo(f"{time.process_time() - began:.0f} s of processor time; hard are those that {CHECKED} misses")


if __name__ == "__main__":
    main()
