"""A game: a board, a start and answers to the questions of the rules, read from one data file."""

import hashlib
import json
import tomllib
from dataclasses import fields, replace
from functools import cached_property
from importlib import resources
from types import MappingProxyType
from typing import Any

from ..errors import AlquerqueError, RulesError, UnknownNameError
from .board import Board, load_board
from .options import RULE_NAMES, OptionValue, Rules, make_option
from .ruleset import Ruleset
from .step import Step, make_steps
from .step_table import Action, StepTable, compile_table
from .symmetry import Symmetry, find_symmetries


class Game(Ruleset):
    """The rules of one game with one choice of options, compiled. Immutable; see `Ruleset` for its attributes."""

    @cached_property
    def table(self) -> StepTable:
        """The compiled step table of the game."""
        return compile_table(self)

    @cached_property
    def steps(self) -> tuple[tuple[Step | None, ...], ...]:
        """For each player the step of each action; None for the pass, which depends on where a chain is."""
        return make_steps(self.table, self.board.labels)

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The board's automorphisms that keep the rules, in the mover's frame; the identity first."""
        return find_symmetries(self, self.table)

    @property
    def actions(self) -> tuple[Action | None, ...]:
        """What each action does, in the mover's frame: `(origin, target, over)`, None for the pass."""
        return self.table.actions

    @property
    def num_actions(self) -> int:
        """Number of actions of the game."""
        return len(self.table.actions)

    @cached_property
    def table_hash(self) -> str:
        """Identifies the rules: 16 hexadecimal digits over everything that play, actions and observations depend on.

        An answer that equals its default in `Rules` is left out, so that a new rule does not change the hash of the
        games that do not use it.
        """
        board, rules = self.board, self.rules
        drawn = {
            kind: sorted(min(line, line[::-1]) for line in getattr(board, kind))
            for kind in ("lines", "end_arcs", "bends")
        }
        content = {
            "name": self.name,
            "version": self.version,
            "points": board.points,
            **drawn,
            "start": [sorted(points) for points in self.start],
            "rules": {
                field.name: answer for field in fields(Rules) if (answer := getattr(rules, field.name)) != field.default
            },
            "opening": self.opening,
            "actions": self.actions,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def with_options(self, **options: OptionValue) -> "Game":
        """The same game with other options.

        Raises:
          UnknownNameError, RulesError: As `load_game`.
        """
        return load_game(self.name, **{**self.options, **options})

    def __reduce__(self) -> tuple[Any, ...]:
        return _reload, (self.name, dict(self.options))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __repr__(self) -> str:
        chosen = {name: value for name, value in self.options.items() if value != self.option_table[name].default}
        arguments = "".join(f", {name}={value!r}" for name, value in chosen.items())
        return f"load_game({self.name!r}{arguments})"


def _reload(name: str, options: dict[str, OptionValue]) -> Game:
    return load_game(name, **options)


def games() -> tuple[str, ...]:
    """Ids of all games, in alphabetical order."""
    folder = resources.files(__package__) / "games"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


def load_game(name: str, /, **options: Any) -> Game:
    """Reads the file of a game and answers its open questions.

    Args:
      name: The game's id, one of `games()`.
      **options: Answers by option name, each as itself or as text ("true", "80").

    Raises:
      UnknownNameError: If there is no such game or option.
      RulesError: If an option does not have that value, or options contradict each other.
    """
    data = _read(name)
    table = {option: make_option(option, **entry) for option, entry in data["options"].items()}
    for option, value in data.get("defaults", {}).items():
        table[option] = replace(table[option], default=table[option].parse(value, f"{name}.toml"))
    for option in options:
        if option not in table:
            raise UnknownNameError("option", option, table, of=name)
    chosen = {
        option: entry.parse(options[option], name) if option in options else entry.default
        for option, entry in table.items()
    }
    rules = _make_rules(name, data["rules"], chosen)
    board = load_board(data["board"] if isinstance(data["board"], str) else data["board"][rules.board])
    return Game(
        name=name,
        title=data["title"],
        version=data["version"],
        board=board,
        start=(_points(board, data["start"]["south"]), _points(board, data["start"]["north"])),
        rules=rules,
        option_table=MappingProxyType(table),
        options=MappingProxyType(chosen),
        opening=None if rules.opening == "any" else _opening(board, data["openings"][rules.opening]),
        sources=tuple(data["sources"]),
    )


def as_game(game: Game | str) -> Game:
    """The rules that somebody means who gives them, or the id of a game with all questions answered as it does.

    Raises:
      UnknownNameError: If there is no such game.
      AlquerqueError: If it is something else.
    """
    if isinstance(game, Game):
        return game
    if isinstance(game, str):
        return load_game(game)
    raise AlquerqueError(f"game is {game!r}, expected a game's id or what load_game returns")


def _read(name: str) -> dict:
    """The tables of a game file, laid over those of the game that it extends."""
    if name not in games():
        raise UnknownNameError("game", name, games())
    file = resources.files(__package__) / "games" / f"{name}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    if "extends" in data:
        return {**_read(data.pop("extends")), **data}
    return data


def _make_rules(name: str, fixed: dict, chosen: dict) -> Rules:
    for rule in fixed:
        if rule not in RULE_NAMES:
            raise UnknownNameError("rule", rule, RULE_NAMES, of=name)
    try:
        return Rules(**fixed, **chosen)
    except RulesError as error:
        raise RulesError(f"{name}: {error}") from None


def _points(board: Board, text: str) -> frozenset[int]:
    return frozenset(board.index[label] for label in text.split())


def _opening(board: Board, text: str) -> tuple[int | None, int]:
    origin, target = text.split("-")
    return None if origin == "*" else board.index[origin], board.index[target]
