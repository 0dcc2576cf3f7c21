"""Batched self-play by PyTorch, on any device."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import Tensor

from ..batch.step_result import HOLD, PLAY, RESET
from ..batch.torch_batch import StepTensors, TorchBatch
from ..errors import AlquerqueError, IllegalStepError, one_line
from ..game.game import Game
from ..game.observation_form import PLANES
from ..game.outcomes import ONGOING
from .first_position import check_options
from .self_play_vector import SelfPlayVectorEnv


class TorchSelfPlayVectorEnv(SelfPlayVectorEnv):
    """`SelfPlayVectorEnv(game, num_envs, backend="torch", device=...)`: the same matches as tensors on a device.

    Actions are a tensor on the device. Observations, rewards, masks and the rest of what `reset`, `step`, `set_state`
    and `sample_actions` return are tensors there, with the values, shapes and number types of `SelfPlayVectorEnv`.
    A step neither waits for the device nor copies anything to the host unless `checks_at_once` is set. Without it

    * an illegal action leaves its match as it is, and the next `reset`, `get_state`, `set_state`, `match` or `choose`
      raises the `IllegalStepError`;
    * in `DISABLED`, ended matches ignore actions until `reset`.

    On a GPU the first step takes up to some minutes, since PyTorch compiles it.

    Rules that compare captures with each other, such as an obligation to capture the most pieces, and no-undo memory of
    points cannot be played so. The states of `get_state` are NumPy arrays and fit all backends.

    Attributes:
      device: Where the tensors are.
      checks_at_once: Whether `step` itself raises the errors of `SelfPlayVectorEnv.step`; by default on the CPU only.
    """

    _games: TorchBatch  # type: ignore[assignment]

    def _set_device(self, device: Any) -> None:
        try:
            self.device = torch.empty(0, device=device).device
        except (RuntimeError, TypeError, AssertionError) as error:
            raise AlquerqueError(
                f"device is {str(device)!r}, which PyTorch cannot use: {one_line(str(error))}"
            ) from None
        self.checks_at_once = self.device.type == "cpu"

    def _make_batch(self, game: Game) -> Any:
        return TorchBatch(game, self.num_envs, self.device)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._elapsed: Any = torch.zeros(self.num_envs, dtype=torch.int64, device=self.device)
        self._ended: Any = torch.ones(self.num_envs, dtype=torch.bool, device=self.device)
        self._was_illegal = torch.zeros((), dtype=torch.bool, device=self.device)
        self._scale = torch.from_numpy(self._form.scale).to(self.device)
        self._grid: Tensor | None = None
        if self._form.cells is not None:
            empty = self._form(np.zeros(self._form.scale.shape, np.int8))
            self._grid = torch.from_numpy(empty).flatten(1).to(self.device)
            self._cells = torch.from_numpy(self._form.cells).to(self.device)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """See `SelfPlayVectorEnv.reset`; the mask may be a tensor."""
        self._raise_illegal()
        given = check_options(options).get("reset_mask")
        if isinstance(given, Tensor):
            options = {**(options or {}), "reset_mask": given.cpu().numpy()}
        mask, starts, _ = self._begin(seed, options)
        chosen = torch.from_numpy(mask).to(self.device)
        self._elapsed = torch.where(chosen, 0, self._elapsed)
        result = self._games.begin(chosen, starts)
        self._ended = self._ended & ~chosen
        return self._seen(result.observation), self._told(result)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """See `SelfPlayVectorEnv.step`; actions are a tensor of integers `[B]` on the device."""
        if not self._is_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        actions = self._check(actions)
        waits = self.autoreset_mode is AutoresetMode.DISABLED
        if waits and self.checks_at_once and self._ended.any():
            game = int(self._ended.int().argmax())
            raise gymnasium.error.ResetNeeded(
                f"match {game} has ended: reset it by reset(options={{'reset_mask': mask}}) before step"
            )
        over = self._ended
        if self.checks_at_once:
            self._raise_illegal(actions, ~over & ~self._games.is_legal(actions))
        result = self._games.step(actions, _commands(over, HOLD if waits else RESET, PLAY))
        self._was_illegal = self._was_illegal | self._games.was_illegal
        terminated = result.outcome != ONGOING
        truncated = torch.zeros_like(terminated)
        if self.max_cycles is not None:
            self._elapsed = torch.where(over, self._elapsed if waits else 0, self._elapsed + 1)
            truncated = ~terminated & (self._elapsed >= self.max_cycles)
        self._ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            return self._begin_ended(result, terminated, truncated)
        return self._seen(result.observation), result.reward, terminated, truncated, self._told(result)

    def sample_actions(self) -> Any:
        """Returns int64 `[B]`, a legal action for each match drawn uniformly; 0 where the match has ended."""
        actions = self._games.sample()
        return actions if self.max_cycles is None else torch.where(self._ended, 0, actions)

    def match(self, env: int) -> Any:
        """See `SelfPlayVectorEnv.match`."""
        self._raise_illegal()
        return super().match(env)

    def choose(self, bot: Any, envs: np.ndarray) -> np.ndarray:
        """See `SelfPlayVectorEnv.choose`; the indices and the actions are in the host's memory."""
        self._raise_illegal()
        return super().choose(bot, envs)

    def _which_ended(self) -> np.ndarray:
        ended: np.ndarray = self._ended.cpu().numpy()
        return ended

    def get_state(self) -> dict[str, np.ndarray]:
        """See `SelfPlayVectorEnv.get_state`; the arrays are in the host's memory."""
        self._raise_illegal()
        games = self._games
        return {
            "game": np.array([int(self.game.table_hash, 16) >> 1]),
            "states": games.states,
            "keys": games.keys,
            **{
                name: tensor.cpu().numpy().copy()
                for name, tensor in (("rng", games.rng), ("elapsed", self._elapsed), ("ended", self._ended))
            },
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> tuple[Any, dict[str, Any]]:
        """See `SelfPlayVectorEnv.set_state`."""
        states = self._check_state(state)
        self._is_reset = True
        self._games.set(states, state["keys"], state["rng"])
        self._elapsed = torch.from_numpy(np.array(state["elapsed"], np.int64)).to(self.device)
        self._ended = torch.from_numpy(np.array(state["ended"], bool)).to(self.device)
        result = self._games.look()
        return self._seen(result.observation), self._told(result)

    def _begin_ended(
        self, result: StepTensors, terminated: Any, truncated: Any
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        ended = self._ended
        info = self._told(result, ended)
        seen = self._seen(result.observation)
        final = {"final_obs": seen, "_final_obs": ended, "final_info": info, "_final_info": ended.clone()}
        fresh = self._games.restart(ended, result)
        self._elapsed = torch.where(ended, 0, self._elapsed)
        self._ended = torch.zeros_like(ended)
        begun = self._told(fresh._replace(winner=result.winner.clone()))
        return self._seen(fresh.observation), result.reward, terminated, truncated, begun | final

    def _seen(self, observation: Tensor) -> Tensor:
        """See `ObservationForm`."""
        form = self._form
        if form.name == PLANES:
            return observation
        if self._grid is None:
            return (observation / self._scale).flatten(1)
        grid = self._grid.expand(len(observation), -1, -1).clone()
        grid[:, : observation.shape[1], self._cells] = observation
        return grid.reshape(len(observation), *form.shape)

    def _told(self, result: StepTensors, ended: Any = None) -> dict[str, Any]:
        mask: Any = result.mask
        if self.max_cycles is not None:
            mask = torch.where((self._ended if ended is None else ended)[:, None], 0, mask)
        arrays = {"action_mask": mask, "player": result.player, "winner": result.winner}
        present = (torch.ones_like(self._ended) if ended is None else ended).repeat(len(arrays), 1)
        return {
            name: each
            for (key, array), there in zip(arrays.items(), present, strict=True)
            for name, each in ((key, array), (f"_{key}", there))
        }

    def _check(self, actions: Any) -> Any:
        if not isinstance(actions, Tensor) or actions.is_floating_point() or actions.shape != (self.num_envs,):
            expected = f"expected a tensor of integers of shape ({self.num_envs},)"
            raise IllegalStepError(f"actions are {type(actions).__name__} {getattr(actions, 'shape', '')}, {expected}")
        return actions.to(self.device, torch.int64)

    def _raise_illegal(self, actions: Any = None, flags: Any = None) -> None:
        """Raises the error of an illegal action: of those with a flag, or of one since the last call without flags."""
        if not self._is_reset or not (self._was_illegal if flags is None else flags.any()):
            return
        if flags is None:
            self._was_illegal = torch.zeros_like(self._was_illegal)
            raise IllegalStepError("an earlier action was not legal, and its match was left as it was")
        wrong = int(flags.int().argmax())
        raise IllegalStepError(
            f"action {actions[wrong]} of match {wrong} is not legal there; see info['action_mask'][{wrong}]"
        )


def _commands(flags: Tensor, one: int, other: int) -> Tensor:
    return torch.where(flags, one, other).to(torch.int8)
