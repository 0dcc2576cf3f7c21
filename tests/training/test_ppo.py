"""PPO: loss and advantages against numbers worked out by hand, rollouts, and what it learns of a solved game."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from alquerque_training.config.settings import Config, NetworkConfig
from alquerque_training.experience.numbers_ahead import Place
from alquerque_training.experience.symmetric_env import SymmetricGames
from alquerque_training.gae import compute_advantages
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.networks import MASK_FILL, Shape, build_network, masked_log_probs, sample
from alquerque_training.ppo import (
    TORCH_FROM,
    Batch,
    PpoConfig,
    PPOLearner,
    choose_backend,
    explained_variance,
    make_batch,
    ppo_loss,
    update,
)
from alquerque_training.rollout import Rollout, RolloutGames
from alquerque_training.run.config_file import parse_config
from torch.utils._python_dispatch import TorchDispatchMode

from alquerque_env import SelfPlayVectorEnv, load_game
from tests.sets import first_by_default
from tests.training.heap_game import HEAP, POISON, HeapEnv, heap_config, heap_learner, solve, value_of

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


# Rollouts on a device.


class CountCopies(TorchDispatchMode):
    """Counts the operations that bring numbers from the host to another device."""

    count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        given = [each for each in args if isinstance(each, torch.Tensor) and each.ndim and each.device.type == "cpu"]
        self.count += bool(given) and isinstance(result, torch.Tensor) and result.device.type != "cpu"
        return result


@first_by_default
@pytest.mark.parametrize("kind", ["mlp", "conv_network:ResidualConv"])
def test_a_rollout_asks_its_device_for_nothing_in_its_steps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors on the device `meta` have no numbers: whatever asks for one, or for the rows of a flag, fails there.

    `Place.count` is the one thing that may ask: at the end of a rollout, and when symmetries are drawn anew.
    """
    monkeypatch.setattr(Place, "count", lambda _place: 0)
    copied = []
    for steps in (2, 5):
        config = parse_config(
            {
                "self_play": {"num_games": 8, "rollout_steps": steps, "max_cycles": 4},
                "ppo": {"symmetries": True, "pool_share": 0.5, "minibatch_size": 8},
                "network": {"kind": kind, "width": 8, "blocks": 1},
            },
            "test",
        )
        game, device = load_game("felli_simplified"), torch.device("meta")
        env: Any = SelfPlayVectorEnv(game, 8, max_cycles=4, backend="torch", device=device)
        env.checks_at_once = False
        games = RolloutGames(config, SymmetricGames(env, game.symmetries, steps), seed=0)
        scale = torch.ones(games.shape.planes)
        network = build_network(config.network, Shape.of(game), scale, torch.Generator()).to(device)
        with CountCopies() as copies:
            games.play(network, torch.Generator().manual_seed(0), network.state_dict())
        copied.append(copies.count)
    assert copied[0] == copied[1]


# Advantages against numbers worked out by hand. A list is one game, in time.


class Game(NamedTuple):
    """What is seen of one game; `values` and `players` have an entry more than the others, for what follows."""

    rewards: list[float]
    values: list[float]
    players: list[int]
    terminated: list[int]
    truncated: list[int] | None = None
    forced: list[int] | None = None


def gains(*games: Game, discount: float = 1.0, gae_lambda: float = 1.0) -> list[list[float]]:
    """The advantages of games that are played side by side."""
    columns = [[[0] * len(game.rewards) if field is None else field for field in game] for game in games]
    rewards, values, players, *flags = (torch.tensor(column).T for column in zip(*columns, strict=True))
    found = compute_advantages(
        rewards.float(),
        values.float(),
        players.to(torch.int8),
        *(flag.bool() for flag in flags),
        discount=discount,
        gae_lambda=gae_lambda,
    )
    return found.T.tolist()


@pytest.mark.parametrize(
    ("game", "settings", "expected"),
    [
        # Player 0 hops, hops again and wins: both hops were good.
        (Game([0, 1], [0, 0, 0], [0, 0, 1], [0, 1]), {}, [1, 1]),
        # Player 0 moves, player 1 answers and wins: the first move was bad.
        (Game([0, 1], [0, 0, 0], [0, 1, 0], [0, 1]), {}, [-1, 1]),
        # 0, then 1 twice, then 0 wins: bad for 1 at both steps, good for 0 at both of its own.
        (Game([0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 1, 1, 0, 1], [0, 0, 0, 1]), {}, [1, -1, -1, 1]),
        # delta_1 = 0 - 0.5 * 0.6 - 0.4 = -0.7; delta_0 = 0 + 0.5 * 0.4 - 0.2 = 0; advantage_0 = 0 + 0.25 * -0.7.
        (
            Game([0, 0], [0.2, 0.4, 0.6], [0, 0, 1], [0, 0]),
            {"discount": 0.5, "gae_lambda": 0.5},
            [-0.175, -0.7],
        ),
        # With a lambda of zero the next value alone is trusted.
        (Game([0, 0], [0.1, 0.5, -0.25], [0, 1, 1], [0, 0]), {"gae_lambda": 0}, [-0.5 - 0.1, -0.25 - 0.5]),
        # The row after a termination is the dead position, then comes the next game: neither counts.
        (Game([1, 0, 0], [0.25, 0.9, 0.7, 0.5], [0, 1, 0, 1], [1, 0, 0]), {}, [0.75]),
        # Player 0 moves, the game is cut with player 1 to move at -0.5; then the reset and another game, lost.
        (Game([0, 0, -1], [0.25, -0.5, 0.9, 0.8], [0, 1, 0, 0], [0, 0, 1], [1, 0, 0]), {}, [0.5 - 0.25]),
        # It is cut in a chain.
        (Game([0, 0], [0.25, 0.5, 0.9], [1, 1, 0], [0, 0], [1, 0]), {}, [0.5 - 0.25]),
        # Player 0 chooses, player 1 must capture and wins.
        (Game([0, 1], [0.25, -0.9, 0], [0, 1, 0], [0, 1], forced=[0, 1]), {"gae_lambda": 0}, [-1.25]),
        # A single step, after which player 1 is to move at 0.25.
        (Game([0], [0.5, 0.25], [0, 1], [0]), {}, [-0.25 - 0.5]),
    ],
    ids=[
        "a chain keeps the sign",
        "a change of player flips the sign",
        "a chain between two changes counts once",
        "values and discounts enter as in the paper",
        "lambda zero",
        "nothing follows a termination",
        "a truncation takes the value of the last position and nothing of the next game",
        "a truncation in a chain keeps the sign",
        "an end without a choice is what the last decision led to",
        "a rollout may have one step",
    ],
)
def test_advantages_are_those_worked_out_by_hand(game: Game, settings: dict[str, float], expected: list[float]) -> None:
    (found,) = gains(game, **settings)

    assert found[: len(expected)] == pytest.approx(expected)


def test_steps_without_a_choice_are_as_if_they_had_not_been_taken() -> None:
    """Player 0 chooses, then 1 and 0 have no choice, then 1 chooses and wins; guesses between do not count."""
    forced = Game([0, 0, 0, 1], [0.2, 0.9, -0.9, 0.4, 0], [0, 1, 0, 1, 0], [0, 0, 0, 1], forced=[0, 1, 1, 0])
    without = Game([0, 1], [0.2, 0.4, 0], [0, 1, 0], [0, 1])

    (through,), (expected,) = gains(forced, gae_lambda=0.5), gains(without, gae_lambda=0.5)

    assert [through[0], through[3]] == pytest.approx(expected)


def test_games_side_by_side_do_not_touch() -> None:
    one = Game([0, 1], [0.1, 0.2, 0.3], [0, 1, 0], [0, 1])
    other = Game([0, 0], [-0.3, 0.5, 0.7], [1, 1, 0], [0, 0])

    assert gains(one, other, discount=0.9, gae_lambda=0.8) == [
        gains(game, discount=0.9, gae_lambda=0.8)[0] for game in (one, other)
    ]


# PPO on a solved game, see `heap_game`: it learns the values, and counts the games.


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


def counted_config(plies: int) -> Config:
    """Iterations of two steps of three heaps: most matches take several of them, and in some none ends."""
    settings = heap_config().as_data()
    settings["self_play"] |= {"num_games": 3, "rollout_steps": 2, "opening_plies": plies}
    settings["ppo"]["minibatch_size"] = 6
    return parse_config(settings, "test")


@first_by_default
@pytest.mark.parametrize(("plies", "max_cycles"), [(0, None), (0, 3), (2, None), (3, 4)])
def test_games_are_counted_when_they_end_with_all_their_steps(plies: int, max_cycles: int | None) -> None:
    """From the first one on that had a choice and was not random."""
    learner = heap_learner(counted_config(plies), HeapEnv(3, max_cycles))
    lengths, told = np.zeros(3, int), set()
    for _ in range(150):
        record, rollout, ended = learner.iterate(), learner.rollout, []
        for step in range(2):
            decided = (rollout.mask[step].sum(-1) > 1) & ~rollout.opening[step]
            lengths += (rollout.live[step] & (decided | torch.from_numpy(lengths > 0))).numpy()
            for game in (rollout.terminated[step] | rollout.truncated[step]).nonzero()[:, 0]:
                ended += [lengths[game]] if lengths[game] else []
                lengths[game] = 0
        assert record["games"] == len(ended)
        assert record.get("game_length") == (round(sum(ended) / len(ended), 2) if ended else None)
        told |= {len(ended), *(f"{length} steps" for length in ended)}
    assert told >= {0, 1, 2, "1 steps", "2 steps", "3 steps"}


def test_an_iteration_of_random_steps_alone_logs_no_losses() -> None:
    learner = heap_learner(counted_config(plies=100), HeapEnv(3))
    learner.games.openings.set_state({"left": np.full(3, 100)})

    record = learner.iterate()

    assert not {"policy_loss", "value_loss", "entropy", "explained_variance"} & record.keys()
    assert all(np.isfinite(value) for value in record.values())
