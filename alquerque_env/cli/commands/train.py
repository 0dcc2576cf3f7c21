"""`alquerque train`."""

from pathlib import Path

import click

from ...bots.trainer import TRACKERS, check_tracker, load_from_trainer
from ...errors import AlquerqueError, MissingExtraError
from ..command import HelpfulCommand
from ..console.memory import keep_freed_memory
from ..parameters import PATH, FloatRange, ray_option


def _check_tracker(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Refuses a tracker whose packages are missing before anything slow is imported, as any wrong argument."""
    try:
        check_tracker(value)
    except MissingExtraError as error:
        raise AlquerqueError(f"--track {value}: {error}") from None
    return value


def _refuse_option(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> None:
    """Says how options of the rules are given here, since other commands take them as `--option NAME=VALUE`."""
    if value:
        settings = " ".join(f"run.options.{text}" for text in value)
        raise AlquerqueError(f"options of the rules are settings of a run: write {settings} without --option")


@click.command(cls=HelpfulCommand)
@click.argument("config", metavar="CONFIG", required=False)
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option(
    "--minutes",
    type=FloatRange(0.5, 10_000),
    metavar="M",
    help="Train this game for about M minutes: all settings follow from M and the measured speed of this machine.",
)
@click.option("--resume", type=PATH, metavar="RUN", help="Resume the interrupted run in this folder.")
@ray_option
@click.option(
    "--track",
    type=click.Choice(list(TRACKERS)),
    callback=_check_tracker,
    help="Show the run in Weights & Biases as well.",
)
@click.option("--option", multiple=True, hidden=True, expose_value=False, callback=_refuse_option)
@click.option("--print-config", is_flag=True, help="Print all settings as TOML, defaults included, and exit.")
def train(
    config: str | None,
    overrides: tuple[str, ...],
    minutes: float | None,
    resume: Path | None,
    ray: str | None,
    track: str | None,
    print_config: bool,
) -> None:
    """Train a player by self-play.

    Writes a folder with the log, the checkpoints and the settings of the run. Ctrl-C saves and stops; --resume
    continues. On a Ray cluster the processes of `ppo.processes` or `alphazero.processes` play on any of its machines,
    and the result is that of the same run on one machine.

    With --minutes no config is needed: the speed of this machine is measured for a few seconds, and the settings that
    follow are printed and written to `config.toml` in the run. `alquerque train RUN/config.toml` repeats it.
    """
    if config is None and resume is None:
        raise click.UsageError("missing argument 'CONFIG'")
    if print_config and resume is not None:
        raise AlquerqueError("--print-config and --resume exclude each other")
    if minutes is not None:
        _check_minutes(resume, ray, print_config)
    # Reading the config needs no torch, which takes seconds to import: a mistake is reported at once. The config of a
    # run that is resumed is read with the run, which keeps a game whose file is gone.
    is_config = resume is None and minutes is None
    settings = load_from_trainer("load_config")(config, overrides) if is_config else None
    if print_config and settings is not None:
        click.echo(settings.toml())
    else:
        keep_freed_memory()
        load_from_trainer("train")(config, overrides, resume, ray=ray, track=track, minutes=minutes)


def _check_minutes(resume: Path | None, ray: str | None, print_config: bool) -> None:
    """Refuses options that do not go with --minutes, before anything slow is imported."""
    if resume is not None:
        raise AlquerqueError(
            f"--minutes begins a new run; to resume one, leave it out: alquerque train --resume {resume}"
        )
    if ray is not None:
        raise AlquerqueError("--minutes measures this machine and not a cluster: give a config with --ray")
    if print_config:
        raise AlquerqueError("--minutes chooses the settings by a measurement and writes them to the run's config.toml")
