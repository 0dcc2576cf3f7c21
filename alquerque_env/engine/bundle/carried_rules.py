"""The rules of a program without compiled kernels: plain Python, the only form that it carries."""

from types import SimpleNamespace
from typing import Any

from ...game.kernel_arrays import step_words, words
from .. import rules_scalar as rules

RULES = SimpleNamespace(
    legal_actions=rules.legal_actions,
    apply_action=rules.apply_action,
    outcome=rules.outcome,
    position_key=rules.position_key,
    step_words=step_words,
    words=words,
)
"""The part of `alquerque_env.engine.entry_points` that a match uses."""


def load_kernels(_name: str, _part: str, _game: Any) -> Any:
    """Replaces `alquerque_env.engine.forms.load_kernels`."""
    return RULES
