"""Batched self-play: many matches of one game as one Gymnasium vector environment."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch.make_batch import make_batch
from ..batch.step_result import HOLD, RESET, StepResult
from ..bots import Bot
from ..errors import AlquerqueError, IllegalStepError
from ..game import table_layout as e
from ..game.game import Game, as_game
from ..game.planes import plane_scale
from ..match.match import Match
from .arguments import check_actions, check_max_cycles, check_positive, check_reset_mask
from .spaces import action_space, observation_space


class SelfPlayVectorEnv(VectorEnv):
    """`num_envs` matches in which each action is that of whoever is to move.

    | | |
    |---|---|
    | observation | int8 `[B, C, P]`, in the frame of the player to move; `describe` lists the planes |
    | action | int64 `[B]`, an index into `game.actions`; ignored where a match is about to begin anew |
    | reward | float32 `[B]`, for the player who acted: 1 for a win, -1 for a loss, 0 else |
    | `info["action_mask"]` | int8 `[B, A]`, 1 for legal actions; all 0 where the match has ended |
    | `info["player"]` | int8 `[B]`, the player to move |
    | `info["winner"]` | int8 `[B]`, the player who won in this step, or -1 |

    A draw by the rules terminates, `max_cycles` truncates. Autoreset is `NEXT_STEP` unless asked otherwise; in
    `SAME_STEP`, `info["final_obs"]` and `info["final_info"]` hold the ended matches; in `DISABLED`, ended matches wait
    for `reset(options={"reset_mask": ...})`. All returned arrays are fresh.

    Args:
      game: The rules, or a game's id.
      num_envs: Number of matches.
      autoreset_mode: As in Gymnasium.
      max_cycles: Number of actions after which a match is truncated; None for no limit.

    Raises:
      AlquerqueError: If a number is out of range.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_cycles: int | None = None,
    ) -> None:
        self.game = as_game(game)
        self.num_envs = check_positive("num_envs", num_envs)
        self.max_cycles = check_max_cycles(max_cycles)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.plane_scale = plane_scale(self.game)
        self._games = make_batch(self.game, self.num_envs)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._ended = np.ones(self.num_envs, bool)
        self._is_reset = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins all matches anew, or in `DISABLED` those of `options["reset_mask"]`.

        Args:
          seed: Seeds the action sampler.
          options: `reset_mask`, bool `[B]`: the matches to begin anew; the others stay as they are.

        Returns:
          Observations and infos.
        """
        chosen = check_reset_mask(options, self.num_envs, is_first=not self._is_reset)
        super().reset(seed=seed)
        if seed is not None or not self._is_reset:
            self._games.rng[0] = self.np_random.integers(2**62)
        self._is_reset = True
        self._elapsed[chosen] = 0
        frame = self._games.step(np.zeros(self.num_envs, np.int64), np.where(chosen, RESET, HOLD).astype(np.int8))
        self._ended &= ~chosen
        return frame.observation, self._info(frame)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays an action in every match.

        Raises:
          IllegalStepError: If an action is not legal where it counts; no match is changed.
          gymnasium.error.ResetNeeded: Before the first `reset`, or in `DISABLED` where a match has ended.
        """
        if not self._is_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        plays = ~self._ended
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            game = int(self._ended.argmax())
            raise gymnasium.error.ResetNeeded(
                f"match {game} has ended: reset it by reset(options={{'reset_mask': mask}}) before step"
            )
        frame = self._games.step(self._check(actions), plays.view(np.int8))
        terminated = frame.outcome != e.ONGOING
        truncated = np.zeros(self.num_envs, bool)
        if self.max_cycles is not None:
            self._elapsed = np.where(plays, self._elapsed + 1, 0)
            truncated = ~terminated & (self._elapsed >= self.max_cycles)
        self._ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            return self._restart(frame, terminated, truncated)
        return frame.observation, frame.reward, terminated, truncated, self._info(frame)

    def sample_actions(self) -> np.ndarray:
        """int64 `[B]`, a legal action for each match drawn uniformly; 0 where the match has ended."""
        actions = self._games.sample()
        if self.max_cycles is not None:
            actions[self._ended] = 0
        return actions

    def match(self, env: int) -> Match:
        """A match as it stands, without its earlier positions: to be drawn, or shown to a bot.

        Raises:
          IndexError: If there is no such match.
        """
        return Match.from_state(self.game, self._games.states[env])

    def choose(self, bot: Bot, envs: np.ndarray) -> np.ndarray:
        """What a bot plays in some of the matches, one by one: int64 `[K]` actions for the int64 `[K]` matches.

        Raises:
          BotError: If one of them has ended.
        """
        return np.array([bot.choose(self.match(env)).action for env in envs], np.int64)

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the matches go on, as arrays of numbers."""
        return {
            "game": np.array([int(self.game.table_hash, 16) >> 1]),
            "states": self._games.states.copy(),
            "keys": self._games.keys.copy(),
            "rng": self._games.rng.copy(),
            "elapsed": self._elapsed.copy(),
            "ended": self._ended.copy(),
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, Any]]:
        """Goes on from what `get_state` returned, of the same game and number of matches.

        Returns:
          Observations and infos, as the call before `get_state` gave them.

        Raises:
          AlquerqueError: If the state is of another game or number of matches.
        """
        for name, known in self.get_state().items():
            given = np.asarray(state[name]) if name in state else None
            length = slice(1 if name == "keys" else None)  # there is room for more keys in a longer match
            fits = given is not None and given.ndim == known.ndim and given.shape[length] == known.shape[length]
            if not fits or (name == "game" and given != known):
                raise AlquerqueError(
                    f"cannot set the state: {name!r} is not that of {self.num_envs} matches of {self.game!r}"
                )
        self._is_reset = True
        self._games.states[:] = state["states"]
        self._games.keys = np.array(state["keys"], np.int64)
        self._games.rng[:] = state["rng"]
        self._elapsed = np.array(state["elapsed"], np.int64)
        self._ended = np.array(state["ended"], bool)
        frame = self._games.look()
        return frame.observation, self._info(self._silence(frame))

    def _restart(
        self, frame: StepResult, terminated: np.ndarray, truncated: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Begins the ended matches anew within the step that ended them."""
        ended = self._ended
        info = self._info(frame, ended)
        observation = frame.observation.copy()
        final = {"final_obs": frame.observation, "_final_obs": ended, "final_info": info, "_final_info": ended.copy()}
        games = np.flatnonzero(ended)
        fresh = self._games.reset(games)
        observation[games] = fresh.observation
        mask, player = frame.mask.copy(), frame.player.copy()
        mask[games], player[games] = fresh.mask, fresh.player
        self._elapsed[games] = 0
        self._ended = np.zeros(self.num_envs, bool)
        begun = self._info(frame._replace(mask=mask, player=player, winner=frame.winner.copy()))
        return observation, frame.reward, terminated, truncated, begun | final

    def _info(self, frame: StepResult, ended: np.ndarray | None = None) -> dict[str, Any]:
        present = np.ones(self.num_envs, bool) if ended is None else ended
        mask = self._silence(frame, ended).mask
        return {
            "action_mask": mask,
            "_action_mask": present.copy(),
            "player": frame.player,
            "_player": present.copy(),
            "winner": frame.winner,
            "_winner": present.copy(),
        }

    def _silence(self, frame: StepResult, ended: np.ndarray | None = None) -> StepResult:
        """Takes the legal actions from matches that were cut off."""
        if self.max_cycles is None:
            return frame
        cut_off = (self._ended if ended is None else ended) & (frame.outcome == e.ONGOING)
        if cut_off.any():
            frame.mask[cut_off] = 0
        return frame

    def _check(self, actions: np.ndarray) -> np.ndarray:
        actions = check_actions(actions, self.num_envs)
        wrong = self._games.first_illegal(actions, (~self._ended).view(np.int8))
        if wrong >= 0:
            raise IllegalStepError(
                f"action {actions[wrong]} of match {wrong} is not legal there; see info['action_mask'][{wrong}]"
            )
        return actions
