"""The endgame tables and proofs of the static page, as `site_folder.py` writes them. It runs in MicroPython."""

import json
from collections.abc import Sequence
from typing import Any

from ...engine.bundle.carried_game import Needed
from ...game import state_layout as STATE, table_layout as TABLE
from ...solve.proved_steps import ProvedSteps, Section
from ...solve.tables import index_layout as INDEX
from ...solve.tables.match_values import MatchValues
from ...solve.tables.probe import probe
from ...solve.tables.turn_values import Values
from ...solve.tables.value_codes import DRAWN, ENDLESS, LOST, OUTSIDE, WON

LONGEST_LINE = 64
"""The most steps of a turn and of the captures that follow it: each takes a piece, and no game here has so many."""


class CarriedTable(MatchValues):
    """A table from what `table_data` wrote: its header, and the place of each number's code in a list of codes.

    Attributes:
      proof: The proof of the start of the game, whose data come after them; None without one.
    """

    def __init__(self, game: Any, header: Any, places: Any) -> None:
        self.game = game
        self.pieces = header["pieces"]
        # As in `Index.rules`, without the opening rule.
        rules = list(game.table.words)
        rules[TABLE.HAS_OPENING] = 0
        codes: Any = _Codes(header["codes"], places)  # is only read
        self._values = Values(rules, header["index"], codes)
        self._latest = header["latest"]
        sections = [Section(*each) for each in header["proof"]]
        self.proof = ProvedSteps(sections, places, header["numbers"]) if sections else None

    def _look_up(self, states: Sequence[Any]) -> list[tuple[int, bool]]:
        codes, missing, rows = ([0] * len(states) for _ in range(3))
        probe(self._values, states, len(states), LONGEST_LINE, False, codes, missing, rows)
        return [
            (code, self._holds(code, state[STATE.QUIET], row))
            for code, state, row in zip(codes, states, rows, strict=True)
        ]

    def _holds(self, code: int, clock: int, row: int) -> bool:
        """Whether a value holds after so many plies without progress."""
        place = -1 if row < INDEX.HEAD else (row - INDEX.HEAD) // INDEX.ROW_SIZE
        return code != OUTSIDE and clock <= self._latest[place][place_of_code(code)]


class _Codes:
    def __init__(self, codes: Sequence[int], places: Any) -> None:
        self._codes = codes
        self._places = places

    def __getitem__(self, number: int) -> int:
        return self._codes[self._places[number]]


def place_of_code(code: int) -> int:
    """Where a code stands in a list of draws, endless wins and losses, then wins and losses by their plies."""
    if code in (DRAWN, ENDLESS, -ENDLESS):
        return 0 if code == DRAWN else 1 if code > 0 else 2
    return 3 + 2 * (code - WON) if code > 0 else 4 + 2 * (LOST - code)


_TABLES: dict[str, CarriedTable | None] = {}


def add_table(game: Any, header: str, places: Any) -> None:
    """Adds the table of a game to those that `carried_table` finds; without a header it could not be fetched."""
    _TABLES[game.name] = CarriedTable(game, json.loads(header), places) if header else None


def carried_table(game: Any) -> CarriedTable | None:
    """The table of a game, None if it has none; raises `Needed` if it has one that has not been added."""
    if game.has_table and game.name not in _TABLES:
        raise Needed("table", game.name)
    return _TABLES.get(game.name)


def carried_proof(game: Any) -> ProvedSteps | None:
    """The proof of the start of a game, None if it has none or it could not be fetched; raises as `carried_table`."""
    table = carried_table(game)
    return None if table is None else table.proof


def is_missing(game: Any) -> bool:
    """Whether the table of a game could not be fetched."""
    return game.has_table and carried_table(game) is None


def forget_missing() -> None:
    """Lets `carried_table` ask once more for tables that could not be fetched."""
    for name in [name for name, table in _TABLES.items() if table is None]:
        del _TABLES[name]
