"""`alquerque train`."""

from pathlib import Path

import click

from ...bots.trainer import TRACKERS, check_tracker, load_from_trainer
from ...errors import AlquerqueError, MissingExtraError
from ..command import HelpfulCommand
from ..console.memory import keep_freed_memory
from ..parameters import PATH, ray_option


def _check_tracker(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Refuses a tracker whose packages are missing before anything slow is imported, as any wrong argument."""
    try:
        check_tracker(value)
    except MissingExtraError as error:
        raise AlquerqueError(f"--track {value}: {error}") from None
    return value


@click.command(
    cls=HelpfulCommand,
    examples=[
        "train quickstart",
        "train ppo run.game=fetaix ppo.clip=0.1",
        "train ppo --resume runs/ppo-1",
        "train quickstart --track wandb",
        "train strong alphazero.processes=9 alphazero.learner_games=0 self_play.num_games=512 --ray",
    ],
)
@click.argument("config", metavar="CONFIG")
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option("--resume", type=PATH, metavar="RUN", help="Resume the interrupted run in this folder.")
@ray_option
@click.option("--asynchronous", is_flag=True, help="With --ray: wait for no process, and give up repeatability.")
@click.option(
    "--track",
    type=click.Choice(list(TRACKERS)),
    callback=_check_tracker,
    help="Show the run in Weights & Biases as well.",
)
@click.option("--print-config", is_flag=True, help="Print all settings as TOML, defaults included, and exit.")
def train(
    config: str,
    overrides: tuple[str, ...],
    resume: Path | None,
    ray: str | None,
    asynchronous: bool,
    track: str | None,
    print_config: bool,
) -> None:
    """Train a player by self-play.

    Writes a folder with the log, the checkpoints and the settings of the run. Ctrl-C saves and stops; --resume
    continues. On a Ray cluster the processes of `ppo.processes` or `alphazero.processes` play on any of its machines,
    and the result is that of the same run on one machine.
    """
    if print_config and resume is not None:
        raise AlquerqueError("--print-config and --resume exclude each other")
    if asynchronous:
        overrides = (*overrides, "alphazero.asynchronous=true")
    # Reading the config needs no torch, which takes seconds to import: a mistake is reported at once. The config of a
    # run that is resumed is read with the run, which keeps a game whose file is gone.
    settings = None if resume is not None else load_from_trainer("load_config")(config, overrides)
    if print_config and settings is not None:
        click.echo(settings.toml())
    else:
        keep_freed_memory()
        load_from_trainer("train")(config, overrides, resume, ray=ray, track=track)
