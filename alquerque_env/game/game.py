"""A game: its rules with one choice of options, compiled."""

import hashlib
import json
import os
import shlex
from dataclasses import fields, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from ..errors import AlquerqueError, RulesError
from ..files.toml_text import format_toml
from .board import from_least, one_way
from .definition import Definition
from .game_file import define_text, find_definition, find_game, games
from .graph import Graph, make_graph
from .option_choice import choose_options
from .options import OptionValue, Rules, spell
from .planes import Plane, planes
from .ruleset import NORTH, SOUTH, Ruleset
from .step import Step, make_steps
from .step_table import Action, StepTable, compile_table
from .symmetry import Symmetry, find_symmetries
from .templates import find_doubled

__all__ = ["Game", "GameId", "as_game", "games", "load_game", "load_text", "make_game"]

GameId = str | os.PathLike[str]
"""A game's id, or the path of a game file."""


class Game(Ruleset):
    """The rules of one game with one choice of options, compiled. Immutable; see `Ruleset` for its attributes.

    Games are equal if they have the same id, the same rules and options, and the same file if they are from files.

    Raises:
      RulesError: As `Ruleset`, or if promoted pieces could take one action in two ways.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.board.circles and (doubled := find_doubled(self)) is not None:
            origin, target, victim = (self.board.labels[point] if point >= 0 else "" for point in doubled[:3])
            raise RulesError(
                f"a promoted piece could {'capture' if victim else 'step'} from {origin} to {target}"
                f"{' over ' + victim if victim else ''} in two ways, which are one action: expected "
                f"{'mullah_captures' if victim else 'mullah_steps'}="
                f"{'next_point' if victim else 'one_point'!r} or other circles"
            )

    @cached_property
    def table(self) -> StepTable:
        """The compiled step table of the game."""
        return compile_table(self)

    @cached_property
    def steps(self) -> tuple[tuple[Step | None, ...], ...]:
        """For each player the step of each action; None for the pass, which depends on the chain."""
        return make_steps(self.table, self.board.labels)

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The board's automorphisms that keep the rules, in the mover's frame; the identity first."""
        return find_symmetries(self, self.table)

    def graph(self, player: int = 0) -> Graph:
        """Returns the game as a graph, as a player sees it, 0 or 1; its arrays are shared and must not be changed."""
        return self._graphs[player]

    @cached_property
    def _graphs(self) -> tuple[Graph, Graph]:
        return make_graph(self, self.table, SOUTH), make_graph(self, self.table, NORTH)

    @property
    def actions(self) -> tuple[Action | None, ...]:
        """What each action does, in the mover's frame: `(origin, target, over)`, None for the pass."""
        return self.table.actions

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """The planes of an observation, in order: of each its name, its largest value and its meaning."""
        return planes(self)

    @property
    def num_actions(self) -> int:
        """Number of actions of the game."""
        return len(self.table.actions)

    def mask_matrix(self, mask: np.ndarray) -> np.ndarray:
        """Returns action masks as matrices from points to points.

        Args:
          mask: Integers `[..., A]`, 1 for legal actions.

        Returns:
          int8 `[..., P, P]` in the frame of the mask: 1 where a legal step leads from the point of the row to the point
          of the column. A drop leads from its point to itself, and so does a removal. The pass has no place in it.
        """
        points = len(self.board.points)
        matrix = np.zeros((*mask.shape[:-1], points * points), np.int8)
        *matches, moves = np.nonzero(mask[..., : len(self._moves)])
        matrix[(*matches, self._moves[moves])] = 1
        return matrix.reshape(*mask.shape[:-1], points, points)

    @cached_property
    def _moves(self) -> np.ndarray:
        """int64 `[A]` without the pass, which is the last action: `origin * P + target`."""
        points = len(self.board.points)
        ends = (_ends(action) for action in self.actions if action is not None)
        return np.array([origin * points + target for origin, target in ends], np.int64)

    @cached_property
    def table_hash(self) -> str:
        """Identifies the rules: 16 hexadecimal digits over everything that play, actions and observations depend on.

        Files whose rules differ have different hashes, also if they have the same name.

        An answer that equals its default in `Rules` is left out, so that a new rule does not change the hash of the
        games that do not use it.
        """
        board, rules = self.board, self.rules
        drawn: dict[str, object] = {
            kind: sorted(map(one_way, getattr(board, kind))) for kind in ("lines", "end_arcs", "bends")
        }
        if board.circles:
            drawn["circles"] = sorted(map(from_least, board.circles))
        if board.own_labels:
            drawn["labels"] = board.own_labels
        content: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "points": board.points,
            **drawn,
            "start": [sorted(points) for points in self.start],
            "rules": {
                field.name: answer for field in fields(Rules) if (answer := getattr(rules, field.name)) != field.default
            },
            "opening": self.opening if self.opening is None or len(self.opening) > 1 else self.opening[0],
            "actions": self.actions,
        }
        if self.rules.promotion == "points":
            content["promotion"] = [sorted(points) for points in self.promotion]
        if self.sanctuary:
            content["sanctuary"] = sorted(self.sanctuary)
        if self.double_steps:
            content["double_steps"] = sorted(self.double_steps)
        if self.has_roles or any(self.goals):
            content["sides"] = [[*self._answers(player), sorted(self.goals[player])] for player in (0, 1)]
        if len(set(self.no_moves)) == 2:
            content["no_moves"] = self.no_moves
        if self.schedule:
            content["schedule"] = [[ply.player, ply.does, sorted(ply.points)] for ply in self.schedule]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def chosen_options(self) -> dict[str, OptionValue]:
        """The options that differ from their defaults."""
        return {name: value for name, value in self.options.items() if value != self.option_table[name].default}

    @property
    def option_texts(self) -> list[str]:
        """The chosen options as `name=value`."""
        return [f"{name}={spell(value)}" for name, value in self.chosen_options.items()]

    @property
    def option_arguments(self) -> list[str]:
        """The chosen options as arguments of a command."""
        return [argument for text in self.option_texts for argument in ("--option", text)]

    def with_options(self, **options: OptionValue) -> "Game":
        """Returns the same game with other options.

        Raises:
          UnknownNameError, RulesError: As `load_game`.
        """
        definition = replace(_define(self.name, self.file_text), path=self.path)
        return make_game(definition, **{**self.options, **options})

    def to_toml(self) -> str:
        """Returns the game as the text of one game file, with its board and all that it extends, for others to play it.

        Options keep the defaults of the game.
        """
        return f"{format_toml(_define(self.name, self.file_text).tables)}\n"

    @property
    def argument(self) -> str:
        """What names the game in a command: its id, or the name of its file, which may lie in another folder."""
        return f"{self.name}.toml" if self.file_text else self.name

    @property
    def command_argument(self) -> str:
        """What names the game in a command to be typed: the path of its file, where known, else `argument`."""
        return shlex.quote(self.path or self.argument)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash((self.name, self.title, *sorted(self.options)))

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        rules = self.version, self.board, self.start, self.rules, self.opening, dict(self.options)
        # The order of keys in a file says nothing.
        content = json.loads(self.file_text) if self.file_text else None
        return self.name, content, self.promotion, self.sanctuary, self.double_steps, self.sides, self.schedule, *rules

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(load_text, self.name, self.file_text, **self.options), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __repr__(self) -> str:
        arguments = "".join(f", {name}={value!r}" for name, value in self.chosen_options.items())
        return f"load_game({self.argument!r}{arguments})"


def _ends(action: Action) -> tuple[int, int]:
    """Where an action begins and ends; a drop or a removal is all on one point."""
    point = next(point for point in action if point is not None)
    return point if action[0] is None else action[0], point if action[1] is None else action[1]


def load_game(name: GameId, /, **options: Any) -> Game:
    """Loads a game.

    Args:
      name: The game's id, one of `games()`, or the path of a game file, which ends in `.toml`.
      **options: Values by option name, each as itself or as text ("true", "80").

    Returns:
      The game under these options.

    Raises:
      UnknownNameError: If there is no such game, file or option.
      RulesError: If the file cannot be read or does not describe a game, an option does not have that value, or options
        contradict each other.
    """
    return make_game(find_game(name), **options)


def load_text(name: str, file_text: str = "", /, **options: Any) -> Game:
    """Loads a game from what is kept of it in other files; opens no file of a user.

    Args:
      name: The game's id.
      file_text: `Game.file_text`; without it the game is the one of the package.
      **options: As for `load_game`.

    Raises:
      UnknownNameError, RulesError: As `load_game`.
    """
    return make_game(_define(name, file_text), **options)


def _define(name: str, file_text: str) -> Definition:
    return define_text(name, file_text) if file_text else find_definition(name)


def make_game(definition: Definition, /, **options: Any) -> Game:
    """Chooses the options of a game; see `load_game`."""
    game = choose_options(definition, options, Game, definition.name)
    return game if game.path else _first_equal(game)


@lru_cache(maxsize=64)
def _first_equal(game: Game) -> Game:
    """Of equal games the one that was made first, so that their table is compiled once."""
    return game


def as_game(game: Game | GameId, /, **options: Any) -> Game:
    """Returns the game with these options, or loads the game with that id or of that file.

    Raises:
      UnknownNameError, RulesError: As `load_game`.
      AlquerqueError: If it is something else.
    """
    if isinstance(game, Game):
        return game.with_options(**options) if options else game
    if isinstance(game, str | os.PathLike):
        return load_game(game, **options)
    raise AlquerqueError(f"game is {game!r}, expected a game's id, the path of a game file or what load_game returns")
