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

from training.summaries import Summaries, step_of


@dataclass(frozen=True)
class Metric:
    """A column of the log.

    Attributes:
      name: Key in the log; of a family, what stands before the dot, as in `score.greedy`.
      unit: What it counts.
      meaning: One sentence.
      panel: With what `alquerque plot` draws it; empty if it does not.
      interval: Keys of the ends of its 95 % interval, drawn with it.
      is_family: Whether there is one for each of several things, such as opponents.
    """

    name: str
    unit: str
    meaning: str
    panel: str = ""
    interval: tuple[str, str] | None = None
    is_family: bool = False


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
    Metric("simulations", "simulations", "Of the search for a decision.", "search"),
    Metric("positions", "positions", "Positions given to the replay buffer so far.", "memory"),
    Metric("window", "positions", "Newest positions that are learned from.", "memory"),
    Metric("updates", "gradients", "Gradients so far."),
    Metric(
        "playing_share", "share", "Time of this iteration that the learning process spent in self-play.", "division"
    ),
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
    Metric("entropy_bonus", "1", "PPO: weight of the entropy in this iteration's update."),
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
    Metric(
        "score",
        "share",
        "Points against an opponent of the arena, a draw being half of one; not in every line.",
        "scores",
        is_family=True,
    ),
    Metric(
        "rating",
        "Elo",
        "Rating by the arena, that of random being 0; not in every line.",
        "rating",
        interval=("rating_low", "rating_high"),
    ),
    Metric("rating_low", "Elo", "Lower end of the 95 % interval of the rating."),
    Metric("rating_high", "Elo", "Upper end of the 95 % interval of the rating."),
)

Record = Mapping[str, float]


def find_metric(key: str) -> Metric:
    """The metric of a key of the log.

    Raises:
      KeyError: If there is none.
    """
    name, _, member = key.partition(".")
    for metric in METRICS:
        if (metric.name == name and member) if metric.is_family else metric.name == key:
            return metric
    raise KeyError(f"no metric {key!r}")


def tag_of(key: str) -> str:
    """The name of a key in TensorBoard, where what stands before the stroke makes a section."""
    return f"{find_metric(key).panel or 'other'}/{key}"


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
        """Appends a line; the keys must be those of `METRICS`."""
        tags = {key: tag_of(key) for key in record}
        with self._path.open("ab") as file:
            file.write((json.dumps(record) + "\n").encode())
        self._summaries.write(record, tags)


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
