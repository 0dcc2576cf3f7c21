"""The metrics of training: a table of names, units and meanings, and the log.

`log.jsonl` has one line for each iteration, a JSON object. Lines are written in one piece, so a crash loses at most the
last one. `MetricsLog` removes partial and later lines when a run is resumed. A metric that an iteration could not
measure is absent from its line. If TensorBoard is installed, the same numbers are written to `tensorboard/` beside the
log. Metrics that a learner declares itself are in `metrics.json`.
"""

import json
import threading
import tomllib
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import write_whole
from alquerque_env.files.json_lines import append_line, whole_lines
from alquerque_env.files.regular import read_regular
from alquerque_env.files.schema import parse

DECLARED, TENSORBOARD = "metrics.json", "tensorboard"


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


Record = Mapping[str, float]

_TABLE = TypeAdapter(tuple[Metric, ...])
METRICS = _TABLE.validate_python(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["metrics"]
)
"""What every learner may log, from the file beside this one."""


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


class Summaries:
    """Writes the metrics of a run as scalars over its steps; does nothing if TensorBoard is not installed.

    It creates `tensorboard/` in the folder. TensorBoard hides scalars of an earlier process after `last_step`.
    """

    def __init__(self, folder: Path, last_step: int) -> None:
        self._writer: Any = None
        self.close: Callable[[], object] = lambda: None
        if find_spec("tensorboard") is None:
            return
        report = threading.excepthook
        threading.excepthook = partial(_report_others, report)
        try:
            self._writer = _open(folder / TENSORBOARD, last_step + 1)
        except BaseException:
            threading.excepthook = report
            raise
        self.close = weakref.finalize(self, _close, self._writer, report)

    def write(self, scalars: Mapping[str, float], step: int) -> None:
        """Writes the scalars of a step, by their tags."""
        if self._writer is None:
            return
        for tag, value in scalars.items():
            self._writer.add_scalar(tag, value, step)
        self._writer.flush()


def _open(folder: Path, first_step: int) -> Any:
    with warnings.catch_warnings():
        # TensorBoard uses deprecated functions of its dependencies.
        warnings.simplefilter("ignore")
        # Imported here because it takes seconds and only training needs it.
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(folder.resolve()), purge_step=first_step)


def _report_others(report: Callable[..., object], failure: threading.ExceptHookArgs) -> None:
    """Reports how a thread failed, unless it is one of TensorBoard's: `write` raises the same exception."""
    if not type(failure.thread).__module__.startswith("tensorboard."):
        report(failure)


def _close(writer: Any, report: Callable[..., object]) -> None:
    with suppress(OSError):  # which `write` has raised
        writer.close()
    threading.excepthook = report


def step_of(record: Mapping[str, float]) -> int:
    """The step of a record; its iteration if it has no steps."""
    return int(record.get("steps", record["iteration"]))
