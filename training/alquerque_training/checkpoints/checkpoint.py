"""Checkpoints: folders with `weights.safetensors` and the model card `meta.json`, written atomically.

A checkpoint of an unfinished run also holds `training.safetensors`: the optimiser, the random numbers and the games in
progress. A run that is resumed from it gives the same result as one that was never interrupted. Nothing is loaded by
pickle.
"""

import hashlib
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load, save

from alquerque_env.bots.network.family import check_tensors
from alquerque_env.bots.network.model_card import (
    FORMAT,
    OF_A_GAME,
    TRAINING,
    CheckpointError,
    CurvePoint,
    ModelCard,
    NetworkCard,
    RatingCard,
    ShapeCard,
    StartCard,
    check_game,
    read_card,
    read_checked,
)
from alquerque_env.bots.network.numpy_bot import read_weights
from alquerque_env.bots.shipped import FAMILY, META, WEIGHTS, shipped_bots
from alquerque_env.errors import one_line, shorten
from alquerque_env.files.atomic import make_whole_folder, write_whole
from alquerque_env.game.game import Game
from alquerque_env.processors import count_processors
from alquerque_training.checkpoints.int8_weights import pack_weights
from alquerque_training.config.settings import MLP, Config, NetworkConfig
from alquerque_training.experience.state_arrays import Arrays
from alquerque_training.networks import PolicyValueNetwork, Shape, build_network

_FRESH = "leave run.start out to begin with random weights"


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A checkpoint in memory: model card, network in evaluation mode, and arrays of `training.safetensors`, if any."""

    meta: ModelCard
    network: PolicyValueNetwork
    training: Arrays


def save_checkpoint(path: Path, meta: ModelCard, network: PolicyValueNetwork, training: Arrays | None = None) -> None:
    """Writes a checkpoint, and with the state of the training one that can be resumed, whole or not at all (`OSError`).

    The folder must not exist. The checksums of the card are filled in.
    """
    weights = {name: tensor.detach().cpu() for name, tensor in network.state_dict().items()}
    contents = {WEIGHTS: save(pack_weights(weights))}
    if training is not None:
        contents[TRAINING] = save({name: np.array(array, order="C") for name, array in training.items()})
    meta = replace(meta, sha256={name: hashlib.sha256(data).hexdigest() for name, data in contents.items()})
    card = asdict(meta)
    # Versions of the package that do not know these keys read the checkpoint.
    for key, usual in (("sees_clock", True), ("canonical", False)):
        if card["network"][key] == usual:
            del card["network"][key]
    for key in ("game_file", "same_as", "exact_errors"):
        if not card[key]:
            del card[key]
    for key in OF_A_GAME if meta.plays_all else ():
        del card[key]
    for part in filter(None, (card, card["start"])):
        if part["processor_time"] is None:
            del part["processor_time"]
    contents[META] = (json.dumps(card, indent=2, ensure_ascii=False) + "\n").encode()
    with make_whole_folder(path) as folder:
        for name, data in contents.items():
            write_whole(folder / name, data)


def load_checkpoint(path: Path, game: Game) -> Checkpoint:
    """Reads a checkpoint of a game; `CheckpointError` if it is damaged or was trained on another action table."""
    meta = read_card(path)
    check_game(path, meta, game)
    contents = {name: read_checked(path, name, checksum) for name, checksum in meta.sha256.items()}
    return Checkpoint(
        meta=meta,
        network=_network(path, meta, Shape.of(game), contents[WEIGHTS]),
        training=_parse_training(path, contents[TRAINING]) if TRAINING in contents else {},
    )


def load_start(name: str, game: Game) -> Checkpoint:
    """Reads the checkpoint that `run.start` names; if it does not fit, an error says which setting would."""
    path = shipped_bots().get(name, Path(name))
    try:
        meta = read_card(path)
    except CheckpointError as error:
        raise CheckpointError(f"run.start: {error}; give the folder of a checkpoint, or {_FRESH}") from None
    try:
        return load_checkpoint(path, game)
    except CheckpointError as error:
        raise CheckpointError(
            f"run.start: {error}; it is of {meta.game} with network {meta.network}: {_fitting_start(meta, game)}"
        ) from None


def fitting_weights(
    start: str, checkpoint: Checkpoint, network: PolicyValueNetwork, config: NetworkConfig
) -> dict[str, torch.Tensor]:
    """The weights of the first checkpoint for a network with these settings; an error says which would fit."""
    weights, theirs = checkpoint.network.state_dict(), checkpoint.meta.network
    try:
        check_tensors({name: tensor.numpy() for name, tensor in weights.items()}, _shapes(network))
    except ValueError as misfit:
        keys = ("kind", "width", "blocks", "search_features")
        other = [key for key in keys if getattr(theirs, key) != getattr(config, key)]
        change = ", ".join(f"network.{key} = {json.dumps(getattr(theirs, key))}" for key in other)
        raise CheckpointError(
            f"run.start: checkpoint {start!r} is of {checkpoint.meta.game or 'all games'} with network {theirs}, "
            f"expected {config} ({misfit}): "
            + (f"set {change}, or give another" if other else f"give another, or {_FRESH}")
        ) from None
    return weights


def _fitting_start(meta: ModelCard, game: Game) -> str:
    """Advice about a checkpoint that does not fit a game."""
    if meta.game != game.name:
        return f"set run.game = {json.dumps(meta.game)}, or give one of {game.name}"
    for option, value in game.options.items():
        if (other := meta.options.get(option, value)) != value:
            return f"set run.options.{option} = {json.dumps(other)}, or give another"
    return f"give another, or {_FRESH}"


def _parse_training(path: Path, data: bytes) -> dict[str, np.ndarray]:
    try:
        return load(data)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        why = one_line(shorten(str(error), 200))
        raise CheckpointError(f"checkpoint {str(path)!r}: {TRAINING} is not a safetensors file: {why}") from None


def _network(path: Path, meta: ModelCard, shape: Shape, data: bytes) -> PolicyValueNetwork:
    config = NetworkConfig(**vars(meta.network))
    module, is_own, _ = config.kind.partition(":")
    if config.kind not in (MLP, FAMILY) and not is_own:
        raise CheckpointError(
            f"checkpoint {str(path)!r}: network.kind is {config.kind!r}, expected {MLP!r}, {FAMILY!r} or module:name"
        )
    if is_own and module not in sys.modules:  # a file of data does not choose what is imported
        raise CheckpointError(
            f"checkpoint {str(path)!r} has a network of kind {config.kind!r}, which is no part of the package: import "
            f"{module} in Python before the checkpoint is loaded, if you trust it"
        )
    # Without memory: a wrong card can ask for a network of many gigabytes.
    network = build_network(config, shape, torch.ones(shape.planes), None)
    try:
        check_tensors(arrays := read_weights(data), _shapes(network))
    except ValueError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {WEIGHTS}: {error}") from None
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}, assign=True)
    return network.eval()


def _shapes(network: PolicyValueNetwork) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}


def make_meta(
    game: Game,
    network: PolicyValueNetwork,
    config: Config,
    *,
    steps: int,
    wall_time: float,
    strength: list[dict[str, Any]],
    processor_time: float | None = None,
    exact_errors: Sequence[dict[str, Any]] = (),
    start: StartCard | None = None,
    command: str | None = None,
    rating: RatingCard | None = None,
    curve: Sequence[CurvePoint] = (),
) -> ModelCard:
    """Makes the model card of a network; `save_checkpoint` fills in the checksums.

    `steps`, `wall_time` and `processor_time` are those of the run itself. The other arguments have the meaning of the
    card's keys.
    """
    shape = network.shape
    belongs: dict[str, Any] = {
        "game": game.name,
        "game_version": game.version,
        "options": dict(game.options),
        "table_hash": game.table_hash,
        "game_file": game.file_text,
        "shape": ShapeCard(planes=shape.planes, points=shape.points, actions=shape.actions),
    }
    return ModelCard(
        format=FORMAT,
        **({} if config.network.kind == FAMILY else belongs),
        network=NetworkCard(**config.network.model_dump()),
        config=config.as_data(),
        seed=config.run.seed,
        start=start,
        steps=steps + (start.steps if start else 0),
        wall_time=round(wall_time + (start.wall_time if start else 0), 3),
        processor_time=_with_start(processor_time, start.processor_time if start else 0),
        hardware=_hardware(),
        versions={"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
        command=command,
        rating=rating,
        curve=tuple(curve),
        strength=tuple(strength),
        exact_errors=tuple(exact_errors),
        licence=config.run.licence,
        sha256={},
    )


def _with_start(seconds: float | None, before: float | None) -> float | None:
    """Seconds of processor time with those before the run; None if either is not known."""
    return None if seconds is None or before is None else round(seconds + before, 3)


def _hardware() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{count_processors()} x {next(models, platform.processor() or platform.machine())}"
