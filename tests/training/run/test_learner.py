"""A learner of one's own: what a run does for it, and what it asks of it."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from alquerque_training.measure.metrics import read_log, read_metrics
from alquerque_training.run.plot import plot_run
from alquerque_training.run.train import train

from alquerque_env.errors import AlquerqueError

LEARNER = """
import time

from alquerque_training.measure.metrics import Metric
from alquerque_training.ppo import PPOLearner


class Own(PPOLearner):
    metrics = {metrics}

    def iterate(self):
        time.sleep({pause})
        return super().iterate() | {record}

"""


def write_learner(folder: Path, name: str, metrics: str = "()", record: str = "{}", pause: float = 0.0) -> list[str]:
    """The overrides of a config that make such a learner learn; a name is imported once."""
    (folder / f"{name}.py").write_text(LEARNER.format(metrics=metrics, record=record, pause=pause))
    return [f"run.algorithm={name}:Own", "run.total_steps=2048"]


def test_the_run_measures_the_speed_and_not_the_learner(folder: Path) -> None:
    result = train(Path("tiny.toml"), write_learner(folder, "sleepy", record="{'steps_per_second': 1.0}", pause=0.2))
    log = read_log(result.run / "log.jsonl")

    speeds = [line["steps_per_second"] for line in log]
    # The time of an iteration by the run's clock, in which there are measurements too.
    seconds = [after["seconds"] - before["seconds"] for before, after in pairwise(log[:-1])]
    assert all(0.99 * 512 / passed <= speed < 512 / 0.2 for passed, speed in zip(seconds, speeds[1:-1], strict=True))


def test_a_learner_declares_metrics_of_its_own(folder: Path) -> None:
    metrics = "(Metric('surprise', 'nat', 'How little was foreseen.', 'mine'),)"
    result = train(Path("tiny.toml"), write_learner(folder, "declaring", metrics, "{'surprise': 0.5}"))

    assert [line["surprise"] for line in read_log(result.run / "log.jsonl")] == [0.5] * 4
    (surprise,) = (metric for metric in read_metrics(result.run / "log.jsonl") if metric.name == "surprise")
    assert (surprise.unit, surprise.meaning, surprise.panel) == ("nat", "How little was foreseen.", "mine")
    assert plot_run(result.run).exists()


@pytest.mark.parametrize(
    ("name", "learner", "words"),
    [
        ("undeclared", {"record": "{'my_loss': 0.5}"}, "metrics = (Metric('my_loss', unit, meaning),)"),
        ("unsaid", {"metrics": "(Metric('surprise', 'nat', ''),)"}, "'surprise' needs a name, a unit and a meaning"),
    ],
)
def test_a_metric_that_is_not_declared_is_refused(folder: Path, name: str, learner: dict[str, str], words: str) -> None:
    with pytest.raises(AlquerqueError, match=re.escape(words)):
        train(Path("tiny.toml"), write_learner(folder, name, **learner))
    assert list(folder.glob("runs/*")) == []
