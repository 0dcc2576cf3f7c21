"""The folder of a run: `config.json`, `log.jsonl`, `checkpoints/` and, with opponents, their `ladder.jsonl`."""

import itertools
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from training.checkpoint import delete_checkpoint
from training.config import Config, ConfigError, parse_config

CONFIG, LOG, CHECKPOINTS, FINAL = "config.json", "log.jsonl", "checkpoints", "final"
LADDER, LOCK = "ladder.jsonl", ".lock"


@dataclass(frozen=True)
class Run:
    """A run on disk.

    Attributes:
      path: Its folder.
    """

    path: Path

    @property
    def log(self) -> Path:
        """A line for every iteration; see `training.metrics`."""
        return self.path / LOG

    @property
    def ladder(self) -> Path:
        """The matches of the opponents among each other; see `training.gauntlet`."""
        return self.path / LADDER

    @property
    def final(self) -> Path:
        """The checkpoint of the finished run."""
        return self.path / CHECKPOINTS / FINAL

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes from going on with the run at the same time.

        Raises:
          ConfigError: If another process does.
        """
        try:
            with FileLock(self.path / LOCK, timeout=0):
                yield
        except Timeout:
            raise ConfigError(f"run {str(self.path)!r} is in use by another process") from None

    def checkpoint(self, steps: int) -> Path:
        """The checkpoint after so many steps."""
        return self.path / CHECKPOINTS / f"step-{steps:012d}"

    def checkpoints(self) -> list[Path]:
        """The checkpoints from which the run can go on, oldest first."""
        return sorted((self.path / CHECKPOINTS).glob("step-*"))

    def prune(self, keep: int) -> None:
        """Deletes all but the newest checkpoints."""
        for path in self.checkpoints()[:-keep]:
            delete_checkpoint(path)


def create_run(name: str, config: Config) -> Run:
    """Makes the folder of a new run, `<name>-<n>` with the first free number, and writes its config.

    Raises:
      ConfigError: If it cannot be made where the config says.
    """
    try:
        path = _make_folder(Path(config.run.directory), name)
    except OSError as error:
        raise ConfigError(f"run.directory is {config.run.directory!r}, cannot write there: {error.strerror}") from None
    (path / CHECKPOINTS).mkdir()
    partial = path / f".{CONFIG}.partial"
    partial.write_text(config.model_dump_json(indent=2) + "\n", encoding="utf-8")
    os.replace(partial, path / CONFIG)
    return Run(path)


def _make_folder(directory: Path, name: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        path = directory / f"{name}-{number}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        break
    return path


def open_run(path: Path) -> tuple[Run, Config]:
    """The run in a folder, with the config that it was started with.

    Raises:
      ConfigError: If the folder holds no run, or one that is finished.
    """
    try:
        data = json.loads((path / CONFIG).read_bytes())
    except OSError as error:
        raise ConfigError(f"{str(path)!r} is not a run: {CONFIG}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"run {str(path)!r}: {CONFIG} is not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"run {str(path)!r}: {CONFIG} holds no sections")
    run = Run(path)
    if run.final.exists():
        raise ConfigError(f"run {str(path)!r} is finished; its checkpoint is {str(run.final)!r}")
    return run, parse_config(data, str(path / CONFIG))
