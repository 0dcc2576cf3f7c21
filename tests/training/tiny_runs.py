"""Configs of runs that take seconds, and what tests of interrupted runs compare."""

from collections.abc import Callable
from pathlib import Path

import pytest
from alquerque_training.measure.metrics import MetricsLog, read_log
from alquerque_training.run.train import TrainingResult

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
