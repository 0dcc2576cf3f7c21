"""Functions for TorchRL.

TorchRL wraps the PettingZoo environments itself:

  env = PettingZooWrapper(alquerque_env.fetaix_v0.raw_env(observation="flat"), use_mask=True)

Both agents have a row for each time step, though only one of them acts. `acting_rows` makes of these what the loss of a
single agent needs.
"""

from typing import Any

from ..errors import AlquerqueError
from . import import_library

__all__ = ["acting_rows", "safe_mask"]

torch = import_library("torch", "torch>=2.5")
_tensordict = import_library("tensordict", "torchrl>=0.6")


def safe_mask(mask: Any) -> Any:
    """Returns bool `[..., A]`, an action mask in which every action is legal where none was.

    A distribution over no actions is undefined. The agent that makes the last step of a match has such a mask after it.
    """
    return mask | ~mask.any(-1, keepdim=True)


def acting_rows(rollout: Any, agent: str) -> Any:
    """Returns the decisions of one agent as transitions from one of its decisions to the next.

    Args:
      rollout: TensorDict `[T]` of consecutive time steps of one environment, with the actions of the agent.
      agent: `player_0` or `player_1`.

    Returns:
      TensorDict `[K]` with one row per decision, the first one first. It has the entries of the agent without their
      dimension of one agent. In `next` are the observation and the action mask of its next decision, or of the end of
      the match, the reward up to there, `done`, `terminated` and `truncated`. A decision that the end of the rollout
      cuts off from the next one is left out.

    Raises:
      AlquerqueError: If the rollout has several dimensions, or no such agent with a mask.
    """
    if len(rollout.batch_size) != 1:
        raise AlquerqueError(
            f"the rollout has shape {list(rollout.batch_size)}, expected the time steps of one environment, [T]: "
            "call this function for each environment"
        )
    if (agent, "mask") not in rollout.keys(True):
        raise AlquerqueError(
            f"the rollout has no agent {agent!r} with a mask: make the environment with "
            "PettingZooWrapper(..., use_mask=True, group_map=None)"
        )
    own, following = rollout[agent].squeeze(1), rollout["next", agent].squeeze(1)
    acts = own["mask"]
    times = acts.nonzero().squeeze(1)
    # Each time step belongs to the last decision before it, and those before the first decision to none.
    decision = acts.cumsum(0) - 1
    counted = decision >= 0
    rows = own.select("observation", "action", "action_mask", *_given(own))[times]

    def add_up(values: Any) -> Any:
        total = torch.zeros(len(times), 1, device=acts.device)
        return total.index_add_(0, decision[counted], values[counted].float())

    reward = add_up(following["reward"])
    ends = {name: add_up(following[name]) > 0 for name in ("terminated", "truncated")}
    done = ends["terminated"] | ends["truncated"]
    # What comes after the last time step of a decision is its next decision, or the end of the match.
    last = torch.cat([times[1:] - 1, times[-1:]])
    ended = (following["done"].squeeze(1) & counted).nonzero().squeeze(1)
    last[decision[ended]] = ended
    rows["next"] = _tensordict.TensorDict(
        {**following.select("observation", "action_mask")[last].to_dict(), "reward": reward, "done": done, **ends},
        [len(times)],
    )
    return rows if len(times) == 0 or done[-1] else rows[:-1]


def _given(own: Any) -> list[str]:
    """The entries that a policy has added."""
    known = {"observation", "action", "action_mask", "mask", "done", "terminated", "truncated", "reward"}
    return [name for name in own.keys() if name not in known]  # noqa: SIM118 - a TensorDict is no mapping
