"""The comparison of what a network learns from: that its runs take equal processor time, and what its table says."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import load_game

targets = pytest.importorskip("targets")  # needs torch
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
