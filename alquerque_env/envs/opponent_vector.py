"""Many matches against an opponent as one Gymnasium vector environment. Some opponents look at whole matches."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..batch.batch import HOLD, PLAY, RESET, StepResult
from ..engine.observation_form import observation_form
from ..engine.player_view import PlayerView
from ..errors import AlquerqueError
from ..game.array_check import check_at_least
from ..game.game import Game, GameId
from ..game.outcomes import ONGOING
from ..match.match import Match
from .batch_env import BatchEnv, batch_info, final_info
from .opponent import AgainstOpponent, Opponents

NO_STARTS: Mapping[int, Match] = {}  # all matches begin at the start of the game


class VersusVectorEnv(AgainstOpponent, BatchEnv):
    """`num_envs` matches of one agent against an opponent, stepped at once; what `gymnasium.make_vec` makes.

    | | |
    |---|---|
    | observation | int8 `[B, C, P]`, each match in the frame of its agent's player |
    | action | int64 `[B]`, indices into `game.actions`; ignored in matches that have ended |
    | reward | float64 `[B]`: 1 for a win, -1 for a loss, 0 for a draw and while the match is in progress |
    | `info["action_mask"]` | int8 `[B, A]`, 1 for legal actions; all 0 where the match has ended |
    | `info["player"]` | int8 `[B]`, the agent's player |
    | `info["opponent"]` | int64 `[B]`, the place of the opponent in the list of opponents; only if there is a list |

    Autoreset is `NEXT_STEP` by default: the step after the end of a match begins another. In `SAME_STEP`,
    `info["final_obs"]` and `info["final_info"]` hold the ended matches. In `DISABLED`, ended matches wait for
    `reset(options={"reset_mask": ...})`. The opponent "random" plays inside the engine; any other is asked match by
    match. An illegal action loses its match.

    `max_episode_steps` is that of `gymnasium.make`: after so many steps of the agent its match is truncated, also if it
    ends by the rules in that step. None or -1 is no limit. The other arguments and the errors are those of `VersusEnv`.
    Batched matches are not drawn, `render_mode` is None, and no checker watches them, so that `disable_env_checker` has
    no effect.

    Raises:
      ValueError: If there is no such autoreset mode.
    """

    def __init__(
        self,
        num_envs: int = 1,
        game: Game | GameId = "alquerque",
        opponent: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        max_cycles: int | None = None,
        observation: str = "planes",
        max_points: int | None = None,
        max_links: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        disable_env_checker: bool | None = None,  # noqa: ARG002 - `make_vec` passes it on
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise AlquerqueError(
                f"render_mode is {render_mode!r}, but batched matches are not drawn; use gymnasium.make"
            )
        self._is_random = opponent == "random"
        AgainstOpponent.__init__(self, game, opponent, seat, max_cycles, options)
        form = observation_form(self.game, observation, max_points, max_links)
        BatchEnv.__init__(self, self.game, form, num_envs, autoreset_mode)
        has_limit = max_episode_steps is not None and max_episode_steps != -1
        self.max_episode_steps = check_at_least(1, "max_episode_steps", max_episode_steps) if has_limit else None
        self._seats = np.zeros(num_envs, np.int8)
        self._drawn = np.zeros(num_envs, np.int64)
        self._own_steps = np.zeros(num_envs, np.int64)
        # With their history, for opponents that look at it.
        self._matches = [] if self._is_random else [Match(self.game) for _ in range(num_envs)]

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins new matches.

        Args:
          seed: Seeds the draws of the seats and of the opponents, and the opponents that are bot specs.
          options: `reset_mask` and `position`, as for `SelfPlayVectorEnv.reset`. Where the opponent is to move, it may
            end the match before the agent has played: then no action is legal, and the next `step` ignores its action
            and returns the result.

        Returns:
          `(observation, info)`.

        Raises:
          PositionError, AlquerqueError: As `SelfPlayVectorEnv.reset`.
        """
        chosen, starts, is_seeded = self._begin(seed, options)
        if is_seeded and not self._is_random:
            self._seed_opponents(self.np_random)
        orders = np.where(chosen, RESET, HOLD).astype(np.int8)
        result = self._advance(np.zeros(self.num_envs, np.int64), orders, starts)
        self._ended &= ~chosen
        return self._observation(result), self._info(result)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays an action in every match, then the opponent's turns.

        Args:
          actions: Integers `[B]`. An illegal action ends its match as lost.

        Returns:
          `(observation, reward, terminated, truncated, info)`; terminated and truncated are bool `[B]`.

        Raises:
          IllegalStepError: If the actions are not integers, one for each match. No match is changed.
          BotError, IllegalStepError, NotationError: If an opponent fails, or does not answer with a legal step; the
            message says in which match. All matches must be reset then.
          gymnasium.error.ResetNeeded: Before the first `reset`, or in `DISABLED` if a match has ended.
        """
        self._check_may_step()
        actions = self._form.to_game(self._games.as_actions(actions))
        begins = self._ended
        in_range = (actions >= 0) & (actions < self.game.num_actions)
        legal = in_range & self._games.is_legal(np.where(in_range, actions, 0))
        result = self._advance(actions, np.where(begins, RESET, np.where(legal, PLAY, HOLD)).astype(np.int8))
        # The opponent may have ended a match before the agent played.
        illegal = ~begins & ~legal & (result.outcome == ONGOING)
        winner = result.winner
        winner[illegal] = 1 - self._seats[illegal]
        rewards = np.select([winner == self._seats, winner == 1 - self._seats], [1.0, -1.0], 0.0)
        terminated = (result.outcome != ONGOING) | illegal
        truncated = np.zeros(self.num_envs, bool)
        if self.max_cycles is not None:
            truncated = ~terminated & ~begins & (self._elapsed >= self.max_cycles)
        self._own_steps[~begins] += 1
        if self.max_episode_steps is not None:
            truncated |= ~begins & (self._own_steps >= self.max_episode_steps)
        self._ended = terminated | truncated
        observation, info = self._observation(result), self._info(result)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            observation, info = self._restart(observation, result)
        return observation, rewards, terminated, truncated, info

    def _restart(self, last: np.ndarray, result: StepResult) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins new matches for the ended ones within the step that ended them."""
        ended = self._ended
        final = final_info(last, self._info(result, ended), ended)
        self._ended = np.zeros(self.num_envs, bool)
        result = self._advance(np.zeros(self.num_envs, np.int64), np.where(ended, RESET, HOLD).astype(np.int8))
        return self._observation(result), self._info(result) | final

    def _advance(self, actions: np.ndarray, orders: np.ndarray, starts: Mapping[int, Match] = NO_STARTS) -> StepResult:
        """Carries out the orders, then lets the opponent play until the agent is to move in every match."""
        self._is_reset = False  # stays so if an opponent fails
        result = self._play(actions, orders, starts)
        waiting = self._opponent_moves(result, orders)
        rest_of_turn: dict[int, list[int]] = {}
        while waiting.any():
            result = self._play(self._answers(waiting, rest_of_turn), np.where(waiting, PLAY, HOLD).astype(np.int8))
            waiting &= self._opponent_moves(result, orders)
            waiting[list(rest_of_turn)] = True
        self._is_reset = True
        return result

    def _play(self, actions: np.ndarray, orders: np.ndarray, starts: Mapping[int, Match] = NO_STARTS) -> StepResult:
        begins, plays = orders == RESET, orders == PLAY
        if self.seat == "random":
            self._seats[begins] = self.np_random.integers(2, size=int(begins.sum()))
        else:
            self._seats[begins] = self.seat
        if self._is_pool:
            self._drawn[begins] = self.np_random.integers(len(self._opponents), size=int(begins.sum()))
        self._elapsed[begins] = 0
        self._own_steps[begins] = 0
        self._elapsed[plays] += 1
        if not self._is_random:
            for place in np.flatnonzero(begins).tolist():
                self._matches[place] = starts[place].copy() if place in starts else Match(self.game)
            for place in np.flatnonzero(plays).tolist():
                self._matches[place].push(int(actions[place]))
        return self._games.begin(begins, starts) if starts else self._games.step(actions, orders)

    def _opponent_moves(self, result: StepResult, orders: np.ndarray) -> np.ndarray:
        waiting = (result.outcome == ONGOING) & (result.player != self._seats) & (orders != HOLD)
        if self.max_cycles is not None:
            # As in `VersusEnv`, no match is truncated before the agent has played.
            waiting &= (self._elapsed < self.max_cycles) | (orders == RESET)
        return waiting

    def _answers(self, waiting: np.ndarray, rest_of_turn: dict[int, list[int]]) -> np.ndarray:
        """Returns the opponent's next actions. Further steps of an answer that is a whole turn go to `rest_of_turn`."""
        if self._is_random:
            return self._games.sample()
        matches, actions = self._matches, np.zeros(self.num_envs, np.int64)
        rests = {game: rest_of_turn.pop(game) for game in list(rest_of_turn)}
        asked = [game for game in np.flatnonzero(waiting).tolist() if game not in rests]
        for number in range(len(self._opponents)):
            games = [game for game in asked if self._drawn[game] == number]
            if games:
                answers = self._ask(number, [matches[game] for game in games], games)
                rests |= dict(zip(games, answers, strict=True))
        for game, rest in rests.items():
            actions[game] = rest[0]
            if len(rest) > 1:
                rest_of_turn[game] = rest[1:]
        return actions

    def _observation(self, result: StepResult) -> np.ndarray:
        """Returns each match in its agent's frame, also if it has ended with the opponent to move."""
        for game in np.flatnonzero(result.player != self._seats):
            result.observation[game] = self._view.convert(
                result.observation[game], self._games.states[game], int(self._seats[game])
            )
        return self._form(result.observation)

    def _info(self, result: StepResult, ended: np.ndarray | None = None) -> dict[str, Any]:
        mask = np.where(self._ended[:, None], np.int8(0), result.mask)
        drawn = {"opponent": self._drawn.copy()} if self._is_pool else {}
        present = np.ones(self.num_envs, bool) if ended is None else ended
        return batch_info(present, action_mask=self._form.mask(mask), player=self._seats.copy(), **drawn)

    @cached_property
    def _view(self) -> PlayerView:
        return PlayerView(self.game)
