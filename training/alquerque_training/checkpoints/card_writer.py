"""What a checkpoint says of itself in `meta.json`: what it plays, where it comes from, how strong it is."""

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict

from alquerque_env.bots.network.model_card import FORMAT, WEIGHTS
from alquerque_env.game.game import Game
from alquerque_training.config.settings import Config, NetworkConfig, OptionValue
from alquerque_training.networks import PolicyValueNetwork


class ShapeMeta(BaseModel):
    """The numbers of a `networks.Shape` in a file."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    planes: Annotated[int, Ge(1), Le(4096)]
    points: Annotated[int, Ge(1), Le(4096)]
    actions: Annotated[int, Ge(1), Le(65_536)]


class RatingMeta(BaseModel):
    """A rating by an arena, that of `random` being 0.

    Attributes:
      value: In Elo points.
      low: Lower end of its 95 % interval.
      high: Upper end of its 95 % interval.
      simulations: With which the player searched, 0 for its policy alone.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    value: float
    low: float
    high: float
    simulations: int


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


class CurvePoint(BaseModel):
    """What an arena of a run found; see `measure.gauntlet`.

    Attributes:
      steps: Steps of self-play behind the weights.
      wall_time: Seconds of training behind the weights.
      rating: In Elo points, that of `random` 0.
      low: Lower end of its 95 % interval.
      high: Upper end of its 95 % interval.
      scores: Points a match against each opponent, a draw being half of one.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    steps: int
    wall_time: float
    rating: float
    low: float
    high: float
    scores: Mapping[str, float]


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
      command: What the run was started with; None where it was not by `alquerque train`.
      rating: By the matches that `strength` tells of, where there were any: Elo points with the ends of their interval.
      curve: Strength on the way, those before the run too. As the runs found it: by their search and on
        their scale, and of fewer matches than `rating`, which may have been measured again.
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
    command: str | None = None
    rating: RatingMeta | None = None
    curve: list[CurvePoint] = []
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


def make_meta(
    game: Game,
    network: PolicyValueNetwork,
    config: Config,
    *,
    steps: int,
    wall_time: float,
    strength: list[dict[str, Any]],
    start: StartMeta | None = None,
    command: str | None = None,
    rating: RatingMeta | None = None,
    curve: Sequence[CurvePoint] = (),
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
      command: What the run was started with.
      rating: By the same matches as `strength`.
      curve: Strength on the way.
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
        command=command,
        rating=rating,
        curve=list(curve),
        strength=strength,
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
