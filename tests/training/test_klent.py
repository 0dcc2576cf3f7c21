"""KLENT: its improved policy, and learning a solved game, see `heap_game`."""

import numpy as np
import pytest
import torch
from alquerque_training.config.loader import parse_config
from alquerque_training.config.settings import KlentConfig
from alquerque_training.klent import KlentLearner, improved_policy
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.run.learner import restore
from heap_game import HEAP, POISON, HeapEnv, heap_config, solve, value_of


@pytest.fixture(scope="module")
def trained() -> KlentLearner:
    torch.set_num_threads(1)
    config = parse_config(heap_config().model_dump() | {"klent": {"kl_weight": 0.02}}, "test")
    learner = KlentLearner(config, HeapEnv(64))
    for _ in range(config.iterations):
        learner.iterate()
    return learner


def test_the_improved_policy_is_the_best_of_the_regularised_values() -> None:
    generator = torch.Generator().manual_seed(1)
    config = KlentConfig(kl_weight=0.2, entropy_weight=0.05)
    logits, values = torch.randn(1, 6, generator=generator), torch.rand(1, 6, generator=generator)
    mask = torch.tensor([[True, True, False, True, True, True]])
    old = torch.softmax(logits.masked_fill(~mask, -torch.inf), -1)

    def worth(policy: torch.Tensor) -> torch.Tensor:
        kept = policy[mask[0]]
        divergence = (kept * (kept / old[0, mask[0]]).log()).sum()
        entropy = -(kept * kept.log()).sum()
        return (kept * values[0, mask[0]]).sum() - config.kl_weight * divergence + config.entropy_weight * entropy

    found = improved_policy(logits, values, mask, config)[0]
    assert found.sum() == pytest.approx(1)
    assert found[~mask[0]].sum() == 0
    for _ in range(200):
        other = found * (0.2 * torch.randn(6, generator=generator)).exp()
        assert worth(other / other.sum()) <= worth(found) + 1e-6


def test_it_learns_a_solved_game(trained: KlentLearner) -> None:
    """Policy and action values keep all wins but that of one heap at most: high ones are seldom seen."""
    values = solve()
    won = [heap for heap, value in values.items() if value == 1 and heap != POISON]
    planes = np.zeros((len(won), 2, HEAP), np.int8)
    planes[np.arange(len(won)), 0, won] = 1
    planes[:, 1] = 2
    mask = np.arange(3) < np.array(won)[:, None]
    logits = trained.action_values(torch.from_numpy(planes))[0].detach().numpy()

    by_policy = greedy_policy(trained.network)(planes, mask.astype(np.int8))
    by_value = np.where(mask, logits, -np.inf).argmax(1)

    for chosen in (by_policy, by_value):
        lost = [heap for heap, action in zip(won, chosen, strict=True) if value_of(heap - action - 1, values) != 1]
        assert len(lost) <= 1, lost


def test_a_restored_learner_continues_as_the_saved_one() -> None:
    learner, restored = (KlentLearner(heap_config(), HeapEnv(64)) for _ in range(2))
    learner.iterate()
    saved = {name: array.copy() for name, array in learner.get_state().items()}
    weights = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    learner.iterate()

    restore(restored, saved, weights, steps=64 * 16)
    restored.iterate()

    for one, two in ((learner.network, restored.network), (learner.action_values, restored.action_values)):
        for name, tensor in one.state_dict().items():
            assert torch.equal(tensor, two.state_dict()[name]), name
