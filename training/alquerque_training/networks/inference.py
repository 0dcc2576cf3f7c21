"""Inference: policies and values of many positions at once, on the device of a run."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from alquerque_env.game.array_check import check_array
from alquerque_env.game.game import Game
from alquerque_env.game.planes import plane_scale
from alquerque_training.config.settings import MLP, Config, ConfigError, NetworkConfig
from alquerque_training.networks import PolicyValueNetwork, Shape, build_network

# From this width on bfloat16 is faster than float32 for an mlp, measured by `benchmarks/search_speed.py`.
_WIDE = 192


class Inference:
    """Evaluates positions for a search, as `alquerque_env.search.Evaluate`.

    The network is converted to `float32` or `bfloat16` and moved to the device in place.
    """

    def __init__(self, network: PolicyValueNetwork, device: torch.device, precision: torch.dtype) -> None:
        self._network = network.to(device, precision).eval()
        self._device = device
        # Padding helps where a kernel is compiled for each batch size; single precision has one for all sizes.
        self._rounds_up = precision != torch.float32 or any(isinstance(part, nn.Conv2d) for part in network.modules())
        self._room = torch.zeros(0, network.shape.planes, network.shape.points, dtype=torch.int8)

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights."""
        self._network.load_state_dict(dict(weights))

    @torch.inference_mode()
    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluates int8 `[R, C, P]` planes: float32 `[R, A]` logits and `[R]` values for the player to move."""
        shape = self._network.shape
        asked = torch.from_numpy(check_array("planes", planes, "int8", ("R", shape.planes, shape.points)))
        count = len(asked)
        if self._rounds_up:
            rows = _round_up(count)
            if len(self._room) < rows:
                self._room = self._room.new_zeros(rows, *self._room.shape[1:])
            self._room[:count] = asked
            asked = self._room[:rows]
        logits, values = self._network(asked.to(self._device))
        return logits[:count].float().cpu().numpy(), values[:count].float().cpu().numpy()


def _round_up(count: int) -> int:
    """Rounds up to one of eight sizes between one power of two and the next.

    oneDNN compiles a kernel for each batch size, in 4 to 12 ms, and the number of leaves of a search varies.
    """
    step = 1 << max(0, count.bit_length() - 4)
    return -(-count // step) * step


def choose_device(wanted: str) -> torch.device:
    """The device of a run: `cpu`, `cuda`, or `auto`."""
    return torch.device("cuda" if wanted == "auto" and torch.cuda.is_available() else wanted.replace("auto", "cpu"))


def checked_device(setting: str, wanted: str) -> torch.device:
    """As `choose_device`; `ConfigError` if torch cannot use the device that a setting wants."""
    device = choose_device(wanted)
    if device.type == "cpu":
        return device
    try:
        torch.zeros(1, device=device)
    except (AssertionError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        expected = "'cpu', or 'auto' for a GPU if there is one" if wanted == "cuda" else "'cpu'"
        raise ConfigError(
            f"{setting} is {wanted!r}, but torch cannot use a GPU here ({reason}): expected {expected}"
        ) from None
    return device


def choose_precision(wanted: str, device: torch.device, network: NetworkConfig | None = None) -> torch.dtype:
    """The precision of a run: `float32`, `bfloat16`, or for `auto` the faster one.

    If a network is given, `auto` is `float32` for networks too narrow to gain from `bfloat16`.
    """
    if wanted == "auto":
        narrow = network is not None and network.kind == MLP and network.width < _WIDE
        fast = device.type == "cuda" or (torch.cpu._is_avx512_bf16_supported() and not narrow)
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if wanted == "bfloat16" else torch.float32


def make_network(config: Config, game: Game, generator: torch.Generator) -> PolicyValueNetwork:
    """A network with random weights for a game."""
    return build_network(config.network, Shape.of(game), torch.from_numpy(plane_scale(game)), generator)
