"""Checkpoints: a folder with `weights.safetensors` and `meta.json`, written whole or not at all.

A checkpoint of a run that goes on also holds `training.safetensors`: the optimiser, the random numbers and the games in
progress, all that is needed to go on as if nothing had happened. Nothing is ever loaded by pickle.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from alquerque_env.bots.network.model_card import META, WEIGHTS, CheckpointError, check_game, read_checked, read_json
from alquerque_env.files.atomic import make_whole_folder, write_whole
from alquerque_env.game.game import Game
from alquerque_training.checkpoints.card_writer import Meta
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks import NetworkError, PolicyValueNetwork, Shape, build_network

__all__ = [
    "META",
    "TRAINING",
    "WEIGHTS",
    "Checkpoint",
    "CheckpointError",
    "fitting_weights",
    "load_checkpoint",
    "load_start",
    "read_meta",
    "save_checkpoint",
]

TRAINING = "training.safetensors"

_FRESH = "leave run.start out to begin with random weights"

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A checkpoint in memory.

    Attributes:
      meta: What `meta.json` says.
      network: The network with its weights, in evaluation mode.
      training: Arrays of `training.safetensors`; empty if the checkpoint has none.
    """

    meta: Meta
    network: PolicyValueNetwork
    training: Arrays


def save_checkpoint(path: Path, meta: Meta, network: PolicyValueNetwork, training: Arrays | None = None) -> None:
    """Writes a checkpoint, whole or not at all.

    Args:
      path: The checkpoint's folder; must not exist.
      meta: What to say in `meta.json`.
      network: Whose weights to keep.
      training: What is needed to go on training, if it goes on.

    Raises:
      OSError: If it cannot be written; then nothing is left of it.
    """
    contents = {WEIGHTS: save(_weights(network))}
    if training is not None:
        contents[TRAINING] = save({name: np.array(array, order="C") for name, array in training.items()})
    meta = meta.model_copy(update={"sha256": {name: _sha256(data) for name, data in contents.items()}})
    contents[META] = (meta.model_dump_json(indent=2) + "\n").encode()
    with make_whole_folder(path) as folder:
        for name, data in contents.items():
            write_whole(folder / name, data)


def load_checkpoint(path: Path, game: Game) -> Checkpoint:
    """Reads a checkpoint of a game.

    Raises:
      CheckpointError: If it is missing, damaged or incomplete, or was trained on another action table.
    """
    meta = read_meta(path)
    check_game(path, meta, game)
    contents = {name: read_checked(path, name, checksum) for name, checksum in meta.sha256.items()}
    arrays = _parse_arrays(path, WEIGHTS, contents)
    return Checkpoint(
        meta=meta,
        network=_network(path, meta, game, arrays),
        training=_parse_arrays(path, TRAINING, contents) if TRAINING in contents else {},
    )


def read_meta(path: Path) -> Meta:
    """Reads what a checkpoint says of itself.

    Raises:
      CheckpointError: If there is no checkpoint or its `meta.json` cannot be understood.
    """
    data = read_json(path)
    try:
        meta = Meta.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CheckpointError(f"checkpoint {str(path)!r}: {META}: {where}: {first['msg'].lower()}") from None
    if not {WEIGHTS} <= meta.sha256.keys() <= {WEIGHTS, TRAINING}:
        raise CheckpointError(f"checkpoint {str(path)!r}: {META}: sha256 names {sorted(meta.sha256)}")
    return meta


def load_start(path: Path, game: Game) -> Checkpoint:
    """Reads the checkpoint that `run.start` names.

    Raises:
      CheckpointError: If it cannot; it says what the checkpoint is, if it is one, and what would do.
    """
    try:
        meta = read_meta(path)
    except CheckpointError as error:
        raise CheckpointError(f"run.start: {error}; give the folder of a checkpoint, or {_FRESH}") from None
    try:
        return load_checkpoint(path, game)
    except CheckpointError as error:
        raise CheckpointError(
            f"run.start: {error}; it is of {meta.game} with network {meta.network}: {_fitting_start(meta, game)}"
        ) from None


def fitting_weights(
    path: Path, checkpoint: Checkpoint, network: PolicyValueNetwork, config: NetworkConfig
) -> dict[str, torch.Tensor]:
    """The weights of a checkpoint, for a network to begin with.

    Args:
      path: The checkpoint's folder.
      checkpoint: Which was read from it.
      network: The network, of any weights.
      config: Its settings.

    Raises:
      CheckpointError: If they do not fit; it says what the checkpoint is, and what would do.
    """
    weights = checkpoint.network.state_dict()
    wanted = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    for name in sorted(weights.keys() | wanted.keys()):
        found = tuple(weights[name].shape) if name in weights else None
        if found != wanted.get(name):
            theirs, ours = checkpoint.meta.network, config
            keys = ("kind", "width", "blocks", "search_features")
            other = [key for key in keys if getattr(theirs, key) != getattr(ours, key)]
            change = ", ".join(f"network.{key} = {json.dumps(getattr(theirs, key))}" for key in other)
            raise CheckpointError(
                f"run.start: checkpoint {str(path)!r} is of {checkpoint.meta.game} with network {theirs}, expected "
                f"{ours}, whose {name} has shape {wanted.get(name)} and not {found}: "
                + (f"set {change}, or give another" if other else f"give another, or {_FRESH}")
            )
    return weights


def _fitting_start(meta: Meta, game: Game) -> str:
    """What would do instead of a checkpoint that does not fit a game."""
    if meta.game != game.name:
        return f"set run.game = {json.dumps(meta.game)}, or give one of {game.name}"
    for option, value in game.options.items():
        if (other := meta.options.get(option, value)) != value:
            return f"set run.options.{option} = {json.dumps(other)}, or give another"
    return f"give another, or {_FRESH}"


def _parse_arrays(path: Path, name: str, contents: Mapping[str, bytes]) -> dict[str, np.ndarray]:
    try:
        return load(contents[name])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {name} is not a safetensors file: {error}") from None


def _network(path: Path, meta: Meta, game: Game, arrays: Arrays) -> PolicyValueNetwork:
    shape, known = Shape(**meta.shape.model_dump()), Shape.of(game)
    try:
        network = build_network(
            meta.network, known if known == shape else shape, torch.ones(shape.planes), torch.Generator()
        )
    except NetworkError:
        raise CheckpointError(f"checkpoint {str(path)!r}: {META}: shape is {shape}, this game has {known}") from None
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    found = {name: array.shape for name, array in arrays.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise CheckpointError(
                f"checkpoint {str(path)!r}: {WEIGHTS}: {name} has shape {found.get(name)}, "
                f"expected {expected.get(name)}"
            )
        if not np.isfinite(arrays[name]).all():
            raise CheckpointError(f"checkpoint {str(path)!r}: {WEIGHTS}: {name} is not finite")
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})
    return network.eval()


def _weights(network: PolicyValueNetwork) -> dict[str, np.ndarray]:
    return {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
