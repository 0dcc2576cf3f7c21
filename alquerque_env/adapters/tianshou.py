"""Environments and networks for Tianshou.

Algorithms of the DQN family read the action mask from the observation, where `MaskInObservation` puts it. PPO and other
algorithms with an actor ignore it there: give them a `MaskedActor`.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..errors import AlquerqueError
from . import import_library

__all__ = ["MaskInObservation", "MaskedActor"]

REQUIREMENT = "tianshou>=2.0"
torch = import_library("torch", "torch>=2.5")
_common = import_library("tianshou.utils.net.common", REQUIREMENT)

LOWEST_LOGIT = -1e8
"""The logit of an illegal action; not minus infinity, so that no gradient is undefined."""


class MaskInObservation(gymnasium.Wrapper, RecordConstructorArgs):
    """Gives observations as `{"obs": ..., "mask": bool [A]}`. The mask of a match that has ended allows every action.

    Args:
      env: An environment against an opponent, as `gymnasium.make("alquerque/Fetaix-v0", opponent=...)` makes.

    Raises:
      AlquerqueError: If it is another environment.
    """

    def __init__(self, env: gymnasium.Env) -> None:
        if not (isinstance(env, gymnasium.Env) and env.has_wrapper_attr("action_masks")):
            raise AlquerqueError(
                f"env is {env!r}, expected a single environment against an opponent: make it with "
                "gymnasium.make('alquerque/Fetaix-v0', opponent='random'), and let Tianshou make many of it"
            )
        RecordConstructorArgs.__init__(self)  # so that Gymnasium can make it again from its spec
        gymnasium.Wrapper.__init__(self, env)
        actions: Any = env.action_space
        mask = spaces.MultiBinary(int(actions.n))
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begins a new match."""
        observation, info = self.env.reset(seed=seed, options=options)
        return _with_mask(observation, info), info

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], Any, bool, bool, dict[str, Any]]:
        """Plays an action, and the opponent's turns after it."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return _with_mask(observation, info), reward, terminated, truncated, info


def _with_mask(observation: Any, info: dict[str, Any]) -> dict[str, np.ndarray]:
    mask = info["action_mask"].astype(bool)
    return {"obs": observation, "mask": mask if mask.any() else ~mask}


class MaskedActor(_common.AbstractDiscreteActor):
    """An actor that gives illegal actions a probability of 0. Its output are logits.

    Example:
      actor = MaskedActor(DiscreteActor(preprocess_net=net, action_shape=actions, softmax_output=False))
      policy = ProbabilisticActorPolicy(actor=actor, dist_fn=dist_fn_categorical_from_logits, action_space=space)

    Args:
      actor: An actor without softmax that takes the observation without the mask.

    Raises:
      AlquerqueError: If its output are probabilities.
    """

    def __init__(self, actor: Any) -> None:
        if getattr(actor, "softmax_output", False):
            raise AlquerqueError("the actor gives probabilities, expected logits: make it with softmax_output=False")
        super().__init__(actor.get_output_dim())
        self.actor = actor

    def get_preprocess_net(self) -> Any:
        """Returns the preprocessing network of the actor."""
        return self.actor.get_preprocess_net()

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        """Returns logits `[B, A]` and the state of the actor."""
        logits, state = self.actor(obs.obs, state, info)
        mask = torch.as_tensor(obs.mask, dtype=torch.bool, device=logits.device)
        return torch.where(mask, logits, LOWEST_LOGIT), state
