"""A game: a board, a start and answers to the questions of the rules, read from one data file."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .board import Board, Permutation, load_board
from .errors import RulesError, UnknownNameError
from .rules import RULE_NAMES, Option, OptionValue, Rules, make_option

if TYPE_CHECKING:
    from .table import Action, StepTable

SOUTH, NORTH = 0, 1


@dataclass(frozen=True, eq=False)
class Game:
    """The rules of one game with one choice of options. Immutable.

    Attributes:
      name: The game's id.
      title: Its name for people.
      version: Raised whenever play, actions or observations change.
      board: Points and lines.
      start: Points of the men of `player_0` and of `player_1` at the start.
      rules: Every answer, fixed and chosen.
      option_table: The open questions, by name.
      options: Read-only mapping of every option to its value here, defaults included.
      opening: First steps allowed by the opening rule, as `(origin, target)` in the frame of the first player; a None
        stands for any point. None where the first turn is free.
      sources: Where the rules are described.
    """

    name: str
    title: str
    version: int
    board: Board
    start: tuple[frozenset[int], frozenset[int]]
    rules: Rules
    option_table: Mapping[str, Option]
    options: Mapping[str, OptionValue]
    opening: tuple[int | None, int] | None
    sources: tuple[str, ...]

    @property
    def first_player(self) -> int:
        """The player who begins."""
        return NORTH if self.rules.who_starts == "player_1" else SOUTH

    @cached_property
    def turn(self) -> Permutation:
        """How the board is turned for `player_1`: where a point of the board lies in the mover's frame.

        The half-turn where the game is symmetric under it, else the identity.
        """
        half_turn = self.board.half_turn
        if half_turn is not None and {half_turn[point] for point in self.start[SOUTH]} == self.start[NORTH]:
            return half_turn
        return tuple(range(len(self.board.points)))

    @property
    def is_symmetric(self) -> bool:
        """Whether both players see the same game from their own side."""
        return self.turn != tuple(range(len(self.board.points)))

    def forward(self, player: int) -> int:
        """Sign of y in which `player`'s men go forward."""
        return 1 if player == SOUTH else -1

    def promotion_points(self, player: int) -> frozenset[int]:
        """Points where a man of `player` is promoted: the enemy's first rank."""
        if self.rules.promotion == "none":
            return frozenset()
        return self.last_rank(player)

    def last_rank(self, player: int) -> frozenset[int]:
        """The enemy's first rank, seen from `player`."""
        rows = [y for _, y in self.board.points]
        last = max(rows) if self.forward(player) > 0 else min(rows)
        return frozenset(point for point, y in enumerate(rows) if y == last)

    def is_backward(self, player: int, origin: int, target: int) -> bool:
        """Whether a piece of `player` would go backward."""
        rise = self.board.points[target][1] - self.board.points[origin][1]
        return rise * self.forward(player) < 0

    def man_steps(self, player: int) -> list[tuple[int, int]]:
        """Simple steps of the men of `player` on the empty board, as (origin, target)."""
        frozen = self.last_rank(player) if self.rules.last_rank_frozen else frozenset()
        return [
            (origin, target)
            for origin, target in sorted(self.board.edges)
            if origin not in frozen
            and (self.rules.man_steps == "all" or not self.is_backward(player, origin, target))
        ]

    @property
    def remembers_points(self) -> bool:
        """Whether memory must be kept point by point: where it can come to bite later than at once."""
        rules = self.rules
        return rules.undo_scope != "off" and (rules.undo_scope == "never_revisit" or not rules.undo_cleared_by_jump)

    @cached_property
    def relations(self) -> tuple[dict[int, int], ...]:
        """The simple steps that memory can forbid, in groups of one direction, each mapping origin to target.

        Where memory clears with a capture and only the last move counts, these are the steps whose reverse is a step.
        """
        if self.rules.undo_scope == "off":
            return ()
        groups: dict[int, dict[int, int]] = {}
        for player in (SOUTH, NORTH):
            steps = set(self.man_steps(player))
            for origin, target in steps:
                if self.remembers_points or (target, origin) in steps:
                    groups.setdefault(target - origin, {})[origin] = target
        return tuple(groups[distance] for distance in sorted(groups))

    @cached_property
    def table(self) -> "StepTable":
        """The compiled step table of the game."""
        from .table import compile_table

        return compile_table(self)

    @property
    def actions(self) -> "tuple[Action | None, ...]":
        """What each action does, in the mover's frame: `(origin, target, over)`, None for the pass."""
        return self.table.actions

    @property
    def num_actions(self) -> int:
        """Number of actions of the game."""
        return len(self.table.actions)

    @property
    def table_hash(self) -> str:
        """Identifies the action table: 16 hexadecimal digits over version, options and actions."""
        content = repr((self.name, self.version, sorted(self.options.items()), self.actions))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def with_options(self, **options: OptionValue) -> "Game":
        """The same game with other options.

        Raises:
          UnknownNameError, RulesError: As `load_game`.
        """
        return load_game(self.name, **{**self.options, **options})

    def __reduce__(self):
        return _reload, (self.name, dict(self.options))

    def __deepcopy__(self, memo) -> "Game":
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


def load_game(name: str, **options: Any) -> Game:
    """Reads the file of a game and answers its open questions.

    Args:
      name: The game's id, one of `games()`.
      **options: Answers by option name, each as itself or as text ("true", "80").

    Raises:
      UnknownNameError: If there is no such game or option.
      RulesError: If an option does not have that value, or options contradict each other.
    """
    data = _read(name)
    table = {
        option: make_option(option, **entry)
        for option, entry in data["options"].items()
    }
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
