"""Networks asked for policies and values of many positions at once."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from training.networks import PolicyValueNetwork


class Inference:
    """A network's copy that a search asks: as `alquerque_env.search.Evaluate`.

    Args:
      network: Is converted and moved, so that it should be a copy.
      device: Where it runs.
      precision: `float32` or `bfloat16`.
    """

    def __init__(self, network: PolicyValueNetwork, device: torch.device, precision: torch.dtype) -> None:
        self._network = network.to(device, precision).eval()
        self._device = device

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Takes over weights."""
        self._network.load_state_dict(dict(weights))

    @torch.inference_mode()
    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluates int8 `[R, C, P]` planes.

        Returns:
          float32 `[R, A]` logits and float32 `[R]` values for the player to move.
        """
        logits, values = self._network(torch.from_numpy(planes).to(self._device))
        return logits.float().cpu().numpy(), values.float().cpu().numpy()


def choose_device(wanted: str) -> torch.device:
    """The device of a run: `cpu`, `cuda`, or `auto`."""
    return torch.device("cuda" if wanted == "auto" and torch.cuda.is_available() else wanted.replace("auto", "cpu"))


def choose_precision(wanted: str, device: torch.device) -> torch.dtype:
    """The precision of self-play: bfloat16 where it is fast, if it is left open."""
    if wanted == "auto":
        fast = device.type == "cuda" or torch.cpu._is_avx512_bf16_supported()
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if wanted == "bfloat16" else torch.float32
