"""Makes a data set of matches between bots of six games: `python -m tools.match_data FOLDER [--matches 100000]`.

Arenas are played side by side, each kept in `FOLDER/arenas/`. Ctrl-C stops; the same command resumes. At the end
`FOLDER/matches.parquet` has a row for each match, `README.md` is its card, and `croissant.json` its metadata.
"""

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np

from alquerque_env import __version__
from alquerque_env.arena.schedule import make_pairings
from alquerque_env.cli.console.progress_bar import Display
from alquerque_env.files.atomic import write_whole
from alquerque_env.files.parquet import croissant, write_parquet
from alquerque_env.files.regular import checksum

GAMES = ("alquerque", "awithlaknannai_mosona", "draughts_english", "fanorona", "fetaix", "pretwa")
BOTS = ("random", "greedy", "alphabeta:1", "alphabeta:3", "mcts:100")
OF_PAIR = 100  # matches of a pairing in an arena
OF_ARENA = OF_PAIR * math.comb(len(BOTS), 2)
TITLE = "Matches between bots in games of the alquerque family."
MEANINGS = {
    "game": "The id of the game, with its default rules.",
    "south": "The bot that plays player_0.",
    "north": "The bot that plays player_1.",
    "turns": "All turns from the start, with spaces between.",
    "opening": "Steps at the beginning that were chosen at random, the same for both matches of an opening.",
    "winner": "0 for South, 1 for North, -1 for a draw.",
    "reason": "Why the match ended.",
    "steps": "Steps of the match; each leap of a chain is one.",
}
CARD = """---
license: mit
pretty_name: "Alquerque family: matches between bots"
tags: [board-games, alquerque, draughts, games, reinforcement-learning]
configs: [{{config_name: default, data_files: "matches.parquet"}}]
---

# Alquerque family: matches between bots

{count:,} matches of {games}, each between two of {bots}. Every opening was played twice, once from each seat.

| | |
| --- | --- |
| file | `matches.parquet`, SHA-256 `{checksum}` |
| licence | MIT, as alquerque-env |
| command | `python -m tools.match_data FOLDER --matches {asked}`, version {version} |

| column | meaning |
| --- | --- |
{columns}

```python
from alquerque_env import Match
from pyarrow.parquet import read_table

row = read_table("matches.parquet").slice(0, 1).to_pylist()[0]
match = Match(row["game"])
for turn in row["turns"].split():
    match.push_turn(turn)
```
"""


def plan(folder: Path, matches: int) -> list[tuple[str, int, Path]]:
    """The game, seed and file of each arena."""
    seeds = math.ceil(matches / len(GAMES) / OF_ARENA)
    return [(game, seed, folder / f"{game}-{seed}.jsonl") for seed in range(seeds) for game in GAMES]


def read_arena(file: Path) -> Iterator[Mapping[str, object]]:
    """The matches of an arena as rows of the data set, in an order that does not depend on how they were played."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    players = lines[0]["players"]
    pairs = [(players[a], players[b]) for a, b in make_pairings(len(players), gauntlet=False)]
    for match in sorted(lines[2:], key=lambda match: (match["pairing"], match["opening"], match["seat"])):
        pair = pairs[match["pairing"]]
        seats = pair if match["seat"] == 0 else pair[::-1]
        yield {
            "game": lines[0]["game"],
            "south": seats[0],
            "north": seats[1],
            "turns": match["turns"],
            "opening": len(lines[1]["openings"][match["opening"]]["steps"]),
            "winner": -1 if match["winner"] is None else match["winner"],
            "reason": match["reason"],
            "steps": match["steps"],
        }


def count_matches(file: Path) -> int:
    return max(file.read_bytes().count(b"\n") - 2, 0) if file.exists() else 0


def play(game: str, seed: int, file: Path, running: set[subprocess.Popen[bytes]]) -> None:
    if count_matches(file) == OF_ARENA:
        return
    words = ["arena", game, *BOTS, "--games", str(OF_PAIR), "--plies", "8", "--judge", "random"]
    program = subprocess.Popen(
        [sys.executable, "-m", "alquerque_env", *words, "--seed", str(seed), "-o", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for this program, which then ends those that it has started
    )
    running.add(program)
    _, error = program.communicate()
    running.discard(program)
    if program.returncode > 0:
        raise click.ClickException(error.decode(errors="replace"))


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--matches", default=100_000, show_default=True, help="At least so many.")
@click.option("--processes", default=2, show_default=True, help="Arenas that are played at the same time.")
def main(folder: Path, matches: int, processes: int) -> None:
    """Makes the data set."""
    arenas = plan(folder / "arenas", matches)
    (folder / "arenas").mkdir(parents=True, exist_ok=True)
    running: set[subprocess.Popen[bytes]] = set()
    with Display("the same command resumes") as display, ThreadPoolExecutor(processes) as pool:
        played = [pool.submit(play, *arena, running) for arena in arenas]
        try:
            while not all(each.done() for each in played):
                done = sum(count_matches(file) for _, _, file in arenas)
                display.update("matches", done, len(arenas) * OF_ARENA)
                time.sleep(1)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for program in tuple(running):
                program.terminate()
    for each in played:
        each.result()
    rows = [row for _, _, file in arenas for row in read_arena(file)]
    columns = {name: np.array([row[name] for row in rows]) for name in MEANINGS}
    columns |= {name: columns[name].astype(np.int16) for name in ("opening", "winner", "steps")}
    file = folder / "matches.parquet"
    write_parquet(file, columns, {})
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    about = croissant(
        file, columns, MEANINGS, name="alquerque-matches", description=TITLE, version=__version__, day=day
    )
    write_whole(folder / "croissant.json", about.encode())
    card = CARD.format(
        count=len(rows),
        games=", ".join(GAMES),
        bots=", ".join(f"`{bot}`" for bot in BOTS),
        checksum=checksum(file),
        asked=matches,
        version=__version__,
        columns="\n".join(f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items()),
    )
    write_whole(folder / "README.md", card.encode())
    click.echo(f"wrote {len(rows):,} matches: {file}")


if __name__ == "__main__":
    main()
