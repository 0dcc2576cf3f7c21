"""The comparison of algorithms: its results, the tables in the documentation, and that it continues where it was."""

import json
from importlib.util import find_spec
from pathlib import Path

import algorithms
import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.arena.exact_errors import KINDS
from alquerque_env.bots.policy import PolicyBot


def test_the_tables_of_the_documentation_are_those_of_the_results() -> None:
    page = algorithms.PAGE.read_text(encoding="utf-8")
    assert {game for _, game, _ in algorithms.PLACE.findall(page)} == set(algorithms.GAMES)
    assert page == algorithms.filled(page), "run python benchmarks/algorithms.py report"
    rows = algorithms.ROWS.read_text(encoding="utf-8")
    assert rows == algorithms.leaderboard_rows(), "run python benchmarks/algorithms.py report"
    leaderboard = (algorithms.ROWS.parent / "README.md").read_text(encoding="utf-8")
    assert rows in leaderboard, "run alquerque benchmark leaderboard benchmarks/"
    for name in algorithms.ALGORITHMS:
        assert leaderboard.count(f"`python benchmarks/algorithms.py run {name} --game ") == len(algorithms.GAMES)


def test_every_result_is_of_a_run_and_adds_up() -> None:
    paths = sorted(algorithms.RESULTS.rglob("*.jsonl"))
    assert paths
    for path in paths:
        result = json.loads(path.read_text(encoding="utf-8"))
        run = algorithms.Run(*(result[name] for name in algorithms.Run._fields))
        assert path == run.path(algorithms.RESULTS)
        steps = [point["steps"] for point in result["points"]]
        assert steps == sorted(set(steps))
        assert steps[0] == 0
        assert steps[-1] >= algorithms.ALGORITHMS[run.name].steps
        for point in result["points"]:
            for kind in KINDS:
                wrong, regret = point[kind]["wrong"], point[kind]["regret"]
                assert wrong[1] <= wrong[0] <= wrong[2]
                # A wrong choice loses 1 or 2.
                assert wrong[0] - 1e-5 <= regret[0] <= 2 * wrong[0] + 1e-5


def test_the_area_is_the_mean_of_straight_lines() -> None:
    points = [{"steps": at, "natural": {"regret": [value, 0, 2]}} for at, value in ((0, 1.0), (10, 0.5), (30, 0.1))]
    assert algorithms._area(points, "natural", "steps", 10) == pytest.approx(0.75)
    assert algorithms._area(points, "natural", "steps", 20) == pytest.approx((7.5 + 4.0) / 20)
    assert algorithms._area(points, "natural", "steps", 40) == pytest.approx((7.5 + 6.0 + 1.0) / 40)


def test_a_run_counts_as_kept_only_if_that_is_known_for_every_seat() -> None:
    def seats(*kept: bool | None) -> list[dict]:
        return [{"kept": each} for each in kept]

    assert algorithms._kept([seats(True, True), seats(True, False), seats(None, False)]) == "1 of 3"
    assert algorithms._kept([seats(True), seats(None), None]) == "1 of 1"
    assert algorithms._kept([seats(None)]) == "–"


def test_every_point_of_a_run_and_its_search_are_measured_in_the_same_positions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = load_game("felli_simplified")
    bot = PolicyBot(game, lambda _seen, mask: mask.argmax())
    told = [algorithms.Trained(steps, bot) for steps in (0, 12_000, 50_000, 1_000_000)]
    monkeypatch.setattr(algorithms, "_train_own", lambda run, game, steps: iter(told))
    monkeypatch.setattr(algorithms, "_with_search", lambda game, network: bot)
    monkeypatch.setattr(algorithms, "RESPONSE_SECONDS", 0.0)
    run = algorithms.Run("alphazero_puct", game.name, 0)
    ruler = algorithms.Ruler(game, 50)
    result = algorithms.measure_run(run, 1_000_000, lambda _: None, ruler)
    # The same policy, so the same figures.
    alike = [{kind: each[kind] for kind in KINDS} for each in (*result["points"], result["search"])]
    assert len(alike) == 5
    assert all(each == alike[0] for each in alike)
    assert alike[0]["natural"]["positions"] == alike[0]["uniform"]["positions"] == 50
    assert algorithms.has_one_ruler({run.name: [result]})
    for changed in (result["points"][1], result["search"]):
        kept, changed["natural"] = changed["natural"], changed["natural"] | {"positions": 49}
        assert not algorithms.has_one_ruler({run.name: [result]})
        changed["natural"] = kept


def test_figures_of_an_earlier_ruler_are_named() -> None:
    for game in algorithms.GAMES:
        has_one = algorithms.has_one_ruler(algorithms.read_results(algorithms.RESULTS / game))
        assert (algorithms.OTHER_RULER not in algorithms._section(game)) == has_one


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
@pytest.mark.slow
def test_a_run_with_a_result_is_skipped_and_one_without_is_not(tmp_path: Path) -> None:
    words = ["ppo", "--game", "felli_simplified", "--steps", "2000", "--folder", str(tmp_path)]
    kept, other = (algorithms.Run("ppo", "felli_simplified", seed).path(tmp_path) for seed in (0, 1))
    kept.parent.mkdir(parents=True)
    kept.write_text("a result\n")
    begun = CliRunner().invoke(algorithms.main, ["run", *words, "--seed", "0", "--seed", "1"])
    assert (begun.exit_code, begun.output) == (0, "1 of 1: ppo in felli_simplified, seed 1\n")
    assert kept.read_text() == "a result\n"
    assert json.loads(other.read_text())["points"][-1]["steps"] >= 2000
    assert sorted(kept.parent.iterdir()) == [kept, other]
    again = CliRunner().invoke(algorithms.main, ["run", *words, "--seed", "0", "--seed", "1"])
    assert (again.exit_code, again.output) == (0, "")


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
@pytest.mark.slow
def test_equal_seeds_give_equal_results() -> None:
    run = algorithms.Run("ppo", "felli_simplified", 3)
    ruler = algorithms.Ruler(load_game(run.game), 1000)

    def found() -> list[dict]:
        points = algorithms.measure_run(run, 2000, lambda _: None, ruler)["points"]
        return [{kind: point[kind] for kind in KINDS} for point in points]

    first = found()
    assert len(first) == 2
    assert first == found()
    assert np.ptp([point["natural"]["wrong"][0] for point in first]) > 0
