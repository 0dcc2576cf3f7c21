"""Writes which try of each seed gives the small drawn game: `python -m tools.draw_tries`.

A game is drawn again if it is, but for symmetry and names, one of the package under its defaults, one of the settings
that trainings hold out, or one of a split before it, in the order test, validation, train; a test game also if it
has fewer than 200 critical natural positions.
"""

import argparse
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from alquerque_env import games, load_game
from alquerque_env.arena.exact_errors import NATURAL, draw_critical
from alquerque_env.drawn.games import DISTRIBUTION, good_candidates
from alquerque_env.drawn.identity import identity
from alquerque_env.drawn.splits import SPLITS, TEST, TRAIN, VALIDATION
from alquerque_env.errors import TableError
from alquerque_env.game.game import Game
from alquerque_env.processors import count_processors
from alquerque_env.solve.tables import build_table, load_table
from alquerque_env.solve.tables.whole import whole_pieces

CRITICAL = 200
HELD_OUT = {
    "pretwa": ({"capture": "optional"}, {"chain": "single"}),
    "felli_simplified": ({"capture": "optional"},),
    "alquerque": ({"capture": "optional"},),
    "seega_5x5": ({"chain": "single"},),
}
"""Options of games that trainings hold out."""


def find_try(split: str, seed: int, first: int = 0) -> tuple[int, str]:
    """The first try of a seed, from one on, that is good for a split; and the identity of its game."""
    return next(
        (number, identity(game))
        for number, game in good_candidates(seed, first=first)
        if split != TEST or has_choices(game)
    )


def has_choices(game: Game) -> bool:
    """Whether a game has enough critical natural positions."""
    with tempfile.TemporaryDirectory() as folder:
        table = load_table(game, build_table(game, whole_pieces(game), Path(folder) / "table.aqt", threads=1))
        try:
            return len(draw_critical(table, CRITICAL, NATURAL, 0)[0]) >= CRITICAL
        except TableError:
            return False


def find_tries(processes: int) -> bytes:
    """A byte for each seed of the splits."""
    known = {identity(load_game(name)) for name in games()}
    known |= {identity(load_game(name, **options)) for name, each in HELD_OUT.items() for options in each}
    tries = bytearray(max(seeds.stop for seeds in SPLITS.values()))
    with ProcessPoolExecutor(processes) as pool:
        for split in (TEST, VALIDATION, TRAIN):
            found: set[str] = set()
            results: Iterable[tuple[int, str]] = pool.map(partial(find_try, split), SPLITS[split], chunksize=10)
            for seed, (number, name) in zip(SPLITS[split], results, strict=True):
                while name in known:
                    number, name = find_try(split, seed, number + 1)
                tries[seed] = number
                found.add(name)
                if seed % 100 == 99:
                    print(f"{split}: seed {seed}, try {number}", flush=True)
            known |= found
    return bytes(tries)


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=count_processors())
    path = Path(__file__).parents[1] / "alquerque_env" / "drawn" / f"{DISTRIBUTION}.tries"
    path.write_bytes(find_tries(parser.parse_args().processes))


if __name__ == "__main__":
    main()
