"""A second log of the run, for TensorBoard, if it is installed."""

import threading
import warnings
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = "tensorboard"


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
            self._writer = _open(folder / FOLDER, last_step + 1)
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
