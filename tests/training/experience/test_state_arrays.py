"""Experience on the wire: it arrives as it was, and is small."""

import numpy as np
import pytest
from alquerque_training.alphazero import SelfPlayActor
from alquerque_training.config.settings import Config
from alquerque_training.experience.state_arrays import group, pack, unpack, weight_arrays
from alquerque_training.ppo import RolloutActor
from alquerque_training.run.config_file import parse_config
from alquerque_training.run.learner import make_learner

from alquerque_env import load_game
from tests.option_values import few_games
from tests.sets import first_by_default

MOST_BYTES = 125
"""What a row may take on the wire, with most moves to choose from on the boards of 33 and more points."""


def config(game: str, algorithm: str) -> Config:
    sections = {
        "run": {"game": game, "algorithm": algorithm, "total_steps": 100_000},
        "self_play": {"num_games": 64, "rollout_steps": 64},
        "network": {"width": 16, "blocks": 0},
    }
    sections |= {"ppo": {"minibatch_size": 64}} if algorithm == "ppo" else {"alphazero": {"warmup_positions": 1024}}
    return parse_config(sections, "test")


@first_by_default
@pytest.mark.parametrize("algorithm", ["ppo", "alphazero"])
@pytest.mark.parametrize("game", few_games())
def test_a_row_of_real_experience_takes_few_bytes_and_arrives_as_it_was(game: str, algorithm: str) -> None:
    settings = config(game, algorithm)
    make = {"ppo": RolloutActor, "alphazero": SelfPlayActor}[algorithm]
    network = make_learner(settings, load_game(game)).network
    order = {f"weights.{name}": array for name, array in weight_arrays(network.state_dict()).items()}
    order["simulations"] = np.array(8)
    actor = make(settings, 0)
    rows = 0
    while rows < 1000:
        experience = actor.play(order)
        rows = len(experience["rows.outcome"]) if algorithm == "alphazero" else experience["actions"].size

    packed = pack(experience)

    assert len(packed) / rows < MOST_BYTES
    arrived = unpack(packed)
    assert arrived.keys() == experience.keys()
    for name, array in experience.items():
        assert arrived[name].dtype == array.dtype
        np.testing.assert_array_equal(arrived[name], array)


@pytest.mark.parametrize(
    "array",
    [
        np.array(7),
        np.zeros((0, 3), np.int8),
        np.arange(12, dtype=np.uint64).reshape(3, 4).T,
        np.array([np.nan, -0.0], np.float32),
        np.array([True, False]),
    ],
)
def test_arrays_of_any_shape_and_order_arrive_as_they_were(array: np.ndarray) -> None:
    arrived = unpack(pack({"a.b": array}))["a.b"]

    assert (arrived.dtype, arrived.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(arrived, array)
    assert arrived.flags.writeable


def test_no_arrays_are_none() -> None:
    assert unpack(pack({})) == {}
    assert group(unpack(pack({"0.x": np.zeros(1)})), "1.") == {}
