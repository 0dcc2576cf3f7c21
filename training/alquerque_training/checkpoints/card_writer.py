"""The model card of a checkpoint, `meta.json`: the game, the network, the training and the measured strength."""

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


class Part(BaseModel):
    """A table of the model card: immutable, without conversions and unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class ShapeMeta(Part):
    """The sizes of a `networks.Shape`."""

    planes: Annotated[int, Ge(1), Le(4096)]
    points: Annotated[int, Ge(1), Le(4096)]
    actions: Annotated[int, Ge(1), Le(65_536)]


class RatingMeta(Part):
    """A rating by an arena; `random` has 0.

    Attributes:
      value: Rating in Elo.
      low: Lower end of the 95 % interval.
      high: Upper end of the 95 % interval.
      simulations: Simulations of the player's search, 0 for its policy alone.
    """

    value: float
    low: float
    high: float
    simulations: int


class StartMeta(Part):
    """The checkpoint that gave a run its first weights.

    Attributes:
      steps: Steps of self-play that trained these weights.
      wall_time: Seconds of training of these weights.
      weights: SHA-256 of the weights file.
    """

    steps: int
    wall_time: float
    weights: str


class CurvePoint(Part):
    """Strength during training, measured by an arena; see `measure.gauntlet`.

    Attributes:
      steps: Steps of self-play that trained the weights.
      wall_time: Seconds of training of the weights.
      rating: Rating in Elo; `random` has 0.
      low: Lower end of the 95 % interval.
      high: Upper end of the 95 % interval.
      scores: Score against each opponent: wins plus half of the draws, divided by the matches.
    """

    steps: int
    wall_time: float
    rating: float
    low: float
    high: float
    scores: Mapping[str, float]


class Meta(BaseModel):
    """The content of `meta.json`.

    Attributes:
      format: Version of this format.
      game: Id of the game.
      game_version: Version of the game.
      options: Every rule option with its value.
      table_hash: Hash of the action table.
      network: Architecture.
      shape: Planes, points and actions of the network.
      config: The whole training config.
      seed: Seed of the run.
      start: The checkpoint that gave the run its first weights; None if they were random.
      steps: Steps of self-play that trained the weights, earlier runs included.
      wall_time: Seconds of training, earlier runs included, interruptions excluded.
      hardware: The machine.
      versions: Versions of Python, torch and NumPy.
      command: The command that started the run; None without `alquerque train`.
      rating: Rating with its interval, from the matches in `strength`; None without an arena.
      curve: Strength during training, earlier runs included. Each run measured it with its own search and from fewer
        matches than `rating`.
      strength: Measured results, each with opponent, number of games and interval.
      licence: SPDX identifier.
      sha256: SHA-256 of each file of the checkpoint.
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
        """Describes these weights for a run that begins with them."""
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
    """Makes the model card of a network; `save_checkpoint` fills in the checksums.

    Args:
      game: The game.
      network: The network, which gives the shape.
      config: Config of the run.
      steps: Steps of self-play in the run.
      wall_time: Seconds of training in the run.
      strength: Measured results.
      start: The checkpoint that gave the run its first weights; None if they were random.
      command: The command that started the run.
      rating: Rating from the matches in `strength`.
      curve: Strength during training.
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
