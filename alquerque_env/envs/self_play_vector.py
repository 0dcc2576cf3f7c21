"""Batched self-play: many matches of one game as one Gymnasium vector environment."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..batch.step_result import StepResult
from ..errors import AlquerqueError, BotError, IllegalStepError, UnknownNameError, require
from ..game import state_layout as STATE
from ..game.array_check import check_array
from ..game.game import Game, GameId, as_game
from ..game.outcomes import ONGOING
from ..game.planes import plane_scale
from ..match.match import Match
from ..match.state_check import check_states
from .arguments import check_actions, check_max_cycles
from .batch_env import BatchEnv, batch_info

if TYPE_CHECKING:
    from ..bots.bot import Bot  # would import the compiler of the bots

BACKENDS = ("auto", "torch")


class SelfPlayVectorEnv(BatchEnv):
    """`num_envs` matches stepped at once, in which each action is that of the player to move.

    | | |
    |---|---|
    | observation | int8 `[B, C, P]`, in the frame of the player to move; `alquerque describe` lists the planes |
    | action | int64 `[B]`, an index into `game.actions`; ignored where the last match has ended |
    | reward | float32 `[B]`, for the player who acted: 1 for a win, -1 for a loss, otherwise 0 |
    | `info["action_mask"]` | int8 `[B, A]`, 1 for legal actions; all 0 where the match has ended |
    | `info["player"]` | int8 `[B]`, the player to move |
    | `info["winner"]` | int8 `[B]`, the player who won in this step, or -1 |

    A draw by the rules terminates, `max_cycles` truncates. Autoreset is `NEXT_STEP` by default. In `SAME_STEP`,
    `info["final_obs"]` and `info["final_info"]` hold the ended matches. In `DISABLED`, ended matches wait for
    `reset(options={"reset_mask": ...})`. The caller may change all returned arrays.

    Example:
      >>> env = SelfPlayVectorEnv("fetaix", num_envs=2)
      >>> observation, info = env.reset(seed=0)
      >>> observation, reward, terminated, truncated, info = env.step(env.sample_actions())
      >>> info["player"].tolist()
      [1, 1]

    Args:
      game: The game, its id, or the path of a game file.
      num_envs: Number of matches.
      autoreset_mode: When ended matches begin anew, as in Gymnasium.
      max_cycles: Number of actions after which a match is truncated; None for no limit.
      observation: "planes", "grid" or "flat": the form of observations, see `ObservationForm`.
      backend: "auto" for NumPy arrays, from compiled kernels where there are any; "torch" for PyTorch tensors, see
        `TorchSelfPlayVectorEnv`.
      device: Where the tensors of "torch" are, as PyTorch names it.

    Raises:
      UnknownNameError: If there is no game with that id, or no such backend or form.
      AlquerqueError: If a number is out of range, the board is not a grid, or the device is not there.
      RulesError: If the rules cannot be played by the backend.
      MissingExtraError: If PyTorch is not installed.
      ValueError: If there is no such autoreset mode.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __new__(cls, *_args: Any, backend: str = "auto", **_others: Any) -> "SelfPlayVectorEnv":
        """Makes an environment of the class for a backend."""
        if backend not in BACKENDS:
            raise UnknownNameError("backend", backend, BACKENDS)
        if backend == "torch" and cls is SelfPlayVectorEnv:
            require("torch", "train")
            cls = import_module(f"{__package__}.torch_self_play_vector").TorchSelfPlayVectorEnv
        return super().__new__(cls)

    def __init__(
        self,
        game: Game | GameId,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_cycles: int | None = None,
        observation: str = "planes",
        backend: str = "auto",  # noqa: ARG002 - chooses the class
        device: Any = "cpu",
    ) -> None:
        self._set_device(device)
        self.game = as_game(game)
        super().__init__(self.game, num_envs, observation)
        self.max_cycles = check_max_cycles(max_cycles)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.plane_scale = plane_scale(self.game)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins new matches.

        Args:
          seed: Seeds `sample_actions`.
          options: `reset_mask`, bool `[B]`: the matches to begin anew; all by default. The others are unchanged.
            `position`: the position in which these begin, text as `Match.position` writes it, or a list of `B` texts;
            None stands for the start of the game, and what a list has for the other matches is ignored. Later matches,
            which autoreset begins, begin at the start of the game. Other keys are ignored.

        Returns:
          `(observation, info)`.

        Raises:
          PositionError: If a position is not one of the game, or the match is over there. Nothing is changed.
          AlquerqueError: If the mask is not bool `[B]`, the first reset leaves matches out, or the seed is no natural
            number: one generator draws for all matches. Nothing is changed.
        """
        chosen, starts, _ = self._begin(seed, options)
        self._elapsed[chosen] = 0
        result = self._games.begin(chosen, starts)
        self._ended &= ~chosen
        return self._form(result.observation), self._info(result)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays an action in every match.

        Args:
          actions: Integers `[B]`.

        Returns:
          `(observation, reward, terminated, truncated, info)`; terminated and truncated are bool `[B]`.

        Raises:
          IllegalStepError: If the actions are not integers `[B]`, or one that is not ignored is illegal. No match is
            changed.
          gymnasium.error.ResetNeeded: Before the first `reset`, or in `DISABLED` if a match has ended.
        """
        self._check_may_step()
        plays = ~self._ended
        result = self._games.step(self._check(actions), plays.view(np.int8))
        terminated = result.outcome != ONGOING
        truncated = np.zeros(self.num_envs, bool)
        if self.max_cycles is not None:
            self._elapsed = np.where(plays, self._elapsed + 1, 0)
            truncated = ~terminated & (self._elapsed >= self.max_cycles)
        self._ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            return self._restart(result, terminated, truncated)
        return self._form(result.observation), result.reward, terminated, truncated, self._info(result)

    def sample_actions(self) -> np.ndarray:
        """Returns int64 `[B]`, a legal action for each match drawn uniformly; 0 where the match has ended.

        All matches draw from one stream of random numbers, so that a match draws others among more matches.
        """
        actions = self._games.sample()
        if self.max_cycles is not None:
            actions[self._ended] = 0
        return actions

    def match(self, env: int) -> Match:
        """Returns the position of one match as a new `Match` without its earlier positions.

        Raises:
          AlquerqueError: If `env` is no integer.
          IndexError: If there is no such match.
        """
        (place,) = self._places([env])
        return Match.from_state(self.game, self._games.states[place])

    def choose(self, bot: "Bot", envs: np.ndarray) -> np.ndarray:
        """Asks a bot for its actions, int64 `[K]`, in the matches `envs`, int64 `[K]`, one by one.

        Raises:
          AlquerqueError: If `envs` is no list or array of integers.
          IndexError: If there is no such match.
          BotError: If one of the matches has ended, by the rules or by `max_cycles`; no bot is asked.
        """
        places = self._places(envs)
        ended = self._which_ended()
        for place in places:
            if ended[place]:
                raise BotError(f"no bot can choose in match {place}: it has ended")
        states = self._games.states
        return np.array([bot.choose(Match.from_state(self.game, states[place])).action for place in places], np.int64)

    def _places(self, envs: Any) -> np.ndarray:
        """Returns the numbers of matches as int64 `[K]`."""
        none = np.zeros(0, np.int64)  # an empty list would be an array of floats
        places = check_array("numbers of matches", envs if np.size(envs) else none, "int64", ("K",))
        for place in places:
            if not -self.num_envs <= place < self.num_envs:
                raise IndexError(f"there is no match {place} among {self.num_envs}")
        return places

    def _which_ended(self) -> np.ndarray:
        return self._ended

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns copies of all arrays that determine how the matches continue; `set_state` takes them."""
        return {
            "game": np.array([int(self.game.table_hash, 16) >> 1]),
            "states": self._games.states.copy(),
            "keys": self._games.keys.copy(),
            "rng": self._games.rng.copy(),
            "elapsed": self._elapsed.copy(),
            "ended": self._ended.copy(),
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, Any]]:
        """Restores a state that `get_state` returned, of the same game and number of matches, by any backend.

        Returns:
          `(observation, info)`, as the call before `get_state` returned them.

        Raises:
          AlquerqueError: If the state is of another game or number of matches. No match is changed.
        """
        states = self._check_state(state)
        self._is_reset = True
        self._games.states[:] = states
        self._games.keys = np.array(state["keys"], np.int64)
        self._games.rng[:] = state["rng"]
        self._elapsed = np.array(state["elapsed"], np.int64)
        self._ended = np.array(state["ended"], bool)
        result = self._games.look()
        return self._form(result.observation), self._info(result)

    def _set_device(self, device: Any) -> None:
        if device != "cpu":
            raise AlquerqueError(f"device is {device!r}: only the backend 'torch' plays on other devices than 'cpu'")

    def _check_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Returns the states of the matches in a result of `get_state`."""
        for name, known in self.get_state().items():
            given = np.asarray(state[name]) if name in state else None
            length = slice(1 if name == "keys" else None)  # long matches have more keys
            fits = (
                given is not None
                and given.ndim == known.ndim
                and given.shape[length] == known.shape[length]
                and np.can_cast(given.dtype, known.dtype, "same_kind")
            )
            if not fits or (name == "game" and given != known):
                raise AlquerqueError(
                    f"cannot set the state: {name!r} is not that of {self.num_envs} matches of {self.game!r}"
                )
        states = check_states(self.game, state["states"], AlquerqueError)
        room = np.asarray(state["keys"]).shape[1]
        if self.game.rules.repetition != "off" and states[:, STATE.QUIET].max() >= room:
            match = int(states[:, STATE.QUIET].argmax())
            raise AlquerqueError(
                f"cannot set the state: match {match} has {states[match, STATE.QUIET]} turns without progress, of "
                f"which 'keys' cannot hold all, expected fewer than {room}"
            )
        return states

    def _restart(
        self, result: StepResult, terminated: np.ndarray, truncated: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Begins new matches for the ended ones within the step that ended them."""
        ended = self._ended
        info = self._info(result, ended)
        observation, seen = result.observation.copy(), self._form(result.observation)
        final = {"final_obs": seen, "_final_obs": ended, "final_info": info, "_final_info": ended.copy()}
        games = np.flatnonzero(ended)
        fresh = self._games.reset(games)
        observation[games] = fresh.observation
        mask, player = result.mask.copy(), result.player.copy()
        mask[games], player[games] = fresh.mask, fresh.player
        self._elapsed[games] = 0
        self._ended = np.zeros(self.num_envs, bool)
        begun = self._info(result._replace(mask=mask, player=player, winner=result.winner.copy()))
        return self._form(observation), result.reward, terminated, truncated, begun | final

    def _info(self, result: StepResult, ended: np.ndarray | None = None) -> dict[str, Any]:
        present = np.ones(self.num_envs, bool) if ended is None else ended
        if self.max_cycles is not None:  # the engine does not know which matches are truncated
            result.mask[(self._ended if ended is None else ended) & (result.outcome == ONGOING)] = 0
        return batch_info(present, action_mask=result.mask, player=result.player, winner=result.winner)

    def _check(self, actions: np.ndarray) -> np.ndarray:
        actions = check_actions(actions, self.num_envs)
        wrong = self._games.first_illegal(actions, (~self._ended).view(np.int8))
        if wrong >= 0:
            raise IllegalStepError(
                f"action {actions[wrong]} of match {wrong} is not legal there; see info['action_mask'][{wrong}]"
            )
        return actions
