"""PPO where one seat wins nearly always: results less those that the seat is used to, and who meets earlier selves."""

import numpy as np
import pytest
import torch
from alquerque_training import ppo
from alquerque_training.config.loader import ConfigError, parse_config
from alquerque_training.config.settings import Config
from alquerque_training.ppo import PPOLearner
from heap_game import HeapEnv, heap_config


class Unequal(HeapEnv):
    """Every game starts at 8, from where the first of two random players loses two thirds of the games."""

    def restart(self, row: int) -> None:
        super().restart(row)
        self.heap[row] = 8


def config(**settings: object) -> Config:
    whole = heap_config().model_dump()
    whole["self_play"]["opening_plies"] = 0
    whole["ppo"] |= {"learning_rate": 1e-9} | settings  # the players stay as they are
    return parse_config(whole, "test")


def test_the_mean_of_the_results_of_each_seat_goes_to_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    fed: list[torch.Tensor] = []

    def note(rewards: torch.Tensor, *others: torch.Tensor, **settings: float) -> torch.Tensor:
        fed.append(rewards)
        return compute(rewards, *others, **settings)

    compute = ppo.compute_advantages
    monkeypatch.setattr(ppo, "compute_advantages", note)
    learner = PPOLearner(config(seat_baseline=True), Unequal(64))
    means = []
    for _ in range(8):
        learner.iterate()
        rollout = learner.rollout
        ended, players = rollout.terminated, rollout.players[:-1]
        won = torch.where(players == 0, 1, -1) * rollout.rewards
        seen = torch.where(players == 0, 1, -1) * fed[-1]
        means.append((won[ended].mean().item(), seen[ended].mean().item()))
        assert torch.equal(fed[-1][~ended], rollout.rewards[~ended])
    results, rewards = np.mean(means[2:], 0)
    assert abs(results) > 0.2
    assert abs(rewards) < 0.05


def test_a_learner_that_is_restored_goes_on_with_the_same_means() -> None:
    settings = config(seat_baseline=True, pool_seats="stronger", pool_share=0.5, pool_every=1, learning_rate=1e-3)
    one, other = PPOLearner(settings, Unequal(64)), PPOLearner(settings, Unequal(64))
    for _ in range(3):
        one.iterate()
    other.set_state(one.get_state(), one.network.state_dict(), one.steps)
    for _ in range(2):
        assert one.iterate() | {"playing_share": 0} == other.iterate() | {"playing_share": 0}
    assert all(torch.equal(*pair) for pair in zip(one.network.parameters(), other.network.parameters(), strict=True))


@pytest.mark.parametrize("stronger", [0, 1])
def test_earlier_selves_play_the_seat_that_has_won_more(stronger: int) -> None:
    learner = PPOLearner(config(pool_seats="stronger", pool_share=0.5, pool_every=1), HeapEnv(64))
    learner.iterate()
    learner.latest.sums = np.array([8.0 - 16 * stronger, 10.0])
    learner.iterate()
    rollout = learner.rollout
    live, players = rollout.live[:, :32], rollout.players[:-1, :32]
    assert torch.equal(~rollout.own[:, :32][live], (players == stronger)[live])
    assert rollout.own[:, 32:].all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pool_seats": "weaker"}, "ppo.pool_seats is 'weaker', expected 'both' or 'stronger'"),
        ({"seat_baseline": 1}, "ppo.seat_baseline is 1, expected a boolean"),
    ],
)
def test_settings_for_two_roles_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config(**settings)
