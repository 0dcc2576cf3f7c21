"""The names of CleanRL and Stable-Baselines3 beside ours in TensorBoard, and what stands under them."""

from importlib import util

import pytest
from alquerque_training.measure.chart_names import CHARTS, chart_values
from alquerque_training.measure.metrics import METRICS, read_log, tag_of
from alquerque_training.run.train import TrainingResult

RECORD = {"iteration": 3, "steps": 600, "seconds": 2.0, "policy_loss": 0.5, "value_loss": 0.25, "entropy": 1.5}


def test_every_chart_shows_a_metric_and_has_a_name_of_its_own() -> None:
    metrics = {metric.name for metric in METRICS}
    names = [chart.name for chart in CHARTS]

    assert {chart.metric for chart in CHARTS} | {chart.per for chart in CHARTS} - {None} <= metrics
    assert len(set(names)) == len(names)
    assert not set(names) & {tag_of(metric.name) for metric in METRICS if not metric.is_family}


def test_the_numbers_are_those_that_the_other_library_would_show() -> None:
    """Stable-Baselines3 negates the entropy and does not halve the squared error, which CleanRL and we do."""
    assert chart_values(RECORD, "ppo") == {
        "charts/SPS": 300.0,
        "losses/policy_loss": 0.5,
        "losses/value_loss": 0.25,
        "losses/entropy": 1.5,
        "time/fps": 300.0,
        "time/total_timesteps": 600,
        "train/policy_gradient_loss": 0.5,
        "train/value_loss": 0.5,
        "train/entropy_loss": -1.5,
    }


@pytest.mark.parametrize("algorithm", ["alphazero", "mine:make"])
def test_losses_of_other_algorithms_do_not_take_the_names_of_ppo(algorithm: str) -> None:
    assert set(chart_values(RECORD, algorithm)) == {"charts/SPS", "time/fps", "time/total_timesteps"}


def test_a_speed_before_the_first_second_is_not_shown() -> None:
    assert chart_values({"iteration": 1, "steps": 16, "seconds": 0.0}, "ppo") == {"time/total_timesteps": 16}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(util.find_spec("tensorboard") is None, reason="TensorBoard is not installed")
def test_a_run_of_ppo_has_all_charts(uninterrupted: TrainingResult) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(uninterrupted.run / "tensorboard")).Reload()
    last = {tag: events.Scalars(tag)[-1].value for tag in events.Tags()["scalars"]}
    record = read_log(uninterrupted.run / "log.jsonl")[-1]

    assert {chart.name for chart in CHARTS} <= set(last)
    assert {tag_of(key) for key in record} <= set(last)
    assert {name: last[name] for name in chart_values(record, "ppo")} == pytest.approx(chart_values(record, "ppo"))
