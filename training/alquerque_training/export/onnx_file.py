"""Exports the network of a checkpoint to ONNX, for programs in other languages.

The file computes what the checkpoint's network does in single precision; `B` is any number of positions:

    inputs:   planes  int8 [B, C, P]      observations, in the frame of the player to move
              codes   int8 [B, A]         codes of `search.quiescence`, for networks with search features only
    outputs:  logits  float32 [B, A]      of all actions, illegal ones included
              value   float32 [B]         from -1 to 1, for the player to move
"""

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from alquerque_env.errors import MissingExtraError
from alquerque_env.game.game import Game
from alquerque_training.checkpoints.checkpoint import Checkpoint
from alquerque_training.export.exported_file import ExportedFile, ExportError, export_file
from alquerque_training.networks.mlp import ResidualMlp

OPSET = 18
"""The version of ONNX's set of operators."""


class _Given(nn.Module):
    """A network that is given its search features, since ONNX has no rules to compute them by."""

    def __init__(self, network: ResidualMlp) -> None:
        super().__init__()
        self._network = network

    def forward(self, planes: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        network = self._network
        if not network.canonical:
            return network.judge_seen(planes, seen)
        image, actions = network.image(planes)
        logits, values = network.judge_seen(image, torch.zeros_like(seen).scatter(1, actions, seen))
        return logits.gather(1, actions), values


def export_onnx(checkpoint: Path, output: Path, *, game: Game | None = None, overwrite: bool = False) -> ExportedFile:
    """Writes the network of a checkpoint as an ONNX file, whole or not at all. The same checkpoint gives the same file.

    Its metadata has the game, its options as JSON, the hash of its rules, the names of the planes, the licence, and for
    networks with search features their depth in turns.

    Raises:
      MissingExtraError: If a package of the extra `onnx` is missing.
      CheckpointError: If the checkpoint is damaged.
      ExportError: If the file cannot be written, or the network plays all games.
    """
    for package in ("onnx", "onnxscript"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "onnx")
    return export_file(checkpoint, output, _make_model, game=game, overwrite=overwrite)


def _make_model(game: Game, checkpoint: Checkpoint) -> bytes:
    if checkpoint.meta.plays_all:
        raise ExportError("a network that plays all games cannot be written for ONNX, only as a player: -o FILE.py")
    network: nn.Module = checkpoint.network
    shape = checkpoint.network.shape
    # Two positions, since torch takes a size of 1 for a constant.
    inputs = {"planes": torch.zeros(2, shape.planes, shape.points, dtype=torch.int8)}
    if isinstance(network, ResidualMlp) and network.depth is not None:
        inputs["codes"] = torch.zeros(2, shape.actions, dtype=torch.int8)
        network = _Given(network)
    batch = torch.export.Dim("batch")
    with _quiet():
        program: Any = torch.onnx.export(
            network.eval(),
            tuple(inputs.values()),
            input_names=list(inputs),
            output_names=["logits", "value"],
            dynamic_shapes=tuple({0: batch} for _ in inputs),
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
    from onnx_ir.passes.common import ClearMetadataAndDocStringPass  # with torch's exporter, of the extra alone

    ClearMetadataAndDocStringPass()(program.model)  # lines of source code with their paths on this machine
    program.model.metadata_props.update(_facts(game, checkpoint))
    return program.model_proto.SerializeToString()


def _facts(game: Game, checkpoint: Checkpoint) -> dict[str, str]:
    facts = {
        "game": game.name,
        "options": json.dumps(dict(game.options)),
        "table_hash": game.table_hash,
        "planes": json.dumps([plane.name for plane in game.planes]),
        "licence": checkpoint.meta.licence,
    }
    depth = checkpoint.meta.network.feature_depth
    return facts if depth is None else facts | {"search_features": str(depth)}


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps back what torch says about its own insides."""
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
