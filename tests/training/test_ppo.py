"""The loss of PPO against numbers worked out by hand, and the network's mask."""

import math

import numpy as np
import pytest
import torch
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks import MASK_FILL, Shape, build_network, masked_log_probs, sample
from alquerque_training.ppo import (
    TORCH_FROM,
    Batch,
    PpoConfig,
    choose_backend,
    explained_variance,
    make_batch,
    ppo_loss,
    update,
)
from alquerque_training.rollout import Rollout

from alquerque_env import load_game

SHAPE = Shape(planes=2, points=3, actions=4)


def batch(actions: list[int], old: list[float], advantages: list[float], returns: list[float]) -> Batch:
    """Steps of a game whose planes and mask do not matter; `old` are probabilities."""
    count = len(actions)
    return Batch(
        planes=torch.zeros(count, 2, 3),
        mask=torch.ones(count, 2, dtype=torch.bool),
        actions=torch.tensor(actions),
        log_probs=torch.tensor(old).log(),
        advantages=torch.tensor(advantages),
        returns=torch.tensor(returns),
    )


def log_probs(*rows: tuple[float, float]) -> torch.Tensor:
    return torch.tensor(rows).log()


def network(seed: int = 0) -> torch.nn.Module:
    generator = torch.Generator().manual_seed(seed)
    return build_network(NetworkConfig(width=8, blocks=1), SHAPE, torch.tensor([1.0, 4.0]), generator)


def test_the_loss_is_the_sum_worked_out_by_hand() -> None:
    """Ratios 0.6 / 0.5 = 1.2 and 0.3 / 0.4 = 0.75, neither clipped at 0.3.

    policy = -(1.2 * 2 + 0.75 * -1) / 2 = -0.825; value = ((0.5 - 1)^2 + (0 - 1)^2) / 4 = 0.3125.
    """
    config = PpoConfig(clip=0.3, value_weight=0.5, entropy_bonus=0.1)
    entropy = -(0.6 * math.log(0.6) + 0.4 * math.log(0.4) + 0.7 * math.log(0.7) + 0.3 * math.log(0.3)) / 2

    losses = ppo_loss(
        log_probs((0.6, 0.4), (0.7, 0.3)),
        torch.tensor([0.5, 0.0]),
        batch([0, 1], [0.5, 0.4], [2.0, -1.0], [1.0, 1.0]),
        config,
    )

    assert losses.policy.item() == pytest.approx(-0.825)
    assert losses.value.item() == pytest.approx(0.3125)
    assert losses.entropy.item() == pytest.approx(entropy)
    assert losses.total.item() == pytest.approx(-0.825 + 0.5 * 0.3125 - 0.1 * entropy)
    assert losses.approx_kl.item() == pytest.approx((0.2 - math.log(1.2) - 0.25 - math.log(0.75)) / 2)
    assert losses.clip_fraction.item() == 0


@pytest.mark.parametrize(
    ("new", "old", "advantage", "counted"),
    [
        (0.9, 0.5, 1.0, 1.2),  # better action, already far more probable: clipped
        (0.9, 0.5, -1.0, 1.8),  # worse action, more probable: all of it counts
        (0.1, 0.5, 1.0, 0.2),  # better action, less probable: all of it counts
        (0.1, 0.5, -1.0, 0.8),  # worse action, already far less probable: clipped
    ],
)
def test_a_ratio_is_clipped_where_the_step_has_gone_far_enough(
    new: float, old: float, advantage: float, counted: float
) -> None:
    losses = ppo_loss(
        log_probs((new, 1 - new)), torch.zeros(1), batch([0], [old], [advantage], [0.0]), PpoConfig(clip=0.2)
    )

    assert losses.policy.item() == pytest.approx(-counted * advantage)
    assert losses.clip_fraction.item() == 1


def test_without_any_step_to_learn_from_nothing_changes() -> None:
    rollout = Rollout.empty(2, 3, SHAPE)
    model = network()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    optimizer = torch.optim.Adam(model.parameters())

    metrics = update(
        model, optimizer, make_batch(rollout, torch.ones(2, 3)), PpoConfig(), 1e-3, torch.Generator().manual_seed(0)
    )

    assert metrics == {}
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_an_illegal_action_has_no_probability() -> None:
    mask = torch.tensor([[True, False, True, False]])
    logits = torch.tensor([[1.0, 50.0, 1.0, -3.0]])

    assert masked_log_probs(logits, mask).exp()[0].tolist() == [0.5, 0, 0.5, 0]


def test_a_row_without_legal_actions_gives_no_nan_in_loss_or_gradient() -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0, 4.0]], requires_grad=True)

    result = masked_log_probs(logits, torch.zeros(1, 4, dtype=torch.bool))
    entropy = -(result.exp() * result).sum()
    entropy.backward()

    assert math.isfinite(MASK_FILL)
    assert result[0].tolist() == pytest.approx([-math.log(4)] * 4)
    assert entropy.item() == pytest.approx(math.log(4))
    assert logits.grad is not None
    assert logits.grad[0].tolist() == [0, 0, 0, 0]


def test_actions_are_drawn_by_their_probabilities_and_never_illegal() -> None:
    probabilities = masked_log_probs(
        torch.tensor([[0.5, 0.3, 9.0, 0.2]]).log(), torch.tensor([[True, True, False, True]])
    )
    drawn = sample(probabilities.expand(20_000, 4), torch.rand(20_000, generator=torch.Generator().manual_seed(3)))

    shares = np.bincount(drawn.numpy(), minlength=4) / 20_000
    assert shares[2] == 0
    assert shares == pytest.approx([0.5, 0.3, 0, 0.2], abs=0.015)


def test_the_network_is_the_formula_of_its_docstring() -> None:
    model = network()
    planes = torch.tensor([[[1, 0, 1], [4, 2, 0]]], dtype=torch.int8)
    weights = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}

    def layer(name: str, hidden: np.ndarray) -> np.ndarray:
        return weights[f"{name}.weight"] @ hidden + weights[f"{name}.bias"]

    def relu(hidden: np.ndarray) -> np.ndarray:
        return np.maximum(hidden, 0)

    hidden = relu(layer("input", np.array([1, 0, 1, 1, 0.5, 0])))
    hidden = relu(hidden + layer("blocks.0.second", relu(layer("blocks.0.first", hidden))))
    logits, value = model(planes)

    assert logits[0].tolist() == pytest.approx(layer("policy", hidden).tolist(), abs=1e-6)
    assert value.item() == pytest.approx(float(np.tanh(layer("value", hidden))[0]), abs=1e-6)


def test_weights_depend_on_the_given_generator_only() -> None:
    before = torch.get_rng_state()
    one, same, other = network(1), network(1), network(2)

    assert torch.equal(one.policy.weight, same.policy.weight)
    assert not torch.equal(one.policy.weight, other.policy.weight)
    assert torch.equal(torch.get_rng_state(), before)


def test_advantages_are_normalised_over_the_steps_that_count() -> None:
    rollout = Rollout.empty(2, 2, SHAPE)
    rollout.mask[:, 0] = True
    rollout.mask[0, 1] = True
    rollout.values[:2] = torch.tensor([[0.5, 0.0], [0.0, 0.0]])

    made = make_batch(rollout, torch.tensor([[1.0, 2.0], [3.0, 99.0]]))

    assert len(made.actions) == len(made.planes) == 3
    assert made.advantages.tolist() == pytest.approx([-1.2247449, 0, 1.2247449])
    assert made.returns.tolist() == [1.5, 2, 3]


def test_nothing_is_learned_where_there_was_no_choice_or_another_chose() -> None:
    rollout = Rollout.empty(1, 4, SHAPE)
    rollout.mask[0] = torch.tensor([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
    rollout.own[0, 3] = False

    assert rollout.learned.tolist() == [[True, False, False, False]]
    assert rollout.live.tolist() == [[True, True, False, True]]


def test_an_update_makes_good_actions_likelier_and_values_truer() -> None:
    model = network()
    planes = torch.ones(8, 2, 3)
    mask = torch.tensor([[True, True, True, False]]).expand(8, 4)
    logits, values = model(planes)
    before = masked_log_probs(logits, mask).detach()
    actions = torch.tensor([0, 1] * 4)
    good = torch.tensor([1.0, -1.0] * 4)
    steps = Batch(planes, mask, actions, before.gather(1, actions[:, None])[:, 0], good, torch.full((8,), 0.8))
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0)

    metrics = update(model, optimizer, steps, PpoConfig(minibatch_size=4, epochs=2), 1e-2, torch.Generator())
    logits, learned = model(planes)
    after = masked_log_probs(logits, mask)

    assert after[0, 0] > before[0, 0]
    assert after[0, 1] < before[0, 1]
    assert abs(learned[0] - 0.8) < abs(values[0] - 0.8)
    assert optimizer.param_groups[0]["lr"] == 1e-2
    assert all(math.isfinite(value) for value in metrics.values())


def test_explained_variance_is_one_for_perfect_values_and_zero_for_constant_ones() -> None:
    returns = torch.tensor([1.0, -1.0, 1.0])

    assert explained_variance(returns, torch.zeros(3)) == 1
    assert explained_variance(returns, returns - 0.3) == pytest.approx(0, abs=1e-6)
    assert explained_variance(torch.ones(3), torch.ones(3)) == 0


@pytest.mark.parametrize(
    ("settings", "options", "num_games", "has_gpu", "expected"),
    [
        ({}, {}, TORCH_FROM, True, ("torch", "cuda")),
        ({"device": "cuda"}, {}, TORCH_FROM, True, ("torch", "cuda")),
        ({}, {}, TORCH_FROM - 1, True, ("auto", "cpu")),
        ({}, {}, 10 * TORCH_FROM, False, ("auto", "cpu")),
        ({"device": "cpu"}, {}, 10 * TORCH_FROM, True, ("auto", "cpu")),
        ({"device": "cuda"}, {}, 10 * TORCH_FROM, False, ("auto", "cpu")),
        ({}, {"max_capture": "most_pieces"}, 10 * TORCH_FROM, True, ("auto", "cpu")),  # a rule that PyTorch cannot play
        ({"backend": "kernels"}, {}, 10 * TORCH_FROM, True, ("auto", "cpu")),
        ({"backend": "torch"}, {}, 1, True, ("torch", "cuda")),
        ({"backend": "torch"}, {}, 1, False, ("torch", "cpu")),
        ({"backend": "torch", "device": "cpu"}, {}, 1, True, ("torch", "cpu")),
    ],
)
def test_games_are_played_by_pytorch_where_it_is_asked_for_or_faster(
    settings: dict[str, str],
    options: dict[str, str],
    num_games: int,
    has_gpu: bool,
    expected: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    backend, device = choose_backend(PpoConfig.model_validate(settings), load_game("fetaix", **options), num_games)

    assert (backend, str(device)) == expected
