"""Weights of a byte each come back to the bit, and nothing else is packed."""

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.int8_weights import pack_weights, quantise
from hypothesis import given, settings, strategies as st
from safetensors.numpy import load, save

from alquerque_env.bots.network.numpy_bot import unpack_weights


@settings(deadline=None)
@given(st.integers(-120, 100), st.lists(st.integers(-127, 127), min_size=6, max_size=6))
def test_multiples_of_a_power_of_two_come_back_to_the_bit(exponent: int, multiples: list[int]) -> None:
    weight = (np.array(multiples, np.float32) * np.float32(2.0**exponent)).reshape(2, 3)
    packed = load(save(pack_weights({"layer.weight": torch.from_numpy(weight)})))
    back = unpack_weights(packed)

    assert back.keys() == {"layer.weight"}
    assert np.array_equal(back["layer.weight"], weight)
    if np.abs(multiples).max() > 63:
        assert packed["layer.weight"].dtype == np.int8


@pytest.mark.parametrize(
    "weight",
    [
        np.array([[0.1, 0.7, 1.0]], np.float32),
        np.array([[128.0, 1.0]], np.float32),
        np.array([1.0, 2.0], np.float32),
        np.zeros((2, 2), np.float32),
        np.array([[np.nan, 1.0]], np.float32),
        np.array([[np.inf, 1.0]], np.float32),
        np.zeros((0, 3), np.float32),
    ],
)
def test_other_weights_stay_as_they_are(weight: np.ndarray) -> None:
    packed = pack_weights({"layer.weight": torch.from_numpy(weight)})

    assert packed.keys() == {"layer.weight"}
    assert packed["layer.weight"].tobytes() == weight.tobytes()


def test_a_matrix_of_bytes_without_a_unit_is_passed_on() -> None:
    tensors = {"a": np.ones((2, 2), np.int8), "b": np.ones((2, 2), np.int8), "b.unit": np.ones(2, np.float32)}

    assert unpack_weights(tensors) == tensors


def test_every_weight_of_a_quantised_network_is_packed() -> None:
    torch.manual_seed(0)
    network = torch.nn.Linear(40, 30)
    quantise(network, 8)
    weights = network.state_dict()
    packed = pack_weights(weights)

    assert {name: str(tensor.dtype) for name, tensor in packed.items()} == {
        "weight": "int8",
        "weight.unit": "float32",
        "bias": "float32",
    }
    assert all(np.array_equal(back, weights[name].numpy()) for name, back in unpack_weights(packed).items())
