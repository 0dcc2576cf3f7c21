"""The strength of training runs over time: the table in the documentation is that of the results."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.arena.ratings import elo_difference, expected_score
from alquerque_env.bots.network.model_card import read_card
from alquerque_env.bots.shipped import shipped_bots

strength = pytest.importorskip("strength")  # needs torch


def test_the_table_of_the_documentation_is_that_of_the_results() -> None:
    page = strength.PAGE.read_text(encoding="utf-8")
    assert page == strength.filled(page), "run python benchmarks/strength.py report"


@pytest.mark.parametrize("game", ["alquerque", "fetaix"])
def test_a_point_is_the_bot_that_ships_and_those_before_it_are_its_runs(game: str) -> None:
    results = strength.read_results(game)
    card = read_card(shipped_bots()[f"{game}-plain"])
    bot = [each["sha256"] for each in results].index(card.sha256["weights.safetensors"])
    assert results[bot]["command"] == card.command
    assert all(card.command.startswith(each["command"]) for each in results[:bot])
    assert [each["steps"] for each in results] == sorted({each["steps"] for each in results})
    for each in results:
        for value, low, high in (each[key] for key in strength.SIMULATIONS):
            assert 0 <= low <= value <= high <= 1


def test_a_result_is_kept_beside_those_that_other_processes_add(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strength, "RESULTS", tmp_path)
    first, second = ({"processor_seconds": seconds, "sha256": str(seconds)} for seconds in (2, 1))
    for result in (first, second):
        strength.add_result("fetaix", result)
    assert strength.read_results("fetaix") == [second, first]
    assert [path.name for path in tmp_path.iterdir()] == ["fetaix.jsonl"]


def test_a_folder_without_checkpoints_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(strength.main, ["measure", str(tmp_path)])
    assert done.exit_code == 1
    assert "is neither a checkpoint nor a run that has kept any" in done.output


@pytest.mark.slow
def test_a_network_is_measured_alone_and_with_a_search(tmp_path: Path) -> None:
    from tests.training.random_checkpoints import save_random_checkpoint  # needs torch

    game, found = strength.load_playable(save_random_checkpoint(tmp_path / "checkpoint", load_game("felli")))
    scores = strength.measure_scores(game, found.network, 4)
    assert scores.keys() == {"0", "64"}
    assert all(0 <= low <= value <= high <= 1 for value, low, high in scores.values())
    assert scores["0"][0] < 0.5  # of a network that has learned nothing


def test_a_run_that_gains_by_a_law_is_extrapolated_by_it() -> None:
    gain, begin, goal = 40, -100, 0.7
    rows = [
        {"processor_seconds": 60 * 2**doublings, "0": [expected_score(begin + gain * doublings)]}
        for doublings in range(4)
    ]
    slope, minutes = strength.extrapolate(rows, "0", goal)
    assert slope == pytest.approx(gain)
    assert minutes == pytest.approx(2 ** ((elo_difference(goal) - begin) / gain))
