"""The network for all games: torch, NumPy and dense matrices agree, and images of a position are judged alike."""

import json

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.checkpoint import load_checkpoint, make_meta, save_checkpoint
from alquerque_training.config.settings import Config, ConfigError, NetworkConfig
from alquerque_training.networks.message_passing import FamilyNetwork
from alquerque_training.run.config_file import parse_config

from alquerque_env import games, load_bot, load_game
from alquerque_env.bots.network.family import NumpyFamily
from alquerque_env.bots.network.model_card import CheckpointError
from alquerque_env.bots.network.numpy_bot import load_numpy_bot
from alquerque_env.engine.graph_form import GraphForm
from alquerque_env.game.game import Game
from alquerque_env.search.quiescence import CODES, SearchFeatures
from tests.drawn_matches import matches
from tests.option_values import few_first
from tests.training.networks.random_networks import FAMILY, load_for, opinionated, positions

ROLES = 4
in_every_game = pytest.mark.parametrize("name", few_first([(name,) for name in games()]))


def load(name: str) -> Game:
    return load_for(FAMILY, name, {})


def arrays(network: FamilyNetwork) -> dict[str, np.ndarray]:
    return {name: weight.detach().double().numpy() for name, weight in network.named_parameters()}


def dense(weights: dict[str, np.ndarray], game: Game, shown: np.ndarray) -> tuple[np.ndarray, float]:
    """Logits and value of one observation, by matrices of all points and links."""
    seen = GraphForm(game)(shown)
    codes = SearchFeatures(game)(shown[None])[0]
    points, facts, count = seen["points"], seen["facts"], game.num_actions - (game.actions[-1] is None)
    incidence = [(seen["roles"] == role).astype(float) for role in range(1, ROLES + 1)]
    position = np.concatenate([seen["links"][:, :2], np.array(CODES)[codes[:count]]], 1)
    kinds = seen["links"][:, 2:]

    def apply(name: str, inputs: np.ndarray) -> np.ndarray:
        return inputs @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def relu(numbers: np.ndarray) -> np.ndarray:
        return np.maximum(numbers, 0)

    def links(block: str, nodes: np.ndarray) -> np.ndarray:
        sent = sum(matrix @ nodes @ to for matrix, to in zip(incidence, weights[f"{block}.to_links"], strict=True))
        return relu(sent + apply(f"{block}.kind", kinds) + position @ weights[f"{block}.dyn"])

    def pooled(nodes: np.ndarray) -> np.ndarray:
        return np.concatenate([nodes.mean(0), nodes.max(0)])

    hidden = apply("input", points) + apply("globals", facts)
    for number in range(2):
        block, nodes = f"rounds.{number}", relu(hidden)
        found = links(block, nodes)
        heard = sum(m.T @ found @ back for m, back in zip(incidence, weights[f"{block}.from_links"], strict=True))
        inner = heard * len(points) / count + apply(f"{block}.self", nodes) + apply(f"{block}.pool", pooled(nodes))
        hidden = hidden + apply(f"{block}.second", relu(inner + apply(f"{block}.rules", facts)))
    nodes = relu(hidden)
    logits = apply("policy", links("last", nodes))[:, 0]
    whole = np.concatenate([pooled(nodes), facts])
    stop, value = (apply(f"{head}.second", relu(apply(f"{head}.first", whole)))[0] for head in ("stop", "value"))
    logits = np.append(logits, stop)[: game.num_actions]
    return logits + weights["worth"][codes], float(np.tanh(value))


@in_every_game
def test_torch_and_numpy_compute_what_dense_matrices_do(name: str) -> None:
    game = load(name)
    network, shown = opinionated("family", game), positions(game)[0][::6]

    with torch.inference_mode():
        logits, values = network.double()(shown)
    found = NumpyFamily(game, arrays(network), search_features=0).evaluate(shown.numpy())

    expected = [dense(arrays(network), game, one) for one in shown.numpy()]
    for tell in ((logits.numpy(), values.numpy()), found):
        assert np.allclose(tell[0], [one for one, _ in expected], atol=2e-9)
        assert np.allclose(tell[1], [value for _, value in expected], atol=2e-9)


def test_the_gradient_of_a_position_is_that_of_small_changes() -> None:
    game = load("pretwa")
    network, shown = opinionated("family", game).double(), positions(game)[0][:4]
    wanted = torch.randn(4, game.num_actions, generator=torch.Generator().manual_seed(3), dtype=torch.float64)

    def loss() -> torch.Tensor:
        logits, values = network(shown)
        return (logits * wanted).sum() + values.sum()

    loss().backward()
    for name in ("input.weight", "rounds.0.to_links", "rounds.1.from_links", "last.dyn", "worth"):
        weight = dict(network.named_parameters())[name]
        place = int(weight.grad.abs().flatten().argmax())
        with torch.no_grad():
            ends = []
            for step in (1e-4, -2e-4):
                weight.view(-1)[place] += step
                ends.append(loss().item())
        assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(weight.grad.view(-1)[place].item(), rel=1e-3), name


@pytest.mark.parametrize("name", ["bagh_chal", "seega_5x5", "felli"])
def test_images_of_a_position_are_judged_alike(name: str) -> None:
    """No point and no link is a special one to the network, where the pieces of the start stand alike."""
    game = load(name)
    network = NumpyFamily(game, arrays(opinionated("family", game)), search_features=0)
    shown = positions(game)[0].numpy()
    logits, values = network.evaluate(shown)

    assert len(game.symmetries) > 1
    for symmetry in game.symmetries:
        planes, points = np.argsort(symmetry.planes), np.argsort(symmetry.points)
        others = network.evaluate(shown[:, planes][:, :, points])
        assert np.allclose(others[0][:, symmetry.actions], logits, atol=1e-9)
        assert np.allclose(others[1], values, atol=1e-9)


def test_a_player_that_sees_no_clock_decides_alike_whatever_it_says() -> None:
    game = load("fetaix")
    network = NumpyFamily(game, arrays(opinionated("family", game)), search_features=0, sees_clock=False)
    shown = positions(game)[0].numpy()
    later = shown.copy()
    later[:, [plane.name for plane in game.planes].index("clock")] += 9

    for one, other in zip(network.evaluate(shown), network.evaluate(later), strict=True):
        assert np.array_equal(one, other)


# Checkpoints.


@pytest.fixture
def saved(tmp_path):
    """A network that was trained in one game."""
    game, config = load("felli_simplified"), Config(network=NetworkConfig(kind="family", width=8, blocks=1))
    network = FamilyNetwork(config.network, *shape_and_scale(game), torch.Generator().manual_seed(1))
    save_checkpoint(tmp_path / "one", make_meta(game, network, config, steps=0, wall_time=0, strength=[]), network)
    return tmp_path / "one"


def shape_and_scale(game: Game):
    from alquerque_training.networks import Shape

    from alquerque_env.game.planes import plane_scale

    return Shape.of(game), torch.from_numpy(plane_scale(game))


@pytest.mark.parametrize("name", ["alquerque", "catch_the_hare", "fanorona", "own"])
def test_one_checkpoint_plays_every_game(saved, tmp_path, name: str) -> None:
    """With NumPy as with torch, alone and with a search."""
    own = tmp_path / "own.toml"
    own.write_text(load_game("felli").to_toml())
    game = load_game(str(own) if name == "own" else name)
    card = json.loads((saved / "meta.json").read_text())

    assert not {"game", "game_version", "options", "table_hash", "shape"} & card.keys()
    for simulations in (0, 3):
        bot, other = load_bot(f"{saved}:{simulations}", game), load_numpy_bot(saved, game, simulations)
        for match in matches(game, 6):
            assert bot.choose(match) == other.choose(match)


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("family", {"game": "fetaix"}, "game is there, but a network of kind 'family' belongs to no game"),
        ("mlp", {}, "game is missing: only a network of kind 'family' belongs to no game"),
    ],
)
def test_a_card_with_a_game_too_many_or_too_few_is_refused(saved, kind, change, said) -> None:
    card = json.loads((saved / "meta.json").read_text())
    card["network"]["kind"] = kind
    (saved / "meta.json").write_text(json.dumps(card | change))

    with pytest.raises(CheckpointError, match=said):
        load_checkpoint(saved, load("fetaix"))


def test_canonical_images_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"network\.canonical is true, expected false with network.kind = 'family'"):
        parse_config({"network": {"kind": "family", "canonical": True}}, "test")
