"""What the batched environments share."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch.make_batch import make_batch
from ..engine.observation_form import Form
from ..errors import AlquerqueError
from ..game.array_check import check_at_least
from ..game.game import Game
from ..game.planes import plane_scale
from ..match.match import Match
from .arguments import action_space, check_options, check_seed, matches_from, observation_space


class BatchEnv(VectorEnv):
    """`B` matches of one game, their spaces, and which of them have ended."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012
    checks_at_once = True

    def __init__(
        self, game: Game, form: Form, num_envs: int, autoreset_mode: AutoresetMode | str, *backend: Any
    ) -> None:
        self.game = game
        self.num_envs = check_at_least(1, "num_envs", num_envs)
        self.single_observation_space = observation_space(form)
        self.single_action_space = action_space(form)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._games = batch = make_batch(game, self.num_envs, *backend)
        self._form = form.converted(batch.array)
        self._elapsed: Any = batch.array(np.zeros(self.num_envs, np.int64))
        self._ended: Any = batch.array(np.ones(self.num_envs, bool))
        self._is_reset = False
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.plane_scale = plane_scale(game)

    def _check_may_step(self) -> None:
        if not self._is_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if self.autoreset_mode is AutoresetMode.DISABLED and self.checks_at_once and self._ended.any():
            match = int(self._games.host(self._ended).argmax())
            raise gymnasium.error.ResetNeeded(
                f"match {match} has ended: reset it by reset(options={{'reset_mask': mask}}) before step"
            )

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[np.ndarray, dict[int, Match], bool]:
        """Seeds the engine, at the first reset also without a seed.

        Returns bool `[B]`, the matches to begin anew: those of `options["reset_mask"]`, or all; those of them that
        begin in a position of `options["position"]`, see `matches_from`; and whether the engine has been seeded.
        Nothing is changed by a `PositionError`, or an `AlquerqueError` if the mask is not bool `[B]`, or leaves out
        matches that have not begun.
        """
        seed, chosen = check_seed(seed), check_options(options)
        given = chosen.get("reset_mask", np.ones(self.num_envs, bool))
        mask = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            expected = f"expected bool of shape ({self.num_envs},)"
            raise AlquerqueError(f"reset_mask is {mask.dtype} of shape {mask.shape}, {expected}")
        if not self._is_reset and not mask.all():
            raise AlquerqueError("the first reset must begin all matches, but reset_mask leaves some out")
        starts = matches_from(self.game, chosen.get("position"), mask)
        VectorEnv.reset(self, seed=seed)
        is_seeded = seed is not None or not self._is_reset
        if is_seeded:
            self._games.rng[0] = self.np_random.integers(2**62)
        self._is_reset = True
        return mask, starts, is_seeded


def batch_info(present: Any, **arrays: Any) -> dict[str, Any]:
    """Returns arrays as Gymnasium's info of a batch: beside each the mask of the matches for which it holds a value."""
    copies = ((name, array, present | False) for name, array in arrays.items())
    return {key: value for name, array, mask in copies for key, value in ((name, array), (f"_{name}", mask))}


def final_info(observation: Any, info: dict[str, Any], ended: Any) -> dict[str, Any]:
    """Returns Gymnasium's info of matches that have ended and begun anew in one step: what was seen at their ends."""
    return {"final_obs": observation, "_final_obs": ended, "final_info": info, "_final_info": ended | False}
