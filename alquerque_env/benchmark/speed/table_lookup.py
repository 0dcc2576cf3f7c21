"""Measures lookups in an endgame table, compared with random reads of the same memory."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...match.match import Match
from ...solve.tables import EndgameTable
from .rate import rate, repeat


class Rate(NamedTuple):
    """One measured rate.

    Attributes:
      name: What was measured.
      per_second: Lookups a second of one core.
      ratio: Divided by the rate of random reads.
    """

    name: str
    per_second: float
    ratio: float


POSITIONS = 1 << 16
MATCHES = 1000


def measure_table(table: EndgameTable, seconds: float) -> Iterator[Rate]:
    """Lookups a second of one core, each figure measured for so many seconds of processor time.

    All values of the table are read and worked out.
    """
    states = table.sample(POSITIONS, np.random.default_rng(0))
    table.load()
    places = np.random.default_rng(0).integers(table.index.size, size=POSITIONS)
    matches = [Match.from_state(table.game, row) for row in states[:MATCHES]]
    limit = rate(repeat(lambda: table.codes[places], POSITIONS), seconds)
    yield Rate("numbers read from the same memory at random, by NumPy", limit, 1.0)
    speed = rate(repeat(lambda: [table.value(match) for match in matches], MATCHES), seconds)
    yield Rate("table.value(match)", speed, speed / limit)
    for name in ("table.probe(states), captures followed", "table.probe(states) after table.expand()"):
        speed = rate(repeat(lambda: table.probe(states), POSITIONS), seconds)
        yield Rate(name, speed, speed / limit)
        table.expand()
