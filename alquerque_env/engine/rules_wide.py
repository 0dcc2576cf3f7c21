"""The rules of play on many matches of a game with more than 63 points: `rules/` bound to pairs of words.

Arguments that many functions share:
  t: The step table, a tuple of integers.
  s: The states, a list with a set or a number for each integer of a state, see `words/wide_words.py`.
  scratch: What steps are found with, see `vector_moves.py`. The legal actions are left in its origin sets.
"""

from collections.abc import Callable
from typing import Any

from . import rules as rules_text, vector_moves as moves_text
from .binding import bind
from .kernel_types import Table, Vector, Vectors
from .vector_moves import VectorScratch as VectorScratch
from .words import wide_words

_KIND = globals(), wide_words, moves_text

outcome: Callable[[Table, Vectors, Vector, Vector], Vector] = bind(rules_text.outcome, *_KIND)
winner_of: Callable[[Vector], Vector] = bind(rules_text.winner_of, *_KIND)
reward_of: Callable[[Vector, Vector], Vector] = bind(rules_text.reward_of, *_KIND)
apply_action: Callable[[Table, Vectors, VectorScratch, Vector], None] = bind(rules_text.apply_action, *_KIND)
legal_actions: Callable[[Table, Vectors, VectorScratch, Any], Vector] = bind(rules_text.legal_actions, *_KIND)
observe: Callable[[Table, Vectors, Vector, Vectors], None] = bind(moves_text.observe, *_KIND)
