"""Solves whole games with the options that are asked for, and keeps what their tables say in the package.

    python benchmarks/whole_games.py felli_simplified pretwa
    python benchmarks/whole_games.py --option capture=optional felli_simplified pretwa
    python benchmarks/whole_games.py --each-option --minutes 10 pretwa

For each game it writes `alquerque_env/solve/whole/GAME.json`. Tables are written to the folder of tables; small ones of
the options asked for, not those of `--each-option`, are put into the package too. What is known with its time is kept,
so the same command resumes. Ctrl-C and SIGTERM stop it.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from alquerque_env import load_game
from alquerque_env.cli.console.signals import terminate_as_ctrl_c
from alquerque_env.cli.parameters import game_with_options
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game
from alquerque_env.solve.tables.build import plan
from alquerque_env.solve.tables.table_file import WHOLE
from alquerque_env.solve.tables.whole import seconds_needed, whole_pieces

LARGEST = 6 << 20  # bytes of a table that is shipped


class LeftOutError(AlquerqueError):
    """A game that was not solved, and why."""


def other_settings(game: Game) -> Iterator[Game]:
    """The game with each other value of each option, one at a time."""
    for name, option in game.option_table.items():
        for value in option.values:
            if value not in ("N", game.options[name]):
                try:
                    yield load_game(game.name, **{**game.options, name: value})
                except AlquerqueError as error:
                    click.echo(f"left out {name}={value}: {error}")


def solve(game: Game, minutes: float, memory: float, threads: int | None, ships: bool) -> dict[str, Any]:
    """Solves a game by the command; returns the entry of its table, or raises `LeftOutError`."""
    seconds = seconds_needed(plan(game, whole_pieces(game), memory), verified=True)
    if seconds > 60 * minutes:
        raise LeftOutError(f"it would take about {seconds / 60:,.0f} minutes")
    command = [sys.executable, "-m", "alquerque_env", "solve", game.name, *game.option_arguments, "--whole", "--json"]
    command += ["--memory", str(memory), *(["--threads", str(threads)] if threads else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            output, _ = process.communicate()
        except KeyboardInterrupt:
            process.terminate()  # the command keeps what is done
            raise
    if process.returncode:
        raise LeftOutError(f"the command ended with status {process.returncode}")
    found = json.loads(output)
    path = Path(found["path"])
    if ships and path.stat().st_size <= LARGEST:
        shutil.copyfile(path, WHOLE / path.name)
    return found["whole"] | {"bytes": found["bytes"]}


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the rules.")
@click.option("--each-option", is_flag=True, help="Also with each other value of each option, one at a time.")
@click.option("--minutes", type=float, default=60.0, help="The most minutes of processor time for a table.")
@click.option("--memory", type=float, default=16.0, help="The most memory, in GiB.")
@click.option("--threads", type=int, help="How many threads solve a table; by default one a core.")
def main(
    names: tuple[str, ...],
    options: tuple[str, ...],
    each_option: bool,
    minutes: float,
    memory: float,
    threads: int | None,
) -> None:
    """Solves whole games."""
    WHOLE.mkdir(exist_ok=True)
    for name in names:
        asked = game_with_options(name, options)
        for game in (asked, *(other_settings(asked) if each_option else ())):
            file = WHOLE / f"{name}.json"
            entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
            known = {entry["table_hash"]: entry for entry in entries}
            if known.get(game.table_hash, {}).get("processor_seconds") is not None:
                continue
            try:
                known[game.table_hash] = solve(game, minutes, memory, threads, ships=game is asked)
            except AlquerqueError as error:
                click.echo(f"left out {' '.join([game.name, *game.option_arguments[1::2]])}: {error}")
                continue
            write_whole(file, (json.dumps(list(known.values()), indent=1) + "\n").encode())


if __name__ == "__main__":
    try:
        with terminate_as_ctrl_c():
            main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except AlquerqueError as error:
        sys.exit(f"error: {error}")
    except (KeyboardInterrupt, click.Abort):
        sys.exit("stopped; the same command resumes")
