"""The checker of the exercise *Mask a policy*."""

from collections.abc import Callable

import numpy as np

from alquerque_env import SelfPlayVectorEnv


def check(masked: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> str:
    """Says whether a function from logits and action masks, both `[N, A]`, to probabilities is right, and why."""
    env = SelfPlayVectorEnv("felli_simplified", 64)
    _, info = env.reset(seed=0)
    ended = np.zeros(64, bool)
    while not ended.any():
        _, _, ended, _, info = env.step(env.sample_actions())
    mask = info["action_mask"]
    legal = mask == 1
    logits = np.random.default_rng(0).normal(size=mask.shape)
    logits[0] += np.where(legal[0], 0, 5000)  # a network that is sure of illegal actions
    with np.errstate(all="ignore"):
        found = np.asarray(masked(logits.copy(), mask.copy()))
    if found.shape != mask.shape:
        return f"Wrong: the probabilities have the shape {found.shape}, expected {mask.shape}."
    if not np.isfinite(found[ended]).all():
        return (
            "Wrong: a match that has ended has no legal action, and there your function gives NaN. It must be finite."
        )
    found, logits, legal = found[~ended], logits[~ended], legal[~ended]
    if np.nanmax(found[~legal]) > 0:
        return f"Wrong: an illegal action has probability {np.nanmax(found[~legal]):.3g}, expected 0."
    if not np.isfinite(found).all():
        return (
            "Wrong: very large logits of illegal actions give NaN or infinity. Subtract the largest legal logit first."
        )
    if not np.allclose(found.sum(1), 1):
        return f"Wrong: the probabilities of a row sum to {found.sum(1)[np.abs(found.sum(1) - 1).argmax()]:.3g}."
    weights = np.where(legal, np.exp(np.where(legal, logits, 0)), 0)
    if not np.allclose(found, weights / weights.sum(1, keepdims=True)):
        return "Wrong: among legal actions the probabilities are no longer those of a softmax of their logits."
    return f"Right: in {len(found)} positions only legal actions have a probability, and ended matches give no NaN."
