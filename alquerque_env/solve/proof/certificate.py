"""The files that a proof is written to, see `docs/proofs.md`: a certificate for checkers, or steps for players."""

import gzip
import json
import lzma
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Protocol, TextIO

import numpy as np

from ...engine import entry_points
from ...errors import TableError
from ...files.atomic import open_whole
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.game import Game
from ...game.kernel_arrays import copied
from ...game.step import PASS
from ...match.match import Match
from ...match.position_text import format_position
from ..proved_steps import BEGIN_SIZE, BUCKETS, FORMAT, REST_SIZE, SUFFIX, Header, Section, clocked_number
from .verify_proof import ALL_STEPS, BY_TABLE, Record

MAGIC = "alquerque certificate 1"


class ProofFile(Protocol):
    """Takes the sections of a proof."""

    def begin_section(self, player: int, wins: bool) -> Record:
        """Begins the proof that a player wins, or does not win; returns what takes its positions.

        Positions come after those that they lead to.
        """


@contextmanager
def open_proof_file(path: Path | None, match: Match, pieces: int) -> Iterator[ProofFile | None]:
    """Opens the file for the proof of a position. It gets its name at the end of the context.

    It has packed steps if its name ends in `.steps`, and is a certificate else, compressed if that is `.xz`. `pieces`
    are the most of the endgame table, 0 without one. Without a path there is none.

    Raises:
      TableError: If it cannot be written.
    """
    if path is None:
        yield None
        return
    try:
        with open_whole(path) as file:
            if path.suffix == SUFFIX:
                steps = StepsFile(match, pieces)
                yield steps
                steps.write(file)
            else:
                with lzma.open(file, "wb") if path.suffix == ".xz" else nullcontext(file) as packed:
                    text = TextIOWrapper(packed, encoding="utf-8", newline="\n")
                    yield Certificate(text, match, pieces)
                    # The wrapper would otherwise close the file, which `open_whole` has yet to write to disk.
                    text.detach()
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror or error}") from None


class Certificate:
    """A proof as text that other programs can check.

    A position stands after those that it leads to, so that a reader needs one pass and no cycle can be written.
    """

    def __init__(self, text: TextIO, match: Match, pieces: int) -> None:
        self._text, self._game = text, match.game
        header = {
            "game": match.game.name,
            **({"game_file": match.game.file_text} if match.game.file_text else {}),
            "options": dict(match.game.options),
            "position": match.position,
            "table_pieces": pieces,
        }
        text.write(f"{MAGIC}\n{json.dumps(header)}\n")

    def begin_section(self, player: int, wins: bool) -> Record:
        """See `ProofFile`."""
        self._text.write(f"= player_{player} {'wins' if wins else 'does not win'}\n")
        game, signs = self._game, {ALL_STEPS: "*", BY_TABLE: "?"}

        def record(position: Sequence[int], step: int) -> None:
            where = format_position(game.table.words, game.board.labels, position)
            self._text.write(f"{where} {signs.get(step) or step_text(game, position[STATE.PLAYER], step)}\n")

        return record


class StepsFile:
    """The steps of a proof as `ProvedSteps` reads them: those of the side that succeeds, where it has a choice."""

    def __init__(self, match: Match, pieces: int) -> None:
        self._match, self._pieces = match, pieces
        self._parts: list[tuple[int, bool, dict[int, int]]] = []

    def begin_section(self, player: int, wins: bool) -> Record:
        """See `ProofFile`."""
        game, places = self._match.game, dict[int, int]()
        self._parts.append((player if wins else 1 - player, wins, places))

        def record(position: Sequence[int], step: int) -> None:
            if step in (ALL_STEPS, BY_TABLE):
                return
            actions = sorted(each.action for each in Match.from_state(game, position).legal_steps)
            if len(actions) > 1:
                places[number_of_state(game, position)] = actions.index(step)

        return record

    def write(self, file: IO[bytes]) -> None:
        """Writes the file."""
        game, data, sections = self._match.game, [], []
        for player, wins, places in self._parts:
            sections.append(Section(player, wins, len(places)))
            numbers = np.array(sorted(places), np.uint64)
            begins = np.searchsorted(numbers >> np.uint64(8 * REST_SIZE), np.arange(BUCKETS + 1, dtype=np.uint64))
            data += [
                begins.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :BEGIN_SIZE].tobytes(),
                numbers.astype("<u4").tobytes(),  # its lower bits
                bytes(places[int(number)] for number in numbers),
            ]
        header = Header(FORMAT, game.name, game.table_hash, self._match.position, self._pieces, tuple(sections))
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(b"".join([json.dumps(asdict(header)).encode() + b"\n", *data]))


def number_of_state(game: Game, state: Sequence[int]) -> int:
    """As `position_number`, of a state."""
    t = game.table.words
    key = entry_points.position_key(t, copied(t, state))
    return clocked_number(key, state[STATE.QUIET] if t[TABLE.NO_PROGRESS_LIMIT] else 0)


def step_text(game: Game, player: int, action: int) -> str:
    """A step as its points; a capture with the point of its victim."""
    step = game.steps[player][action]
    if step is None:
        return PASS
    victims = "".join(f"^{game.board.labels[point]}" for point in step.captured)
    return step.text if step.text.endswith(victims) else step.text + victims
