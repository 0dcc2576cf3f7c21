"""Measures games for their pages: random play, and simple bots against each other.

What was measured is kept in a file `measured.json` beside the pages, by game, with the commands and the hash of the
rules. `make_game_pages.py` runs the commands for games whose rules have changed since, or that are new.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game

FILE = "measured.json"
MATCHES = 10_000
BOTS = ("alphabeta:2", "greedy", "random")
GAMES = 100


def commands(game: Game) -> dict[str, str]:
    """The command of each measurement of a game, without `--json`."""
    return {
        "random_play": f"alquerque rollouts {game.argument} --matches {MATCHES} --seed 0 --branching",
        "arena": f"alquerque arena {game.argument} {' '.join(BOTS)} --games {GAMES} --judge random --seed 0",
    }


def read(folder: Path) -> dict[str, Any]:
    """What was measured of each game whose page is in a folder."""
    file = folder / FILE
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def find(measured: dict[str, Any], game: Game) -> dict[str, Any] | None:
    """What was measured of a game by the commands of this module; None if its rules were others then."""
    found = measured.get(game.name)
    if found is None or found["table_hash"] != game.table_hash or found["commands"] != commands(game):
        return None
    return found


def measure(game: Game, path: str) -> dict[str, Any]:
    """Runs the commands of a game, which `path` or its id names, and keeps what the pages show.

    A game may be too short for the arena, which then says so; no bots are compared.
    """
    random_play, arena = (_run(command, game, path) for command in commands(game).values())
    if random_play is None:
        raise SystemExit(1)
    return {
        "table_hash": game.table_hash,
        "commands": commands(game),
        "random_play": {
            key: random_play[key] for key in ("wins", "draws", "actions", "turns", "legal_actions", "endings")
        },
        "arena": [
            {key: pair[key] for key in ("a", "b", "games", "wins", "draws", "losses", "score", "low", "high")}
            for pair in ([] if arena is None else arena["pairs"])
        ],
    }


def write(folder: Path, measured: dict[str, Any]) -> None:
    """Writes what was measured, games in alphabetical order."""
    write_whole(folder / FILE, (json.dumps(dict(sorted(measured.items())), indent=2) + "\n").encode())


def _run(command: str, game: Game, path: str) -> dict[str, Any] | None:
    """What a command prints; None if it has printed an error."""
    words = [path if word == game.argument else word for word in shlex.split(command)[1:]]
    run = subprocess.run([sys.executable, "-m", "alquerque_env", *words, "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None
