"""The description of an agent: for checkpoints what their files say, read without torch."""

import re
from dataclasses import dataclass
from pathlib import Path

from ..bots.network.model_card import read_card
from ..bots.network.numpy_mlp import read_weights
from ..bots.shipped import META, WEIGHTS, shipped_bots
from ..files.regular import read_regular

_NOT_LEARNED = "plane_scale"
_EXPORTED_GAME = re.compile(r"^Game: (\w+), version", re.MULTILINE)


@dataclass(frozen=True)
class Facts:
    """The description of an agent; None for what is not known or does not apply.

    Attributes:
      kind: "bot", "checkpoint", "exported", "engine" or "function".
      algorithm: The algorithm that trained it.
      steps: Environment steps behind its weights.
      wall_time: Seconds of training behind its weights.
      parameters: Number of learned parameters.
      weights: SHA-256 of the file of its weights.
      simulations: Simulations of its tree search for a step.
      exploration: Exploration constant of its tree search, as its card says.
      network: Its network in words, such as `mlp 256x2 with search features, depth 4`.
      search_features: Depth in turns of the search whose results its network receives.
    """

    kind: str
    algorithm: str | None = None
    steps: int | None = None
    wall_time: float | None = None
    parameters: int | None = None
    weights: str | None = None
    simulations: int | None = None
    exploration: float | None = None
    network: str | None = None
    search_features: int | None = None


def find_checkpoint(spec: str) -> tuple[Path, int] | None:
    """The folder and the simulations of the checkpoint that a spec names; None if it names none."""
    name, _, number = spec.rpartition(":")
    for known, simulations in ((spec, "0"), (name, number)):
        path = shipped_bots().get(known, Path(known))
        if known and (path / META).is_file() and simulations.isdecimal():
            return path, int(simulations)
    return None


def read_exported_game(spec: str) -> str | None:
    """The game of the exported player that a spec names; None if it names none or the file does not say."""
    for path in (Path(spec), Path(spec.rpartition(":")[0])):
        if path.suffix == ".py" and path.is_file():
            found = _EXPORTED_GAME.search(read_regular(path).decode(errors="replace"))
            return found[1] if found else None
    return None


def read_facts(checkpoint: Path, simulations: int) -> tuple[str, Facts]:
    """The game and the description of a checkpoint.

    Raises:
      CheckpointError: If its model card cannot be read.
    """
    card = read_card(checkpoint)
    return card.game, Facts(
        kind="checkpoint",
        algorithm=card.config.get("run", {}).get("algorithm"),
        steps=card.steps,
        wall_time=card.wall_time,
        parameters=_count_parameters(checkpoint),
        weights=card.sha256[WEIGHTS],
        simulations=simulations,
        exploration=card.config.get("evaluation", {}).get("exploration"),
        network=str(card.network),
        search_features=card.network.feature_depth,
    )


def _count_parameters(checkpoint: Path) -> int | None:
    try:
        tensors = read_weights(read_regular(checkpoint / WEIGHTS))
    except (OSError, ValueError):
        return None  # loading the bot reports what is wrong
    return sum(tensor.size for name, tensor in tensors.items() if name != _NOT_LEARNED)
