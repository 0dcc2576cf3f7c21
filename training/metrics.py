"""What training measures: one table of names, units and meanings, and the log that holds them.

`log.jsonl` has one JSON object a line and a line an iteration. A line is written in one piece, so that a crash costs at
most the last one, and `MetricsLog` cuts a torn or later line off when a run is resumed.
Where TensorBoard is installed, the same numbers go into the folder `tensorboard/` beside it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from training.summaries import Summaries, step_of


@dataclass(frozen=True)
class Metric:
    """A column of the log.

    Attributes:
      name: Key in the log.
      unit: What it counts.
      meaning: One sentence.
      panel: With what `alquerque plot` draws it; empty if it does not.
    """

    name: str
    unit: str
    meaning: str
    panel: str = ""


METRICS = (
    Metric("iteration", "iterations", "Rollouts and updates done so far."),
    Metric("steps", "steps", "Steps of self-play done so far."),
    Metric("seconds", "s", "Time spent in training so far, interruptions left out."),
    Metric("steps_per_second", "steps/s", "Speed of this iteration, learning included.", "speed"),
    Metric("games", "games", "Games that ended in this iteration."),
    Metric("game_length", "steps", "Mean number of steps per game that ended, over the iteration.", "length"),
    Metric("player_0_wins", "share", "Games of this iteration won by player_0.", "outcomes"),
    Metric("draws", "share", "Games of this iteration that ended without a winner.", "outcomes"),
    Metric("truncated", "share", "Games of this iteration cut short by max_cycles.", "outcomes"),
    Metric("resigned", "share", "Games of this iteration that ended by resignation.", "outcomes"),
    Metric("simulations", "simulations", "Of the search for a decision."),
    Metric("positions", "positions", "Positions given to the replay buffer so far."),
    Metric("window", "positions", "Newest positions that are learned from."),
    Metric("updates", "gradients", "Gradients so far."),
    Metric("playing_share", "share", "Time of this iteration that the learning process spent in self-play."),
    Metric(
        "policy_loss",
        "1",
        "PPO: clipped surrogate objective, negated. AlphaZero: cross-entropy. Update's mean.",
        "loss",
    ),
    Metric("value_loss", "1", "Squared error of the value, in PPO half of it; mean over the update.", "loss"),
    Metric("entropy", "nat", "Entropy of the policy over legal actions; mean over the update.", "policy"),
    Metric("approx_kl", "nat", "Mean of ratio - 1 - log ratio: how far the update moved the policy.", "change"),
    Metric("clip_fraction", "share", "Steps of the update whose ratio was outside the clip."),
    Metric("gradient_norm", "1", "Length of the gradient before it is shortened; mean over the update.", "gradient"),
    Metric(
        "explained_variance", "1", "1 - variance of (return - value) / variance of the return; 1 is perfect.", "value"
    ),
    Metric("learning_rate", "1", "Of this iteration's update."),
    Metric(
        "win_rate_player_0",
        "share",
        "Games won against random as player_0, policy alone; not in every line.",
        "strength",
    ),
    Metric(
        "win_rate_player_1",
        "share",
        "Games won against random as player_1, policy alone; not in every line.",
        "strength",
    ),
)

TAGS: Mapping[str, str] = MappingProxyType(
    {metric.name: f"{metric.panel or 'other'}/{metric.name}" for metric in METRICS}
)
"""Names of the metrics in TensorBoard, where what stands before the stroke makes a section."""

Record = Mapping[str, float]


class MetricsLog:
    """Appends records to a file of JSON lines.

    Args:
      path: The file; made if it does not exist.
      iteration: Lines after this iteration, and torn ones, are cut off.
    """

    def __init__(self, path: Path, iteration: int = 0) -> None:
        self._path = path
        kept = [(line, record) for line, record in _read_lines(path) if record["iteration"] <= iteration]
        _replace(path, "".join(line for line, _ in kept))
        self._summaries = Summaries(path.parent, step_of(kept[-1][1]) if kept else -1)

    def write(self, record: Record) -> None:
        """Appends a line; the keys must be names of `METRICS`."""
        if unknown := record.keys() - {metric.name for metric in METRICS}:
            raise KeyError(f"no metric {sorted(unknown)[0]!r}")
        with self._path.open("ab") as file:
            file.write((json.dumps(record) + "\n").encode())
        self._summaries.write(record, TAGS)


def read_log(path: Path) -> list[dict[str, float]]:
    """The whole lines of a log."""
    return [record for _, record in _read_lines(path)]


def _read_lines(path: Path) -> list[tuple[str, dict[str, float]]]:
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    return [(line, record) for line in lines if (record := _parse(line)) is not None]


def _parse(line: str) -> dict[str, float] | None:
    if not line.endswith("\n"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("iteration"), int) else None


def _replace(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
