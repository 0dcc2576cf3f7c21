"""What all commands share: the form of their help texts and of their JSON output."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import plain_text

if TYPE_CHECKING:
    from rich.console import Console

Report = tuple[Mapping[str, Any], Iterable[str]]  # a result for JSON and as lines of text

TEXTS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
"""What help texts say of commands, and the packages that `doctor` shows."""


class HelpfulCommand(click.Command):
    """A command whose help lists its arguments, its options, the specs of bots if it takes them, and examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the arguments and the options."""
        metavars = [each.metavar or "" for each in self.params if isinstance(each, click.Argument)]
        names = [metavar.strip("[].").partition(" ")[0] for metavar in metavars]
        if names:
            meanings = TEXTS["arguments"] | TEXTS["own_arguments"].get(self.name, {})
            with formatter.section("Arguments"):
                formatter.write_dl([(name, meanings[name]) for name in names])
        super().format_options(ctx, formatter)
        if any("SPEC" in (each.metavar or "") for each in self.params):
            from ..bots.spec import spec_forms  # here since help must not load bots for other commands

            with formatter.section("Bots (SPEC)"):
                formatter.write_dl(list(spec_forms().items()))

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes nothing: newer versions of click list arguments here, older ones nowhere."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        if examples := TEXTS["examples"].get(self.name):
            with formatter.section("Examples"):
                formatter.write("".join(f"  alquerque {example}\n" for example in examples))


class HelpfulGroup(HelpfulCommand, click.Group):
    """A group of commands whose help ends with examples too."""


def print_line(text: str, *, err: bool = False) -> None:
    """Prints a line, to the error output if asked, without control characters in names that it shows."""
    click.echo(plain_text(text), err=err)


def print_json(content: Mapping[str, Any]) -> None:
    """Prints one JSON object."""
    click.echo(json.dumps(content, indent=2))


def print_report(content: Mapping[str, Any], lines: Iterable[str], *, as_json: bool) -> None:
    """Prints one JSON object, or lines of text."""
    if as_json:
        print_json(content)
    else:
        print_line("\n".join(lines))


def report_console(width: int) -> "Console":
    """Standard output for tables: as wide as the terminal, or as `width` if the output is not a terminal."""
    from rich.console import Console  # here since most commands do without it

    console = Console()
    return console if console.is_terminal else Console(width=width)
