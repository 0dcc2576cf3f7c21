"""Makes the ladders of the benchmark: the opponents of a game play each other from fixed openings.

python benchmarks/make_protocol.py fetaix alquerque

The matches that have been played are kept in a file beside the ladder until all have, so that the same command resumes.
"""

import json
import time

import click
from rich.console import Console

from alquerque_env import Game
from alquerque_env.arena import ArenaResult, play_arena
from alquerque_env.arena.openings import choose_openings
from alquerque_env.arena.report import print_result
from alquerque_env.benchmark import Protocol, load_protocol
from alquerque_env.benchmark.protocol import arena_settings, ladder_file, list_rungs, noted_weights, write_checked
from alquerque_env.cli.console.progress_bar import Display
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import load_text
from alquerque_env.progress import Watch, unwatched


def make_ladder(protocol: Protocol, game: Game, watch: Watch = unwatched) -> ArenaResult:
    """Plays all opponents of a game against each other and writes the ladder into the folder of the protocol."""
    settings = arena_settings(protocol)
    openings = choose_openings(game, settings, watch)
    rungs = list_rungs(protocol, game)
    file = ladder_file(game.name)
    kept = protocol.folder / f"{file}.matches"
    kept.parent.mkdir(exist_ok=True)
    result = play_arena(game, rungs, settings, output=kept, openings=openings, watch=watch)
    content = {
        "ladder": protocol.version,
        "game": game.name,
        "table_hash": game.table_hash,
        "weights": noted_weights(rungs),
        "rungs": rungs,
        "tried": openings.tried,
        "openings": [{"steps": each.steps, "is_balanced": each.is_balanced} for each in openings.list],
        "meetings": [(each.first, each.second, each.signs) for each in result.pairings],
    }
    write_checked(protocol.folder, file, _format(content))
    kept.unlink()
    return result


def _format(content: dict[str, object]) -> str:
    """JSON with one line for each opening and each meeting, for readable diffs."""
    parts = []
    for name, value in content.items():
        if isinstance(value, list):
            rows = ",\n  ".join(json.dumps(entry) for entry in value)
            parts.append(f"{json.dumps(name)}: [\n  {rows}\n ]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
def main(names: tuple[str, ...]) -> None:
    """Makes the ladders of games."""
    protocol = load_protocol()
    for name in names:
        began = time.process_time()
        with Display() as display:
            try:
                result = make_ladder(protocol, load_text(name), display.show)
            except AlquerqueError as error:
                raise click.ClickException(str(error)) from None
        print_result(result, Console())
        click.echo(f"{name}: {time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
