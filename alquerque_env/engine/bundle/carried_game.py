"""What a program without NumPy and the compiler of games has in their place.

A game is its board, rules and step table, as `game_data` wrote them. Arrays are lists, since all kernels are plain
Python: the functions at the end replace those of `game.kernel_arrays`. No endgame tables are carried for searches.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ...errors import RulesError, UnknownNameError
from ...game import table_layout as TABLE
from ...game.board import Board
from ...game.step import make_steps
from ...game.step_table import TableStep
from ...game.templates import Template

INDEX_HEAD = 142
"""The words of the head of an index, all 0, which says that no position is known."""


def as_game(game: Any) -> Any:
    """Replaces `alquerque_env.game.game.as_game`: there are no games but those that were read."""
    return game


class Needed(Exception):  # noqa: N818
    """Data have not been given yet: the arguments say what, such as `game`, and the name of the game."""


_GAMES: dict[str, Any] = {}
_UNKNOWN: dict[str, Sequence[str]] = {}


def add_game(data: Mapping[str, Any]) -> None:
    """Adds a game to those that `load_game` finds."""
    _GAMES[data["name"]] = read_game(data)


def refuse_game(name: str, known: Sequence[str]) -> None:
    """Says that a game cannot be added; the known ones can."""
    _UNKNOWN[name] = known


def load_game(name: str, /, **options: Any) -> Any:
    """Replaces `alquerque_env.game.game.load_game`, for games that were added.

    Raises:
      UnknownNameError: If the game has been refused.
      Needed: If the game has not been added.
      RulesError: If options are chosen: another table belongs to them.
    """
    if options:
        raise RulesError(
            "this page has each game with its default rules; to play by others, install alquerque-env and run: "
            "alquerque web"
        )
    if name in _UNKNOWN:
        raise UnknownNameError("game", name, _UNKNOWN[name])
    if name not in _GAMES:
        raise Needed("game", name)
    return _GAMES[name]


def load_text(name: str, file_text: str = "", /, **options: Any) -> Any:
    """Replaces `alquerque_env.game.game.load_text`, for games that were added."""
    if file_text:
        raise RulesError(
            f"this page has no game from a file such as {name}; install alquerque-env and run: alquerque web --game "
            "FILE"
        )
    return load_game(name, **options)


def evaluation_features(game: Any) -> Any:
    """Replaces `alquerque_env.search.static_evaluation.evaluation_features`: what was written with the game."""
    return tuple(map(int, game.evaluation_features))


def read_game(data: Mapping[str, Any]) -> Any:
    """Makes a game from data.

    Args:
      data: A mapping with `name`, `title`, `options` (the chosen ones as text), `first_player`, `board` (the
        fields of `Board`), `rules` (those of `Rules`), `sides` (for each player those of `Side`), `hands`,
        `sentences`, `words` (the table, with large numbers as text), `leaps` (for each player the fields of the
        templates), `two_victims` (actions whose text names the victim) and `facts` (further attributes of the game).

    Returns:
      The part of `alquerque_env.Game` that a match uses, and the rules as sentences. Its table is the part of
      `alquerque_env.game.step_table.StepTable` that a match uses; of the templates, the leaps.
    """
    board = Board(**{name: _tuples(value) for name, value in data["board"].items()})
    t = tuple(map(int, data["words"]))
    actions = range(t[TABLE.NUM_ACTIONS])
    rows = range(t[TABLE.STEPS], t[TABLE.STEPS] + 2 * TABLE.STEP_SIZE * len(actions), TABLE.STEP_SIZE)
    table: Any = SimpleNamespace(
        words=t,
        plain_words=t,
        actions=tuple(None if action == t[TABLE.PASS_ACTION] else () for action in actions),
        steps=tuple(TableStep(*t[row : row + TABLE.STEP_SIZE]) for row in rows),
        templates=tuple(tuple(Template(*leap) for leap in leaps) for leaps in data["leaps"]),
        has_two_victims=tuple(action in data["two_victims"] for action in actions),
    )
    return SimpleNamespace(
        name=data["name"],
        title=data["title"],
        options=tuple(data["options"]),
        first_player=data["first_player"],
        board=board,
        rules=SimpleNamespace(**data["rules"]),
        sides=tuple(SimpleNamespace(**side) for side in data["sides"]),
        hands=tuple(data["hands"]),
        sentences=tuple(data["sentences"]),
        table=table,
        steps=make_steps(table, board.labels),
        **data["facts"],
    )


def _tuples(value: Any) -> Any:
    """Converts JSON lists to tuples, recursively."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


class Endgames:
    """Replaces `alquerque_env.solve.tables.search_probe.Endgames`."""

    def __init__(self, _table: None) -> None:
        self.index = [0] * INDEX_HEAD
        self.codes = [0]

    def best(self, _match: Any) -> list[Any]:
        """No steps: none are known to be best."""
        return []

    def keeping(self, match: Any) -> frozenset[int]:
        """All steps."""
        return frozenset([step.action for step in match.legal_steps])


def constants(values: list[int]) -> Any:
    """Integers that kernels read."""
    return tuple(values)


def short_words(values: Iterable[int]) -> Any:
    """Integers that kernels read, sign included."""
    return list(values)


def words(_table: Any, count: int) -> Any:
    """`count` zero words that kernels write."""
    return [0] * count


def copied(_table: Any, values: Iterable[int]) -> Any:
    """Words that kernels write, with these values at first."""
    return [int(value) for value in values]


def word_rows(_table: Any, rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words that kernels write."""
    return [[0] * count for _ in range(rows)]


def as_it_is(value: Any) -> Any:
    """Replaces `entry_kernel`: kernels are plain Python, and take the sequences themselves."""
    return value
