"""The program `alquerque`: its list of commands, and how every error becomes one line."""

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..errors import AlquerqueError, UnknownNameError, one_line
from ..start import INTERRUPTED, end_quietly, raise_interrupts
from .command import TEXTS
from .console.signals import Terminated, terminate_as_ctrl_c

OWN_PACKAGES = ("alquerque_env", "alquerque_training")

BAD_ARGUMENT, FAILED = 2, 1

COMMANDS: Mapping[str, str] = {name: summary for group in TEXTS["groups"].values() for name, summary in group.items()}
"""The commands with their summaries."""


class Program(click.Group):
    """Imports a command when it is called, and reports every error in one line."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names of the commands."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"{__package__}.commands.{cmd_name}")
        return getattr(module, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command and its arguments; raises `UnknownNameError` if there is none."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], COMMANDS)
        if args[0] in TEXTS["long_work"]:
            from ..engine.forms import compile_at_once
            from ..engine.kernel_cache import before_compiling

            compile_at_once()
            if args[0] != "compile" and sys.stderr.isatty():
                before_compiling[:] = [announce_compiling]
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands by groups."""
        for title, commands in TEXTS["groups"].items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<10}", summary) for name, summary in commands.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the program and exits; the arguments are click's."""
        prog_name = prog_name or "alquerque"
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        _open_closed_streams()
        _replace_unencodable_characters()
        try:
            raise_interrupts()
            try:
                with terminate_as_ctrl_c():
                    super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            sys.exit(FAILED)  # the reader of the output is gone, as after `| head`
        except (click.ClickException, AlquerqueError, ImportError, OSError) as error:
            if isinstance(error, ImportError) and (error.name or "").partition(".")[0] in OWN_PACKAGES:
                raise  # a module of this distribution is missing, which is a bug
            with suppress(OSError):
                click.echo(_fitted(f"{prog_name}: {one_line(_describe(error))}"), err=True)
            sys.exit(BAD_ARGUMENT if isinstance(error, (click.UsageError, AlquerqueError)) else FAILED)
        except (click.Abort, KeyboardInterrupt) as error:
            cause = error.__cause__ if isinstance(error, click.Abort) else error
            sys.exit(cause.status if isinstance(cause, Terminated) else INTERRUPTED)
        finally:
            end_quietly()
            _drop_unwritten_output()
        sys.exit(0)


@click.command(
    "alquerque",
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="Run `alquerque COMMAND --help` for the arguments, options and examples of a command.",
)
@click.version_option(__version__, message="%(prog)s %(version)s", prog_name="alquerque")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Play, measure, solve and train games of the alquerque family."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def announce_compiling() -> None:
    """Says once why the first long command after an installation is silent for so long."""
    from ..engine.kernel_cache import before_compiling

    before_compiling.clear()
    print("\rcompiling kernels, once for this version; this can take a minute", file=sys.stderr, flush=True)


def _open_closed_streams() -> None:
    """Replaces standard streams that the caller has closed by the null device, or files would take their places."""
    for descriptor, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115


def _drop_unwritten_output() -> None:
    """Drops output that cannot be written, or Python would report it once more when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _replace_unencodable_characters() -> None:
    """Replaces characters that the terminal's encoding lacks, where Python would raise an error."""
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace"), (sys.stdin, "replace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _fitted(text: str) -> str:
    """A line as it is; a terminal gets it broken between words."""
    if not sys.stderr.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _describe(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        message = " ".join(error.format_message().split()).removesuffix(".")
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = f" (see {context.command_path} --help)" if context else ""
        return message[:1].lower() + message[1:] + hint
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
