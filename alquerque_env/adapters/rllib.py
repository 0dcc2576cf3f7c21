"""Environments for RLlib's new API stack.

RLlib's module with action masks, `ActionMaskingTorchRLModule`, expects observations with the keys `observations` and
`action_mask`. `env_creator` makes such an environment for both players. RLlib knows it by a name:

  tune.register_env("alquerque_env", env_creator)
  config = PPOConfig().environment("alquerque_env", env_config={"game": "fetaix"})

`reset(options={"position": TEXT})` of this environment begins in a position, but RLlib calls `reset` without options.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper

from ..engine.observation_form import FLAT
from ..envs.aec import env
from ..errors import AlquerqueError
from . import import_library

__all__ = ["FlattenObservationWrapper", "env_creator"]

_pettingzoo_env = import_library("ray.rllib.env.wrappers.pettingzoo_env", "ray[rllib]>=2.40")


class FlattenObservationWrapper(BaseWrapper):
    """Gives observations as `{"observations": float32 [C * P], "action_mask": float32 [A]}`.

    The first are the planes one after another, each divided by its maximum.

    Args:
      env: An environment of this package with `observation="flat"`.

    Raises:
      AlquerqueError: If its observations have another form.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        seen = env.observation_space(env.possible_agents[0])["observation"]
        if seen.dtype != np.float32 or len(seen.shape) != 1:
            raise AlquerqueError(
                f"observations are {seen.dtype} of shape {seen.shape}, but RLlib's module with action masks needs one "
                "row of numbers: make the environment with observation='flat'"
            )
        self._spaces = {
            agent: spaces.Dict(
                {
                    "observations": env.observation_space(agent)["observation"],
                    "action_mask": spaces.Box(0.0, 1.0, env.observation_space(agent)["action_mask"].shape, np.float32),
                }
            )
            for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space:
        """Returns the space of an agent's observations."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns the observation of an agent."""
        seen = super().observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"].astype(np.float32)}


def env_creator(config: dict[str, Any]) -> Any:
    """Makes an environment of RLlib in which both players are agents.

    Args:
      config: RLlib's `env_config`: `game` and, if wanted, `max_cycles` and rule options. Give a game from a file as
        `load_game` returns it: other machines do not have the file.

    Raises:
      UnknownNameError, RulesError: As `alquerque_env.env`.
      AlquerqueError: If it asks for another form of observations than "flat", or for a position.
    """
    if "position" in config:
        raise AlquerqueError(
            "'position' is in env_config, but RLlib begins every match without options: register an environment whose "
            "reset calls that of env_creator(...) with options={'position': TEXT}"
        )
    form = config.get("observation", FLAT)
    if form != FLAT:
        raise AlquerqueError(
            f"'observation' of env_config is {form!r}, but RLlib's module with action masks takes only 'flat'"
        )
    return _pettingzoo_env.PettingZooEnv(FlattenObservationWrapper(env(**{**config, "observation": FLAT})))
