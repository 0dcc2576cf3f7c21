"""Arguments and options that several commands share."""

import math
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ..errors import LONGEST_PATH, AlquerqueError, MissingExtraError, UnknownNameError, shorten
from ..game.game import Game, games, load_game
from ..game.options import spell
from .console.capabilities import find_terminal
from .console.signals import run_interruptible

if TYPE_CHECKING:
    from ..match.match import Match

MAX_SEED = 2**63 - 1
Command = Callable[..., Any]


class FileOrFolder(click.Path):
    """Path of a regular file or a folder. Devices and pipes could block a command, or be read for ever."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(path_type=Path, **kwargs)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Checks what there is under the path."""
        shown = repr(shorten(str(value), LONGEST_PATH))
        if not os.fspath(value):
            self.fail("the path is empty", param, ctx)
        try:
            mode = os.stat(value).st_mode
        except FileNotFoundError:
            mode = stat.S_IFREG
        except (OSError, ValueError) as error:  # such as a circle of links, or a name that is too long
            self.fail(f"{shown} cannot be used: {getattr(error, 'strerror', None) or error}", param, ctx)
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            self.fail(f"{shown} is a device or a pipe, expected a regular file", param, ctx)
        path: Any = super().convert(value, param, ctx)
        return path


class OutputFile(FileOrFolder):
    """Path of a file to write, in a folder that exists."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Checks the folder, before hours are spent on what the file will hold."""
        path: Any = super().convert(value, param, ctx)
        folder = os.path.dirname(os.path.realpath(path)) if path.is_symlink() else str(path.parent)
        if not os.path.isdir(folder):
            self.fail(f"folder {shorten(folder, LONGEST_PATH)!r} does not exist", param, ctx)
        return path


class IntRange(click.IntRange):
    """A whole number in a range. Errors call it an integer; those of click call it an "integer range"."""

    name = "integer"


class FloatRange(click.FloatRange):
    """A number in a range, which for click includes nan."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Reads the number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail("nan is not a number", param, ctx)
        return number


PATH = FileOrFolder()

position_option = click.option("--position", metavar="TEXT", help="Start from this position, such as W:Wa1,Kc3:Be5.")
turn_time_option = click.option(
    "--seconds",
    type=float,
    metavar="S",
    show_default="5 for engines, no limit for others",
    help="Time for a turn of a bot that searches.",
)


def step_time_option(default: float) -> Callable[[Any], Any]:
    """The option `--seconds` of the commands whose bots play for people or programs."""
    return click.option(
        "--seconds", type=FloatRange(0.1, 600), default=default, metavar="S", help="Time limit of a bot for a step."
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
rules_option = click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the rules; repeatable."
)


def _check_seed(_ctx: click.Context, _param: click.Parameter, value: int | None) -> int | None:
    if value is not None and not 0 <= value <= MAX_SEED:
        raise click.BadParameter(f"{value} is not in the range 0 to {MAX_SEED}")
    return value


def seed_option(help_text: str, default: int | None = None) -> Callable[[Command], Command]:
    """Adds `--seed`, a whole number from 0 to `MAX_SEED`."""
    return click.option("--seed", type=int, callback=_check_seed, default=default, metavar="N", help=help_text)


def complete_game(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids that begin so, or files if none does."""
    ids = [CompletionItem(name) for name in games() if name.startswith(incomplete)]
    return ids or [CompletionItem(incomplete, type="file")]


def games_option(help_text: str) -> Callable[[Command], Command]:
    """Adds `--game`, which may be given several times."""
    return click.option("--game", "chosen", multiple=True, metavar="GAME", shell_complete=complete_game, help=help_text)


def game_argument(command: Command, **more: Any) -> Command:
    """Adds the argument GAME and `--option`. The command receives the loaded game as `game`."""

    @click.argument("name", metavar="GAME", required=not more, shell_complete=complete_game, **more)
    @rules_option
    @wraps(command)
    def with_game(name: str, options: tuple[str, ...], **others: Any) -> Any:
        return command(game=game_with_options(name, options), **others)

    return with_game


def _ask_for_game(context: click.Context, param: click.Parameter, name: str | None) -> str:
    """Lists the ids of the games with their numbers, and asks for one until a number, an id or a word means one."""
    if name is not None:
        return name
    if context.resilient_parsing or sys.stdin is None or not sys.stdin.isatty():
        raise click.MissingParameter(ctx=context, param=param)
    known = games()
    terminal, titles = find_terminal(), {each: load_game(each).title for each in known}

    def show(names: Iterable[str]) -> None:
        click.echo(terminal.wrap("  ".join(f"{known.index(each) + 1}:{each}" for each in names)))

    def read(text: str) -> str:
        chosen = known[int(text) - 1] if text.isdecimal() and 0 < int(text[:9]) <= len(known) else text
        words = text.lower().split()
        found = [each for each, title in titles.items() if all(word in f"{each} {title}".lower() for word in words)]
        if chosen not in known and len(found) > 1:
            show(found)
            raise click.BadParameter("several games have these words")
        if chosen not in known and found:
            return found[0]
        try:
            load_game(chosen)
        except AlquerqueError as error:
            raise click.BadParameter(str(error)) from None
        return chosen

    show(known)
    return str(click.prompt("Which game? Its number, its name or a word of it", value_proc=read))


asked_game_argument = partial(game_argument, callback=_ask_for_game)
"""As `game_argument`; without GAME a person at a terminal is asked for it."""


def game_with_options(name: str, options: tuple[str, ...]) -> Game:
    """Loads a game with options given as texts `name=value`; raises `AlquerqueError` for any other text."""
    game = load_game(name)
    known = game.option_table
    chosen: dict[str, str] = {}
    for text in options:
        option, equals, value = text.partition("=")
        if not equals:
            first = next(iter(known.values()))
            example = f"{first.name}={spell(first.default)}"
            raise AlquerqueError(f"--option is {text!r}, expected NAME=VALUE, such as {example}")
        if option not in known:
            raise UnknownNameError("option", option, known, of=name)
        if option in chosen:
            raise AlquerqueError(f"--option {option} is given twice: {chosen[option]!r} and {value!r}")
        chosen[option] = value
    return game.with_options(**chosen) if chosen else game


def use_one_thread() -> None:
    """Lets libraries that are imported later compute in one thread, unless the environment says otherwise."""
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def open_match(game: Game, position: str | None = None) -> "Match":
    """A match at a position, or at the start of the game. Compiles the rules if no compiled kernels are cached."""
    from ..match.match import Match

    return run_interruptible(
        lambda: Match(game, position), "loading the rules (compiled once after an installation) ..."
    )


def _check_extra(_ctx: click.Context, _param: click.Parameter, address: str | None) -> str | None:
    """Refuses the option where Ray is not installed, as any wrong argument."""
    if address is not None and find_spec("ray") is None:
        raise AlquerqueError(f"--ray: {MissingExtraError('ray', 'ray')}")
    return address


ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value="local",
    callback=_check_extra,
    metavar="[HOST:PORT]",
    help="Spread the work over a Ray cluster, or over Ray's processes on this machine. Before other arguments write "
    "--ray=local.",
)


@contextmanager
def spread(address: str | None) -> Iterator[Executor | None]:
    """An executor on the cluster at an address during the context; None without an address."""
    if address is None:
        yield None
        return
    from ..adapters.ray import connect

    with connect(address) as cluster:
        click.echo(f"Ray at {cluster.address}: {cluster.cpus} CPUs", err=True)
        with cluster.executor() as executor:
            yield executor
