"""Environments and opponents for Stable-Baselines3 and sb3-contrib.

MaskablePPO of sb3-contrib takes `gymnasium.make("alquerque/Fetaix-v0", opponent=...)` as it is. Beyond that there are:

| | |
|---|---|
| `gymnasium_vec_to_sb3_vec_env_v0` | matches in one batch instead of in one environment each |
| `MaskedPolicy` | a trained model as a function from observation and action mask to action, for `evaluate` |
| `FrozenOpponent` | an opponent that plays as the model did some time ago, for self-play |
"""

import copy
from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from ..bots.policy import PolicyBot
from ..envs.arguments import check_options
from ..envs.self_play_vector import SelfPlayVectorEnv
from ..errors import AlquerqueError
from ..game.game import Game, GameId
from . import import_library

__all__ = ["BatchedVecEnv", "FrozenOpponent", "MaskedPolicy", "gymnasium_vec_to_sb3_vec_env_v0"]

REQUIREMENT = "sb3-contrib>=2.4"
_vec_env = import_library("stable_baselines3.common.vec_env", REQUIREMENT)
_callbacks = import_library("stable_baselines3.common.callbacks", REQUIREMENT)


def gymnasium_vec_to_sb3_vec_env_v0(env: VectorEnv) -> "BatchedVecEnv":
    """Makes a vector environment of Stable-Baselines3 of one of Gymnasium.

    Args:
      env: A batched environment with autoreset SAME_STEP, as
        `gymnasium.make_vec("alquerque/Fetaix-v0", num_envs=64, autoreset_mode="SameStep")` makes.

    Returns:
      The same matches for Stable-Baselines3, with its autoreset.

    Raises:
      AlquerqueError: If it is no vector environment, has another autoreset mode, or both players act in it.
    """
    return BatchedVecEnv(env)


class BatchedVecEnv(_vec_env.VecEnv):
    """Batched matches of one agent as a `VecEnv`. Made by `gymnasium_vec_to_sb3_vec_env_v0`.

    `action_masks` is a method of each of its environments, as MaskablePPO expects.
    """

    def __init__(self, env: VectorEnv) -> None:
        if not isinstance(env, VectorEnv):
            raise AlquerqueError(f"env is {env!r}, expected a vector environment, as gymnasium.make_vec makes")
        if isinstance(env.unwrapped, SelfPlayVectorEnv):
            raise AlquerqueError(
                "both players act in SelfPlayVectorEnv, but Stable-Baselines3 knows one agent: take "
                "gymnasium.make_vec, for self-play with a FrozenOpponent"
            )
        mode = env.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            raise AlquerqueError(
                f"the environment has autoreset {getattr(mode, 'value', mode)}, but Stable-Baselines3 needs SameStep: "
                "make it with autoreset_mode='SameStep'"
            )
        self.env = env
        actions: Any = env.single_action_space
        self._masks = np.zeros((env.num_envs, actions.n), np.int8)
        self._actions: Any = None
        super().__init__(env.num_envs, env.single_observation_space, actions)

    def reset(self) -> np.ndarray:
        """Begins a match in every environment.

        `set_options({"position": ...})` before it gives the positions to begin in, as for the batch: a text, or a list
        with one for each match. `set_options([{"position": ...}, ...])` gives each match its own.

        Returns:
          The observations, `[B, ...]`.

        Raises:
          PositionError: If a position is wrong. Nothing is changed.
        """
        observation, info = self.env.reset(seed=self._seeds[0], options=_of_batch(self._options))
        self._reset_seeds()
        self._reset_options()
        self._masks = info["action_mask"]
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Notes the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Plays the actions; an ended match begins anew, and its last observation is in its info.

        Returns:
          Observations `[B, ...]`, rewards float32 `[B]`, whether each match has ended, bool `[B]`, and an info for
          each.
        """
        observation, reward, terminated, truncated, info = self.env.step(self._actions)
        self._masks = info["action_mask"]
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for place in np.flatnonzero(ended).tolist():
            last = info["final_obs"]
            is_graph = isinstance(last, dict)
            infos[place]["terminal_observation"] = {k: v[place] for k, v in last.items()} if is_graph else last[place]
            infos[place]["TimeLimit.truncated"] = bool(truncated[place] and not terminated[place])
        return observation, reward.astype(np.float32), ended, infos

    def action_masks(self) -> np.ndarray:
        """Returns bool `[B, A]`, the legal actions."""
        return self._masks.astype(bool)

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Returns an attribute of the batch once for each environment."""
        if attr_name == "action_masks":
            return [self.action_masks for _ in self._get_indices(indices)]
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002
        """Refuses: the matches of a batch have no attributes of their own.

        Raises:
          AlquerqueError: Always.
        """
        raise AlquerqueError(f"cannot set {attr_name!r}: the matches of a batch have no attributes of their own")

    def env_method(self, method_name: str, *_arguments: Any, indices: Any = None, **_named: Any) -> list[Any]:
        """Returns what `action_masks` returns for each environment.

        Raises:
          AlquerqueError: If another method is called.
        """
        if method_name != "action_masks":
            raise AlquerqueError(f"the matches of a batch have the method 'action_masks' only, not {method_name!r}")
        masks = self.action_masks()
        return [masks[place] for place in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:  # noqa: ARG002
        """Returns False for each environment."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Returns no images: batched matches are not drawn."""
        return [None] * self.num_envs


def _of_batch(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the options of a batch, from those of its matches; all are one object if they were given together."""
    if all(each is options[0] for each in options):
        return options[0]
    return {"position": [check_options(each).get("position") for each in options]}


class MaskedPolicy:
    """A model as a function from an observation and an action mask to an action, or from many to many.

    Example:
      result = evaluate(MaskedPolicy(model), "fetaix", batched=True)

    Args:
      model: A model of sb3-contrib that takes masks, or its policy.
      deterministic: Whether it plays its most probable action instead of drawing one.

    Raises:
      AlquerqueError: If the model does not take masks.
    """

    def __init__(self, model: Any, *, deterministic: bool = True) -> None:
        policy = getattr(model, "policy", model)
        if "action_masks" not in signature(getattr(policy, "predict", lambda: None)).parameters:
            raise AlquerqueError(f"{type(model).__name__} takes no action masks: train with sb3_contrib.MaskablePPO")
        self._policy, self._is_deterministic = policy, deterministic

    def __call__(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """Returns the action of the model, or one for each row of a batch."""
        found: np.ndarray
        found, _ = self._policy.predict(
            observation, action_masks=action_mask.astype(bool), deterministic=self._is_deterministic
        )
        return found


class FrozenOpponent(PolicyBot):
    """An opponent that plays as a model did when it was last copied; at random before that.

    Example:
      opponent = FrozenOpponent("fetaix")
      env = gymnasium.make("alquerque/Fetaix-v0", opponent=opponent)
      MaskablePPO("MlpPolicy", env).learn(500_000, callback=opponent.callback(every=50_000))

    Args:
      game: The game, its id, or the path of a game file.
      observation: The form of observations of the model's environment.
      deterministic: Whether it plays the most probable action instead of drawing one.
      seed: Seed of the random steps before the first copy.
    """

    def __init__(
        self, game: Game | GameId, *, observation: str = "planes", deterministic: bool = False, seed: int | None = None
    ) -> None:
        super().__init__(game, self._answer, observation=observation, batched=True, name="a frozen opponent")
        self._copied: MaskedPolicy | None = None
        self._is_deterministic = deterministic
        self._generator = np.random.default_rng(seed)

    def freeze(self, model: Any) -> None:
        """Copies a model; from now on the opponent plays as it does.

        Raises:
          AlquerqueError: If the model does not take masks, or was made for another game or form of observations.
        """
        space = model.observation_space
        shape = {name: box.shape for name, box in space.items()} if space.shape is None else tuple(space.shape)
        given, expected = (shape, int(model.action_space.n)), (self._form.shape, self._form.num_actions)
        if given != expected:
            raise AlquerqueError(
                f"the model takes observations of shape {given[0]} and has {given[1]} actions, but the opponent plays "
                f"{self.game.name} with observations of shape {expected[0]} and {expected[1]} actions"
            )
        policy = copy.deepcopy(getattr(model, "policy", model))
        self._copied = MaskedPolicy(policy, deterministic=self._is_deterministic)

    def callback(self, every: int) -> Any:
        """Returns a callback for `learn` that copies the model each time after so many steps."""
        return _Freeze(self, every)

    def _answer(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        if self._copied is not None:
            return self._copied(observations, masks)
        return np.array([self._generator.choice(np.flatnonzero(mask)) for mask in masks])


class _Freeze(_callbacks.BaseCallback):
    def __init__(self, opponent: FrozenOpponent, every: int) -> None:
        super().__init__()
        self._opponent, self._every = opponent, every
        self._next = every

    def _on_step(self) -> bool:
        if self.num_timesteps >= self._next:
            self._opponent.freeze(self.model)
            self._next = self.num_timesteps + self._every
        return True
