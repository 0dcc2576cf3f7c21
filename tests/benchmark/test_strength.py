"""Scripts that compare training runs: over time, and by what a network learns from in equal processor time."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.arena.ratings import elo_difference, expected_score
from alquerque_env.bots.network.model_card import read_card
from alquerque_env.bots.shipped import shipped_bots

strength = pytest.importorskip("strength")  # needs torch
targets = pytest.importorskip("targets")  # needs torch


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


# The comparison of what a network learns from.


SECONDS = 0.5


class Clock:
    """Stands for the module `time`: processor time passes only where it is spent."""

    now = 0.0

    def process_time(self) -> float:
        return self.now


class Slowing:
    """A learner whose iterations take three times as long at the end of its schedule as at the beginning."""

    network = None

    def __init__(self, clock: Clock, config, _game) -> None:
        self.config, self.iteration, self.progress = config, 0, []
        self.clock, self.begun = clock, clock.now

    @property
    def steps(self) -> int:
        return self.iteration * self.config.steps_per_iteration

    def iterate(self) -> dict[str, float]:
        progress = self.iteration / self.config.iterations
        self.progress.append((self.clock.now - self.begun, progress))
        self.clock.now += 0.004 * (1 + 2 * progress)
        self.iteration += 1
        return {"value_loss": 0.0}


def test_a_run_whose_iterations_become_slower_takes_its_time_and_its_schedule_ends_with_it(monkeypatch) -> None:
    made: list[Slowing] = []
    clock = Clock()

    def make(*given: object) -> Slowing:
        made.append(Slowing(clock, *given))
        return made[-1]

    monkeypatch.setattr(targets, "time", clock)
    monkeypatch.setattr(targets, "make_learner", make)
    _, steps, spent = targets.train("expert", load_game("alquerque"), 0, SECONDS)

    assert steps == made[-1].steps > 0
    assert spent == pytest.approx(SECONDS, rel=0.03)
    for elapsed, progress in made[-1].progress:
        assert progress == pytest.approx(elapsed / SECONDS, abs=0.03)
    assert made[-1].progress[-1][1] > 0.95


def test_the_table_has_the_mean_of_the_seeds_and_an_interval_that_shrinks_with_their_number() -> None:
    runs = [
        {"name": "expert", "game": "fetaix", "seed": seed, "steps": 1000, "seconds": 9.0}
        | {key: [score, score - 0.06, score + 0.06] for key in ("0", "64", "regret")}
        for seed, score in enumerate((0.3, 0.4, 0.4, 0.5))
    ]

    table = targets.write_table(runs)

    assert len(targets.write_table([*runs, runs[0] | {"name": "removed"}]).splitlines()) == len(table.splitlines()) + 1
    assert "| `fetaix` | `expert` | 4 | 1,000 | 9.0 | 0.400 ±0.030 (0.300, 0.400, 0.400, 0.500) |" in table


def test_runs_of_another_length_are_not_taken_for_those_asked_for(tmp_path: Path, monkeypatch) -> None:
    figures = {"0": [0.5], "64": [0.5]}
    monkeypatch.setattr(targets, "measure", lambda name, game, seed, seconds: {"budget": seconds, **figures})
    arguments = ["run", "ppo", "--game", "fetaix", "--seed", "0", "--folder", str(tmp_path), "--seconds"]

    for _ in range(2):
        assert CliRunner().invoke(targets.main, [*arguments, "120"]).exit_code == 0
    refused = CliRunner().invoke(targets.main, [*arguments, "1200"])

    assert refused.exit_code == 2
    assert "is of runs of 120 s, expected 1200: choose another --folder" in " ".join(refused.output.split())
    assert json.loads((tmp_path / "fetaix" / "ppo-0.json").read_text())["budget"] == 120
