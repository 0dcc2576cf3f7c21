"""Checkpoints: a folder with `weights.safetensors` and `meta.json`, written whole or not at all.

A checkpoint of a run that goes on also holds `training.safetensors`: the optimiser, the random numbers and the games in
progress, all that is needed to go on as if nothing had happened. Nothing is ever loaded by pickle.
"""

import hashlib
import os
import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from alquerque_env.game import Game
from training.checkpoint_files import FORMAT, META, WEIGHTS, CheckpointError, check_game, read_checked, read_json
from training.config import Config, NetworkConfig, OptionValue
from training.networks import NetworkError, PolicyValueNetwork, Shape, build_network

__all__ = [
    "META",
    "TRAINING",
    "WEIGHTS",
    "Checkpoint",
    "CheckpointError",
    "Meta",
    "ShapeMeta",
    "delete_checkpoint",
    "load_checkpoint",
    "make_meta",
    "read_meta",
    "save_checkpoint",
]

TRAINING = "training.safetensors"

Arrays = Mapping[str, np.ndarray]


class ShapeMeta(BaseModel):
    """The numbers of a `training.networks.Shape` in a file."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    planes: Annotated[int, Ge(1), Le(4096)]
    points: Annotated[int, Ge(1), Le(4096)]
    actions: Annotated[int, Ge(1), Le(65_536)]


class StartMeta(BaseModel):
    """The checkpoint with whose weights a run began.

    Attributes:
      steps: Steps of self-play behind its weights.
      wall_time: Seconds of training behind its weights.
      weights: SHA-256 of its weights.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    steps: int
    wall_time: float
    weights: str


class Meta(BaseModel):
    """What `meta.json` says.

    Attributes:
      format: Version of this format.
      game: Id of the game.
      game_version: Version of the game.
      options: Every rule option with its value.
      table_hash: Identifies the action table.
      network: Architecture.
      shape: Planes, points and actions that it takes and gives.
      config: The whole training config.
      seed: Seed of the run.
      start: What the run began with; None where it began with random weights.
      steps: Steps of self-play behind the weights, those before the run too.
      wall_time: Seconds of training behind the weights, those before the run too, interruptions left out.
      hardware: The machine.
      versions: Of the packages in use.
      strength: Measured results, each with opponent, games and interval.
      licence: SPDX identifier.
      sha256: Of each file of the checkpoint.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    format: Literal[1]
    game: str
    game_version: int
    options: Mapping[str, OptionValue]
    table_hash: str
    network: NetworkConfig
    shape: ShapeMeta
    config: Config
    seed: int
    start: StartMeta | None = None
    steps: int
    wall_time: float
    hardware: str
    versions: Mapping[str, str]
    strength: list[dict[str, Any]]
    licence: str
    sha256: Mapping[str, str]

    @property
    def steps_of_run(self) -> int:
        """Steps of self-play in the run itself."""
        return self.steps - (self.start.steps if self.start else 0)

    @property
    def seconds_of_run(self) -> float:
        """Seconds of training in the run itself."""
        return self.wall_time - (self.start.wall_time if self.start else 0)

    def as_start(self) -> StartMeta:
        """What a run says of these weights that begins with them."""
        return StartMeta(steps=self.steps, wall_time=self.wall_time, weights=self.sha256[WEIGHTS])


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


def make_meta(
    game: Game,
    network: PolicyValueNetwork,
    config: Config,
    *,
    steps: int,
    wall_time: float,
    strength: list[dict[str, Any]],
    start: StartMeta | None = None,
) -> Meta:
    """The meta data of a network in training; the checksums are filled in by `save_checkpoint`.

    Args:
      game: What it plays.
      network: Whose shape to tell.
      config: Of the run.
      steps: Steps of self-play in the run.
      wall_time: Seconds of training in the run.
      strength: Measured results.
      start: What the run began with, if not with random weights.
    """
    return Meta(
        format=FORMAT,
        game=game.name,
        game_version=game.version,
        options=dict(game.options),
        table_hash=game.table_hash,
        network=config.network,
        shape=ShapeMeta.model_validate(network.shape, from_attributes=True),
        config=config,
        seed=config.run.seed,
        start=start,
        steps=steps + (start.steps if start else 0),
        wall_time=round(wall_time + (start.wall_time if start else 0), 3),
        hardware=_hardware(),
        versions={"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
        strength=strength,
        licence=config.run.licence,
        sha256={},
    )


def save_checkpoint(path: Path, meta: Meta, network: PolicyValueNetwork, training: Arrays | None = None) -> None:
    """Writes a checkpoint under another name and gives it its own when it is whole.

    A process killed on the way leaves a hidden folder, `.<name>.partial`, and every other checkpoint as it was.

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
    partial = _partial(path)
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        for name, data in contents.items():
            _write(partial / name, data)
        _sync(partial)
        partial.rename(path)
    except OSError:
        shutil.rmtree(partial, ignore_errors=True)  # where the disk is full, every byte counts
        raise
    _sync(path.parent)


def delete_checkpoint(path: Path) -> None:
    """Removes a checkpoint; a process killed on the way leaves no half of it under its name."""
    partial = _partial(path)
    shutil.rmtree(partial, ignore_errors=True)
    path.rename(partial)
    shutil.rmtree(partial)


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


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Makes a rename in a folder outlast a power cut, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _hardware() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{os.cpu_count()} x {next(models, platform.processor() or platform.machine())}"
