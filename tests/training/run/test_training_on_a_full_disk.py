"""A run on a disk that is full: which file is named, what is kept, and that the command that is told goes on."""

import errno
import os
import re
import shlex
from contextlib import ExitStack
from pathlib import Path

import pytest
from alquerque_training.run import train as train_module
from alquerque_training.run.config_file import ConfigError
from alquerque_training.run.folder import TrainingError
from alquerque_training.run.train import TrainingResult, train

from tests.full_disk import files_up_to
from tests.training.tiny_runs import stop_at, weights, without_time

LARGE = os.strerror(errno.EFBIG)
pytestmark = pytest.mark.usefixtures("folder")


def go_on(message: str) -> TrainingResult:
    """Does what a message tells to do."""
    words = shlex.split(re.split(r"(?:resume|start again) with: ", message)[1])
    assert words[:2] == ["alquerque", "train"]
    if words[2] == "--resume":
        return train(None, resume=Path(words[3]))
    assert words[2] == "tiny.toml"
    return train(Path("tiny.toml"), words[3:])


def test_the_last_checkpoint_of_a_run(uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as disk:
        caught = stop_at(8, monkeypatch, by=lambda: disk.enter_context(files_up_to(10_000)), error=TrainingError)

    assert str(caught) == (
        f"checkpoint 'runs/tiny-1/checkpoints/final' cannot be written: {LARGE}; the last checkpoint is "
        "'runs/tiny-1/checkpoints/step-000000003072': fix that and resume with: alquerque train --resume "
        "runs/tiny-1"
    )
    assert {path.name for path in Path("runs/tiny-1/checkpoints").iterdir()} == {
        "step-000000001536",
        "step-000000003072",
    }
    resumed = go_on(str(caught))
    assert weights(resumed) == weights(uninterrupted)
    assert without_time(resumed.run) == without_time(uninterrupted.run)


@pytest.mark.slow
def test_the_first_line_of_the_log(uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the run would be lost, so none of it is left behind."""
    make = train_module.create_run
    with ExitStack() as disk, monkeypatch.context() as patch, pytest.raises(TrainingError) as caught:

        def make_and_fill(*arguments: object, **named: object) -> object:
            run = make(*arguments, **named)
            disk.enter_context(files_up_to(100))
            return run

        patch.setattr(train_module, "create_run", make_and_fill)
        train(Path("tiny.toml"))

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
