"""Processes of self-play: what is said when one dies, and that none says anything when the learner does."""

import multiprocessing
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from alquerque_training.run.config_file import ConfigError, parse_config
from alquerque_training.run.folder import TrainingError
from alquerque_training.run.train import train

from alquerque_env.errors import AlquerqueError
from tests.training.tiny_runs import TINY_ALPHAZERO, compiled, stop_at

CONFIG = TINY_ALPHAZERO
pytestmark = [
    pytest.mark.usefixtures("folder"),
    compiled,
    pytest.mark.skipif(os.name == "nt", reason="there are no such signals"),
]


def kill_worker() -> None:
    (worker,) = multiprocessing.active_children()
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()


@pytest.mark.parametrize(
    ("iteration", "kept"),
    [(2, "nothing has been saved yet"), (4, "the last checkpoint is 'runs/tiny-1/checkpoints/step-000000001152'")],
)
@pytest.mark.slow
def test_a_run_with_a_dead_process_names_what_is_kept_and_how_to_resume(
    iteration: int, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = ["alphazero.processes=2"]
    caught = stop_at(iteration, monkeypatch, overrides=shared, by=kill_worker, error=TrainingError)

    message, command = str(caught).split(": resume with: ")
    assert message == f"a process of self-play has died; {kept}"
    assert command == "alquerque train --resume runs/tiny-1"
    assert train(None, (), Path(shlex.split(command)[-1])).checkpoint.exists()


@pytest.mark.parametrize("moment", ["playing", "sending"])
@pytest.mark.slow
def test_a_process_whose_learner_is_killed_ends_silently(moment: str) -> None:
    """Its answer has nobody to go to, or its order ends too early. The error output is open until it has ended."""
    script = """
        import os, signal, sys
        from multiprocessing.connection import Connection
        from pathlib import Path
        import numpy as np
        from alquerque_training.run.config_file import load_config
        from alquerque_training.run.learner import make_learner
        from alquerque_env import load_game
        from alquerque_env.errors import AlquerqueError

        def send_half(connection, data):
            os.write(connection.fileno(), bytes(data)[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

        if __name__ == "__main__":
            long_rounds = ["alphazero.processes=2", "self_play.rollout_steps=200"]
            learner = make_learner(load_config(Path("tiny.toml"), long_rounds), load_game("alquerque"))
            learner.iterate()
            if sys.argv[1] == "sending":
                print("sending", flush=True)
                Connection._send = send_half
            weights = {f"weights.{name}": tensor.numpy() for name, tensor in learner.network.state_dict().items()}
            learner.workers.begin({**weights, "simulations": np.array(8)})
            print("playing", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """
    Path("script.py").write_text(textwrap.dedent(script))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "script.py", moment],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )

    assert done.returncode == -signal.SIGKILL
    assert done.stdout == f"{moment}\n"
    assert done.stderr == ""


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused_before_anything_is_written(folder: Path) -> None:
    with pytest.raises(ConfigError) as error:
        train(Path("tiny.toml"), ["alphazero.device=cuda", "alphazero.processes=2"])

    assert str(error.value).startswith("alphazero.device is 'cuda', but torch cannot use a GPU here (")
    assert str(error.value).endswith("): expected 'cpu', or 'auto' for a GPU if there is one")
    assert "\n" not in str(error.value)
    assert [path.name for path in folder.iterdir()] == ["tiny.toml"]


def test_a_run_too_short_for_any_gradient_is_not_kept(folder: Path) -> None:
    """Hardly a match ends within so few decisions, and only the positions of those that have ended are learned from."""
    with pytest.raises(AlquerqueError) as error:
        train(Path("tiny.toml"), ["run.total_steps=384", "self_play.rollout_steps=4", "self_play.num_games=96"])

    assert re.fullmatch(
        "nothing was learned in 384 steps: with alphazero.warmup_positions = 128 it takes 144 positions of ended "
        r"matches, and there were \d\d?; set it lower, or run.total_steps higher",
        str(error.value),
    )
    assert list(Path("runs").iterdir()) == []


def test_a_learner_that_only_learns_leaves_all_games_to_the_others() -> None:
    config = parse_config(
        {
            "run": {"algorithm": "alphazero"},
            "self_play": {"num_games": 6},
            "alphazero": {"processes": 4, "learner_games": 0},
        },
        "test",
    )
    assert [config.games_of(number) for number in range(4)] == [0, 2, 2, 2]
