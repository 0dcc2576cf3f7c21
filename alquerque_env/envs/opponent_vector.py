"""Many matches against an opponent as one Gymnasium vector environment."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch.make_batch import make_batch
from ..batch.single import PlayerView
from ..batch.step_result import HOLD, PLAY, RESET, StepResult
from ..bots import load_bot
from ..errors import AlquerqueError
from ..game import table_layout as e
from ..game.game import load_game
from ..game.planes import plane_scale
from ..game.step import Step
from ..match.match import Match
from .arguments import check_actions, check_max_cycles, check_positive, check_reset_mask, check_seat
from .opponent import Opponent, make_choose
from .spaces import action_space, observation_space


class VersusVectorEnv(VectorEnv):
    """`num_envs` matches of one agent against an opponent, stepped at once; what `gymnasium.make_vec` makes.

    As `VersusEnv` in every match, with arrays: observation int8 `[B, C, P]`, `info["action_mask"]` int8 `[B, A]`.
    Autoreset is `NEXT_STEP`: the action given to an ended match is ignored. The opponent "random" plays inside the
    engine; any other is asked match by match.

    Args:
      num_envs: Number of matches.
      game, opponent, seat, max_cycles, **options: As in `VersusEnv`.

    Raises:
      AlquerqueError: If an argument is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        game: str = "alquerque",
        opponent: Opponent = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise AlquerqueError(
                f"render_mode is {render_mode!r}, but batched matches are not drawn; use gymnasium.make"
            )
        self.game = load_game(game, **options)
        self.num_envs = check_positive("num_envs", num_envs)
        self.seat = check_seat(seat)
        self.max_cycles = check_max_cycles(max_cycles)
        self.plane_scale = plane_scale(self.game)
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = make_batch(self.game, num_envs)
        self._view = PlayerView(self.game)
        self._opponent = opponent
        self._choose = None if opponent == "random" else make_choose(self._bot(0))
        self._matches: list[Match] = []
        self._seats = np.zeros(num_envs, np.int8)
        self._elapsed = np.zeros(num_envs, np.int64)
        self._ended = np.ones(num_envs, bool)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins all matches anew, or those of `options["reset_mask"]`, bool `[B]`; the others stay as they are."""
        chosen = check_reset_mask(options, self.num_envs, is_first=not self._matches)
        super().reset(seed=seed)
        if seed is not None or not self._matches:
            self._games.rng[0] = self.np_random.integers(2**62)
            if self._choose is not None:
                self._choose = make_choose(self._bot(int(self.np_random.integers(2**31))))
        if not self._matches:
            self._matches = [Match(self.game) for _ in range(self.num_envs)]
        frame = self._advance(np.zeros(self.num_envs, np.int64), np.where(chosen, RESET, HOLD).astype(np.int8))
        self._ended &= ~chosen
        return self._observation(frame), self._info(frame)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays an action in every match, then the opponent's turns; an illegal action loses its match.

        Raises:
          IllegalStepError: If the actions are not integers, one for each match.
          gymnasium.error.ResetNeeded: Before the first `reset`.
        """
        if not self._matches:
            raise gymnasium.error.ResetNeeded("call reset before step")
        actions = check_actions(actions, self.num_envs)
        begins = self._ended
        in_range = (actions >= 0) & (actions < self.game.num_actions)
        legal = in_range & self._games.is_legal(np.where(in_range, actions, 0))
        frame = self._advance(actions, np.where(begins, RESET, np.where(legal, PLAY, HOLD)).astype(np.int8))
        illegal = ~begins & ~legal
        over = frame.outcome != e.ONGOING
        winner = np.where(over, frame.outcome & 3, e.NOBODY)
        winner[illegal] = 1 - self._seats[illegal]
        rewards = np.select([winner == self._seats, winner == 1 - self._seats], [1.0, -1.0], 0.0)
        terminated = over | illegal
        truncated = np.zeros(self.num_envs, bool)
        if self.max_cycles is not None:
            truncated = ~terminated & ~begins & (self._elapsed >= self.max_cycles)
        self._ended = terminated | truncated
        return self._observation(frame), rewards, terminated, truncated, self._info(frame)

    def _advance(self, actions: np.ndarray, orders: np.ndarray) -> StepResult:
        """Does as ordered, then lets the opponent play until the agent is to move in every match."""
        frame = self._play(actions, orders)
        waiting = self._opponent_moves(frame, orders)
        to_come: dict[int, list[int]] = {}
        while waiting.any():
            frame = self._play(self._answers(waiting, to_come), np.where(waiting, PLAY, HOLD).astype(np.int8))
            waiting &= self._opponent_moves(frame, orders)
            waiting[list(to_come)] = True
        return frame

    def _play(self, actions: np.ndarray, orders: np.ndarray) -> StepResult:
        begins, plays = orders == RESET, orders == PLAY
        if self.seat == "random":
            self._seats[begins] = self.np_random.integers(2, size=int(begins.sum()))
        else:
            self._seats[begins] = self.seat
        self._elapsed[begins] = 0
        self._elapsed[plays] += 1
        if self._choose is not None:
            for game in np.flatnonzero(begins):
                self._matches[game] = Match(self.game)
            for game in np.flatnonzero(plays):
                self._matches[game].push(int(actions[game]))
        return self._games.step(actions, orders)

    def _opponent_moves(self, frame: StepResult, orders: np.ndarray) -> np.ndarray:
        waiting = (frame.outcome == e.ONGOING) & (frame.player != self._seats) & (orders != HOLD)
        if self.max_cycles is not None:
            # As in `VersusEnv`, the agent plays before a match is cut off.
            waiting &= (self._elapsed < self.max_cycles) | (orders == RESET)
        return waiting

    def _answers(self, waiting: np.ndarray, to_come: dict[int, list[int]]) -> np.ndarray:
        """The opponent's next actions; the rest of an answer that is a whole turn is kept in `to_come`."""
        if self._choose is None:
            return self._games.sample()
        actions = np.zeros(self.num_envs, np.int64)
        for game in np.flatnonzero(waiting).tolist():
            rest = to_come.pop(game, None) or self._ask(self._choose, self._matches[game])
            actions[game] = rest[0]
            if len(rest) > 1:
                to_come[game] = rest[1:]
        return actions

    def _ask(self, choose: Callable[[Match], Any], match: Match) -> list[int]:
        answer = choose(match)
        if isinstance(answer, Step):
            return [answer.action]
        ahead = match.copy()
        ahead.push(answer)
        return [step.action for step in ahead.steps[len(match.steps) :]]

    def _bot(self, seed: int) -> Any:
        return (
            load_bot(self._opponent, self.game, seed=seed, tables=False)
            if isinstance(self._opponent, str)
            else self._opponent
        )

    def _observation(self, frame: StepResult) -> np.ndarray:
        """Each match in its agent's frame, also where it has ended with the opponent to move."""
        for game in np.flatnonzero(self._ended & (frame.player != self._seats)):
            frame.observation[game] = self._view.convert(
                frame.observation[game], self._games.states[game], int(self._seats[game])
            )
        return frame.observation

    def _info(self, frame: StepResult) -> dict[str, Any]:
        present = np.ones(self.num_envs, bool)
        return {
            "action_mask": np.where(self._ended[:, None], np.int8(0), frame.mask),
            "_action_mask": present,
            "player": self._seats.copy(),
            "_player": present.copy(),
        }
