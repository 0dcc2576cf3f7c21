"""Solves whole games with the options that are asked for, and keeps what their tables say in the package.

    python benchmarks/whole_games.py felli_simplified pretwa
    python benchmarks/whole_games.py --each-option --minutes 10 pretwa

For each game it writes `alquerque_env/solve/whole/GAME.json`. The table of the default options is put beside it if it
is small. What is there already is kept, so the same command resumes.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from alquerque_env import load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game
from alquerque_env.solve.tables.index import Index
from alquerque_env.solve.tables.table_file import SHIPPED
from alquerque_env.solve.tables.whole import seconds_needed, whole_pieces

LARGEST = 6 << 20  # bytes of a table that is shipped


def settings(game: Game, each_option: bool) -> Iterator[Game]:
    """The game, and if asked for the game with each other value of each option."""
    yield game
    for name, option in game.option_table.items() if each_option else ():
        for value in option.values:
            if value not in ("N", game.options[name]):
                try:
                    yield load_game(game.name, **{name: value})
                except AlquerqueError as error:
                    click.echo(f"{game.name} with {name}={value}: {error}")


def solve(game: Game, minutes: float, memory: float, threads: int | None) -> dict[str, Any] | None:
    """Solves a game by the command; returns the entry of its table, or None if that would take too long."""
    import subprocess

    seconds = seconds_needed(Index(game, whole_pieces(game)), verified=True)
    if seconds > 60 * minutes:
        click.echo(f"{game!r}: about {seconds / 60:,.0f} minutes, left out")
        return None
    arguments = ["alquerque", "solve", game.name, *game.option_arguments, "--whole", "--json", "--memory", str(memory)]
    arguments += ["--threads", str(threads)] if threads else []
    run = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        click.echo(f"{game!r} was not solved")
        return None
    found = json.loads(run.stdout)
    path = Path(found["path"])
    is_default = not game.option_arguments
    if is_default and path.stat().st_size <= LARGEST:
        shutil.copyfile(path, SHIPPED / path.name)
    return found["whole"] | {"bytes": found["bytes"]}


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--each-option", is_flag=True, help="Also with each other value of each option, one at a time.")
@click.option("--minutes", type=float, default=60.0, help="The most minutes of processor time for a table.")
@click.option("--memory", type=float, default=16.0, help="The most memory, in GiB.")
@click.option("--threads", type=int, help="How many threads solve a table; by default one a core.")
def main(names: tuple[str, ...], each_option: bool, minutes: float, memory: float, threads: int | None) -> None:
    """Solves whole games."""
    SHIPPED.mkdir(exist_ok=True)
    for name in names:
        file = SHIPPED / f"{name}.json"
        entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        known = {entry["table_hash"] for entry in entries}
        for game in settings(load_game(name), each_option):
            if game.table_hash not in known and (entry := solve(game, minutes, memory, threads)):
                known.add(game.table_hash)
                entries.append(entry)
                write_whole(file, (json.dumps(entries, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
