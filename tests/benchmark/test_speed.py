"""Measurements of speed: rates, peers, and the commands."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from alquerque_env import games, load_game
from alquerque_env.benchmark.speed import env_speed, peers
from alquerque_env.benchmark.speed.peers import Peer
from alquerque_env.benchmark.speed.rate import RUNS, rate, rates
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


class SlowPeer(Peer):
    name, short, requirement = "a slow peer", "slow", "slow-peer"

    def play(self, units: int) -> int:
        """Takes about a millisecond a step."""
        for _ in range(units):
            sum(range(30_000))
        return units


class MatchesPeer(SlowPeer):
    name, short, steps_per_match = "a peer that plays matches", "matches", 20.0


class AbsentPeer(SlowPeer):
    name, requirement = "an absent peer", "absent-peer"

    def __init__(self) -> None:
        raise ImportError


def test_games_are_compared_with_the_peers_that_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_speed, "BATCH_PEERS", (SlowPeer, AbsentPeer))
    monkeypatch.setattr(env_speed, "ROLLOUT_PEERS", (MatchesPeer,))
    monkeypatch.setattr(env_speed, "AEC_PEERS", ())
    monkeypatch.setattr(peers, "BATCH_PEERS", (SlowPeer, AbsentPeer))
    monkeypatch.setattr(peers, "ROLLOUT_PEERS", (MatchesPeer,))
    monkeypatch.setattr(peers, "AEC_PEERS", ())
    speed = env_speed.EnvSpeed()
    figures = {figure.name: figure for figure in speed.measure(load_game("alquerque"), 0.01)}

    slow, batch = figures["a slow peer"], figures["SelfPlayVectorEnv, 64 games"]
    assert batch.ratios == {"slow": batch.steps_per_second / slow.steps_per_second}
    assert slow.ratios == {}
    matches, played = figures["a peer that plays matches"], figures[env_speed.RANDOM_MATCHES]
    assert played.ratios["matches"] == played.steps_per_second / matches.steps_per_second
    assert matches.matches_per_second == matches.steps_per_second / 20
    assert peers.list_missing(speed.peers) == ["an absent peer: not installed: pip install absent-peer"]


@pytest.mark.slow
def test_without_a_game_each_game_has_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_speed, "BATCH_PEERS", (SlowPeer,))
    monkeypatch.setattr(env_speed, "ROLLOUT_PEERS", (MatchesPeer,))
    monkeypatch.setattr(env_speed, "AEC_PEERS", ())
    some = tuple(name for name in games() if name in ("alquerque", "draughts_international", "felli"))
    monkeypatch.setattr("alquerque_env.cli.commands.bench.games", lambda: some)
    heading, *lines = print_bench("env", "--seconds", "0.01").splitlines()[1:]
    assert heading.split()[:2] == ["game", "points"]
    assert "x slow" in heading
    assert "x matches" in heading
    rows = {line.split()[0]: line for line in lines[: len(some)]}
    assert tuple(rows) == some
    assert {len(row) for row in rows.values()} == {len(heading)}
    assert all(rows[name].split()[1] == str(len(load_game(name).board.points)) for name in some)
    assert any("a peer that plays matches" in line and "of 20 steps" in line for line in lines)


@first_by_default
@pytest.mark.parametrize("kind", [*peers.BATCH_PEERS, *peers.ROLLOUT_PEERS, *peers.AEC_PEERS])
def test_a_peer_plays_or_is_not_installed(kind: type[Peer]) -> None:
    try:
        peer = kind()
    except ImportError:
        pytest.skip(f"pip install {kind.requirement}")
    assert peer.play(2) >= 2


@pytest.mark.slow
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
    """The JSON of the command, run in this process, where kernels are compiled and torch is loaded."""
    return json.loads(print_bench(*arguments, "--json"))


def print_bench(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["bench", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_columns_of_the_search_are_explained() -> None:
    arguments = ["--seconds", "0.01", "--network", "conv", "--games", "2", "--processes", "1"]
    printed = print_bench("search", "alquerque", *arguments).splitlines()
    explained = " ".join(line for line in printed if line.startswith(("ratio: ", "of peak (")))
    heading = next(line for line in printed if line.endswith("of peak"))
    for column in ("simulations/s", "network alone/s", "ratio", "of peak"):
        assert column in heading
        assert column in explained


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "figure"),
    [
        ("start.py import --repeat 1", "import alquerque_env"),
        ("train.py small.toml --iterations 1", "steps_of_processor"),
        ("train.py small.toml run.algorithm=alphazero --iterations 1", "learned"),
        ("tables.py felli_simplified --table small.aqt --seconds 0.01", "table.value(match)"),
        ("cluster.py small.toml run.algorithm=alphazero --seconds 0.01 --senders 2", "2 senders of 2,000 rows/s"),
    ],
)
def test_the_scripts_of_the_maintainers_measure(script: str, figure: str, tmp_path: Path) -> None:
    if script.startswith("cluster"):
        pytest.importorskip("ray")
    (tmp_path / "small.toml").write_text(SMALL)
    if script.startswith("tables"):
        arguments = ["solve", "felli_simplified", "--pieces", "3", "-o", str(tmp_path / "small.aqt")]
        CliRunner().invoke(main, arguments, catch_exceptions=False)
    name, *arguments = script.split()
    command = [sys.executable, str(Path(__file__).parents[2] / "benchmarks" / name), *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith(figure))
    assert re.search(r"[1-9]", line.removeprefix(figure))
