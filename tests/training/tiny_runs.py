"""Configs of runs that take seconds, runs that are stopped, and what is compared of them."""

import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from alquerque_training.config.settings import Config
from alquerque_training.measure.metrics import MetricsLog, read_log
from alquerque_training.run.config_file import parse_config
from alquerque_training.run.train import TrainingResult, train

from alquerque_env.game.kernel_arrays import JIT

compiled = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")

TINY = """
[run]
game = "alquerque"
total_steps = 4096
checkpoint_every = 3
[self_play]
num_games = 32
rollout_steps = 16
max_cycles = 40
[ppo]
minibatch_size = 128
[network]
width = 16
blocks = 1
[evaluation]
games_per_seat = 4
every = 4
"""

TINY_ALPHAZERO = """
[run]
algorithm = "alphazero"
total_steps = 3072
checkpoint_every = 3
[self_play]
num_games = 16
rollout_steps = 24
[search]
simulations = 4
final_simulations = 8
[alphazero]
batch_size = 64
warmup_positions = 128
window = 2000
[network]
width = 16
blocks = 1
weight_bits = 8
[evaluation]
games_per_seat = 4
every = 4
"""


def settings(game: str = "alquerque", **sections: dict[str, object]) -> Config:
    """Settings of AlphaZero."""
    base: dict[str, dict[str, object]] = {
        "run": {"algorithm": "alphazero", "game": game, "total_steps": 64 * 40},
        "self_play": {"num_games": 16, "rollout_steps": 20},
        "search": {"simulations": 4},
        "alphazero": {"batch_size": 64, "warmup_positions": 128, "window": 1000, "precision": "float32"},
        "network": {"width": 16, "blocks": 1},
    }
    return parse_config({name: base.get(name, {}) | sections.get(name, {}) for name in {**base, **sections}}, "test")


def weights(result: TrainingResult) -> bytes:
    return (result.checkpoint / "weights.safetensors").read_bytes()


def without_time(run: Path) -> list[dict[str, float]]:
    clocks = {"seconds", "steps_per_second", "playing_share"}
    return [{key: value for key, value in line.items() if key not in clocks} for line in read_log(run / "log.jsonl")]


def at_iteration(number: int, action: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Does something when an iteration has been logged and before it is saved."""
    write = MetricsLog.write

    def write_and_act(self: MetricsLog, record: dict[str, float]) -> None:
        write(self, record)
        if record["iteration"] == number:
            action()

    monkeypatch.setattr(MetricsLog, "write", write_and_act)


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def power_cut() -> None:
    raise RuntimeError("power cut")


def stop_at(
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    config: Path = Path("tiny.toml"),
    overrides: Sequence[str] = (),
    *,
    by: Callable[[], object] = ctrl_c,
    error: type[BaseException] = SystemExit,
    **arguments: Any,
) -> Any:
    """Trains until something ends the run in an iteration; returns the error."""
    with monkeypatch.context() as patch, pytest.raises(error) as stopped:
        at_iteration(number, by, patch)
        train(config, overrides, **arguments)
    return stopped.value
