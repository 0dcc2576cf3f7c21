"""The bot of a checkpoint, evaluated with NumPy in double precision, for installs without torch."""

from collections.abc import Mapping
from itertools import count, takewhile
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from ...errors import one_line, shorten
from ...game.canonical import CanonicalImages
from ...game.game import Game
from ...game.planes import clock_planes
from ...search import SearchFeatures
from ...search.quiescence import CODES
from ..shipped import FAMILY, META, WEIGHTS
from .family import NumpyFamily, check_tensors, relu
from .model_card import CheckpointError, check_game, read_card, read_checked
from .network_bot import Evaluator, NetworkBot, check_simulations, make_name

UNIT = ".unit"
"""Ends the name of the tensor with the unit of another one."""


def unpack_weights(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of tensors that were kept.

    A matrix may be kept as int8 multiples of a unit, which is in `NAME.unit`. Other tensors are passed on as they are.
    """
    weights = dict(tensors)
    for name, tensor in tensors.items():
        unit = tensors.get(f"{name}{UNIT}")
        if tensor.dtype == np.int8 and unit is not None and unit.dtype == np.float32 and unit.shape == ():
            weights[name] = tensor.astype(np.float32) * unit
            del weights[f"{name}{UNIT}"]
    return weights


_FEATURES = np.array(CODES).T.copy()

KINDS = ("mlp", FAMILY)


def needs_torch(path: Path) -> bool:
    """Whether NumPy cannot evaluate the network of a checkpoint."""
    try:
        return read_card(path).network.kind not in KINDS
    except CheckpointError:
        return False  # torch would not help; `load_numpy_bot` says what is wrong


def load_numpy_bot(
    path: Path, game: Game, simulations: int | None = 0, seed: int | None = None, *, name: str | None = None
) -> NetworkBot:
    """Loads a checkpoint as `load_checkpoint_bot` does with torch; the bot chooses the same steps."""
    simulations = check_simulations(simulations)
    path = Path(path)
    card = read_card(path)
    check_game(path, card, game)
    if card.network.kind not in KINDS:
        raise CheckpointError(
            f"checkpoint {str(path)!r} has a network of kind {card.network.kind!r}, which needs torch"
        )
    data = read_checked(path, WEIGHTS, card.sha256[WEIGHTS])
    try:
        own = card.network
        weights, depth = read_weights(data), own.feature_depth
        network: NumpyFamily | NumpyMlp = (
            NumpyFamily(game, weights, search_features=depth, sees_clock=own.sees_clock)
            if own.kind == FAMILY
            else NumpyMlp(game, weights, search_features=depth, sees_clock=own.sees_clock, canonical=own.canonical)
        )
    except ValueError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {WEIGHTS}: {error}") from None
    if network.size != (asked := (card.network.width, card.network.blocks)):
        raise CheckpointError(
            f"checkpoint {str(path)!r}: {WEIGHTS} holds a network of {'{}x{}'.format(*network.size)}, "
            f"{META} asks for {'{}x{}'.format(*asked)}"
        )
    name = make_name(name or path, simulations)
    return NetworkBot(name, game, network, simulations, seed, exploration=card.exploration)


class NumpyMlp(Evaluator):
    """Policy and value of positions by a network; raises `ValueError` if the tensors do not fit it and the game.

    Search features have a depth in turns, None without them; `size` is the units of a layer and the residual blocks.
    A `canonical` network is given the canonical image of each position.
    """

    def __init__(
        self,
        game: Game,
        tensors: Mapping[str, np.ndarray],
        *,
        search_features: int | None = None,
        sees_clock: bool = True,
        canonical: bool = False,
    ) -> None:
        super().__init__(game, self._evaluate, sees_clock=sees_clock, canonical=canonical)
        _check(game, tensors, search_features is not None)
        exact = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
        self._layers = {name: (exact[f"{name}.weight"], exact[f"{name}.bias"]) for name in _layers(exact)}
        self._blocks = _blocks(exact)
        self.size = exact["input.bias"].size, len(self._blocks)
        self._scale = exact["plane_scale"][:, None]
        if not sees_clock:
            self._scale[list(clock_planes(game))] = np.inf
        self._depth, self._gains = search_features, SearchFeatures(game)
        self._worth = exact.get("worth")
        self._images = CanonicalImages(game) if canonical else None

    def _evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._images is None:
            return self._judge(seen)
        image, actions = self._images.find(seen)
        logits, values = self._judge(image)
        return np.take_along_axis(logits, actions, 1), values

    def _judge(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inputs, worth = self._told(seen)
        hidden = self._hidden(inputs)
        logits = self._apply("policy", hidden)
        return logits if worth is None else logits + worth, np.tanh(self._apply("value", hidden)[:, 0])

    def _told(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """What the first layer is given, `[R, inputs]`, and what is added to the logits, `[R, A]` if anything is."""
        numbers = (seen / self._scale).reshape(len(seen), -1)
        if self._depth is None or self._worth is None:
            return numbers, None
        codes = self._gains(seen, self._depth)
        return np.concatenate([numbers, *(feature[codes] for feature in _FEATURES)], axis=1), self._worth[codes]

    def _hidden(self, inputs: np.ndarray) -> np.ndarray:
        hidden = relu(self._apply("input", inputs))
        for block in self._blocks:
            inner = relu(self._apply(f"{block}.first", hidden))
            hidden = relu(hidden + self._apply(f"{block}.second", inner))
        return hidden

    def _apply(self, layer: str, inputs: np.ndarray) -> np.ndarray:
        """`[..., in]` to `[..., out]`."""
        weight, bias = self._layers[layer]
        outputs: np.ndarray = inputs @ weight.T + bias
        return outputs


def read_weights(data: bytes) -> dict[str, np.ndarray]:
    """Reads the tensors of a `weights.safetensors` file, by name; raises `ValueError` if it is none."""
    try:
        tensors = unpack_weights(load(data))
    except KeyError as error:
        raise ValueError(f"a tensor is of type {shorten(str(error))}, expected 'F32'") from None
    except (SafetensorError, ValueError) as error:
        raise ValueError(f"not a safetensors file: {one_line(shorten(str(error), 200))}") from None
    for name, tensor in tensors.items():
        if tensor.dtype != np.float32:
            raise ValueError(f"{name} is of type {tensor.dtype}, expected float32")
    return tensors


def _blocks(tensors: Mapping[str, np.ndarray]) -> list[str]:
    """Returns the names of the residual blocks."""
    return list(takewhile(lambda block: f"{block}.first.weight" in tensors, map("blocks.{}".format, count())))


def _layers(tensors: Mapping[str, np.ndarray]) -> list[str]:
    halves = [f"{block}.{half}" for block in _blocks(tensors) for half in ("first", "second")]
    return ["input", *halves, "policy", "value"]


def _check(game: Game, tensors: Mapping[str, np.ndarray], has_features: bool) -> None:
    inputs, width = len(game.planes), tensors["input.bias"].size if "input.bias" in tensors else 0
    told = len(CODES[0]) * has_features * game.num_actions
    sizes = {
        "input": (width, inputs * len(game.board.points) + told),
        "policy": (game.num_actions, width),
        "value": (1, width),
    }
    expected: dict[str, tuple[int, ...]] = {"plane_scale": (inputs,)}
    if has_features:
        expected["worth"] = (len(CODES),)
    for layer in _layers(tensors):
        outputs, entering = sizes.get(layer, (width, width))
        expected |= {f"{layer}.weight": (outputs, entering), f"{layer}.bias": (outputs,)}
    check_tensors(tensors, expected)
