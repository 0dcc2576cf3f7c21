"""`alquerque bench`: a group, one command for each thing that is measured."""

import json
import platform

import click

from ..game import load_game
from .parameters import check_range, takes_json

BENCH_GAMES = ("alquerque", "fetaix", "awithlaknannai_mosona", "awithlaknannai_mosona_davis")


@click.group(invoke_without_command=True)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure speed on this machine, each figure beside a peer or a limit in the same run."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@bench.command()
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--seconds", type=float, default=2.0, show_default=True, help="Processor time for each figure.")
@takes_json
def env(names: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Measure the environments, in steps a second of one core.

    Beside them stand the framework's own floor, an environment that does nothing, and OpenSpiel's checkers stepped in
    Python with legal actions, mask and tensor, if open_spiel is installed.
    """
    from ..bench.env import Figure, measure

    check_range("--seconds", seconds, 0.01, 600)
    chosen = [load_game(name) for name in names or BENCH_GAMES]
    found: dict[str, list[Figure]] = {}
    if not as_json:
        click.echo(f"steps a second of one core; Python {platform.python_version()}, {_machine()}")
    for game in chosen:
        found[game.name] = []
        if not as_json:
            click.echo(f"\n{game.name}")
        for figure in measure(game, seconds):
            found[game.name].append(figure)
            if not as_json:
                ratio = "" if figure.ratio is None else f"{figure.ratio:9.2f} x {figure.beside}"
                click.echo(f"  {figure.name:<58} {figure.steps_per_second:>13,.0f} {ratio}")
    if as_json:
        rows = {name: [figure._asdict() for figure in figures] for name, figures in found.items()}
        click.echo(json.dumps({"machine": _machine(), "seconds": seconds, "games": rows}, indent=2))


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}"
