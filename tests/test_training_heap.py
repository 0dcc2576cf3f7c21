"""PPO on a game small enough to be solved here: a heap, with turns of several steps and two ways to end.

It has the interface of `alquerque_env.SelfPlayVectorEnv` and nothing of its code, so a fault in one does not hide in
the other.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from training.checkpoint import CheckpointError
from training.config import Config, parse_config
from training.evaluate import greedy_policy, play_random
from training.learners import restore
from training.ppo import Learner, describe_games

HEAP, POISON = 16, 7


class HeapEnv:
    """Take one, two or three; the last one wins, who leaves seven loses, who leaves a multiple of five goes on."""

    plane_scale = np.array([1, 2], np.float32)

    def __init__(self, num_envs: int, max_cycles: int | None = None) -> None:
        self.num_envs, self.max_cycles = num_envs, max_cycles or 10**6
        self.heap, self.player, self.clock, self.matches = (np.zeros(num_envs, np.int64) for _ in range(4))
        self.ended = np.zeros(num_envs, bool)
        self.seed = np.array(0)

    def reset(self, *, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        self.seed = np.array(seed)
        self.matches[:] = 0
        for row in range(self.num_envs):
            self._restart(row)
        return self._observe()

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        rewards = np.zeros(self.num_envs, np.float32)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        for row, action in enumerate(actions):
            if self.ended[row]:
                self._restart(row)
                continue
            assert action < self.heap[row], "illegal action"
            self.heap[row] -= action + 1
            self.clock[row] += 1
            rewards[row] = {0: 1, POISON: -1}.get(self.heap[row], 0)
            self.player[row] ^= self.heap[row] % 5 != 0
            terminated[row] = rewards[row] != 0
            truncated[row] = not terminated[row] and self.clock[row] == self.max_cycles
            self.ended[row] = terminated[row] or truncated[row]
        return self._observe()[0], rewards, terminated, truncated, self._observe()[1]

    def choose(self, bot: Callable[[int], int], envs: np.ndarray) -> np.ndarray:
        return np.array([bot(int(self.heap[env])) for env in envs], np.int64)

    def _restart(self, row: int) -> None:
        generator = np.random.default_rng([int(self.seed), row, self.matches[row]])
        self.heap[row] = generator.choice([heap for heap in range(1, HEAP) if heap != POISON])
        self.matches[row] += 1
        self.player[row] = self.clock[row] = self.ended[row] = 0

    def _observe(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        planes = np.zeros((self.num_envs, 2, HEAP), np.int8)
        planes[np.arange(self.num_envs), 0, self.heap] = 1
        planes[:, 1] = 2
        mask = (np.arange(3) < self.heap[:, None]) & ~self.ended[:, None]
        return planes, {"action_mask": mask.astype(np.int8), "player": self.player.astype(np.int8)}

    def get_state(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name).copy() for name in ("heap", "player", "clock", "matches", "ended", "seed")}

    def set_state(self, state: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        for name in self.get_state():
            setattr(self, name, state[name].copy())
        return self._observe()


def solve() -> dict[int, int]:
    """Value of each heap for the player to move."""
    values: dict[int, int] = {}
    for heap in range(1, HEAP):
        values[heap] = max(value_of(heap - take, values) for take in range(1, min(3, heap) + 1))
    return values


def value_of(left: int, values: dict[int, int]) -> int:
    """Value, for who left it, of what is left of a heap."""
    if left in (0, POISON):
        return 1 if left == 0 else -1
    return values[left] if left % 5 == 0 else -values[left]


def heap_config(**run: Any) -> Config:
    return parse_config(
        {
            "run": {"total_steps": 40_960, **run},
            "self_play": {"num_games": 64, "rollout_steps": 16},
            "ppo": {"minibatch_size": 256, "learning_rate": 5e-3, "epochs": 4},
            "network": {"width": 32, "blocks": 1},
        },
        "test",
    )


@pytest.fixture(scope="module")
def trained() -> Learner:
    torch.set_num_threads(1)
    config = heap_config()
    learner = Learner(config, HeapEnv(64))
    for _ in range(config.iterations):
        learner.iterate()
    return learner


def test_ppo_keeps_every_win_of_a_solved_game(trained: Learner) -> None:
    values = solve()
    won = [heap for heap, value in values.items() if value == 1 and heap != POISON]
    assert 5 in won
    planes = np.zeros((len(won), 2, HEAP), np.int8)
    planes[np.arange(len(won)), 0, won] = 1
    planes[:, 1] = 2
    mask = (np.arange(3) < np.array(won)[:, None]).astype(np.int8)

    chosen = greedy_policy(trained.network)(planes, mask)

    assert [value_of(heap - action - 1, values) for heap, action in zip(won, chosen, strict=True)] == [1] * len(won)


def test_ppo_learns_the_value_of_every_heap(trained: Learner) -> None:
    values = {heap: value for heap, value in solve().items() if heap != POISON}
    planes = torch.zeros(len(values), 2, HEAP, dtype=torch.int8)
    planes[torch.arange(len(values)), 0, torch.tensor(list(values))] = 1
    planes[:, 1] = 2

    learned = trained.network(planes)[1]

    assert learned.sign().int().tolist() == list(values.values())


def test_the_trained_policy_beats_random_from_both_seats(trained: Learner) -> None:
    evaluation = play_random(greedy_policy(trained.network), HeapEnv(400), seed=5)

    assert [seat.games for seat in evaluation.seats] == [200, 200]
    assert all(seat.wins > 130 for seat in evaluation.seats)


def test_the_step_that_resets_a_game_teaches_nothing(trained: Learner) -> None:
    rollout = trained.rollout
    after_an_end = torch.zeros_like(rollout.terminated)
    after_an_end[1:] = rollout.terminated[:-1]

    assert torch.equal(~rollout.live[1:], after_an_end[1:])
    assert after_an_end.any()


def test_games_are_counted_by_who_won_them() -> None:
    config = heap_config()
    learner = Learner(config, HeapEnv(64, max_cycles=2))
    record = learner.iterate()
    rollout = learner.rollout
    wins = draws = 0
    for step, row in (rollout.terminated | rollout.truncated).nonzero().tolist():
        mover, reward = int(rollout.players[step, row]), float(rollout.rewards[step, row])
        wins += (mover == 0) == (reward > 0) if reward else 0
        draws += bool(rollout.terminated[step, row]) and not reward

    games = record["games"]
    assert 100 < games < 64 * 16
    assert record["player_0_wins"] == wins / games
    assert record["draws"] == draws / games == 0
    assert record["truncated"] == int(rollout.truncated.sum()) / games > 0
    assert describe_games(rollout)["game_length"] == round(int(rollout.live.sum()) / games, 2) <= 2


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    def weights(seed: int) -> list[torch.Tensor]:
        learner = Learner(heap_config(seed=seed), HeapEnv(64))
        for _ in range(3):
            learner.iterate()
        return list(learner.network.parameters())

    first, again, other = weights(1), weights(1), weights(2)
    assert all(torch.equal(one, two) for one, two in zip(first, again, strict=True))
    assert not any(torch.equal(one, two) for one, two in zip(first[::2], other[::2], strict=True))


def test_a_restored_learner_goes_on_as_the_one_that_was_saved() -> None:
    learner, restored = (Learner(heap_config(), HeapEnv(64)) for _ in range(2))
    learner.iterate()
    learner.iterate()
    saved = {name: array.copy() for name, array in learner.get_state().items()}
    weights = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    learner.iterate()

    restore(restored, saved, weights, steps=2 * 64 * 16)
    restored.iterate()

    assert restored.iteration == learner.iteration == 3
    for name, tensor in learner.network.state_dict().items():
        assert torch.equal(tensor, restored.network.state_dict()[name]), name


def test_a_training_state_that_does_not_fit_is_refused() -> None:
    learner = Learner(heap_config(), HeapEnv(64))
    saved = learner.get_state()
    del saved["env.player"]

    with pytest.raises(CheckpointError, match="training state does not fit"):
        restore(learner, saved, learner.network.state_dict(), steps=0)


def test_the_training_state_names_everything_that_changes() -> None:
    learner = Learner(heap_config(), HeapEnv(64))
    before = learner.get_state()
    learner.iterate()
    after = learner.get_state()

    assert before.keys() < after.keys()
    assert {name.split(".")[0] for name in after} == {"generator", "openings", "optimizer", "env"}
    assert sum(name.startswith("optimizer.") for name in after) == 3 * len(list(learner.network.parameters()))
