"""Measures the results of the benchmark that stand in this folder, one agent after another, the cheap ones first.

    python benchmarks/measure_results.py                           all that have no file yet, then the leaderboard
    python benchmarks/measure_results.py random fetaix-small:64    some
    python benchmarks/measure_results.py --list                    what there is to measure

After Ctrl-C the same command continues with the game that was stopped. To measure an agent again, delete its file.
Bots of `lau_kata_kati` need the table of that game, which is not in the package: the error says how to build it.
"""

import subprocess
import sys
from pathlib import Path

import click

from alquerque_env.benchmark import load_protocol, make_leaderboard
from alquerque_env.benchmark.entry import measured_games
from alquerque_env.bots.network.model_card import read_card
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.console.signals import exit_on_signals
from alquerque_env.game.game import load_text

FOLDER = Path(__file__).parent
SIMPLE = "random", "greedy", "features:2", "alphabeta:1", "family"
SEARCHES = "alphabeta:3", "mcts:100", "alphabeta:5", "mcts:1000"
SIMULATIONS = 64


def agents() -> list[str]:
    """The specs of the agents: simple bots, and the trained bots of measured games without and with a search."""
    measured = measured_games(load_protocol())
    cards = {name: read_card(path) for name, path in shipped_bots().items()}
    trained = [
        name
        for name, card in cards.items()
        if card.game in measured and card.table_hash == load_text(card.game).table_hash
    ]
    return [*SIMPLE, *trained, *SEARCHES[:2], *(f"{name}:{SIMULATIONS}" for name in trained), *SEARCHES[2:]]


def file_of(spec: str) -> Path:
    """The file of an agent's result."""
    return FOLDER / f"{spec.replace(':', '-')}.json"


@click.command()
@click.argument("specs", metavar="[AGENT]...", nargs=-1)
@click.option("--list", "only_lists", is_flag=True, help="List what there is to measure.")
@exit_on_signals()
def main(specs: tuple[str, ...], only_lists: bool) -> None:
    """Measures agents that have no result yet."""
    left = [spec for spec in specs or agents() if not file_of(spec).exists()]
    if only_lists:
        click.echo("\n".join(left))
        return
    failed = []
    for number, spec in enumerate(left, 1):
        click.echo(f"{number} of {len(left)}: {spec}")
        words = ["benchmark", "run", spec, "-o", str(file_of(spec))]
        if subprocess.run([sys.executable, "-m", "alquerque_env", *words], check=False).returncode:
            failed.append(spec)
    click.echo(f"wrote {make_leaderboard(FOLDER)}")
    if failed:
        raise click.ClickException(f"not measured: {', '.join(failed)}")


if __name__ == "__main__":
    main()
