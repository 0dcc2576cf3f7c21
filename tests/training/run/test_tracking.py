"""A run that Weights & Biases shows too: offline, resumed, interrupted, refused. The real package runs."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from alquerque_training.measure.metrics import read_log, tag_of
from alquerque_training.run.tracking import TrackingError
from alquerque_training.run.train import train

from alquerque_env.errors import UnknownNameError
from tests.sets import first_by_default
from tests.training.tiny_runs import power_cut, stop_at, weights

TINY = Path("tiny.toml")

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(
        util.find_spec("wandb") is None or util.find_spec("tensorboard") is None,
        reason="wandb and TensorBoard are not both installed",
    ),
]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")


def records(file: Path) -> Iterator[Any]:
    """The records of a file of wandb: messages in the blocks of a LevelDB log, after a head of seven bytes."""
    from wandb.proto import wandb_internal_pb2

    data, block, place, parts = file.read_bytes(), 32_768, 7, b""
    while place + 7 <= len(data):
        left = block - place % block
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        if place + 7 + length > len(data):
            return  # it is being written
        parts, place = parts + data[place + 7 : place + 7 + length], place + 7 + length
        if kind in (1, 4):  # a whole record, or the end of one
            yield wandb_internal_pb2.Record.FromString(parts)
            parts = b""


class Shown:
    """What wandb would upload of one session of a run."""

    def __init__(self, folder: Path) -> None:
        [file] = folder.glob("*.wandb")
        found = list(records(file))
        [self.run] = [each.run for each in found if each.HasField("run")]
        self.lines = [
            {item.key or ".".join(item.nested_key): json.loads(item.value_json) for item in each.history.item}
            for each in found
            if each.HasField("history")
        ]
        self.ends = [each.exit.exit_code for each in found if each.HasField("exit")]

    @property
    def steps(self) -> list[int]:
        return [line["global_step"] for line in self.lines]


def sessions(run: Path) -> list[Shown]:
    folders = sorted((run / "wandb").glob("offline-run-*"), key=os.path.getmtime)
    # A process of wandb writes the files, and may do so later than its client has ended.
    end = time.monotonic() + 60
    while not all(map(is_whole, folders)) and time.monotonic() < end:
        time.sleep(0.1)
    return [Shown(folder) for folder in folders]


def is_whole(folder: Path) -> bool:
    return any(each.HasField("exit") for file in folder.glob("*.wandb") for each in records(file))


@pytest.mark.slow
def test_a_tracked_run_shows_its_settings_and_every_chart(capsys: pytest.CaptureFixture[str]) -> None:
    result = train(TINY, track="wandb")
    [shown] = sessions(result.run)
    log = read_log(result.run / "log.jsonl")
    config = {item.key: json.loads(item.value_json) for item in shown.run.config.update if item.key != "_wandb"}

    assert (shown.run.project, shown.run.display_name) == ("alquerque", "tiny-1")
    assert config == json.loads((result.run / "config.json").read_text())
    assert shown.steps == [line["steps"] for line in log]
    assert {tag_of(key) for key in log[-1]} <= set(shown.lines[-1])
    assert [line["loss/policy_loss"] for line in shown.lines] == pytest.approx([line["policy_loss"] for line in log])
    assert shown.ends == [0]
    assert f"to upload it: wandb sync {result.run / 'wandb' / 'offline-run-'}" in capsys.readouterr().out


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.slow
def test_a_resumed_run_goes_on_where_the_interrupted_one_ended_properly(
    number: signal.Signals, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stop_at(5, monkeypatch, by=lambda: signal.raise_signal(number), track="wandb").code == status
    assert "resume with: alquerque train --track wandb --resume runs/tiny-1" in capsys.readouterr().out

    resumed = train(TINY, resume=Path("runs/tiny-1"), track="wandb")
    first, second = sessions(resumed.run)

    assert first.run.run_id == second.run.run_id
    assert (first.ends, second.ends) == ([0], [0])
    assert first.steps + second.steps == [line["steps"] for line in read_log(resumed.run / "log.jsonl")]
    assert len(first.steps) == 5
    assert weights(resumed) == weights(train(TINY))


@pytest.mark.slow
def test_a_run_that_fails_is_shown_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_at(3, monkeypatch, by=power_cut, error=RuntimeError, track="wandb")
    [shown] = sessions(Path("runs/tiny-1"))

    assert (len(shown.steps), shown.ends) == (3, [1])


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, since wandb reads its settings once in a process."""
    kept = {name: value for name, value in os.environ.items() if name not in ("WANDB_MODE", "WANDB_API_KEY")}
    logins = {"NETRC": str(Path("netrc").resolve()), "WANDB_CONFIG_DIR": str(Path("wandb-settings").resolve())}
    command = [sys.executable, "-m", "alquerque_env", "train", "tiny.toml", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, env=kept | logins | environment
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "wandb is not logged in: run wandb login, or set WANDB_MODE=offline"),
        ({"WANDB_API_KEY": "0" * 40, "WANDB_BASE_URL": "http://127.0.0.1:9"}, "wandb cannot track the run: "),
        pytest.param({"WANDB_API_KEY": "short"}, "wandb cannot track the run: ", marks=pytest.mark.long),
        pytest.param({"WANDB_MODE": "sometimes"}, "wandb cannot track the run: ", marks=pytest.mark.long),
    ],
    ids=["no login", "no server", "no key", "no mode"],
)
@pytest.mark.slow
def test_what_wandb_refuses_is_said_in_one_line_before_training(environment: dict[str, str], words: str) -> None:
    done = run("--track", "wandb", **environment)

    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(Path("runs").iterdir()) == []


@pytest.mark.slow
def test_a_disabled_wandb_shows_nothing() -> None:
    done = run("--track", "wandb", WANDB_MODE="disabled")

    assert done.returncode == 0, done.stderr
    assert "tracked by wandb: disabled" in done.stdout
    assert not Path("runs/tiny-1/wandb").exists()


@pytest.mark.slow
def test_wandb_is_not_imported_unless_it_is_asked_for() -> None:
    code = (
        "import sys; from pathlib import Path; from alquerque_training.run.train import train; "
        "train(Path('tiny.toml')); print('wandb' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    [result] = Path("runs").iterdir()

    assert done.stdout.splitlines()[-1] == "False"
    assert not list(result.glob("wandb*"))


@first_by_default
@pytest.mark.parametrize("text", ["", "[]", '{"id": 3}', '{"id": ""}', '{"id": "a", "other": 1}'])
def test_an_id_that_cannot_be_read_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stop_at(3, monkeypatch)
    path = Path("runs/tiny-1")
    (path / "wandb.json").write_text(text)
    before = (path / "log.jsonl").read_bytes()

    with pytest.raises(TrackingError, match=r"wandb.json' has no id of a tracked run: delete it"):
        train(TINY, resume=path, track="wandb")
    assert (path / "log.jsonl").read_bytes() == before


def test_an_unknown_tracker_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"no tracker 'mlflow' \(known: wandb\)"):
        train(TINY, track="mlflow")
    assert not Path("runs").exists()
