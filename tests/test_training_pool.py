"""PPO against its earlier selves: who chooses where, what is learned from, and going on after a break."""

from itertools import pairwise

import torch
from test_training_heap import HeapEnv, heap_config

from training.config import Config, parse_config
from training.learners import restore
from training.ppo import Learner


def config(**ppo: object) -> Config:
    settings = heap_config().model_dump()
    settings["ppo"] |= {"pool_share": 0.5, "pool_every": 1, "pool_size": 2} | ppo
    return parse_config(settings, "test")


def test_an_earlier_self_plays_one_seat_of_its_games_and_nothing_is_learned_from_it() -> None:
    learner = Learner(config(), HeapEnv(64))
    learner.iterate()
    assert learner.rollout.own.all()
    learner.iterate()
    rollout = learner.rollout
    players = rollout.players[:-1]
    seats = torch.arange(32) % 2
    assert torch.equal(~rollout.own[:, :32], players[:, :32] == seats)
    assert rollout.own[:, 32:].all()
    assert not (rollout.learned & ~rollout.own).any()
    assert rollout.learned.any(0).all()


def test_it_chooses_by_its_own_policy() -> None:
    """An earlier self that always takes action 0 does so wherever it may."""
    learner = Learner(config(pool_every=1000), HeapEnv(64))
    frozen = {name: torch.zeros_like(tensor) for name, tensor in learner.network.state_dict().items()}
    frozen["plane_scale"] = torch.ones_like(frozen["plane_scale"])
    frozen["policy.bias"][0] = 1000.0
    learner.pool._selves = [frozen]
    learner.iterate()
    rollout = learner.rollout
    theirs = ~rollout.own & rollout.mask[..., 0]
    assert theirs.sum() > 50
    assert (rollout.actions[theirs] == 0).all()
    mine = rollout.live & rollout.own & rollout.mask[..., 0]
    assert (rollout.actions[mine] != 0).any()


def test_only_so_many_selves_are_kept_the_newest() -> None:
    learner = Learner(config(), HeapEnv(64))
    seen = []
    for _ in range(5):
        learner.iterate()
        seen.append(learner.network.state_dict()["input.weight"].clone())
    kept = [own["input.weight"] for own in learner.pool._selves]
    assert len(kept) == 2
    # What is kept at the start of the fifth iteration is what the fourth left.
    assert all(torch.equal(one, two) for one, two in zip(kept, seen[2:4], strict=True))


def test_the_pool_goes_on_after_a_break() -> None:
    learner, restored = (Learner(config(), HeapEnv(64)) for _ in range(2))
    for _ in range(3):
        learner.iterate()
    saved = {name: array.copy() for name, array in learner.get_state().items()}
    weights = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    restore(restored, saved, weights, steps=3 * 64 * 16)
    for one in (learner, restored):
        one.iterate()
    for name, tensor in learner.network.state_dict().items():
        assert torch.equal(tensor, restored.network.state_dict()[name]), name


def test_the_entropy_bonus_falls_to_its_end() -> None:
    learner = Learner(config(entropy_bonus=0.1, final_entropy_bonus=0.02), HeapEnv(64))
    bonuses = [learner.iterate()["entropy_bonus"] for _ in range(learner.config.iterations)]
    assert bonuses[0] == 0.1
    assert all(later < earlier for earlier, later in pairwise(bonuses))
    assert abs(bonuses[-1] - 0.02) < 0.003
