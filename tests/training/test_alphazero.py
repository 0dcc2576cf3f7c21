"""`alquerque train` with AlphaZero: the same run again, after a break, and when something goes wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from alquerque_training.checkpoints.checkpoint import load_checkpoint, quantise
from alquerque_training.run.config_file import ConfigError
from alquerque_training.run.folder import Run
from alquerque_training.run.train import TrainingResult, train

from alquerque_env import load_bot, load_game
from alquerque_env.bots.shipped import META
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.match.match import Match
from tests.training.tiny_runs import TINY_ALPHAZERO, at_iteration

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source"),
]
CONFIG = TINY_ALPHAZERO


def crash_at(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash() -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="power cut"):
        at_iteration(number, crash, patch)
        train(Path("tiny.toml"))


def test_the_saved_weights_are_quantised(uninterrupted: TrainingResult) -> None:
    game = load_game("alquerque")
    network = load_checkpoint(uninterrupted.checkpoint, game).network
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    quantise(network, 8)
    assert all((before[name] == tensor).all() for name, tensor in network.state_dict().items())
    assert load_bot(str(uninterrupted.checkpoint), game).choose(Match(game))


@pytest.mark.slow
def test_a_run_in_use_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    crash_at(4, monkeypatch)
    code = (
        "from pathlib import Path; from alquerque_training.run.folder import Run\n"
        "with Run(Path('runs/tiny-1')).locked(): print('held', flush=True); input()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        card = Run(Path("runs/tiny-1")).checkpoints()[-1] / META
        content = card.read_bytes()
        card.write_bytes(b"")  # nothing is read that the holder may be writing
        with pytest.raises(ConfigError, match=f"run 'runs/tiny-1' is in use by process {holder.pid} on"):
            train(Path("tiny.toml"), resume=Path("runs/tiny-1"))
        card.write_bytes(content)
        holder.communicate("\n")
    assert train(Path("tiny.toml"), resume=Path("runs/tiny-1")).checkpoint.exists()


def test_an_unknown_algorithm_is_refused_and_nothing_is_written(folder: Path) -> None:
    for name, message in (
        ("alphago", "run.algorithm is 'alphago', expected ppo, alphazero, exact or module:name"),
        ("nowhere:make", "run.algorithm is 'nowhere:make', which cannot be imported: No module named 'nowhere'"),
        ("math:make", "run.algorithm is 'math:make', which cannot be imported"),
    ):
        with pytest.raises(ConfigError, match=message):
            train(Path("tiny.toml"), [f"run.algorithm={name}"])
    assert [path.name for path in folder.iterdir()] == ["tiny.toml"]
