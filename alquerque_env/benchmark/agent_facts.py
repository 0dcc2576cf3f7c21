"""What a checkpoint says of what it cost: read from its files, without torch."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bots.network.numpy_mlp import read_weights
from ..bots.shipped import META, WEIGHTS, shipped_bots

_NOT_LEARNED = "plane_scale"
_EXPORTED_GAME = re.compile(r"^Game: (\w+), version", re.MULTILINE)


@dataclass(frozen=True)
class Facts:
    """What is known of an agent before it is asked anything; None where it is not known.

    Attributes:
      kind: "bot", "checkpoint", "exported", "engine" or "function".
      algorithm: That trained it.
      steps: Steps of the environment behind its weights.
      wall_time: Seconds of training behind its weights.
      parameters: Numbers that were learned.
      weights: SHA-256 of the file of its weights.
      simulations: Of its search for a step.
      exploration: Of its search, as its card says.
    """

    kind: str
    algorithm: str | None = None
    steps: int | None = None
    wall_time: float | None = None
    parameters: int | None = None
    weights: str | None = None
    simulations: int | None = None
    exploration: float | None = None


def find_checkpoint(spec: str) -> tuple[Path, int] | None:
    """The folder of the checkpoint that a bot's spec names, and its simulations; None where it names none."""
    name, _, number = spec.rpartition(":")
    for known, simulations in ((spec, "0"), (name, number)):
        path = shipped_bots().get(known, Path(known))
        if known and (path / META).is_file() and simulations.isdecimal():
            return path, int(simulations)
    return None


def read_game(checkpoint: Path) -> str | None:
    """What a checkpoint plays, None where it does not say."""
    game = _read_card(checkpoint).get("game")
    return game if isinstance(game, str) else None


def read_exported_game(spec: str) -> str | None:
    """What an exported player plays, whose file a bot's spec names; None where it names none that says it."""
    for path in (Path(spec), Path(spec.rpartition(":")[0])):
        if path.suffix == ".py" and path.is_file():
            found = _EXPORTED_GAME.search(path.read_text(encoding="utf-8", errors="replace"))
            return found[1] if found else None
    return None


def read_facts(checkpoint: Path, simulations: int) -> Facts:
    """What a checkpoint says of itself."""
    card = _read_card(checkpoint)
    return Facts(
        kind="checkpoint",
        algorithm=_within(card, "config", "run", "algorithm"),
        steps=card.get("steps"),
        wall_time=card.get("wall_time"),
        parameters=_count_parameters(checkpoint),
        weights=_within(card, "sha256", WEIGHTS),
        simulations=simulations,
        exploration=_within(card, "config", "evaluation", "exploration"),
    )


def _read_card(checkpoint: Path) -> dict[str, Any]:
    try:
        card = json.loads((checkpoint / META).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}  # whoever loads it says what is wrong
    return card if isinstance(card, dict) else {}


def _within(card: Any, *names: str) -> Any:
    for name in names:
        card = card.get(name) if isinstance(card, dict) else None
    return card


def _count_parameters(checkpoint: Path) -> int | None:
    try:
        tensors = read_weights((checkpoint / WEIGHTS).read_bytes())
    except (OSError, ValueError):
        return None
    return sum(tensor.size for name, tensor in tensors.items() if name != _NOT_LEARNED)
