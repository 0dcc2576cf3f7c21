"""Positions that arise when everything is played against the learner, for a player whom nobody shall beat."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from alquerque_env import Match
from alquerque_env.arena.exploit.asked_agent import AskedAgent
from alquerque_env.arena.exploit.positions import Positions as DistinctStates
from alquerque_env.arena.exploit.walk import Walk
from alquerque_env.game.game import Game
from alquerque_training.config.settings import Config
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.experience.table_positions import Judged, as_positions

ChooseInStates = Callable[[np.ndarray], np.ndarray]
"""The learner's actions, int64 `[N]`, in states, int64 `[N, S]`, that are not over."""


class WalkedPositions:
    """The learner's choices in walks from the start of the game; `walk` takes one for each seat to be kept.

    Where its step would lose what the start is worth, an exact step is played instead, so that the walk goes on: as in
    imitation with the learner's own positions (Ross, Gordon and Bagnell 2011, arXiv:1011.0686, DAgger). Positions are
    told apart without their plies without progress.

    Args:
      game: The game.
      config: The settings.
      judge: What a table of the whole game says of states.
      value: What the start is worth for `player_0`.
    """

    def __init__(self, game: Game, config: Config, judge: Callable[[np.ndarray], Judged], value: int) -> None:
        self._start, self._most, self._judge, self._value = Match(game), config.exact.walk_positions, judge, value
        self._seats = (0, 1) if value == 0 else (int(value < 0),)
        nothing = np.zeros((0, len(self._start.state)), np.int64)
        self._latest, self._replaced = nothing, nothing

    def walk(self, choose: ChooseInStates) -> dict[str, float]:
        """Walks against a learner; returns metrics."""
        latest, replaced = [], [self._replaced]
        walked, left = 0, 0
        wrong: dict[str, float] = {}
        for seat in self._seats:
            needed = self._value if seat == 0 else -self._value
            learner = _Learner(choose, self._judge, needed)
            walk = Walk(learner, seat, self._start, counts_clock=False, value=needed, table=None)
            walk.run(partial(_has_room, walk, self._most))
            latest += learner.states
            replaced += learner.replaced
            walked += len(walk.positions)
            left += not walk.is_complete
            wrong[f"walk_wrong_player_{seat}"] = sum(map(len, learner.replaced))
        self._latest, self._replaced = np.concatenate(latest), _distinct(np.concatenate(replaced))
        return {"walk_positions": walked, "walk_choices": len(self._latest), "walk_unfinished": left, **wrong}

    def draw(self, count: int, generator: np.random.Generator) -> Positions | None:
        """Positions to learn from, half of them of those in which a step was replaced; None before the first walk."""
        if not len(self._latest):
            return None
        drawn = [
            states[generator.integers(len(states), size=count // 2)]
            for states in (self._latest, self._replaced)
            if len(states)
        ]
        judged = self._judge(np.concatenate(drawn))
        return as_positions(judged, np.ones(len(judged.value), bool))

    def get_state(self) -> dict[str, np.ndarray]:
        """What is known of walks so far."""
        return {"latest": self._latest, "replaced": self._replaced}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        self._latest, self._replaced = np.array(state["latest"]), np.array(state["replaced"])


class _Learner(AskedAgent):
    """The learner as a walk asks it, with exact steps in place of those that lose value."""

    def __init__(self, choose: ChooseInStates, judge: Callable[[np.ndarray], Judged], needed: int) -> None:
        self.gives_policy = False
        self._choose, self._judge, self._needed = choose, judge, needed
        self.states: list[np.ndarray] = []
        self.replaced: list[np.ndarray] = []

    def choose(self, states: np.ndarray) -> np.ndarray:
        """As `AskedAgent.choose`."""
        actions, judged = self._choose(states), self._judge(states)
        is_wrong = judged.values[np.arange(len(states)), actions] < self._needed
        self.states.append(states.copy())
        self.replaced.append(states[is_wrong])
        actions[is_wrong] = judged.policy[is_wrong].argmax(1)
        return actions


def _has_room(walk: Walk, most: int) -> bool:
    return len(walk.positions) < most


def _distinct(states: np.ndarray) -> np.ndarray:
    found = DistinctStates(states.shape[1])
    found.add(states)
    return found.states.copy()
