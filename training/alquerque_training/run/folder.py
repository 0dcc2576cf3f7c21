"""The folder of a run: `config.json`, `log.jsonl`, `checkpoints/` and, if it has opponents, `ladder.jsonl`."""

import errno
import itertools
import json
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alquerque_env.errors import AlquerqueError, shorten
from alquerque_env.files.atomic import remove_partials, remove_whole_folder, write_whole
from alquerque_env.files.lock import LockedError, locked
from alquerque_env.files.regular import read_regular
from alquerque_env.files.schema import check_texts
from alquerque_training.config.settings import Config, ConfigError, RunConfig
from alquerque_training.run.config_file import complete_config, parse_run, programs

CONFIG, LOG, CHECKPOINTS, FINAL = "config.json", "log.jsonl", "checkpoints", "final"
CHOSEN = "config.toml"
LADDER, LOCK = "ladder.jsonl", ".lock"

_FULL = (errno.ENOSPC, errno.EDQUOT)


class TrainingError(AlquerqueError):
    """Training that cannot continue."""


@dataclass(frozen=True)
class Run:
    """A run on disk, in the folder `path`."""

    path: Path

    @property
    def log(self) -> Path:
        """The log, with one line for each iteration; see `measure.metrics`."""
        return self.path / LOG

    @property
    def ladder(self) -> Path:
        """The matches between the opponents; see `measure.gauntlet`."""
        return self.path / LADDER

    @property
    def chosen(self) -> Path:
        """The settings as a config file, if they were chosen by a measurement, which cannot be repeated."""
        return self.path / CHOSEN

    @property
    def final(self) -> Path:
        """The checkpoint of the finished run."""
        return self.path / CHECKPOINTS / FINAL

    @property
    def is_empty(self) -> bool:
        """Whether the folder holds no iteration, no checkpoint, no match and no measured settings."""
        is_logged = self.log.exists() and self.log.stat().st_size > 0
        kept = (self.ladder, self.final, self.chosen)
        return not (is_logged or self.checkpoints() or any(path.exists() for path in kept))

    @property
    def is_unused(self) -> bool:
        """Whether the folder holds nothing but what is made before the config."""
        if not self.path.is_dir():
            return False
        visible = [file.name for file in self.path.iterdir() if not file.name.startswith(".")]
        return visible in ([], [CHECKPOINTS]) and self.is_empty

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Prevents other processes from resuming the run at the same time; `ConfigError` if one does."""
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(self.path / LOCK, f"run {str(self.path)!r}"))
            except LockedError as error:
                raise ConfigError(str(error)) from None
            except OSError as error:
                self.discard_if_empty()
                raise ConfigError(
                    f"run {str(self.path)!r} cannot be locked: {LOCK}: {error.strerror}; its files are kept: "
                    "make its folder writable"
                ) from None
            yield

    @contextmanager
    def writing(self, kind: str, path: Path, command: str, resume: str) -> Iterator[None]:
        """Guards the writing of a file of the run: an error leaves no partial file.

        The `TrainingError` says why, what is kept, and the `way_on`.
        """
        try:
            yield
        except OSError as error:
            self.clean()
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise TrainingError(
                f"{kind} {str(path)!r} cannot be written: {reason}; {self.kept}: {_remedy(error)} and "
                f"{self.way_on(command, resume)}"
            ) from None

    @property
    def kept(self) -> str:
        """A clause that names the last checkpoint."""
        saved = self.checkpoints()
        return f"the last checkpoint is {str(saved[-1])!r}" if saved else "nothing has been saved yet"

    @property
    def without_last(self) -> str:
        """Advice about a run whose last checkpoint is unusable."""
        *before, _ = self.checkpoints()
        if before:
            return f"the one before it is {str(before[-1])!r}; delete the broken one to resume from there"
        return "the run has no other: delete it, and the same command trains from the beginning"

    def way_on(self, command: str, resume: str) -> str:
        """Advice to `resume` the run, or to start it again by the `command` if nothing of it is kept."""
        if self.is_empty:
            return f"start again with: {command}"
        return f"resume with: {resume} {shlex.join(['--resume', str(self.path)])}"

    def clean(self) -> None:
        """Removes partial files of a killed process. The caller must hold the lock."""
        for folder in (self.path, self.path / CHECKPOINTS):
            remove_partials(folder)

    def discard_if_empty(self) -> None:
        """Removes the folder if it is empty."""
        if self.is_empty:
            shutil.rmtree(self.path, ignore_errors=True)

    def checkpoint(self, steps: int) -> Path:
        """The folder of the checkpoint after this many steps."""
        return self.path / CHECKPOINTS / f"step-{steps:012d}"

    def checkpoints(self) -> list[Path]:
        """The checkpoints from which the run can be resumed, oldest first."""
        return sorted((self.path / CHECKPOINTS).glob("step-*"))

    def prune(self, keep: int) -> None:
        """Deletes all checkpoints but the newest `keep`."""
        for path in self.checkpoints()[:-keep]:
            remove_whole_folder(path)


def create_run(name: str, config: Config, *, is_measured: bool = False) -> Run:
    """Creates the folder of a new run, `<name>-<n>` with the first free number, and writes its config.

    A folder without a config is free too: it is of a process that was killed before it wrote one. Settings that were
    chosen by a measurement are also written as a config file.

    Raises:
      ConfigError: If the folder cannot be created; then nothing is left behind.
    """
    try:
        directory = Path(config.run.directory)
        directory.mkdir(parents=True, exist_ok=True)
        runs = (Run(directory / f"{name}-{number}") for number in itertools.count(1))
        return next(run for run in runs if _set_up(run, config, is_measured))
    except OSError as error:
        raise ConfigError(
            f"run.directory is {config.run.directory!r}, which cannot be written to: {error.strerror}; "
            f"{_remedy(error)}, or choose another one"
        ) from None


def _set_up(run: Run, config: Config, is_measured: bool) -> bool:
    """Makes the folder of a run, whole or not at all, and writes its config; returns False if the folder is in use."""
    with suppress(FileExistsError):
        run.path.mkdir()
    if not run.is_unused:
        return False
    try:
        with locked(run.path / LOCK, f"run {str(run.path)!r}"):
            if not run.is_unused:
                return False
            run.clean()
            (run.path / CHECKPOINTS).mkdir(exist_ok=True)
            if is_measured:
                write_whole(run.chosen, (config.toml() + "\n").encode())
            write_whole(run.path / CONFIG, (json.dumps(config.as_data(), indent=2, ensure_ascii=False) + "\n").encode())
    except LockedError:
        return False
    except OSError:
        shutil.rmtree(run.path, ignore_errors=True)
        raise
    return True


def open_run(path: Path) -> tuple[Run, dict[str, Any]]:
    """Opens the run in a folder and reads its sections; `ConfigError` if there is none, or a finished one."""
    run, data = Run(path), read_sections(path)
    if run.final.exists():
        raise ConfigError(f"run {str(path)!r} is finished; its checkpoint is {str(run.final)!r}")
    return run, data


def read_begun(path: Path) -> RunConfig:
    """The section `run` of the run in a folder; errors are those of `open_run`."""
    return parse_run(open_run(path)[1], str(path / CONFIG))


def load_own_config(path: Path, overrides: Sequence[str]) -> Config:
    """Reads the config of a run to resume it without another one.

    Raises `ConfigError` as `open_run`, or if the config starts programs, or nothing of the run is kept.
    """
    run, data = open_run(path)
    if found := next(programs(data), None):
        raise ConfigError(
            f"run {str(path)!r} was started with {found.setting} = {shorten(found.value)!r}, which runs a program: "
            "if you trust it, resume the run by the command that began it"
        )
    if run.is_empty:
        raise ConfigError(f"run {str(path)!r} has saved nothing yet: begin it again with its config")
    return complete_config(data, overrides, str(path / CONFIG))


def read_sections(path: Path) -> dict[str, Any]:
    """Reads the config of a run without checking its sections; `ConfigError` if the folder holds no run."""
    try:
        data = json.loads(read_regular(path / CONFIG))
    except OSError as error:
        inside = sorted(str(file.parent) for file in path.glob(f"*/{CONFIG}"))
        near = f"; did you mean {inside[-1]!r}?" if inside else ""
        raise ConfigError(f"{str(path)!r} is not a run: {CONFIG}: {error.strerror}{near}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"run {str(path)!r}: {CONFIG} is not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"run {str(path)!r}: {CONFIG} holds no sections")
    check_texts(data, f"run {str(path)!r}: {CONFIG}", ConfigError)
    return data


def _remedy(error: OSError) -> str:
    return "free some space" if error.errno in _FULL else "fix that"
