"""The track "Generalisation": players and learners in games and rules that they have never seen.

    python benchmarks/generalisation.py                                        bots that need no training
    python benchmarks/generalisation.py --name one-network --agent FOLDER     a checkpoint that plays all games
    python benchmarks/generalisation.py --name alphazero --parts learning --learn \\
        "alquerque train {game} --minutes {minutes} run.directory={folder}"   a learner that gets a game and some time

The parts are `drawn`, wrong choices in the first drawn test games; `settings`, wrong choices in games and options that
`docs/generalisation.md` holds out; `matches` in such games; and `learning`, wrong choices in drawn test games of which
the learner gets the file, no table, and some minutes of processor time for each. `{folder}` is a folder in which the
command leaves a checkpoint or `player.py`. Each result is a line of `docs/data/generalisation.jsonl`, from which the
page is made; the same command goes on. `--seeds FILE` measures in the drawn games of other seeds, one in each line,
which may be known to the organiser of a contest alone: the results then hold their digest.
"""

import argparse
import hashlib
import os
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
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

BOTS = "random", "greedy", "features:0", "features:1", "features:2", "alphabeta:1", "alphabeta:3"
RIVALS = "features:1", "features:2"
"""Bots that play the matches too."""
OPPONENTS = "alphabeta:1", "alphabeta:3"
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
FEWER = 5  # how many times as many matches are played without a search
DRAWN, SETTING = (300, 100), (2000, 500)  # critical positions, and those of them in which a search is asked
LONGEST, OPENING = 400, 4  # steps after which a match is drawn, and random turns before it

Row = dict[str, Any]


def setting_games() -> Iterator[tuple[Row, Game, EndgameTable]]:
    """The held-out settings with their tables, built if they are not there."""
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
        yield {"part": "settings", "game": text, "kind": kind}, game, table


def wrong(player: str, game: Game, table: EndgameTable, positions: int, kind: str = NATURAL) -> Row:
    """The share of wrong choices where some step loses value, and the mean value lost."""
    try:
        found = measure_errors(player, game, positions, kind=kind, table=table, seed=1)
    except TableError:  # no step loses value in any position
        return {"positions": 0}
    numbers = {"chance": found.chance, "wrong": found.wrong.value, "low": found.wrong.low, "high": found.wrong.high}
    return {"positions": found.positions, **{name: round(number, 4) for name, number in numbers.items()}} | {
        "regret": round(found.regret.value, 4)
    }


def match(player: str, game: Game, opponent: str, games: int) -> Row:
    """The results against an opponent, both seats of each opening."""
    found = evaluate(player, game, opponent, games, opening_plies=OPENING, max_steps=LONGEST, seed=1)
    return {"games": found.games, "wins": found.wins, "draws": found.draws}


def learned(command: str, game: Game, minutes: float, folder: Path) -> str:
    """Runs a learner; returns the spec of what it leaves."""
    file = folder / f"{game.name}.toml"
    file.write_text(game.to_toml(), encoding="utf-8")
    given = {"game": str(file), "minutes": f"{minutes:g}", "folder": str(folder)}
    if subprocess.run([word.format(**given) for word in shlex.split(command)], check=False).returncode:
        raise SystemExit(f"{command!r} failed in {game.name}; what was measured is kept")
    found = [*folder.rglob("player.py"), *(path.parent for path in folder.rglob("final/meta.json"))]
    if len(found) != 1:
        raise SystemExit(f"{command!r} left {len(found)} players in {folder}, expected one")
    return str(found[0])


def main() -> None:
    """Goes on with the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", help="what results call the player; without it bots are measured")
    parser.add_argument("--agent", help="the spec of a player; by default the name")
    parser.add_argument("--learn", help="the command of a learner")
    parser.add_argument("--minutes", type=float, nargs="*", default=[1.0], help="of a learner")
    parser.add_argument("--parts", nargs="*", default=["drawn", "settings", "matches"])
    parser.add_argument("--games", type=int, default=100, help="drawn test games")
    parser.add_argument("--learned-games", type=int, default=20, help="drawn test games of a learner")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=64, help="of its search; 0 for the policy alone")
    parser.add_argument("--seeds", type=Path, help="a file of seeds of drawn games, in place of the test seeds")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/data/generalisation.jsonl"))
    given = parser.parse_args()
    agent = given.agent or given.name
    players = {bot: (bot, False) for bot in BOTS}
    if given.name and not given.learn:
        number = given.simulations
        players = {given.name: (agent, False)}
        if number:
            players[f"{given.name}:{number}"] = f"{agent}:{number}", True
    header, seeds = {}, list(seeds_of(TEST))
    if given.seeds:
        seeds = [int(line) for line in given.seeds.read_text(encoding="utf-8").split()]
        header = {"seeds": hashlib.sha256(" ".join(map(str, seeds)).encode()).hexdigest()}

    with JsonLines(given.output, "results in unseen games", ("generalisation", 1), header) as file:
        key = "part", "game", "kind", "player", "opponent", "minutes"
        known = {tuple(row.get(name) for name in key) for row in file.entries}

        def add(row: Row, measure: Any, *asked: Any) -> None:
            if tuple(row.get(name) for name in key) not in known:
                began = time.process_time()
                found = {**row, **measure(*asked)}
                file.add({**found, "seconds": round(time.process_time() - began, 1)})
                print(found, flush=True)

        for seed in seeds[: given.games] if "drawn" in given.parts else ():
            game = draw_game(seed)
            for name, (spec, searches) in players.items():
                row = {"part": "drawn", "game": str(seed), "player": name}
                add(row, wrong, spec, game, table_of(game), DRAWN[searches])
        for place, game, table in setting_games() if "settings" in given.parts else ():
            for name, (spec, searches) in players.items():
                add({**place, "player": name}, wrong, spec, game, table, SETTING[searches], place["kind"])
        for title in MATCHES if "matches" in given.parts else ():
            for name, (spec, searches) in players.items():
                for opponent in OPPONENTS if given.name or name in RIVALS else ():
                    row = {"part": "matches", "game": title, "player": name, "opponent": opponent}
                    add(row, match, spec, load_game(title), opponent, given.matches // (FEWER if searches else 1))
        for seed in seeds[: given.learned_games] if "learning" in given.parts else ():
            game = draw_game(seed)

            def learn(minutes: float, game: Game = game) -> Row:
                with TemporaryDirectory() as folder:
                    player = learned(given.learn, game, minutes, Path(folder))
                    return wrong(player, game, table_of(game), DRAWN[0])

            for minutes in given.minutes:
                add({"part": "learning", "game": str(seed), "player": given.name, "minutes": minutes}, learn, minutes)


if __name__ == "__main__":
    os.environ.setdefault("ALQUERQUE_JIT", "1")
    main()
