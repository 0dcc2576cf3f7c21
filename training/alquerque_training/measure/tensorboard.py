"""A second log of the run, for TensorBoard, if it is installed."""

import warnings
import weakref
from collections.abc import Mapping
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
        if find_spec("tensorboard") is None:
            return
        with warnings.catch_warnings():
            # TensorBoard uses deprecated functions of its dependencies.
            warnings.simplefilter("ignore")
            # Imported here because it takes seconds and only training needs it.
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str((folder / FOLDER).resolve()), purge_step=last_step + 1)
        weakref.finalize(self, self._writer.close)

    def write(self, scalars: Mapping[str, float], step: int) -> None:
        """Writes the scalars of a step, by their tags."""
        if self._writer is None:
            return
        for tag, value in scalars.items():
            self._writer.add_scalar(tag, value, step)
        self._writer.flush()


def step_of(record: Mapping[str, float]) -> int:
    """The step of a record; its iteration if it has no steps."""
    return int(record.get("steps", record["iteration"]))
