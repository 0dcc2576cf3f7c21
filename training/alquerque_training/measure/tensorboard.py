"""The log for TensorBoard, beside the log of the run, where TensorBoard is installed."""

import warnings
import weakref
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = "tensorboard"


class Summaries:
    """Writes the metrics of a run as scalars over its steps; does nothing where TensorBoard is not installed.

    Args:
      folder: The run's folder; `tensorboard/` is made in it.
      last_step: Scalars after this step, of an earlier process, are no longer shown.
    """

    def __init__(self, folder: Path, last_step: int) -> None:
        self._writer: Any = None
        if find_spec("tensorboard") is None:
            return
        with warnings.catch_warnings():
            # TensorBoard uses what its own dependencies have given up.
            warnings.simplefilter("ignore")
            # Here and not above, because it takes seconds and is needed by those alone who train.
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(folder / FOLDER), purge_step=last_step + 1)
        weakref.finalize(self, self._writer.close)

    def write(self, record: Mapping[str, float], tags: Mapping[str, str], step: int) -> None:
        """Writes what was measured at a step, each metric under its tag."""
        if self._writer is None:
            return
        for name, value in record.items():
            self._writer.add_scalar(tags[name], value, step)
        self._writer.flush()


def step_of(record: Mapping[str, float]) -> int:
    """Where a record stands on the axis of steps."""
    return int(record.get("steps", record["iteration"]))
