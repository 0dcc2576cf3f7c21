"""What several commands ask for: a game with its options, a position, a seed."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ..errors import AlquerqueError, UnknownNameError
from ..game.game import Game, games, load_game
from ..game.options import spell
from .console.interruptible import work

if TYPE_CHECKING:
    from ..match.match import Match

MAX_SEED = 2**63 - 1

Command = Callable[..., Any]

takes_position = click.option("--position", metavar="TEXT", help="Position text to begin from, such as W:Wa1,Kc3:Be5.")
takes_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def _complete_game(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in games() if name.startswith(incomplete)]


def takes_game(command: Command) -> Command:
    """Adds the argument GAME and `--option`; the command is called with the loaded `game`."""

    @click.argument("name", metavar="GAME", shell_complete=_complete_game)
    @click.option(
        "--option", "options", multiple=True, metavar="NAME=VALUE", help="Answer a question of the rules; repeatable."
    )
    @wraps(command)
    def with_game(name: str, options: tuple[str, ...], **others: Any) -> Any:
        return command(game=find_game(name, options), **others)

    return with_game


def find_game(name: str, options: tuple[str, ...]) -> Game:
    """Loads a game with options given as texts `name=value`.

    Raises:
      AlquerqueError: If the game, an option or a value is not known, or a text is not of this form.
    """
    known = load_game(name).option_table
    answers: dict[str, str] = {}
    for text in options:
        option, equals, value = text.partition("=")
        if not equals:
            raise AlquerqueError(f"--option is {text!r}, expected NAME=VALUE, such as {_example(name)}")
        if option not in known:
            raise UnknownNameError("option", option, known, of=name)
        if option in answers:
            raise AlquerqueError(f"--option {option} is given twice: {answers[option]!r} and {value!r}")
        answers[option] = value
    return load_game(name, **answers)


def open_match(game: Game, position: str | None = None) -> "Match":
    """A match from a position, or from the start.

    Raises:
      PositionError: If the text is not a position of the game.
    """
    from ..match.match import Match

    return work(
        lambda: Match(game, position), "loading the rules; the first time after an installation they are compiled ..."
    )


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Refuses a number that is out of range.

    Raises:
      AlquerqueError: With the name, the number and the range.
    """
    if not low <= value <= high:
        raise AlquerqueError(f"{name} is {value}, expected {low} to {high}")


def option_arguments(game: Game) -> list[str]:
    """The arguments that choose the options of a game again."""
    defaults = {name: option.default for name, option in game.option_table.items()}
    chosen = {name: value for name, value in game.options.items() if value != defaults[name]}
    return [argument for name, value in chosen.items() for argument in ("--option", f"{name}={spell(value)}")]


def _example(name: str) -> str:
    option = next(iter(load_game(name).option_table.values()))
    return f"{option.name}={spell(option.default)}"
