"""What a player sees of a match, and the steps that are legal in it, straight from the engine."""

import numpy as np

from alquerque_env import Match
from alquerque_env.engine import rules_scalar as rules
from alquerque_env.engine.compiler import entry_kernel
from alquerque_env.game.kernel_arrays import copied
from alquerque_env.game.planes import planes

MARGIN, UNWRITTEN = 16, -77
"""Bytes round the paper on which an observation is written, and what they hold."""


write_observation = entry_kernel(rules.observe)


def observe(match: Match) -> np.ndarray:
    """int8 `[C, P]`, what the player to move sees; earlier positions count where no chain is in progress."""
    game = match.game
    shape = len(planes(game)), len(game.board.points)
    paper = np.full(MARGIN + shape[0] * shape[1] + MARGIN, UNWRITTEN, np.int8)
    earlier = match.occurrences() - 1 if match.chain is None else 0
    write_observation(game.table.words, copied(game.table.words, match.state), earlier, paper, MARGIN)
    assert (paper[:MARGIN] == UNWRITTEN).all()
    assert (paper[-MARGIN:] == UNWRITTEN).all()
    return paper[MARGIN:-MARGIN].reshape(shape)


def mask_of(match: Match) -> np.ndarray:
    mask = np.zeros(match.game.num_actions, np.int8)
    mask[[step.action for step in match.legal_steps]] = 1
    return mask
