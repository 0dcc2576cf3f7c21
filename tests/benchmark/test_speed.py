"""The scripts of `benchmarks` that measure speed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from speed import PEERS, RUNS, Peer, rate, rates

from alquerque_env.cli.main import main
from tests.sets import first_by_default


class Clock:
    """A clock that work sets forward."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float, amount: int, log: list[tuple[int, int]]):
        """Work whose unit takes `seconds` and does `amount`."""

        def work(units: int) -> int:
            log.append((amount, units))
            self.now += seconds * units
            return amount * units

        return work


def test_a_rate_divides_the_work_by_its_time() -> None:
    clock, log = Clock(), []

    assert rate(clock.work(0.001, 3, log), 1.0, clock) == pytest.approx(3000)
    units = [units for _, units in log]
    assert units[:3] == [1, 2, 4]
    assert units[-RUNS:] == [200] * RUNS  # a fifth of a second each


def test_compared_works_take_turns() -> None:
    clock, log = Clock(), []

    assert rates([clock.work(0.001, 1, log), clock.work(0.002, 6, log)], 1.0, clock) == pytest.approx([1000, 3000])
    assert [amount for amount, _ in log][-2 * RUNS :] == [1, 6] * RUNS


@first_by_default
@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_plays_or_is_not_installed(peer: Peer) -> None:
    try:
        play = peer.make()
    except ImportError:
        pytest.skip(f"pip install {peer.requirement}")
    assert play(2) >= 2


def run_script(script: str, folder: Path) -> str:
    """What a script prints, run in a folder."""
    name, *arguments = script.split()
    command = [sys.executable, str(Path(__file__).parents[2] / "benchmarks" / name), *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "figure"),
    [
        ("speed.py felli --seconds 0.01 --device cpu", "  SelfPlayVectorEnv, torch on cpu, 4096 games"),
        ("search_speed.py felli --games 4 --seconds 0.01", "mlp .* cpu, 4 games in each of"),
        ("start.py import --repeat 1", "import alquerque_env"),
        ("train.py small.toml --iterations 1", "steps_of_processor"),
        ("train.py searched.toml --iterations 1", "learned"),
        ("tables.py felli_simplified --table small.aqt --seconds 0.01", r"table\.value\(match\)"),
        ("cluster.py searched.toml --seconds 0.01 --senders 2", "2 senders of 2,000 rows/s"),
    ],
)
def test_the_scripts_of_the_maintainers_measure(script: str, figure: str, tmp_path: Path) -> None:
    if script.startswith("cluster"):
        pytest.importorskip("ray")
    if ".toml" in script:
        tiny_runs = pytest.importorskip("tests.training.tiny_runs", reason="needs torch")
        (tmp_path / "small.toml").write_text(tiny_runs.TINY)
        (tmp_path / "searched.toml").write_text(tiny_runs.TINY_ALPHAZERO)
    if script.startswith("tables"):
        arguments = ["solve", "felli_simplified", "--pieces", "3", "-o", str(tmp_path / "small.aqt")]
        CliRunner().invoke(main, arguments, catch_exceptions=False)
    (figures,) = re.findall(f"^{figure}(.*)", run_script(script, tmp_path), re.MULTILINE)
    assert re.search(r"[1-9]", figures)


@pytest.mark.slow
def test_every_figure_of_a_game_is_printed_as_json(tmp_path: Path) -> None:
    found = json.loads(run_script("speed.py felli --seconds 0.01 --json", tmp_path))["steps_per_second"]["felli"]
    assert {f"SelfPlayVectorEnv, {batch} games" for batch in (1, 64, 4096, 32768)} < found.keys()
    assert {"rollouts", "PettingZoo env()", "PettingZoo raw_env()"} < found.keys()
    assert all(speed > 100 for speed in found.values())
