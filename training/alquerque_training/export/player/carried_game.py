"""The game of an exported player: its board, rules and step table, compiled when the player was exported."""

import json
from types import SimpleNamespace
from typing import Any

from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.board import Board
from alquerque_env.game.step import make_steps
from alquerque_env.game.step_table import TableStep
from alquerque_env.game.templates import Template
from alquerque_training.export.packing import unpack


def as_game(game: Any) -> Any:
    """Replaces `alquerque_env.game.game.as_game`: an exported player has one game."""
    return game


def read_game(text: str) -> Any:
    """Unpacks a game.

    Args:
      text: A packed JSON object with `name`, `title`, `file_text` and `table_hash` (those of `Game`), `options` (the
        chosen ones as text), `first_player`, `board` (the fields of `Board`), `rules` (those of `Rules`), `sides` (for
        each player what a piece and several are called, and the goal), `hands`, `sentences`, `words` (the table),
        `leaps` (for each player the fields of the templates) and `two_victims` (actions whose text names the victim).

    Returns:
      The part of `alquerque_env.Game` that a match uses, and the rules as sentences. Its table is the part of
      `alquerque_env.game.step_table.StepTable` that a match uses; of the templates, the leaps.
    """
    data = json.loads(unpack(text))
    board = Board(**{name: _tuples(value) for name, value in data["board"].items()})
    t = tuple(data["words"])
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
        file_text=data["file_text"],
        table_hash=data["table_hash"],
        options=tuple(data["options"]),
        first_player=data["first_player"],
        board=board,
        rules=SimpleNamespace(**data["rules"]),
        sides=tuple(SimpleNamespace(**side) for side in data["sides"]),
        hands=tuple(data["hands"]),
        sentences=tuple(data["sentences"]),
        table=table,
        steps=make_steps(table, board.labels),
    )


def _tuples(value: Any) -> Any:
    """Converts JSON lists to tuples, recursively."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
