"""The log: its columns, and what is left of it after a crash."""

import json
from pathlib import Path

import pytest
from test_selfplay import settings
from test_training_heap import HeapEnv, heap_config

from alquerque_env import load_game
from alquerque_env.storage import JIT
from training.alphazero import AlphaZeroLearner
from training.metrics import METRICS, MetricsLog, find_metric, read_log
from training.ppo import Learner


@pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")
def test_the_table_of_metrics_is_what_the_learners_and_measurements_log() -> None:
    ppo = Learner(heap_config(), HeapEnv(64)).iterate()
    alphazero = AlphaZeroLearner(settings(), load_game("alquerque"))
    records = [alphazero.iterate() for _ in range(4)]
    measured = {"win_rate_player_0", "win_rate_player_1", "score.greedy", "rating", "rating_low", "rating_high"}
    logged = {"seconds"}.union(ppo, *records, measured)

    assert "policy_loss" in records[-1]  # it has begun to learn
    assert {find_metric(key).name for key in logged} == {metric.name for metric in METRICS}


def test_a_family_has_a_member_for_each_of_several_things_and_nothing_else_has() -> None:
    assert find_metric("score.runs/x.1/final:64").name == "score"
    for key in ("score", "score.", "scores.greedy", "rating.greedy", "draws."):
        with pytest.raises(KeyError, match=f"no metric '{key}'"):
            find_metric(key)


def test_names_of_metrics_are_unique_and_every_one_has_a_unit_and_a_sentence() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    assert all(metric.unit and metric.meaning.endswith(".") for metric in METRICS)


def test_a_line_is_written_at_once(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "log.jsonl")
    log.write({"iteration": 1, "steps": 64})

    assert (tmp_path / "log.jsonl").read_text() == '{"iteration": 1, "steps": 64}\n'


def test_an_unknown_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no metric 'step'"):
        MetricsLog(tmp_path / "log.jsonl").write({"iteration": 1, "step": 64})


def test_going_on_cuts_off_later_and_torn_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole = "".join(json.dumps({"iteration": number}) + "\n" for number in range(1, 6))
    path.write_text(whole + '{"iteration": 6, "st')

    log = MetricsLog(path, iteration=3)
    log.write({"iteration": 4, "steps": 1})

    assert read_log(path) == [{"iteration": 1}, {"iteration": 2}, {"iteration": 3}, {"iteration": 4, "steps": 1}]


def test_a_torn_last_line_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"iteration": 1}\n{"iteration": 2}')

    assert read_log(tmp_path / "log.jsonl") == [{"iteration": 1}]
