"""Results of `alquerque solve GAME --from-start`, which come with the package as one file per game in `solved/`."""

import json
from importlib import resources
from typing import Any, NamedTuple

from ..game.game import Game


class KnownSolution(NamedTuple):
    """The value of the start of a game."""

    winner: int | str | None  # 0 or 1, "draw", or None if it is not known
    losers: tuple[int, ...]  # the players who are known not to win
    line: tuple[str, ...]  # the turns of a line that shows it
    nodes: int  # the positions searched
    table_pieces: int  # the most pieces of the endgame table used


def known_solution(game: Game) -> KnownSolution | None:
    """The value of the start of a game with its options; None if nobody has searched it."""
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
