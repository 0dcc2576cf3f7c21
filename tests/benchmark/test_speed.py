"""The benchmark counts what it says it counts."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from alquerque_env.benchmark.speed.rate import RUNS, rate, rates


def test_a_rate_counts_what_the_work_says_it_did_and_works_no_longer_than_asked() -> None:
    asked: list[int] = []

    def work(units: int) -> int:
        asked.append(units)
        for _ in range(units):
            sum(range(20_000))
        return 1000 * units

    found = rate(work, 0.3)
    assert asked[:2] == [1, 2]
    assert len(set(asked[-RUNS:])) == 1
    per_unit = found / 1000
    assert 0.1 < asked[-1] * RUNS / per_unit / 0.3 < 10


def test_works_that_are_compared_take_turns() -> None:
    turns: list[str] = []

    def make(name: str, worth: int):
        def work(units: int) -> int:
            turns.append(name)
            for _ in range(units):
                sum(range(20_000))
            return worth * units

        return work

    first, second = rates([make("first", 1000), make("second", 2000)], 0.3)
    assert turns[-2 * RUNS :] == ["first", "second"] * RUNS
    assert 1 < second / first < 4


def test_the_command_prints_every_figure_as_json() -> None:
    command = [sys.executable, "-m", "alquerque_env", "bench", "env", "alquerque", "--seconds", "0.01", "--json"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    figures = json.loads(printed.stdout)["games"]["alquerque"]
    names = [figure["name"] for figure in figures]
    assert [name for name in names if name.startswith("SelfPlayVectorEnv")] == [
        f"SelfPlayVectorEnv, {batch} games" for batch in (1, 64, 4096, 32768)
    ]
    assert all(figure["steps_per_second"] > 1000 for figure in figures)
    by_name = {figure["name"]: figure for figure in figures}
    nothing = by_name["AEC env(), an environment that does nothing"]["steps_per_second"]
    assert by_name["AEC env()"]["ratios"]["nothing, env()"] == by_name["AEC env()"]["steps_per_second"] / nothing


def run_bench(*arguments: str) -> Any:
    command = [sys.executable, "-m", "alquerque_env", "bench", *arguments, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout)


def check_search(found: Any, processes: int) -> None:
    for figure in found["figures"]:
        assert figure["simulations_per_second"] > 0
        assert figure["simulations_per_clock_second"] > 0
        assert figure["evaluations_per_second"] > 0
        assert 0 < figure["network_share"] <= 1
        assert figure["ratio"] == figure["simulations_per_second"] / figure["evaluations_per_second"]
        assert figure["decisions_per_second"] == figure["simulations_per_second"] / 32
        assert (figure["peak_share"] is None) == (re.fullmatch(r"mlp \d+x\d+", figure["network"]) is None)
        assert figure["peak_share"] is None or figure["peak_share"] > 0
    best = max(found["figures"], key=lambda figure: figure["simulations_per_second"])
    together = found["together"]
    assert together["processes"] == processes
    for name in ("network", "precision", "games"):
        assert together[name] == best[name]
    assert together["simulations_per_second"] > 0
    assert together["simulations_per_clock_second"] > 0


def test_search_is_measured_with_each_mlp_and_in_two_processes() -> None:
    arguments = ["--seconds", "0.01", "--network", "mlp", "--games", "4", "--games", "8", "--processes", "2"]
    found = run_bench("search", "alquerque", *arguments)["games"]["alquerque"]
    on_processor = [figure for figure in found["figures"] if figure["device"] == "cpu"]
    assert {(figure["network"], figure["games"]) for figure in on_processor} == {
        ("mlp 128x2", 4),
        ("mlp 128x2", 8),
        ("mlp 256x2", 4),
        ("mlp 256x2", 8),
    }
    assert "float32" in {figure["precision"] for figure in on_processor}
    check_search({**found, "figures": on_processor}, processes=2)


def test_the_columns_of_the_search_are_explained() -> None:
    command = [sys.executable, "-m", "alquerque_env", "bench", "search", "alquerque", "--seconds", "0.01"]
    command += ["--network", "conv", "--games", "2", "--processes", "1"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout.splitlines()
    (explained,) = (line for line in printed if line.startswith("ratio: "))
    heading = next(line for line in printed if line.endswith("of peak"))
    for column in ("simulations/s", "network alone/s", "ratio", "of peak"):
        assert column in heading
        assert column in explained


def test_search_is_measured_with_the_other_networks_too() -> None:
    kinds = (part for kind in ("mlp-search-features", "conv", "graph") for part in ("--network", kind))
    arguments = ["--seconds", "0.01", *kinds, "--games", "2", "--processes", "1"]
    found = run_bench("search", "alquerque", *arguments)["games"]["alquerque"]
    on_processor = [figure for figure in found["figures"] if figure["device"] == "cpu"]
    networks = [figure["network"] for figure in on_processor]
    assert networks == ["mlp 256x2 with search features, depth 0", "conv 32x4", "graph 64x4"]
    check_search({**found, "figures": on_processor}, processes=1)


SMALL = """
[self_play]
num_games = 8
rollout_steps = 32

[ppo]
minibatch_size = 64

[search]
simulations = 2

[alphazero]
batch_size = 16
warmup_positions = 16

[network]
width = 8
"""


@pytest.mark.parametrize("algorithm", ["ppo", "alphazero"])
def test_training_is_measured_in_playing_and_learning(tmp_path: Path, algorithm: str) -> None:
    config = tmp_path / "small.toml"
    config.write_text(SMALL)
    (figure,) = run_bench("train", str(config), f"run.algorithm={algorithm}", "--iterations", "2")["figures"]
    assert figure["algorithm"] == algorithm
    assert figure["iterations"] == 2
    assert figure["steps_per_second"] > 0
    assert figure["steps_per_processor_second"] > 0
    assert 0 < figure["playing_share"] < 1
    assert figure["positions_per_second"] > 0
    assert list(tmp_path.iterdir()) == [config]
