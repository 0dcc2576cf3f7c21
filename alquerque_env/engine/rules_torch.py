"""The rules of play on many matches at once: `rules/` bound to PyTorch's tensors.

Arguments that many functions share:
  t: The step table, a tuple of integers.
  s: The states, a list of tensors `[B]`, one for each integer of a state.
  scratch: What steps are found with, see `torch_moves.py`. Its words are a list, and the legal actions are left there.
"""

from collections.abc import Callable
from typing import Any

from . import rules as rules_text, torch_moves as moves_text
from .binding import bind
from .kernel_types import Table, Vector, Vectors
from .torch_moves import VectorScratch as VectorScratch
from .words import torch_words

_KIND = globals(), torch_words, moves_text

outcome: Callable[[Table, Vectors, Vector, Vector], Vector] = bind(rules_text.outcome, *_KIND)
position_key: Callable[[Table, Vectors], Vector] = bind(rules_text.position_key, *_KIND)
mix: Callable[[Vector], Vector] = bind(rules_text.mix, *_KIND)
winner_of: Callable[[Vector], Vector] = bind(rules_text.winner_of, *_KIND)
reward_of: Callable[[Vector, Vector], Vector] = bind(rules_text.reward_of, *_KIND)
apply_action: Callable[[Table, Vectors, VectorScratch, Vector], None] = bind(rules_text.apply_action, *_KIND)
legal_actions: Callable[[Table, Vectors, VectorScratch, Any], Vector] = bind(rules_text.legal_actions, *_KIND)
observe: Callable[[Table, Vectors, Vector, Vectors], None] = bind(moves_text.observe, *_KIND)
