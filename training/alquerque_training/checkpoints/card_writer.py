"""Makes the model card of a network in training."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from alquerque_env.bots.network.model_card import (
    FORMAT,
    CurvePoint,
    ModelCard,
    NetworkCard,
    RatingCard,
    ShapeCard,
    StartCard,
)
from alquerque_env.game.game import Game
from alquerque_training.config.settings import Config
from alquerque_training.networks import PolicyValueNetwork


def make_meta(
    game: Game,
    network: PolicyValueNetwork,
    config: Config,
    *,
    steps: int,
    wall_time: float,
    strength: list[dict[str, Any]],
    start: StartCard | None = None,
    command: str | None = None,
    rating: RatingCard | None = None,
    curve: Sequence[CurvePoint] = (),
) -> ModelCard:
    """Makes the model card of a network; `save_checkpoint` fills in the checksums.

    `steps` and `wall_time` are those of the run itself. The other arguments have the meaning of the card's keys.
    """
    return ModelCard(
        format=FORMAT,
        game=game.name,
        game_version=game.version,
        options=dict(game.options),
        table_hash=game.table_hash,
        game_file=game.file_text,
        network=NetworkCard(**config.network.model_dump()),
        shape=ShapeCard(planes=network.shape.planes, points=network.shape.points, actions=network.shape.actions),
        config=config.model_dump(mode="json"),
        seed=config.run.seed,
        start=start,
        steps=steps + (start.steps if start else 0),
        wall_time=round(wall_time + (start.wall_time if start else 0), 3),
        hardware=_hardware(),
        versions={"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
        command=command,
        rating=rating,
        curve=tuple(curve),
        strength=tuple(strength),
        licence=config.run.licence,
        sha256={},
    )


def _hardware() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{os.cpu_count()} x {next(models, platform.processor() or platform.machine())}"
