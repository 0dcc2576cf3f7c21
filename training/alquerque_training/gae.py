"""Generalised advantage estimation (GAE) for two players who do not strictly alternate."""

import torch
from torch import Tensor


def compute_advantages(
    rewards: Tensor,
    values: Tensor,
    players: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    forced: Tensor,
    *,
    discount: float,
    gae_lambda: float,
) -> Tensor:
    """Computes the advantages of the actions of a rollout.

    `L` steps, `B` games. Every number is from the perspective of the player to move at its step. The value of the next
    step therefore changes sign only where the player changes: within a chain of captures it does not.

    The row after the end of a game is the last position of that game, not the first of the next (autoreset NEXT_STEP).
    A truncated game bootstraps from the value of that row.

    A step with a single legal action takes the value of the next step instead of its own, and `gae_lambda` is not
    applied to it. Credit thus reaches as far back through a forced exchange as through quiet play.

    Source: Schulman et al. 2016, arXiv:1506.02438, equation 16.

    Args:
      rewards: `[L, B]` in [-1, 1], for the player who acted.
      values: `[L + 1, B]` in [-1, 1]; the last row bootstraps.
      players: `[L + 1, B]` 0 or 1, the player to move.
      terminated: `[L, B]` whether the step ended its game by the rules.
      truncated: `[L, B]` whether the step was the last before its game was truncated.
      forced: `[L, B]` whether the player had a single legal action.
      discount: Factor per step, in (0, 1].
      gae_lambda: 0 trusts the values, 1 trusts the outcome.

    Returns:
      `[L, B]` advantages.
    """
    same_player = players[1:] == players[:-1]
    sign = torch.where(same_player, 1.0, -1.0) * ~terminated
    carried = discount * torch.where(forced, 1.0, gae_lambda) * sign * ~truncated
    result = torch.zeros_like(rewards)
    following, value_after = torch.zeros_like(rewards[0]), values[-1]
    for step in reversed(range(len(rewards))):
        outlook = rewards[step] + discount * sign[step] * value_after
        value = torch.where(forced[step], outlook, values[step])
        following = outlook - value + carried[step] * following
        result[step], value_after = following, value
    return result
