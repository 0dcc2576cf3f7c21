"""Measures players in games that `configs/one_network.toml` holds out: `python benchmarks/unseen_games.py FOLDER`.

FOLDER is the checkpoint of a network for all games, called `network` in the results. Three parts: wrong choices in the
drawn test games, wrong choices in the held-out games and settings that have tables, and matches in the held-out games.
Adds lines to `docs/data/unseen_games.jsonl`, from which `docs/generalisation.md` is made. The same command goes on.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alquerque_env import Game, load_game
from alquerque_env.arena.evaluation import evaluate
from alquerque_env.arena.exact_errors import NATURAL, UNIFORM, measure_errors
from alquerque_env.drawn import draw_game
from alquerque_env.drawn.splits import TEST, seeds_of, table_of
from alquerque_env.errors import TableError
from alquerque_env.files.json_lines import JsonLines
from alquerque_env.solve.tables import EndgameTable, build_table, load_table
from alquerque_env.solve.tables.table import present_table
from alquerque_env.solve.tables.table_file import table_name, tables_folder
from alquerque_env.solve.tables.whole import whole_pieces

NETWORK = "network"
ALONE = "greedy", "features:0", "features:1", "alphabeta:1", "alphabeta:3", NETWORK
SETTINGS = (
    ("felli_simplified capture=optional", None, NATURAL),
    ("felli_simplified capture=optional", None, UNIFORM),
    ("pretwa capture=optional", 6, UNIFORM),
    ("pretwa chain=single", 6, UNIFORM),
    ("alquerque capture=optional", 4, UNIFORM),
    ("seega_5x5 chain=single", 4, UNIFORM),
    ("lau_kata_kati", 7, UNIFORM),
    ("felli", 5, UNIFORM),
    ("awithlaknannai_mosona", 6, UNIFORM),
    ("fetaix", 4, UNIFORM),
    ("fetach", 4, UNIFORM),
)
"""Held-out settings, with the pieces of their tables, None for the whole game."""
MATCHES = (
    *("fetach", "dama_comoros", "bagh_chal", "fanorona", "fetaix", "awithlaknannai_mosona_davis"),
    *("draughts_international", "kharbaga", "kolowis_awithlaknannai"),
)
OPPONENTS = "alphabeta:1", "alphabeta:3"
POSITIONS, SEARCHED = 2000, 500  # critical positions of a setting; of those in which a search is asked
DRAWN_POSITIONS, DRAWN_SEARCHED = 300, 100
LONGEST, OPENING = 400, 4  # steps after which a match is drawn, and random turns before it

Row = dict[str, Any]


def drawn(games: int, simulations: int) -> Iterator[tuple[Row, Game, EndgameTable, int]]:
    """The drawn test games, for each player."""
    for seed in seeds_of(TEST, games):
        game = draw_game(seed)
        for player in (*ALONE, f"{NETWORK}:{simulations}"):
            count = DRAWN_SEARCHED if player.startswith(f"{NETWORK}:") else DRAWN_POSITIONS
            yield {"part": "drawn", "game": str(seed), "kind": NATURAL, "player": player}, game, table_of(game), count


def settings(simulations: int) -> Iterator[tuple[Row, Game, EndgameTable, int]]:
    """The held-out settings, for each player."""
    for text, pieces, kind in SETTINGS:
        name, *options = text.split()
        game = load_game(name, **dict(option.split("=") for option in options))
        count = whole_pieces(game) if pieces is None else pieces
        table = present_table(game, shipped=True)
        if table is None or table.pieces < count:
            tables_folder().mkdir(parents=True, exist_ok=True)
            path = tables_folder() / table_name(game, count)
            if not path.exists():
                build_table(game, count, path, threads=1)
            table = load_table(game, path)
        for player in (*ALONE, f"{NETWORK}:{simulations}"):
            positions = SEARCHED if player.startswith(f"{NETWORK}:") else POSITIONS
            yield {"part": "settings", "game": text, "kind": kind, "player": player}, game, table, positions


def wrong(player: str, game: Game, table: EndgameTable, positions: int, kind: str) -> Row:
    """The share of wrong choices."""
    try:
        found = measure_errors(player, game, positions, kind=kind, table=table, seed=1)
    except TableError:  # no step loses value in any position
        return {"positions": 0}
    share = found.wrong
    return {
        "positions": found.positions,
        "chance": round(found.chance, 4),
        "wrong": round(share.value, 4),
        "low": round(share.low, 4),
        "high": round(share.high, 4),
    }


def match(player: str, game: Game, opponent: str, games: int) -> Row:
    """The score against an opponent, with an interval by pairs of matches that begin alike."""
    found = evaluate(player, game, opponent, games, opening_plies=OPENING, max_steps=LONGEST, seed=1)
    score = (found.wins + found.draws / 2) / found.games
    return {"games": found.games, "wins": found.wins, "draws": found.draws, "score": round(score, 4)}


def main() -> None:
    """Goes on with the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--games", type=int, default=100, help="drawn test games")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--parts", nargs="*", default=["drawn", "settings", "matches"])
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/data/unseen_games.jsonl"))
    given = parser.parse_args()
    searching = f"{NETWORK}:{given.simulations}"

    def spec(player: str) -> str:
        return player.replace(NETWORK, str(given.checkpoint))

    with JsonLines(given.output, "results in unseen games", ("unseen_games", 1), {}) as file:
        known = {tuple(row.get(key) for key in ("part", "game", "kind", "player", "opponent")) for row in file.entries}

        def add(row: Row, found: Row, began: float) -> None:
            file.add({**row, **found, "seconds": round(time.process_time() - began, 1)})
            print(row, found, flush=True)

        for part, rows in (("drawn", drawn(given.games, given.simulations)), ("settings", settings(given.simulations))):
            for row, game, table, positions in rows if part in given.parts else ():
                if (part, row["game"], row["kind"], row["player"], None) not in known:
                    began = time.process_time()
                    add(row, wrong(spec(row["player"]), game, table, positions, row["kind"]), began)
        for name in MATCHES if "matches" in given.parts else ():
            for player in ("features:0", "features:1", NETWORK, searching):
                for opponent in OPPONENTS:
                    row = {"part": "matches", "game": name, "player": player, "opponent": opponent}
                    if ("matches", name, None, player, opponent) not in known:
                        began = time.process_time()
                        add(row, match(spec(player), load_game(name), opponent, given.matches), began)


if __name__ == "__main__":
    os.environ.setdefault("ALQUERQUE_JIT", "1")
    sys.exit(main())
