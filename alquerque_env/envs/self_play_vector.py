"""Batched self-play: many matches of one game as one Gymnasium vector environment."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from ..batch.batch import HOLD, PLAY, RESET, StepResult
from ..batch.make_batch import AUTO, TORCH
from ..engine.observation_form import observation_form
from ..errors import AlquerqueError, BotError, IllegalStepError
from ..game import state_layout as STATE
from ..game.array_check import check_array
from ..game.game import Game, GameId, as_game
from ..game.kernel_arrays import packed, unpacked
from ..game.outcomes import ONGOING
from ..match.chain_check import check_states
from ..match.match import Match
from .arguments import check_max_cycles
from .batch_env import BatchEnv, batch_info, final_info

if TYPE_CHECKING:
    from ..bots.bot import Bot  # would import the compiler of the bots


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

    With the backend "torch" actions and all returned arrays are tensors on the device, with the same values, shapes and
    number types. Rules that compare captures with each other, such as an obligation to capture the most pieces, and
    no-undo memory of points cannot be played so. On a GPU the first step takes up to some minutes, since PyTorch
    compiles it, and a step neither waits for the device nor copies anything to the host, unless `checks_at_once` is
    set. Without it

    * an illegal action leaves its match as it is, and the next `reset`, `get_state`, `set_state`, `match` or `choose`
      raises the `IllegalStepError`;
    * in `DISABLED`, ended matches ignore actions until `reset`.

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
      observation: "planes", "grid", "flat" or "graph": the form of observations, see `ObservationForm` and `GraphForm`.
      max_points: Points of a graph, so that different games share one space; None for as many as the game has.
      max_links: Links of a graph, likewise.
      backend: "auto" for NumPy arrays, from compiled kernels where there are any; "torch" for PyTorch tensors.
      device: Where the tensors of "torch" are, as PyTorch names it.

    Attributes:
      device: Where the tensors of "torch" are; other backends do not have it.
      checks_at_once: Whether `step` itself raises the errors of actions; by default on the CPU only.

    Raises:
      UnknownNameError: If there is no game with that id, or no such backend or form.
      AlquerqueError: If a number is out of range, the board is not a grid, or the device is not there.
      RulesError: If the rules cannot be played by the backend.
      MissingExtraError: If PyTorch is not installed.
      ValueError: If there is no such autoreset mode.
    """

    def __init__(
        self,
        game: Game | GameId,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_cycles: int | None = None,
        observation: str = "planes",
        max_points: int | None = None,
        max_links: int | None = None,
        backend: str = AUTO,
        device: Any = "cpu",
    ) -> None:
        game = as_game(game)
        form = observation_form(game, observation, max_points, max_links)
        super().__init__(game, form, num_envs, autoreset_mode, backend, device)
        self.max_cycles = check_max_cycles(max_cycles)
        self._is_torch = backend == TORCH
        if self._is_torch:
            self.device = self._games.device
        self._checks = not self._is_torch or self.device.type == "cpu"
        self._was_illegal: Any = False

    @property
    def checks_at_once(self) -> bool:
        """Whether `step` itself raises the errors of actions; it does so for NumPy arrays, whatever is set."""
        return self._checks or not self._is_torch

    @checks_at_once.setter
    def checks_at_once(self, checks: bool) -> None:
        self._checks = checks

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
        self._raise_late()
        mask, starts, _ = self._begin(seed, options)
        chosen = self._games.array(mask)
        self._elapsed = self._elapsed * ~chosen
        result = self._games.begin(chosen, starts)
        self._ended = self._ended & ~chosen
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
        games, plays = self._games, ~self._ended
        waits = self.autoreset_mode is AutoresetMode.DISABLED
        self._check_may_step()
        actions = games.as_actions(actions)
        given, actions = actions, self._form.to_game(actions)
        commands = games.commands(plays, PLAY, HOLD if waits else RESET)
        if self.checks_at_once and (wrong := games.first_illegal(actions, commands)) >= 0:
            raise IllegalStepError(
                f"action {given[wrong]} of match {wrong} is not legal there; see info['action_mask'][{wrong}]"
            )
        result = games.step(actions, commands)
        if not self.checks_at_once:
            self._was_illegal = self._was_illegal | games.was_illegal
        terminated = result.outcome != ONGOING
        truncated = terminated & False
        if self.max_cycles is not None:
            self._elapsed = self._elapsed + plays if waits else (self._elapsed + 1) * plays
            truncated = ~terminated & (self._elapsed >= self.max_cycles)
        self._ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and (self._is_torch or self._ended.any()):
            return self._restart(result, terminated, truncated)
        return self._form(result.observation), result.reward, terminated, truncated, self._info(result)

    def sample_actions(self) -> np.ndarray:
        """Returns int64 `[B]`, a legal action for each match drawn uniformly; 0 where the match has ended.

        All matches draw from one stream of random numbers, so that a match draws others among more matches.
        """
        actions = self._games.sample()
        actions = self._form.from_game(actions)
        return actions if self.max_cycles is None else actions * ~self._ended

    def match(self, env: int) -> Match:
        """Returns the position of one match as a new `Match` without its earlier positions.

        Raises:
          AlquerqueError: If `env` is no integer.
          IndexError: If there is no such match.
          gymnasium.error.ResetNeeded: Before the first `reset`.
        """
        self._raise_late()
        (place,) = self._places([env])
        return Match.from_state(self.game, self._games.states[place])

    def choose(self, bot: "Bot", envs: np.ndarray) -> np.ndarray:
        """Returns the actions, int64 `[K]`, that a bot chooses in the matches `envs`, int64 `[K]`, one by one.

        Raises:
          AlquerqueError: If `envs` is no list or array of integers.
          IndexError: If there is no such match.
          gymnasium.error.ResetNeeded: Before the first `reset`.
          BotError: If one of the matches has ended, by the rules or by `max_cycles`; no bot is asked.
        """
        self._raise_late()
        places, ended = self._places(envs), self._games.host(self._ended)
        for place in places:
            if ended[place]:
                raise BotError(f"no bot can choose in match {place}: it has ended")
        states = self._games.states
        chosen = [bot.choose(Match.from_state(self.game, states[place])).action for place in places]
        return np.array(self._form.from_game(np.array(chosen, np.int64)), np.int64)

    def _places(self, envs: Any) -> np.ndarray:
        """Returns the numbers of matches as int64 `[K]`."""
        if not self._is_reset:
            raise gymnasium.error.ResetNeeded("no match has begun: call reset first")
        none = np.zeros(0, np.int64)  # an empty list would be an array of floats
        places = check_array("numbers of matches", envs if np.size(envs) else none, "int64", ("K",))
        for place in places:
            if not -self.num_envs <= place < self.num_envs:
                raise IndexError(f"there is no match {place} among {self.num_envs}")
        return places

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns NumPy copies of all arrays that determine how the matches continue; `set_state` takes them."""
        self._raise_late()
        games = self._games
        arrays = {"rng": games.rng, "elapsed": self._elapsed, "ended": self._ended}
        return {
            "game": np.array([int(self.game.table_hash, 16) >> 1]),
            "states": packed(games.states),
            "keys": games.keys.copy(),
            **{name: games.host(array).copy() for name, array in arrays.items()},
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> tuple[Any, dict[str, Any]]:
        """Restores a state that `get_state` returned, of the same game and number of matches, by any backend.

        Returns:
          `(observation, info)`, as the call before `get_state` returned them.

        Raises:
          AlquerqueError: If the state is of another game or number of matches. No match is changed.
        """
        states = self._check_state(state)
        games = self._games
        self._is_reset = True
        self._elapsed = games.array(np.array(state["elapsed"], np.int64))
        self._ended = games.array(np.array(state["ended"], bool))
        result = games.set(states, state["keys"], state["rng"])
        return self._form(result.observation), self._info(result)

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
        states = check_states(self.game, unpacked(np.asarray(state["states"])), AlquerqueError)
        room = np.asarray(state["keys"]).shape[1]
        if self.game.rules.repetition != "off" and states[:, STATE.QUIET].max() >= room:
            match = int(states[:, STATE.QUIET].argmax())
            raise AlquerqueError(
                f"cannot set the state: match {match} has {states[match, STATE.QUIET]} turns without progress, of "
                f"which 'keys' cannot hold all, expected fewer than {room}"
            )
        return states

    def _restart(
        self, result: StepResult, terminated: Any, truncated: Any
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Begins new matches for the ended ones within the step that ended them."""
        ended = self._ended
        final = final_info(self._form(result.observation), self._info(result, ended), ended)
        fresh = self._games.restart(ended, result)
        self._elapsed = self._elapsed * ~ended
        self._ended = ended & False
        begun = self._info(fresh._replace(winner=1 * fresh.winner))  # the caller may change the other one
        return self._form(fresh.observation), result.reward, terminated, truncated, begun | final

    def _info(self, result: StepResult, ended: Any = None) -> dict[str, Any]:
        mask = result.mask
        if self.max_cycles is not None:  # the engine does not know which matches are truncated
            mask = self._games.blank(mask, self._ended if ended is None else ended)
        present = self._ended | True if ended is None else ended
        return batch_info(present, action_mask=self._form.mask(mask), player=result.player, winner=result.winner)

    def _raise_late(self) -> None:
        """Raises the error of an illegal action that an earlier step did not look for."""
        if self._was_illegal:
            self._was_illegal = False
            raise IllegalStepError("an earlier action was not legal, and its match was left as it was")
