"""The networks behind their interface: what they take and give, what they cannot see, and that they learn."""

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.checkpoint import load_checkpoint, make_meta, save_checkpoint
from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot
from alquerque_training.config.settings import Config, NetworkConfig
from alquerque_training.networks import NetworkError, PolicyValueNetwork, Shape, build_network
from alquerque_training.networks.inference import Inference
from alquerque_training.ppo import PPOLearner
from alquerque_training.run.config_file import parse_config

from alquerque_env import Match, games
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.search import PUCT, BatchSearch, Rule
from alquerque_env.search.quiescence import EVEN, SearchFeatures
from tests.array_forms import LAYOUTS, with_wrong_types
from tests.drawn_matches import matches
from tests.option_values import few_first
from tests.sets import first_by_default
from tests.training.networks.random_networks import (
    CONV,
    FAMILY,
    FEATURES,
    KINDS,
    load,
    load_for,
    network,
    opinionated,
    positions,
    settings,
)

CULIN = ("awithlaknannai_mosona", {"board": "culin"})
GAMES = [*((name, {}) for name in games()), CULIN, ("alquerque", {"undo_scope": "never_revisit"})]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]
of_every_kind = pytest.mark.parametrize("kind", KINDS)
in_every_game = pytest.mark.parametrize(
    ("name", "options"), few_first(GAMES), ids=[f"{name}-{len(rest)}" for name, rest in GAMES]
)


def used_in(made: PolicyValueNetwork, game: Game) -> set[str]:
    """The parameters that matter in a game: a network for all games has a head for the pass in games without one."""
    has_pass = game.actions[-1] is None
    return {name for name, _ in made.named_parameters() if has_pass or not name.startswith("stop.")}


# What they take and give.


@first_by_default
@of_every_kind
@in_every_game
def test_a_new_network_has_nearly_uniform_policies_and_small_values(kind, name, options) -> None:
    """But for what is told that steps gain: two for each piece."""
    game = load_for(kind, name, options)
    shown, mask = positions(game)

    logits, values = network(kind, game)(shown)

    assert logits.shape == (len(shown), game.num_actions)
    assert values.shape == (len(shown),)
    assert logits.dtype == values.dtype == torch.float32
    assert logits.is_contiguous()  # a transposed view would be copied at every evaluation of a search
    if kind in (FEATURES, FAMILY):
        codes = torch.from_numpy(SearchFeatures(game)(shown.numpy()))
        assert codes[mask].unique().numel() >= 2
        logits = logits - 2 * (codes - EVEN) * mask
    assert (logits.amax(1) - logits.amin(1)).max() < 0.3
    assert values.abs().max() < 0.3


@first_by_default
@of_every_kind
@in_every_game
def test_every_parameter_is_learned(kind, name, options) -> None:
    game = load_for(kind, name, options)
    shown, _ = positions(game)
    made, generator = opinionated(kind, game), torch.Generator().manual_seed(0)

    logits, values = made(shown)
    wanted = torch.randn(logits.shape, generator=generator), torch.randn(values.shape, generator=generator)
    ((logits * wanted[0]).sum() + (values * wanted[1]).sum()).backward()

    learned = {name for name, weight in made.named_parameters() if weight.grad is not None and weight.grad.any()}
    assert learned == used_in(made, game)


@first_by_default
@of_every_kind
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-5), (torch.bfloat16, 0.06)])
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
def test_another_number_type_gives_the_same_answers_in_that_type(kind, device, dtype, tolerance, name) -> None:
    game = load(name)
    made, shown = opinionated(kind, game), positions(game)[0]
    with torch.inference_mode():
        logits, values = made(shown)
        other_logits, other_values = made.to(device, dtype)(shown.to(device))

    assert other_logits.dtype == other_values.dtype == dtype
    assert (other_logits.cpu() - logits).abs().max() < tolerance * logits.std() * 5
    assert (other_values.cpu() - values).abs().max() < tolerance
    assert logits.std() > 0.1
    assert values.std() > 0.003


@of_every_kind
def test_a_position_is_answered_alike_in_any_batch(kind) -> None:
    game = load("fetaix")
    made, shown = opinionated(kind, game), positions(game)[0]

    logits, values = made(shown)

    for row in (0, 7):
        alone = made(shown[row : row + 1])
        assert torch.allclose(alone[0][0], logits[row], atol=1e-5)
        assert torch.allclose(alone[1][0], values[row], atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        (CONV, "a convolution"),
        (FEATURES, "network.search_features"),
    ],
)
def test_a_network_of_the_board_is_refused_without_one(kind, setting) -> None:
    shape = Shape(planes=2, points=3, actions=4)

    with pytest.raises(NetworkError, match=f"{setting} needs a game"):
        build_network(NetworkConfig(**settings(kind)), shape, torch.ones(2), torch.Generator())


# What they cannot see.


@pytest.mark.parametrize(("name", "options"), [("alquerque", {}), ("pretwa", {"repetition": "threefold_draw"})])
def test_canonical_images_are_refused_where_a_position_is_more_than_its_pieces(name: str, options) -> None:
    with pytest.raises(AlquerqueError, match=f"pieces alone.* {name} is another") as refused:
        network("mlp", load(name, *options.items()), canonical=True)
    assert "\n" not in str(refused.value)


# Use.


@of_every_kind
@pytest.mark.parametrize("name", ["fetaix", "alquerque"])  # with and without a pass
def test_a_search_plays_by_the_logits_of_its_own_position(kind, name) -> None:
    game = load(name)
    made, begun, match = opinionated(kind, game), [], Match(game)
    while len(begun) < 8:
        match.push(match.legal_steps[len(begun) % len(match.legal_steps)])
        begun += [match.copy()] if len(match.legal_steps) > 1 else []
    shown = torch.from_numpy(np.stack([match.observation() for match in begun]))
    states = np.array([match.state for match in begun], np.int64)

    search = BatchSearch(game, len(begun), 0, Rule(kind=PUCT))
    found = search.run(states, np.zeros((8, 1), np.int64), Inference(made, torch.device("cpu"), torch.float32), 0)

    with torch.inference_mode():
        logits = made(shown)[0]
    for row, match in enumerate(begun):
        legal = [step.action for step in match.legal_steps]
        assert found.actions[row] == legal[int(logits[row, legal].argmax())]


@first_by_default
@of_every_kind
@in_every_game
def test_a_checkpoint_of_every_kind_is_read_and_plays(tmp_path, kind, name, options) -> None:
    game = load_for(kind, name, options)
    path, made = tmp_path / "one", opinionated(kind, game)
    config = Config(network=NetworkConfig(**settings(kind), width=16, blocks=2))
    save_checkpoint(path, make_meta(game, made, config, steps=0, wall_time=0, strength=[]), made)
    loaded, shown = load_checkpoint(path, game), positions(game)[0]

    for one, other in zip(made(shown), loaded.network(shown), strict=True):
        assert torch.equal(one, other)
    bot = load_checkpoint_bot(path, game)
    for match in matches(game, 8):
        policy, value = bot.evaluate(match)
        logits, values = made(torch.from_numpy(match.observation())[None])
        expected = torch.softmax(logits[0, [step.action for step in match.legal_steps]], -1)
        assert list(policy) == [step.text for step in match.legal_steps]
        assert list(policy.values()) == pytest.approx(expected.tolist(), abs=1e-5)
        assert value == pytest.approx(values.item(), abs=1e-5)
        chosen = match.legal_steps.index(bot.choose(match))
        assert expected[chosen].item() == pytest.approx(expected.max().item(), abs=1e-6)  # images may be equal


def test_the_constants_of_the_board_are_not_saved() -> None:
    for kind in KINDS:
        made = network(kind, load("fetaix"))
        scale = set() if kind == FAMILY else {"plane_scale"}
        assert set(made.state_dict()) == scale | {name for name, _ in made.named_parameters()}


@of_every_kind
def test_every_kind_can_be_trained(kind) -> None:
    game = load("awithlaknannai_mosona")
    sizes = {"self_play": {"num_games": 8, "rollout_steps": 8}, "ppo": {"minibatch_size": 32}}
    config = parse_config({**sizes, "network": {**settings(kind), "width": 8, "blocks": 1}}, "test")
    learner = PPOLearner(config, game)
    before = {name: weight.clone() for name, weight in learner.network.named_parameters()}

    record = learner.iterate()

    assert all(np.isfinite(number) for number in record.values())
    changed = {name for name, weight in learner.network.named_parameters() if not torch.equal(weight, before[name])}
    assert changed == used_in(learner.network, game)


def inference(kind: str) -> tuple[Inference, np.ndarray]:
    """The evaluation for a search, and what it takes."""
    game = load("fetaix")
    return Inference(network(kind, game), torch.device("cpu"), torch.float32), positions(game)[0][:5].numpy()


@pytest.mark.parametrize("form", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("kind", ["mlp", CONV])  # this one is given more rows, to round their number up
def test_a_search_gets_the_same_of_observations_in_any_layout(kind, form) -> None:
    evaluate, shown = inference(kind)

    for expected, found in zip(evaluate(shown), evaluate(form(shown)), strict=True):
        assert np.array_equal(expected, found)


@pytest.mark.parametrize("kind", ["mlp", CONV])
def test_a_search_is_refused_other_observations(kind) -> None:
    evaluate, shown = inference(kind)

    for wrong in [*with_wrong_types(shown), shown[0], shown[:, 1:], shown[..., 1:], shown > 0]:
        with pytest.raises(AlquerqueError, match=r"^planes are .*, expected int8 \[R, 6, 25\]$"):
            evaluate(wrong)
