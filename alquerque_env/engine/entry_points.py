"""The kernels of `rules/` for callers in Python, who give arrays.

Arguments are as in `rules/`, made by `words` and `constants` of `game/kernel_arrays.py`. They are not checked.
"""

from . import random_play, rules_scalar as rules
from .compiler import entry_kernel

legal_actions = entry_kernel(rules.legal_actions)
apply_action = entry_kernel(rules.apply_action)
outcome = entry_kernel(rules.outcome)
perft = entry_kernel(rules.perft)
position_key = entry_kernel(rules.position_key)
play_out = entry_kernel(random_play.play_out)
