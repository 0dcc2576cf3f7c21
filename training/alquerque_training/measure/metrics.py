"""The metrics of training: a table of names, units and meanings, and the log.

`log.jsonl` has one line for each iteration, a JSON object. Lines are written in one piece, so a crash loses at most the
last one. `MetricsLog` removes partial and later lines when a run is resumed. A metric that an iteration could not
measure is absent from its line. If TensorBoard is installed, the same numbers are written to `tensorboard/` beside the
log. Metrics that a learner declares itself are in `metrics.json`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import write_whole
from alquerque_env.files.json_lines import append_line, whole_lines
from alquerque_env.files.regular import read_regular
from alquerque_env.files.schema import parse
from alquerque_training.measure.tensorboard import Summaries, step_of

DECLARED = "metrics.json"


class MetricError(AlquerqueError):
    """A metric that is not declared, or wrongly declared."""


@dataclass(frozen=True)
class Metric:
    """A column of the log.

    Attributes:
      name: Key in the log; for a family, the part before the dot, as in `score.greedy`.
      unit: Unit; `1` for a number without a unit.
      meaning: One or two sentences.
      panel: Panel of `alquerque plot`; empty if it is not drawn.
      interval: Keys of the ends of its 95% interval, which is drawn with it.
      is_family: Whether there is one metric for each of several things, such as opponents.
      is_occasional: Whether it is measured in some iterations only. Its line then connects the measurements; the line
        of another metric has a gap where a value is missing.

    Raises:
      MetricError: If name, unit or meaning is empty.
    """

    name: str
    unit: str
    meaning: str
    panel: str = ""
    interval: tuple[str, str] | None = None
    is_family: bool = False
    is_occasional: bool = False

    def __post_init__(self) -> None:
        if not (self.name and self.unit and self.meaning):
            raise MetricError(f"metric {self.name!r} needs a name, a unit and a meaning")


METRICS = (
    Metric("iteration", "iterations", "Rollouts and updates done so far."),
    Metric(
        "steps",
        "steps",
        "Steps of self-play done so far. PPO counts every step, also random and forced ones and those that only reset "
        "a game; AlphaZero counts decisions only.",
    ),
    Metric("seconds", "s", "Time spent in training so far, interruptions excluded."),
    Metric("steps_per_second", "steps/s", "Speed of this iteration, learning included, evaluation excluded.", "speed"),
    Metric("games", "games", "Games that ended in this iteration. A game without any decision does not count."),
    Metric(
        "game_length",
        "steps",
        "Mean number of steps in these games, from the first decision to the end, forced steps included. Random "
        "steps of an opening, and forced steps before the first decision, do not count. Absent if no game ended.",
        "length",
    ),
    Metric("player_0_wins", "share", "Share of these games won by player_0. Absent if none ended.", "outcomes"),
    Metric(
        "draws",
        "share",
        "Share of these games drawn by the rules; truncated games are not drawn. Absent if none ended.",
        "outcomes",
    ),
    Metric(
        "truncated",
        "share",
        "Share of these games truncated by max_cycles: neither won nor drawn. Absent if none ended.",
        "outcomes",
    ),
    Metric("simulations", "simulations", "Simulations of the search for a decision.", "search"),
    Metric("positions", "positions", "Positions added to the replay buffer so far.", "memory"),
    Metric(
        "window",
        "positions",
        "Number of newest positions in the replay buffer from which this iteration sampled. Absent without a gradient.",
        "memory",
    ),
    Metric("updates", "steps", "Optimizer steps so far."),
    Metric(
        "playing_share", "share", "Time of this iteration that the learning process spent in self-play.", "division"
    ),
    Metric(
        "policy_loss",
        "1",
        "For PPO the negated clipped surrogate objective; mean over the update. Other learners declare their own.",
        "loss",
    ),
    Metric("value_loss", "1", "Squared error of the value, for PPO half of it; mean over the update.", "loss"),
    Metric("entropy", "nat", "Entropy of the policy over legal actions; mean over the update.", "policy"),
    Metric("approx_kl", "nat", "Mean of ratio - 1 - log ratio: how far the update moved the policy.", "change"),
    Metric("clip_fraction", "share", "Steps of the update whose ratio was outside the clip."),
    Metric("gradient_norm", "1", "Norm of the gradient before clipping; mean over the update.", "gradient"),
    Metric(
        "explained_variance", "1", "1 - variance of (return - value) / variance of the return; 1 is perfect.", "value"
    ),
    Metric("learning_rate", "1", "Learning rate of this iteration's update."),
    Metric("entropy_bonus", "1", "For PPO: weight of the entropy in this iteration's update."),
    *(
        Metric(
            f"win_rate_{player}",
            "share",
            f"Games won against random as {player}, without a tree search.",
            "strength",
            is_occasional=True,
        )
        for player in ("player_0", "player_1")
    ),
    *(
        Metric(
            f"draw_rate_{player}",
            "share",
            f"Games drawn against random as {player}, without a tree search. Only where the sides differ.",
            "strength",
            is_occasional=True,
        )
        for player in ("player_0", "player_1")
    ),
    Metric(
        "exact_error",
        "share",
        "Wrong choices without a tree search in 2,000 uniform positions in which some step loses value, the same ones "
        "in every evaluation. Only in games with a table of the whole game.",
        "errors",
        is_occasional=True,
    ),
    Metric(
        "score",
        "share",
        "Score against an opponent of the arena; a draw counts half.",
        "scores",
        is_family=True,
        is_occasional=True,
    ),
    *(
        Metric(
            f"score_{player}",
            "share",
            f"The same as {player}. Only where the sides differ.",
            "scores by role",
            is_family=True,
            is_occasional=True,
        )
        for player in ("player_0", "player_1")
    ),
    Metric(
        "rating",
        "Elo",
        "Rating by the arena; random has 0.",
        "rating",
        interval=("rating_low", "rating_high"),
        is_occasional=True,
    ),
    Metric("rating_low", "Elo", "Lower end of the 95% interval of the rating.", is_occasional=True),
    Metric("rating_high", "Elo", "Upper end of the 95% interval of the rating.", is_occasional=True),
)

Record = Mapping[str, float]

_TABLE = TypeAdapter(tuple[Metric, ...])


def with_declared(declared: Iterable[Metric]) -> tuple[Metric, ...]:
    """`METRICS` and the metrics of a learner, which replace those of the same name."""
    return tuple({metric.name: metric for metric in (*METRICS, *declared)}.values())


def read_metrics(log: Path) -> tuple[Metric, ...]:
    """`METRICS` and those that the learner of a run has declared in `metrics.json` beside the log."""
    path = log.with_name(DECLARED)
    try:
        return with_declared(_TABLE.validate_json(read_regular(path)))
    except FileNotFoundError:
        return METRICS
    except (OSError, ValueError):
        raise MetricError(f"{str(path)!r} is no list of metrics") from None


def find_metric(key: str, metrics: Iterable[Metric] = METRICS) -> Metric:
    """The metric of a key of the log, or a `MetricError`."""
    name, dot, member = key.partition(".")
    for metric in metrics:
        if (metric.name == name and member) if metric.is_family else metric.name == key:
            return metric
    family = ", is_family=True" if dot else ""
    raise MetricError(
        f"no metric {key!r}: a learner must declare metrics of its own, as "
        f"metrics = (Metric({name!r}, unit, meaning{family}),) in its class, "
        "with Metric from alquerque_training.measure.metrics"
    )


def tag_of(key: str, metrics: Iterable[Metric] = METRICS) -> str:
    """The name of a key in TensorBoard; the part before the slash is a section."""
    return f"{find_metric(key, metrics).panel or 'other'}/{key}"


class MetricsLog:
    """Appends records to a file of JSON lines, which is created if it does not exist, without lines after an iteration.

    Metrics that the learner logs besides `METRICS` are declared. `last` is the last record; None for an empty log.
    """

    def __init__(self, path: Path, iteration: int = 0, declared: Sequence[Metric] = ()) -> None:
        self._path, self._metrics = path, with_declared(declared)
        if declared:
            write_whole(path.with_name(DECLARED), _TABLE.dump_json(tuple(declared), indent=2) + b"\n")
        kept = [(line, record) for line, record in _read_lines(path) if record["iteration"] <= iteration]
        write_whole(path, b"".join(line for line, _ in kept))
        self.last: Record | None = kept[-1][1] if kept else None
        self._summaries = Summaries(path.parent, step_of(kept[-1][1]) if kept else -1)

    def write(self, record: Record) -> None:
        """Appends a line atomically; raises `MetricError` if a key is neither in `METRICS` nor declared."""
        scalars = self._scalars(record)
        # Written first, so that the log has no line that TensorBoard lacks.
        self._summaries.write(scalars, step_of(record))
        with self._path.open("ab", buffering=0) as file:
            append_line(file, record)
        self.last = record

    def amend(self, measured: Record) -> None:
        """Adds later measurements to the last line, atomically; errors are those of `write`."""
        scalars = self._scalars(measured)
        *before, (_, last) = _read_lines(self._path)
        self.last = {**last, **measured}
        lines = [*(line for line, _ in before), json.dumps(self.last).encode() + b"\n"]
        write_whole(self._path, b"".join(lines))
        self._summaries.write(scalars, step_of(last))

    def close(self) -> None:
        """Ends what is written for TensorBoard."""
        self._summaries.close()

    def _scalars(self, record: Record) -> dict[str, float]:
        """The numbers of a record by their names in TensorBoard."""
        return {tag_of(key, self._metrics): value for key, value in record.items()}


def read_log(path: Path) -> list[dict[str, float]]:
    """The complete lines of a log."""
    return [record for _, record in _read_lines(path)]


def _read_lines(path: Path) -> list[tuple[bytes, dict[str, float]]]:
    if not path.exists():
        return []
    return [(line, record) for line in whole_lines(read_regular(path)) if (record := _parse(line)) is not None]


def _parse(line: bytes) -> dict[str, float] | None:
    try:
        record = parse(dict[str, float], json.loads(line), "log")
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record.get("iteration"), int) else None
