"""PPO on a solved game, see `heap_game`: it learns the values, and it can be resumed."""

from typing import Any

import numpy as np
import pytest
import torch
from alquerque_training.config.settings import Config
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.ppo import PPOLearner
from alquerque_training.run.config_file import parse_config

from tests.sets import first_by_default
from tests.training.heap_game import HEAP, POISON, HeapEnv, heap_config, heap_learner, solve, value_of


@pytest.fixture(scope="module")
def trained() -> PPOLearner:
    torch.set_num_threads(1)
    config = heap_config()
    learner = heap_learner(config, HeapEnv(64))
    for _ in range(config.iterations):
        learner.iterate()
    return learner


@pytest.mark.slow
def test_ppo_keeps_every_win_of_a_solved_game(trained: PPOLearner) -> None:
    values = solve()
    won = [heap for heap, value in values.items() if value == 1 and heap != POISON]
    assert 5 in won
    planes = np.zeros((len(won), 2, HEAP), np.int8)
    planes[np.arange(len(won)), 0, won] = 1
    planes[:, 1] = 2
    mask = (np.arange(3) < np.array(won)[:, None]).astype(np.int8)

    chosen = greedy_policy(trained.network)(planes, mask)

    assert [value_of(heap - action - 1, values) for heap, action in zip(won, chosen, strict=True)] == [1] * len(won)


def test_ppo_learns_the_value_of_every_heap(trained: PPOLearner) -> None:
    values = {heap: value for heap, value in solve().items() if heap != POISON}
    planes = torch.zeros(len(values), 2, HEAP, dtype=torch.int8)
    planes[torch.arange(len(values)), 0, torch.tensor(list(values))] = 1
    planes[:, 1] = 2

    learned = trained.network(planes)[1]

    assert learned.sign().int().tolist() == list(values.values())


def test_the_step_that_resets_a_game_teaches_nothing(trained: PPOLearner) -> None:
    rollout = trained.rollout
    after_an_end = torch.zeros_like(rollout.terminated)
    after_an_end[1:] = rollout.terminated[:-1]

    assert torch.equal(~rollout.live[1:], after_an_end[1:])
    assert after_an_end.any()


class WatchedHeaps(HeapEnv):
    """Heaps that keep of each match how many ways each step could have gone, and how it ended."""

    def __init__(self, num_envs: int, max_cycles: int | None) -> None:
        super().__init__(num_envs, max_cycles)
        self.going: list[list[int]] = [[] for _ in range(num_envs)]
        self.over: list[tuple[list[int], str]] = []
        self.random: set[int] = set()

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        was_over, movers = self.ended.copy(), self.player.copy()
        for row in np.flatnonzero(~was_over):
            self.going[row].append(1 if row in self.random else min(3, int(self.heap[row])))
        self.random.clear()
        played = super().step(actions)
        for row in np.flatnonzero(self.ended & ~was_over):
            winner = {0: movers[row], POISON: 1 - movers[row]}.get(self.heap[row])
            self.over.append((self.going[row], "nobody" if winner is None else f"player_{winner}"))
            self.going[row] = []
        return played

    def new_results(self) -> list[tuple[int, str]]:
        """Length from the first decision on, and winner, of the matches with one that ended since the last call."""
        decided = [([ways > 1 for ways in match], winner) for match, winner in self.over]
        self.over.clear()
        return [(len(choices) - choices.index(True), winner) for choices, winner in decided if any(choices)]


def counted_config(plies: int) -> Config:
    """Iterations of two steps of three heaps: most matches take several of them, and in some none ends."""
    settings = heap_config().as_data()
    settings["self_play"] |= {"num_games": 3, "rollout_steps": 2, "opening_plies": plies}
    settings["ppo"]["minibatch_size"] = 6
    return parse_config(settings, "test")


@first_by_default
@pytest.mark.parametrize(("plies", "max_cycles"), [(0, None), (0, 3), (2, None), (3, 4)])
@pytest.mark.slow
def test_games_are_counted_when_they_end_with_all_their_steps(plies: int, max_cycles: int | None) -> None:
    env = WatchedHeaps(3, max_cycles)
    learner = heap_learner(counted_config(plies), env)
    choose = learner.games.openings.choose

    def choose_and_tell(*seen: Any) -> tuple[torch.Tensor, torch.Tensor]:
        flags, actions = choose(*seen)
        env.random.update(flags.nonzero()[:, 0].tolist())
        return flags, actions

    learner.games.openings.choose = choose_and_tell  # type: ignore[method-assign]
    lengths, outcomes, empty = [], set(), 0
    for _ in range(150):
        record = learner.iterate()
        results = env.new_results()
        assert record["games"] == len(results)
        if not results:
            assert not {"game_length", "player_0_wins", "draws", "truncated"} & record.keys()
            empty += 1
            continue
        winners = [winner for _, winner in results]
        assert record["game_length"] == round(sum(length for length, _ in results) / len(results), 2)
        assert record["player_0_wins"] == winners.count("player_0") / len(results)
        assert record["truncated"] == winners.count("nobody") / len(results)
        assert record["draws"] == 0
        lengths += [length for length, _ in results]
        outcomes |= set(winners)

    assert empty > 10
    assert max(lengths) > 2
    assert min(lengths) == 1
    assert outcomes == {"player_0", "player_1", *(["nobody"] if max_cycles else [])}


def test_an_iteration_of_random_steps_alone_logs_no_losses() -> None:
    learner = heap_learner(counted_config(plies=100), HeapEnv(3))
    learner.games.openings.set_state({"left": np.full(3, 100)})

    record = learner.iterate()

    assert not {"policy_loss", "value_loss", "entropy", "explained_variance"} & record.keys()
    assert all(np.isfinite(value) for value in record.values())
