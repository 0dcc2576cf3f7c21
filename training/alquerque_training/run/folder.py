"""The folder of a run: `config.json`, `log.jsonl`, `checkpoints/` and, with opponents, their `ladder.jsonl`."""

import errno
import itertools
import json
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import remove_partials, remove_whole_folder, write_whole
from alquerque_env.files.lock import LockedError, locked
from alquerque_training.config.loader import ConfigError, parse_config
from alquerque_training.config.settings import Config

CONFIG, LOG, CHECKPOINTS, FINAL = "config.json", "log.jsonl", "checkpoints", "final"
LADDER, LOCK = "ladder.jsonl", ".lock"

_FULL = (errno.ENOSPC, errno.EDQUOT)


class TrainingError(AlquerqueError):
    """Training that cannot go on."""


@dataclass(frozen=True)
class Run:
    """A run on disk.

    Attributes:
      path: Its folder.
    """

    path: Path

    @property
    def log(self) -> Path:
        """A line for every iteration; see `measure.metrics`."""
        return self.path / LOG

    @property
    def ladder(self) -> Path:
        """The matches of the opponents among each other; see `measure.gauntlet`."""
        return self.path / LADDER

    @property
    def final(self) -> Path:
        """The checkpoint of the finished run."""
        return self.path / CHECKPOINTS / FINAL

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing that would be lost with it: no iteration, no checkpoint and no match."""
        is_logged = self.log.exists() and self.log.stat().st_size > 0
        return not (is_logged or self.ladder.exists() or self.checkpoints() or self.final.exists())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes from going on with the run at the same time.

        Raises:
          ConfigError: If another process does, or there is no writing in the folder.
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(self.path / LOCK, f"run {str(self.path)!r}"))
            except LockedError as error:
                raise ConfigError(str(error)) from None
            except OSError as error:
                self.discard_if_empty()
                raise ConfigError(
                    f"run {str(self.path)!r} cannot be locked: {LOCK}: {error.strerror}; what it holds is kept: "
                    "make its folder one that can be written to"
                ) from None
            yield

    @contextmanager
    def writing(self, kind: str, path: Path, command: str) -> Iterator[None]:
        """Within it a file of the run is written; what cannot be leaves nothing half written.

        Args:
          kind: What the file is called.
          path: The file.
          command: What the run was started with.

        Raises:
          TrainingError: If it cannot be written; it says why, what is kept and how to go on.
        """
        try:
            yield
        except OSError as error:
            self.clean()
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise TrainingError(
                f"{kind} {str(path)!r} cannot be written: {reason}; {self.kept}: {_remedy(error)} and "
                f"{self.way_on(command)}"
            ) from None

    @property
    def kept(self) -> str:
        """Which checkpoint is the last, in words."""
        saved = self.checkpoints()
        return f"the last checkpoint is {str(saved[-1])!r}" if saved else "nothing has been saved yet"

    @property
    def without_last(self) -> str:
        """How to go on where the last checkpoint is of no use, in words."""
        *before, _ = self.checkpoints()
        if before:
            return f"the one before it is {str(before[-1])!r}; delete the broken one to go on from there"
        return "the run has no other: delete it, and the same command trains from the beginning"

    def way_on(self, command: str) -> str:
        """How to go on with the run that a command has started, or to start it again if nothing of it is kept."""
        if self.is_empty:
            return f"start again with: {command}"
        return f"go on with: {command} {shlex.join(['--resume', str(self.path)])}"

    def clean(self) -> None:
        """Removes what a process that was killed has left half written or half deleted. Only for who holds the lock."""
        for folder in (self.path, self.path / CHECKPOINTS):
            remove_partials(folder)

    def discard_if_empty(self) -> None:
        """Removes the folder of a run that holds nothing."""
        if self.is_empty:
            shutil.rmtree(self.path, ignore_errors=True)

    def checkpoint(self, steps: int) -> Path:
        """The checkpoint after so many steps."""
        return self.path / CHECKPOINTS / f"step-{steps:012d}"

    def checkpoints(self) -> list[Path]:
        """The checkpoints from which the run can go on, oldest first."""
        return sorted((self.path / CHECKPOINTS).glob("step-*"))

    def prune(self, keep: int) -> None:
        """Deletes all but the newest checkpoints."""
        for path in self.checkpoints()[:-keep]:
            remove_whole_folder(path)


def create_run(name: str, config: Config) -> Run:
    """Makes the folder of a new run, `<name>-<n>` with the first free number, and writes its config.

    Raises:
      ConfigError: If it cannot be made where the config says; then nothing is left of it.
    """
    try:
        path = _make_folder(Path(config.run.directory), name)
        try:
            _fill(path, config)
        except OSError:
            shutil.rmtree(path, ignore_errors=True)
            raise
    except OSError as error:
        raise ConfigError(
            f"run.directory is {config.run.directory!r}, cannot write there: {error.strerror}; "
            f"{_remedy(error)}, or choose another one"
        ) from None
    return Run(path)


def _fill(path: Path, config: Config) -> None:
    (path / CHECKPOINTS).mkdir()
    write_whole(path / CONFIG, (config.model_dump_json(indent=2) + "\n").encode())


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


def _remedy(error: OSError) -> str:
    return "make room" if error.errno in _FULL else "mend that"
