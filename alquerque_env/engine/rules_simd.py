"""The rules of play on many matches at once: `rules/` bound to vectors, SIMD vectors or NumPy arrays.

Arguments that many kernels share:
  t: The step table.
  s: The states, one vector for each integer of a state.
  scratch: What steps are found with, see `vector_moves.py`. The legal actions are left in its origin sets.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..game import state_layout as STATE
from ..game.ruleset import NORTH, SOUTH
from . import rules as rules_text, vector_moves as moves_text
from .binding import bind
from .compiler import inlined  # noqa: F401 - the decorator of what is bound
from .kernel_types import Table, Vector, Vectors
from .vector_moves import VectorScratch as VectorScratch
from .words import numpy_words

_KIND = globals(), numpy_words, moves_text

outcome: Callable[[Table, Vectors, Vector, Vector], Vector] = bind(rules_text.outcome, *_KIND)
winner_of: Callable[[Vector], Vector] = bind(rules_text.winner_of, *_KIND)
reward_of: Callable[[Vector, Vector], Vector] = bind(rules_text.reward_of, *_KIND)
apply_action: Callable[[Table, Vectors, VectorScratch, Vector], None] = bind(rules_text.apply_action, *_KIND)
legal_actions: Callable[[Table, Vectors, VectorScratch, Any], Vector] = bind(rules_text.legal_actions, *_KIND)
observe: Callable[[Table, Vectors, Vector, Vectors], None] = bind(moves_text.observe, *_KIND)
choose: Callable[[Table, VectorScratch, Any], Vector] = bind(moves_text.choose, *_KIND)
reset: Callable[[Table, Any, Vectors, Vector], None] = bind(moves_text.reset, *_KIND)


def by_player(s: Any) -> list[tuple[int, np.ndarray]]:
    """Players to move and their matches, of states of NumPy arrays `[B]`; players without a match are left out."""
    found = [(player, np.flatnonzero(s[STATE.PLAYER] == player)) for player in (SOUTH, NORTH)]
    return [(player, matches) for player, matches in found if len(matches)]
