"""A run on a disk that is full: which file is named, what is kept, and that the command that is told goes on."""

import errno
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alquerque_training.run import train as train_module
from alquerque_training.run.config_file import ConfigError
from alquerque_training.run.folder import TrainingError
from alquerque_training.run.train import TrainingResult, train

from alquerque_env.game.kernel_arrays import JIT
from tests.full_disk import files_up_to
from tests.training.tiny_runs import at_iteration, weights, without_time

resource = pytest.importorskip("resource", reason="there is no limit on files")
needs_jit = pytest.mark.skipif(not JIT, reason="the judge of the openings is slow in plain Python")
LARGE = os.strerror(errno.EFBIG)
pytestmark = pytest.mark.usefixtures("folder")


@contextmanager
def files_up_to_from(iteration: int, size: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As `files_up_to`, once an iteration has been logged."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    with monkeypatch.context() as patch:
        at_iteration(iteration, limit, patch)
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


def go_on(message: str) -> TrainingResult:
    """Does what a message tells to do."""
    words = shlex.split(re.split(r"(?:resume|start again) with: ", message)[1])
    assert words[:2] == ["alquerque", "train"]
    if words[2] == "--resume":
        return train(None, resume=Path(words[3]))
    assert words[2] == "tiny.toml"
    return train(Path("tiny.toml"), words[3:])


def test_the_last_checkpoint_of_a_run(uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch) -> None:
    with files_up_to_from(8, 10_000, monkeypatch), pytest.raises(TrainingError) as caught:
        train(Path("tiny.toml"))

    assert str(caught.value) == (
        f"checkpoint 'runs/tiny-1/checkpoints/final' cannot be written: {LARGE}; the last checkpoint is "
        "'runs/tiny-1/checkpoints/step-000000003072': fix that and resume with: alquerque train --resume "
        "runs/tiny-1"
    )
    assert {path.name for path in Path("runs/tiny-1/checkpoints").iterdir()} == {
        "step-000000001536",
        "step-000000003072",
    }
    resumed = go_on(str(caught.value))
    assert weights(resumed) == weights(uninterrupted)
    assert without_time(resumed.run) == without_time(uninterrupted.run)


@pytest.mark.slow
def test_the_first_line_of_the_log(uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the run would be lost, so none of it is left behind."""
    make = train_module.create_run
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def make_and_fill(*arguments: object, **named: object) -> object:
        run = make(*arguments, **named)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        return run

    with monkeypatch.context() as patch, pytest.raises(TrainingError) as caught:
        patch.setattr(train_module, "create_run", make_and_fill)
        try:
            train(Path("tiny.toml"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert str(caught.value) == (
        f"log 'runs/tiny-1/log.jsonl' cannot be written: {LARGE}; nothing has been saved yet: fix that and start "
        "again with: alquerque train tiny.toml"
    )
    assert list(Path("runs").iterdir()) == []
    assert weights(go_on(str(caught.value))) == weights(uninterrupted)


def test_a_new_run(folder: Path) -> None:
    with files_up_to(100), pytest.raises(ConfigError) as caught:
        train(Path("tiny.toml"))

    assert str(caught.value) == (
        f"run.directory is 'runs', which cannot be written to: {LARGE}; fix that, or choose another one"
    )
    assert list(Path("runs").iterdir()) == []
