"""Writes proofs as text that other programs can check. `docs/tables.md` describes the format.

Positions stand after those that they lead to, so that a reader needs one pass and no cycle can be written.
"""

import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from ...errors import TableError
from ...files.atomic import open_whole
from ...game import state_layout as STATE
from ...game.game import Game
from ...match.match import Match
from ...match.position_text import format_position
from ..proved_steps import MAGIC, step_text
from .verify_kernels import ALL_STEPS, BY_TABLE
from .verify_proof import Record


class Certificate:
    """A certificate that is being written."""

    def __init__(self, game: Game, text: TextIO) -> None:
        self._game = game
        self._text = text

    def section(self, player: int, wins: bool) -> Record:
        """Begins the proof that a player wins, or does not win; returns what takes its positions."""
        self._text.write(f"= player_{player} {'wins' if wins else 'does not win'}\n")
        t, labels = self._game.table.words, self._game.board.labels

        def record(position: list[int], step: int) -> None:
            text = format_position(t, labels, position)
            signs = {ALL_STEPS: "*", BY_TABLE: "?"}
            self._text.write(f"{text} {signs.get(step) or step_text(self._game, position[STATE.PLAYER], step)}\n")

        return record


@contextmanager
def open_certificate(path: Path, match: Match, pieces: int) -> Iterator[Certificate]:
    """Opens the certificate of a position for writing, compressed to `.xz`; it gets its name at the end of the context.

    `pieces` are the most of the endgame table, 0 without one. Raises `TableError` if it cannot be written.
    """
    header = {
        "game": match.game.name,
        **({"game_file": match.game.file_text} if match.game.file_text else {}),
        "options": dict(match.game.options),
        "position": match.position,
        "table_pieces": pieces,
    }
    try:
        with open_whole(path) as file, lzma.open(file, "wb") if path.suffix == ".xz" else nullcontext(file) as packed:
            text = TextIOWrapper(packed, encoding="utf-8", newline="\n")
            text.write(f"{MAGIC}\n{json.dumps(header)}\n")
            yield Certificate(match.game, text)
            text.detach()
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror or error}") from None
