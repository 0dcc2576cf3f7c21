"""The layers of the network for all games, as an exported player carries them."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

AS_WEIGHTS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "to_links": lambda tensor: tensor.mT.flatten(0, 1),
    "from_links": lambda tensor: tensor.flatten(0, 1).T,
    "dyn": lambda tensor: tensor.T,
}
"""What makes other tensors weights, `[outputs, inputs]`, of a layer without a bias."""


def family_layers(weights: Mapping[str, Tensor]) -> tuple[list[tuple[str, int, int]], dict[str, Tensor]]:
    """The name, inputs and outputs of each layer; and their weights and biases in this order, then `worth`."""
    layers, tensors = [], {}
    for name, tensor in weights.items():
        layer, _, part = name.rpartition(".")
        if part in AS_WEIGHTS:
            layer, tensor = name, AS_WEIGHTS[part](tensor)
        elif part != "weight":
            continue
        layers.append((layer, tensor.shape[1], len(tensor)))
        tensors[name], tensors[f"{layer}.bias"] = tensor, weights.get(f"{layer}.bias", torch.zeros(len(tensor)))
    return layers, tensors | {name: tensor for name, tensor in weights.items() if name == "worth"}
