"""The program itself: which commands there are, and how every mistake ends in one line."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click

from .. import __version__
from ..errors import AlquerqueError, UnknownNameError

OWN_PACKAGES = ("alquerque_env", "alquerque_training")

_HELP = {"help_option_names": ["-h", "--help"]}

BAD_ARGUMENT, FAILED, INTERRUPTED = 2, 1, 130


COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "games": "List the games.",
        "describe": "Describe a game: board, rules, options, actions, observation.",
        "play": "Play in the terminal, against a bot or a person.",
        "web": "Play in the browser.",
        "engine": "Let a bot play over UGI, for programs that speak it.",
        "perft": "Count sequences of steps or turns.",
        "rollouts": "Play random matches and count how they end.",
        "train": "Train a player by self-play.",
        "plot": "Draw how a training run went.",
        "export": "Write a trained player as one file that needs no packages.",
        "arena": "Let bots play against each other and rate them.",
        "openings": "Make a list of balanced openings.",
        "solve": "Build tables of exact values.",
        "benchmark": "Measure an agent by a fixed protocol.",
        "bench": "Measure speed.",
        "doctor": "Show versions, compiled kernels and what is missing.",
    }
)
"""Each command with a line for the list of commands, so that listing them imports none."""


class Program(click.Group):
    """Imports a command when it is called and turns mistakes into one line."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names of the commands."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"{__package__}.commands.{cmd_name}")
        return getattr(module, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called, and its arguments.

        Raises:
          UnknownNameError: If there is no such command.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands with their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the program and exits; arguments as in click."""
        prog_name = prog_name or "alquerque"
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        _accept_any_character()
        try:
            super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except (click.ClickException, AlquerqueError, ImportError, OSError) as error:
            if _is_fault_of_ours(error):
                raise
            click.echo(f"{prog_name}: {_one_line(error)}", err=True)
            sys.exit(BAD_ARGUMENT if isinstance(error, (click.UsageError, AlquerqueError)) else FAILED)
        except (click.Abort, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        sys.exit(0)


@click.command("alquerque", cls=Program, invoke_without_command=True, context_settings=_HELP)
@click.version_option(__version__, message="%(prog)s %(version)s", prog_name="alquerque")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Games of the alquerque family: play them, look into them, train players for them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _accept_any_character() -> None:
    """Lets output and input go on where the terminal's encoding lacks a character."""
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace"), (sys.stdin, "replace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _is_fault_of_ours(error: Exception) -> bool:
    """Whether a module of this distribution is missing, which no user can mend."""
    return isinstance(error, ImportError) and (error.name or "").partition(".")[0] in OWN_PACKAGES


def _one_line(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        message = " ".join(error.format_message().split()).removesuffix(".")
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = f" (see {context.command_path} --help)" if context else ""
        return message[:1].lower() + message[1:] + hint
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
