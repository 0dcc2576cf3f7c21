"""What is known of whole games: the results of `alquerque solve GAME --from-start`, one file a game in `solutions/`."""

import json
from importlib import resources
from typing import Any, NamedTuple

from ..game.game import Game


class KnownSolution(NamedTuple):
    """What is known of the start of a game.

    Attributes:
      winner: 0 or 1 where that player wins, "draw", or None where it is not known.
      losers: The players of whom it is known that they do not win.
      line: The turns of a line that shows it.
      nodes: Positions that were searched.
      table_pieces: The endgame table over which they were.
    """

    winner: int | str | None
    losers: tuple[int, ...]
    line: tuple[str, ...]
    nodes: int
    table_pieces: int


def known_solution(game: Game) -> KnownSolution | None:
    """What is known of the start of a game under its options; None where nobody has tried."""
    file = resources.files(__package__) / "solved" / f"{game.name}.json"
    if not file.is_file():
        return None
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if found["table_hash"] != game.table_hash:
        return None
    questions = found["questions"]
    nodes = sum(question["nodes"] for question in questions)
    losers = tuple(question["player"] for question in questions if question["state"] == "disproved")
    return KnownSolution(found["winner"], losers, tuple(found["line"]), nodes, found["table_pieces"])
