"""The benchmark counts what it says it counts."""

import json
import subprocess
import sys

from alquerque_env.bench.clock import RUNS, rate


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
    floor = by_name["AEC env(), an environment that does nothing"]["steps_per_second"]
    assert by_name["AEC env()"]["ratio"] == by_name["AEC env()"]["steps_per_second"] / floor
