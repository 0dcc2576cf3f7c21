"""Lookups a second in an endgame table, on one core, beside random reads of the same memory.

alquerque solve fetaix --pieces 5
python benchmarks/tables.py fetaix
"""

import argparse
from pathlib import Path

import numpy as np
from speed import rate, repeat

from alquerque_env import Match, load_game
from alquerque_env.solve.tables import load_table

POSITIONS, MATCHES = 1 << 16, 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--table", type=Path, help="the file, if it is not the game's own")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of each figure")
    chosen = parser.parse_args()
    table = load_table(load_game(chosen.game), chosen.table)
    states = table.sample(POSITIONS, np.random.default_rng(0))
    table.load()
    places = np.random.default_rng(0).integers(table.index.size, size=POSITIONS)
    matches = [Match.from_state(table.game, row) for row in states[:MATCHES]]
    limit = rate(repeat(lambda: table.codes[places], POSITIONS), chosen.seconds)

    def tell(name: str, per_second: float) -> None:
        print(f"{name:<56} {per_second:>14,.0f}  {per_second / limit:8.4f}")

    print(
        f"{chosen.game}, up to {table.pieces} pieces, {table.index.size:,} numbers; lookups a second, and their ratio"
    )
    tell("numbers read from the same memory at random, by NumPy", limit)
    tell("table.value(match)", rate(repeat(lambda: [table.value(each) for each in matches], MATCHES), chosen.seconds))
    for name in ("table.probe(states), captures followed", "table.probe(states) after table.expand()"):
        tell(name, rate(repeat(lambda: table.probe(states), POSITIONS), chosen.seconds))
        table.expand()


if __name__ == "__main__":
    main()
