"""Measures games for their pages: random play, perft counts, and a ladder of bots, which all play each other.

What was measured is kept in a file `measured.json` beside the pages, by game and by measurement, with the command, the
hash of the rules, and for the ladder the hash of the small bot's weights. `make_game_pages.py` runs the commands again
for new games, and where rules, command or weights have changed. The small bot plays without simulations.
"""

import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alquerque_env.bots.shipped import shipped_bots, weights_file
from alquerque_env.cli.main import BAD_ARGUMENT
from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game
from alquerque_env.match.perft import perft

FILE = "measured.json"
MATCHES = 10_000
"""Random matches."""
BOTS = ("random", "greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3", "mcts:100")
"""The bots of a ladder, beside the small bot of the game."""
GAMES = 60
"""Matches between every two bots of a ladder."""
WIDE_MATCHES, WIDE_BOTS, WIDE_GAMES, WIDE_PERFT_MOST = 1000, ("random", "greedy", "alphabeta:1"), 20, 1_000_000
"""The same for games with more points than a word has bits, which are played without compiled kernels."""
PERFT_DEPTH, PERFT_MOST = 5, 400_000_000
"""How deep is counted, and the greatest count that is expected: deeper ones take minutes and are left out."""
KEPT = {
    "random_play": ("wins", "draws", "actions", "turns", "legal_actions", "endings"),
    "ladder": ("ratings", "pairs"),
}
"""What the pages show of each measurement: keys of the JSON that its command prints."""
PAIR = ("a", "b", "games", "score")
"""What they show of a pair of bots."""


def small_bot(game: Game) -> dict[str, Path]:
    """The name and folder of the small bot of a game that comes with the package; empty if there is none."""
    name = f"{game.name}-small"
    return {bot: folder for bot, folder in shipped_bots().items() if bot == name}


def plan(game: Game) -> dict[str, dict[str, Any]]:
    """What identifies each measurement of a game: the rules' hash, and the command without `--json` or the depth."""
    small = small_bot(game)
    slow = WIDE_MATCHES, WIDE_BOTS, WIDE_GAMES
    matches, bots, games = slow if game.board.is_wide else (MATCHES, BOTS, GAMES)
    return {
        "random_play": {
            "table_hash": game.table_hash,
            "command": f"alquerque rollouts {game.argument} --matches {matches} --seed 0 --branching",
        },
        "perft": {"table_hash": game.table_hash, "depth": PERFT_DEPTH},
        "ladder": {
            "table_hash": game.table_hash,
            "command": f"alquerque arena {game.argument} {' '.join([*bots, *small])} "
            f"--games {games} --judge random --seed 0",
            "weights": {
                name: hashlib.sha256(weights_file(folder).read_bytes()).hexdigest()[:16]
                for name, folder in small.items()
            },
        },
    }


def read(folder: Path) -> dict[str, Any]:
    """What was measured of each game whose page is in a folder."""
    file = folder / FILE
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def missing(measured: Mapping[str, Any], game: Game) -> list[str]:
    """The names of the measurements of a game that were not made yet with these rules and bots."""
    kept = measured.get(game.name, {})
    return [
        name
        for name, planned in plan(game).items()
        if any(kept.get(name, {}).get(key) != value for key, value in planned.items())
    ]


def measure(game: Game, path: str, name: str) -> dict[str, Any]:
    """Makes a measurement of a game; returns what the pages show of it, beside what identifies it.

    Args:
      game: The game.
      path: Its id, or the path of its file.
      name: The measurement, one of those of `plan`.

    Raises:
      SystemExit: If the command fails. The arena may refuse a game that is too short for openings; its results are
        then None.
    """
    planned = plan(game)[name]
    if name == "perft":
        return planned | {"turns": perft_counts(game, turns=True), "steps": perft_counts(game, turns=False)}
    found = _run(planned["command"], game, path, may_refuse=name == "ladder")
    kept = {key: None if found is None else found[key] for key in KEPT[name]}
    if kept.get("pairs"):
        kept["pairs"] = [{key: pair[key] for key in PAIR} for pair in kept["pairs"]]
    return planned | kept


def perft_counts(game: Game, *, turns: bool) -> list[int]:
    """The counts of sequences of one turn or step from the start, of two, and so on."""
    counts: list[int] = []
    most, expected = WIDE_PERFT_MOST if game.board.is_wide else PERFT_MOST, 0.0
    while len(counts) < PERFT_DEPTH and expected <= most:
        counts.append(perft(game, len(counts) + 1, turns=turns))
        expected = counts[-1] ** 2 / (counts[-2] if len(counts) > 1 else 1)
    return counts


def write(folder: Path, measured: dict[str, Any]) -> None:
    """Writes what was measured, a line for each game, in alphabetical order."""
    rows = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in sorted(measured.items()))
    write_whole(folder / FILE, ("{\n" + ",\n".join(rows) + "\n}\n").encode())


def _run(command: str, game: Game, path: str, *, may_refuse: bool) -> dict[str, Any] | None:
    """What a command prints; None if it may refuse the game, and has done so on its error output."""
    words = [path if word == game.argument else word for word in shlex.split(command)[1:]]
    run = subprocess.run([sys.executable, "-m", "alquerque_env", *words, "--json"], stdout=subprocess.PIPE, check=False)
    if may_refuse and run.returncode == BAD_ARGUMENT:
        return None
    if run.returncode:
        raise SystemExit(run.returncode)
    return json.loads(run.stdout)
