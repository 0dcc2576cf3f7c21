"""The log: its columns, and what is left of it after a crash."""

import json
from pathlib import Path

import pytest
from alquerque_training.alphazero import AlphaZeroLearner
from alquerque_training.measure.metrics import (
    METRICS,
    Metric,
    MetricError,
    MetricsLog,
    find_metric,
    read_log,
    read_metrics,
    tag_of,
    with_declared,
)

from alquerque_env import load_game
from tests.training.heap_game import HeapEnv, heap_config, heap_learner
from tests.training.tiny_runs import compiled, settings


@compiled
def test_the_table_of_metrics_is_what_the_learners_and_measurements_log() -> None:
    ppo = heap_learner(heap_config(), HeapEnv(64)).iterate()
    alphazero = AlphaZeroLearner(settings(), load_game("alquerque"))
    records = [alphazero.iterate() for _ in range(4)]
    measured = {"score.greedy", "rating", "rating_low", "rating_high", "exact_error"}
    for seat in (0, 1):
        measured |= {f"{rate}_player_{seat}" for rate in ("win_rate", "draw_rate")} | {f"score_player_{seat}.greedy"}
    logged = {"seconds", "steps_per_second"}.union(ppo, *records, measured)

    assert "policy_loss" in records[-1]  # it has begun to learn
    assert {find_metric(key).name for key in logged} == {metric.name for metric in METRICS}


def test_a_family_has_a_member_for_each_of_several_things_and_nothing_else_has() -> None:
    assert find_metric("score.runs/x.1/final:64").name == "score"
    for key in ("score", "score.", "scores.greedy", "rating.greedy", "draws."):
        with pytest.raises(MetricError, match=f"no metric '{key}'"):
            find_metric(key)


OWN = (
    Metric("my_loss", "nat", "What is minimised.", "loss", interval=("my_low", "my_high")),
    Metric("share_of", "share", "Of each kind.", is_family=True, is_occasional=True),
    Metric("draws", "share", "Drawn by agreement.", "agreements"),
)


def test_what_is_declared_is_logged_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    MetricsLog(path, declared=OWN).write({"iteration": 1, "my_loss": 0.5, "share_of.captures": 0.25})
    MetricsLog(path, 1, OWN).write({"iteration": 2, "my_loss": 0.25})

    assert read_log(path) == [
        {"iteration": 1, "my_loss": 0.5, "share_of.captures": 0.25},
        {"iteration": 2, "my_loss": 0.25},
    ]
    assert read_metrics(path) == with_declared(OWN)
    assert [metric.name for metric in read_metrics(path)[: len(METRICS)]] == [metric.name for metric in METRICS]
    assert find_metric("draws", read_metrics(path)).meaning == "Drawn by agreement."
    assert read_metrics(tmp_path / "other.jsonl") == read_metrics(path)
    assert find_metric("share_of.captures", read_metrics(path)) == OWN[1]
    assert tag_of("my_loss", read_metrics(path)) == "loss/my_loss"


@pytest.mark.parametrize(
    ("key", "words"), [("my_loss", "Metric('my_loss', unit, meaning),"), ("a.b", "is_family=True")]
)
def test_the_refusal_of_an_unknown_metric_says_how_it_is_declared(key: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(MetricError) as error:
        MetricsLog(tmp_path / "log.jsonl", declared=OWN[1:]).write({"iteration": 1, key: 0.5})

    assert (tmp_path / "log.jsonl").read_text() == ""

    assert f"no metric {key!r}" in str(error.value)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("metric", [("", "1", "What."), ("what", "", "What."), ("what", "1", "")])
def test_a_metric_needs_a_name_a_unit_and_a_meaning(metric: tuple[str, str, str]) -> None:
    with pytest.raises(MetricError, match="needs a name, a unit and a meaning"):
        Metric(*metric)


@pytest.mark.parametrize("text", ["{", "3", '[{"name": "a"}]', '[{"name": "a", "unit": "", "meaning": "What."}]'])
def test_damaged_declarations_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_text(text)

    with pytest.raises(MetricError, match=r"metrics\.json' is no list of metrics"):
        read_metrics(tmp_path / "log.jsonl")


def test_going_on_cuts_off_later_and_torn_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole = "".join(json.dumps({"iteration": number}) + "\n" for number in range(1, 6))
    path.write_text(whole + '{"iteration": 6, "st')

    log = MetricsLog(path, iteration=3)
    log.write({"iteration": 4, "steps": 1})

    assert read_log(path) == [{"iteration": 1}, {"iteration": 2}, {"iteration": 3}, {"iteration": 4, "steps": 1}]
