"""Checkpoints: the round trip, every way to be broken, and a process killed while it writes one."""

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.checkpoint import (
    META,
    TRAINING,
    WEIGHTS,
    CheckpointError,
    load_checkpoint,
    make_meta,
    save_checkpoint,
)
from alquerque_training.checkpoints.int8_weights import quantise
from alquerque_training.config.settings import Config, NetworkConfig
from alquerque_training.networks import PolicyValueNetwork
from alquerque_training.networks.inference import make_network
from alquerque_training.run.config_file import parse_config

from alquerque_env import load_game
from alquerque_env.bots import load_bot
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.planes import planes
from tests.sets import first_by_default

STRENGTH = [{"opponent": "random", "games": 2, "low": 0.1, "high": 0.9}]
CONFIG = parse_config({"network": {"width": 8, "blocks": 1}, "run": {"seed": 7}}, "test")


def network_of(game: Game) -> PolicyValueNetwork:
    return make_network(CONFIG, game, torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("alquerque")


@pytest.fixture
def saved(tmp_path: Path, game: Game) -> Path:
    path = tmp_path / "one"
    network = network_of(game)
    meta = make_meta(game, network, CONFIG, steps=1000, wall_time=1.5, strength=STRENGTH)
    save_checkpoint(path, meta, network, {"clock": np.array(3), "games": np.arange(6).reshape(2, 3)})
    return path


def rewrite(path: Path, change: Callable[[dict], object]) -> None:
    data = json.loads((path / META).read_text())
    change(data)
    (path / META).write_text(json.dumps(data))


def refusal(path: Path, game: Game) -> str:
    with pytest.raises(CheckpointError) as error:
        load_checkpoint(path, game)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return str(error.value)


def test_a_checkpoint_is_read_as_it_was_written(saved: Path, game: Game) -> None:
    loaded = load_checkpoint(saved, game)
    original = network_of(game)

    shown = torch.randint(0, 2, (5, len(planes(game)), 25), generator=torch.Generator().manual_seed(0))
    for one, other in zip(original(shown), loaded.network(shown), strict=True):
        assert torch.equal(one, other)
    assert loaded.training["clock"].shape == ()
    assert loaded.training["games"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert parse_config(loaded.meta.config, "the card") == CONFIG
    assert list(loaded.meta.strength) == STRENGTH


def test_meta_json_says_what_the_contract_asks_for(saved: Path, game: Game) -> None:
    data = json.loads((saved / META).read_text())

    assert data["format"] == 1
    assert (data["game"], data["game_version"], data["options"]) == ("alquerque", game.version, dict(game.options))
    assert data["table_hash"] == game.table_hash
    assert data["network"] == {"kind": "mlp", "width": 8, "blocks": 1, "search_features": "off", "weight_bits": None}
    assert data["shape"] == {"planes": len(planes(game)), "points": 25, "actions": game.num_actions}
    assert (data["seed"], data["steps"], data["wall_time"]) == (7, 1000, 1.5)
    assert data["strength"] == STRENGTH
    assert data["hardware"]
    assert data["licence"]
    assert sorted(path.name for path in saved.iterdir()) == sorted([META, TRAINING, WEIGHTS])


@pytest.mark.parametrize("folder", ["", "checkpoints", "checkpoints/final:64"])
def test_a_checkpoint_near_a_path_is_named(saved: Path, game: Game, tmp_path: Path, folder: str) -> None:
    run = tmp_path / "runs" / "mine-1"
    for name in ("final", "step-000000000064"):
        shutil.copytree(saved, run / "checkpoints" / name)
    message = refusal(run / folder, game)
    assert message.endswith(f"; did you mean {str(run / 'checkpoints' / 'final')!r}?")
    if ":" not in folder:
        with pytest.raises(AlquerqueError, match=r"has no meta\.json; did you mean '.*final'\?$"):
            load_bot(str(run / folder), game)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(format=2), "has format 2, expected 1"),
        (lambda data: data.pop("steps"), "meta.json: steps is missing, expected an integer"),
        (lambda data: data.update(steps="many"), "meta.json: steps is 'many', expected an integer"),
        (
            lambda data: data["network"].update(kind="cnn"),
            "network.kind is 'cnn', expected 'mlp', 'family' or module:name",
        ),
        (
            lambda data: data["shape"].update(planes=10**9),
            "shape.planes is 1000000000, expected an integer from 1 to",
        ),
        (lambda data: data.update(stepps=3), "meta.json: unknown key 'stepps'; did you mean 'steps'? (known: format, "),
        (
            lambda data: data["network"].update(kind="elsewhere:Conv"),
            "has a network of kind 'elsewhere:Conv', which is no part of the package: import elsewhere in",
        ),
        (lambda data: data["shape"].update(rows=5), "meta.json: shape has an unknown key 'rows' (known: planes, "),
        (lambda data: data["sha256"].update({"../x": "0"}), "sha256 names"),
        (lambda data: data["sha256"].pop(WEIGHTS), "sha256 names"),
        (lambda data: data["network"].update(width=9), "has shape"),
        (lambda data: data["network"].update(blocks=2), "blocks.1.first.bias has shape None, expected (8,)"),
    ],
)
def test_meta_that_cannot_be_right_is_refused(
    saved: Path, game: Game, change: Callable[[dict], object], message: str
) -> None:
    rewrite(saved, change)

    assert message in refusal(saved, game)


def test_files_that_are_missing_or_something_else_are_refused(saved: Path, game: Game) -> None:
    for name in (WEIGHTS, TRAINING):
        data = (saved / name).read_bytes()
        (saved / name).write_bytes(data[: len(data) // 2])
        assert f"{name} is damaged: its SHA-256 is" in refusal(saved, game)
        (saved / name).write_bytes(data)
    torch.save({"policy": torch.ones(2)}, saved / WEIGHTS)  # a pickle
    data = (saved / WEIGHTS).read_bytes()
    rewrite(saved, lambda meta: meta["sha256"].update({WEIGHTS: sha256(data).hexdigest()}))
    assert "not a safetensors file" in refusal(saved, game)
    (saved / WEIGHTS).unlink()
    assert "weights.safetensors: No such file" in refusal(saved, game)
    for text in ("", "{", "[]", "null", "\x00", "[" * 100_000):
        (saved / META).write_text(text)
        assert "meta.json" in refusal(saved, game)
    (saved / META).unlink()
    assert "is not a checkpoint: meta.json: No such file" in refusal(saved, game)
    assert "no checkpoint" in refusal(saved / "none", game)


def test_weights_that_are_not_numbers_are_refused(saved: Path, game: Game) -> None:
    network = network_of(game)
    network.policy.bias.data[3] = float("nan")
    meta = make_meta(game, network, CONFIG, steps=0, wall_time=0, strength=[])
    save_checkpoint(saved.parent / "two", meta, network)

    assert "policy.bias is not finite" in refusal(saved.parent / "two", game)


# Weights on a coarse grid.


def some_network(**settings: object) -> PolicyValueNetwork:
    config = Config(network=NetworkConfig(**{"width": 16, "blocks": 1, **settings}))
    network = make_network(config, load_game("alquerque"), torch.Generator().manual_seed(3))
    for parameter in network.parameters():
        parameter.data += 0.05
    return network


def weights(network: PolicyValueNetwork) -> dict[str, np.ndarray]:
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


@first_by_default
@pytest.mark.parametrize("settings", [{}, {"search_features": 0}], ids=str)
@pytest.mark.parametrize("bits", [2, 3, 8, 16])
def test_weights_become_the_nearest_multiples_and_the_rest_stays(settings: dict, bits: int) -> None:
    network = some_network(**settings)
    before = weights(network)
    quantise(network, bits)
    parameters = {name for name, parameter in network.named_parameters() if parameter.dim() > 1}
    for name, after in weights(network).items():
        if name not in parameters:
            assert np.array_equal(after, before[name])
            continue
        # The grid is known from the outside only by how far the largest weight may be from 0.
        largest = float(np.abs(before[name]).max())
        unit = 2.0 ** np.ceil(np.log2(largest / (2 ** (bits - 1) - 1)))
        whole = after / unit
        assert np.array_equal(whole, np.round(whole))
        assert np.abs(whole).max() <= 2 ** (bits - 1) - 1
        assert np.abs(after - before[name]).max() <= unit / 2


def test_a_power_of_two_and_nothing_at_all_stay_as_they_are() -> None:
    layer = torch.nn.Linear(2, 2)
    for numbers in ([[0.5, -0.25], [0.0, 0.125]], [[0.0, 0.0], [0.0, 0.0]]):
        layer.weight.data = torch.tensor(numbers)
        quantise(layer, 8)
        assert layer.weight.tolist() == numbers
