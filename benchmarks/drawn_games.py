"""Solves the drawn games of the first seeds and measures two searches in them: `python benchmarks/drawn_games.py`.

Adds a line for each game to `docs/data/drawn_games.jsonl`, from which `docs/drawn_games.md` is made. The same command
goes on after Ctrl-C.
"""

import argparse
import os
import time
from itertools import islice
from pathlib import Path
from typing import Any

from alquerque_env.arena.exact_errors import NATURAL, measure_errors
from alquerque_env.drawn import DISTRIBUTION, DrawnGame, draw_game
from alquerque_env.drawn.splits import table_of
from alquerque_env.errors import TableError
from alquerque_env.files.json_lines import JsonLines
from alquerque_env.solve.tables.whole import count_values, value_of_start

PLAYERS = "random", "alphabeta:1", "alphabeta:3"
POSITIONS = 300
"""Critical natural positions in which each player chooses, at most."""


def study(drawn: DrawnGame) -> dict[str, Any]:
    """What is known of a game."""
    game, table = drawn
    start, errors, critical = value_of_start(table), {}, 0
    for player in PLAYERS:
        try:
            found = measure_errors(player, game, POSITIONS, kind=NATURAL, table=table)
        except TableError:  # no step loses value in any natural position
            errors[player] = None
        else:
            errors[player], critical = round(found.wrong.value, 4), found.positions
    return {
        "points": len(game.board.points),
        "actions": game.num_actions,
        "hunt": game.has_roles,
        "winner": start.winner,
        "plies": start.plies,
        **count_values(table),
        "critical": critical,
        "errors": errors,
    }


def main() -> None:
    """Goes on with the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000)
    games = parser.parse_args().games
    path = Path(__file__).parents[1] / "docs" / "data" / "drawn_games.jsonl"
    header = {"distribution": DISTRIBUTION, "players": PLAYERS, "positions": POSITIONS}
    with JsonLines(path, "solved drawn games", ("drawn_games", 1), header) as file:
        for seed in islice(range(games), len(file.entries), None):
            began, game = time.process_time(), draw_game(seed)
            row = study(DrawnGame(game, table_of(game)))
            file.add({"seed": seed, **row, "seconds": round(time.process_time() - began, 2)})
            if seed % 50 == 49:
                print(f"{seed + 1} of {games} games", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("ALQUERQUE_JIT", "1")
    main()
