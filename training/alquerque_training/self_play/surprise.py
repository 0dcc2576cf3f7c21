"""Policy surprise weighting: positions in which a search disagrees with the network are learned more often.

Source: KataGo, docs/KataGoMethods.md, "Policy Surprise Weighting".
"""

import numpy as np

from alquerque_env.search import Decisions


def find_surprise(found: Decisions, logits: np.ndarray) -> np.ndarray:
    """The divergence of what a search found from the policy of the network, in nats.

    Args:
      found: The decisions in `B` positions.
      logits: `[B, A]`, those of the network, illegal actions included.

    Returns:
      float64 `[B]`, 0 or more.
    """
    listed = np.arange(found.legal.shape[1]) < found.counts[:, None]
    known = np.where(listed, np.take_along_axis(logits.astype(np.float64), found.legal, 1), -np.inf)
    prior = known - np.logaddexp.reduce(known, 1, keepdims=True)
    is_given = found.policy > 0
    ratio = np.log(found.policy, where=is_given, out=np.zeros(prior.shape)) - np.where(is_given, prior, 0)
    surprise: np.ndarray = (found.policy * ratio).sum(1)
    return np.maximum(surprise, 0)


def find_frequency(surprise: np.ndarray, taught: np.ndarray, which: np.ndarray, share: float) -> np.ndarray:
    """How often each position of some matches is to be learned from; the mean in each match is 1.

    Args:
      surprise: `[N]`, to which a share of the frequency is proportional; the rest is the same for all positions.
      taught: `[N]`, 1 where there is a policy to learn, else 0: such a position is learned from once.
      which: int64 `[N]`, the number of the position's match, from 0.
      share: That share, from 0 to 1.

    Returns:
      float64 `[N]`.
    """
    total, count = np.bincount(which, surprise * taught), np.bincount(which, taught)
    means = np.divide(total, count, out=np.zeros(len(total)), where=count > 0)[which]
    relative = np.divide(surprise, means, out=np.ones(len(means)), where=means > 0)
    return np.where(taught > 0, 1 - share + share * relative, 1.0)
