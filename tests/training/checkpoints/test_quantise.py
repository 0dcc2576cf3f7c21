"""Weights on a coarse grid."""

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.checkpoint import quantise
from alquerque_training.config.settings import Config, NetworkConfig
from alquerque_training.export.packing import grid_exponent
from alquerque_training.networks import PolicyValueNetwork
from alquerque_training.networks.inference import make_network

from alquerque_env import load_game
from tests.sets import first_by_default


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


def test_the_exporter_finds_the_grid() -> None:
    network = some_network()
    quantise(network, 8)
    for name, tensor in weights(network).items():
        if tensor.ndim > 1:
            assert np.abs(tensor).max() / 2.0 ** grid_exponent(tensor.flatten().tolist()) <= 127, name


def test_a_power_of_two_and_nothing_at_all_stay_as_they_are() -> None:
    layer = torch.nn.Linear(2, 2)
    for numbers in ([[0.5, -0.25], [0.0, 0.125]], [[0.0, 0.0], [0.0, 0.0]]):
        layer.weight.data = torch.tensor(numbers)
        quantise(layer, 8)
        assert layer.weight.tolist() == numbers


@pytest.mark.parametrize("bits", [1, 17, 8.0, "8", True])
def test_impossible_bits_are_refused(bits: object) -> None:
    with pytest.raises(ValueError, match="expected a whole number from 2 to 16"):
        quantise(torch.nn.Linear(2, 2), bits)
