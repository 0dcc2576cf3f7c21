"""Training on a Ray cluster of three nodes: the same results as on one machine, also while nodes are lost."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alquerque_training.run.train import TrainingResult, train

from alquerque_env.errors import AlquerqueError
from tests.training.tiny_runs import TINY, TINY_ALPHAZERO, compiled, stop_at, weights, without_time

pytest.importorskip("ray", reason="the extra `ray` is not installed")

from tests.ray_nodes import Nodes

pytestmark = [
    pytest.mark.slow,
    compiled,
    pytest.mark.skipif(os.name == "nt", reason="Ray has no test clusters on Windows"),
]

CONFIGS = {"ppo": TINY, "alphazero": TINY_ALPHAZERO}
DIVIDED = {
    "ppo": ["ppo.processes=4", "ppo.pool_share=0.25", "ppo.pool_every=2", "self_play.num_games=32"],
    "alphazero": ["alphazero.processes=4", "alphazero.learner_games=4"],
}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    made.shutdown()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in CONFIGS.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


@pytest.fixture(scope="module", params=["ppo", pytest.param("alphazero", marks=pytest.mark.long)])
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, TrainingResult]:
    """A run of an algorithm in processes of this machine."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / f"{request.param}.toml").write_text(CONFIGS[request.param])
    return request.param, train(
        folder / f"{request.param}.toml", [*DIVIDED[request.param], f"run.directory={folder / 'runs'}"]
    )


@contextmanager
def training(name: str, nodes: Nodes) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A run on the cluster in a process of its own, and its folder."""
    words = [sys.executable, "-m", "alquerque_env", "train", f"{name}.toml", *DIVIDED[name]]
    process = subprocess.Popen(
        [*words, f"--ray={nodes.address}"],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield process, Path("runs", f"{name}-1")
    finally:
        process.kill()
        process.wait()


def logged(run: Path) -> int:
    """Number of iterations that a run has logged."""
    log = run / "log.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def weights_of(run: Path) -> bytes:
    return (run / "checkpoints" / "final" / "weights.safetensors").read_bytes()


def test_a_run_that_loses_nodes_has_the_weights_of_the_run_on_one_machine(
    alone: tuple[str, TrainingResult], nodes: Nodes
) -> None:
    name, expected = alone
    generator = random.Random(name)
    with training(name, nodes) as (process, run):
        for iterations in (1, 3, 5):
            wait_for(lambda done=iterations: logged(run) >= done or process.poll() is not None)
            time.sleep(generator.uniform(0, 0.5))
            nodes.replace_one()
        assert process.wait() == 0
    assert weights_of(run) == weights(expected)
    assert without_time(run) == without_time(expected.run)


def test_a_learner_that_is_killed_goes_on_from_its_last_checkpoint(
    alone: tuple[str, TrainingResult], nodes: Nodes
) -> None:
    name, expected = alone
    with training(name, nodes) as (process, run):
        wait_for(lambda: any((run / "checkpoints").glob("step-*")) or process.poll() is not None)
        process.kill()
    assert not (run / "checkpoints" / "final").exists()

    result = train(Path(f"{name}.toml"), DIVIDED[name], run, ray=nodes.address)

    assert weights(result) == weights(expected)
    assert without_time(result.run) == without_time(expected.run)


def wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.02)


@pytest.mark.long
def test_a_run_begun_on_one_machine_goes_on_on_a_cluster(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    given = DIVIDED["alphazero"]
    stop_at(4, monkeypatch, Path("alphazero.toml"), given)
    stop_at(6, monkeypatch, Path("alphazero.toml"), given, resume=Path("runs/alphazero-1"), ray=nodes.address)
    result = train(Path("alphazero.toml"), given, Path("runs/alphazero-1"))

    assert weights(result) == weights(train(Path("alphazero.toml"), given))


@pytest.mark.parametrize(
    ("name", "overrides", "address", "message"),
    [
        ("alphazero", ["alphazero.processes=1"], "local", "alphazero.processes is 1, expected 2 or more with --ray"),
        ("empty", ["run.algorithm=exact"], "local", "run.algorithm is 'exact': only ppo and alphazero train on a Ray"),
        ("alphazero", DIVIDED["alphazero"], "127.0.0.1:1", r"no Ray cluster at 127\.0\.0\.1:1"),
    ],
)
def test_a_run_without_a_cluster_or_work_for_it_is_refused_and_nothing_is_written(
    name: str, overrides: list[str], address: str, message: str, folder: Path
) -> None:
    (folder / "empty.toml").touch()
    with pytest.raises(AlquerqueError, match=message):
        train(Path(f"{name}.toml"), overrides, ray=address)
    assert not (folder / "runs").exists()
