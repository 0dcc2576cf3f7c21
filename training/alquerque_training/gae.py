"""Generalised advantage estimation for two players who do not simply alternate."""

import torch
from torch import Tensor


def advantages(
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
    """Advantages of the actions of a rollout.

    `L` steps, `B` games. Every number is in the eyes of the player to move at its step, so that what comes next changes
    sign only where the player does: a chain of captures keeps it.

    The row after the end of a game is the game's last position, not the next game's first (autoreset NEXT_STEP): there
    a game that was cut short finds the value that stands in for the rest of it.

    A step without a choice is worth what comes of it: its value is not looked at, and `gae_lambda` does not count it,
    so that a decision is seen to lead as far through a forced exchange as through quiet play.

    Source: Schulman et al. 2016, arXiv:1506.02438, equation 16.

    Args:
      rewards: `[L, B]` in [-1, 1], for the player who acted.
      values: `[L + 1, B]` in [-1, 1]; the last row bootstraps.
      players: `[L + 1, B]` 0 or 1, the player to move.
      terminated: `[L, B]` whether the step ended its game by the rules: nothing follows.
      truncated: `[L, B]` whether the step was the last before its game was cut short: a value follows, no advantage.
      forced: `[L, B]` whether the player had no choice.
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
