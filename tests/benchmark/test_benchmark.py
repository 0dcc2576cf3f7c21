"""The benchmark: its figures for agents of known strength, and faults of agents."""

import copy
import io
import json
import multiprocessing as mp
import re
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from make_protocol import make_ladder, make_suite
from rich.console import Console

from alquerque_env import Match, env, games, load_game
from alquerque_env.arena.match_runner import play_matches
from alquerque_env.arena.progress import Progress, Watch
from alquerque_env.benchmark import (
    BenchmarkError,
    Result as Measured,
    Training,
    ladder as ladders,
    load_protocol,
    protocol as protocols,
    run_benchmark,
    run_curve,
)
from alquerque_env.benchmark.against_truth import ask_all, summarise
from alquerque_env.benchmark.agent_facts import Facts, find_checkpoint, read_facts
from alquerque_env.benchmark.agent_result import read_file
from alquerque_env.benchmark.agents.agent import find_agent
from alquerque_env.benchmark.agents.ask import AgentError, Answer, BotPlayer
from alquerque_env.benchmark.agents.fault_count import CheckedPlayer
from alquerque_env.benchmark.agents.function import FunctionPlayer, FunctionProcess
from alquerque_env.benchmark.calibration import calibrate
from alquerque_env.benchmark.check import check_choices, check_file
from alquerque_env.benchmark.ladder import list_rungs, read_ladder
from alquerque_env.benchmark.partial_result import PartialResults
from alquerque_env.benchmark.protocol import Limits, Protocol, write_checked
from alquerque_env.benchmark.report.text_tables import print_result
from alquerque_env.benchmark.suite import (
    Suite,
    SuitePosition,
    format_suite,
    measured_games,
    open_position,
    read_suite,
    suite_file,
)
from alquerque_env.bots import load_bot
from alquerque_env.bots.external.ugi_bot import UgiBot
from alquerque_env.bots.external.ugi_client import Timeouts
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.tables import build_table, load_table
from tests.sets import first_by_default

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NAME = "alquerque_murray"
GAME = load_game(NAME)
LIMITS = Limits(decision=60.0, warm_up=60.0, patience=2)
SHORT = replace(LIMITS, decision=0.3)  # for those that are late on every machine
pytestmark = pytest.mark.skipif(not JIT, reason="bots and tables are slow in plain Python")

AGENTS = """
import os, sys, time
import numpy as np

calls = 0

def first(observation, mask):
    print("a word between")
    assert observation.dtype == mask.dtype == "int8"
    return mask.argmax()

first.value = lambda observation, mask: 0.25

def saves(observation, mask):
    np.savez("seen.npz", observation=observation, mask=mask)
    return mask.argmax()

def fails(observation, mask):
    raise RuntimeError("no idea")

def illegal(observation, mask):
    return mask.argmin()

def yes(observation, mask):
    return True

def words(observation, mask):
    return "e2-e3"

def dies(observation, mask):
    os._exit(3)

def leaves(observation, mask):
    sys.exit("enough")

def sleeps(observation, mask):
    global calls
    calls += 1
    time.sleep(60 if calls > 1 else 0)
    return mask.argmax()

number = 3
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("tables") / "murray"
    build_table(GAME, 4, path, threads=1)
    return load_table(GAME, path)


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory, table) -> Protocol:
    """Version 1, only smaller."""
    folder = tmp_path_factory.mktemp("benchmark") / "v1"
    folder.mkdir()
    full = load_protocol()
    small = replace(
        full,
        folder=folder,
        resamples=20,
        suite=replace(full.suite, positions=60, lost_positions=20, matches=100, players=("random", "greedy")),
        ladder=replace(
            full.ladder, rungs=("random", "greedy", "{game}-strong:8"), games=4, judge="random", max_steps=80
        ),
        limits=LIMITS,
        quick=replace(full.quick, positions=20, games=2),
    )
    make_suite(small, GAME, table)
    make_ladder(small, GAME)
    return small


@pytest.fixture
def suite(protocol: Protocol) -> Suite:
    return read_suite(protocol, GAME)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where somebody has agents of theirs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(AGENTS)
    return tmp_path


@pytest.fixture
def installed(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small protocol in place of the one that comes with the package."""
    monkeypatch.setattr("alquerque_env.benchmark.load_protocol", lambda _version: protocol)


class Knowing:
    """Plays by what a suite says."""

    def __init__(self, suite: Suite, *, is_perfect: bool = True) -> None:
        self._entries = {entry.position: entry for entry in suite.positions}
        self._choose = max if is_perfect else min

    def ask(self, match: Match) -> Answer:
        steps = self._entries[match.position].steps
        return Answer(match.legal_steps[steps.index(self._choose(steps))], 0.001)

    def ask_many(self, matches: Sequence[Match]) -> None:
        return None

    def value(self, match: Match) -> float:
        return float(self._entries[match.position].value)


class Failing:
    """Does what it is told to at every third position, and is right or first elsewhere."""

    def __init__(self, fault: object) -> None:
        self._fault = fault
        self._asked = 0

    def ask(self, match: Match) -> Answer:
        self._asked += 1
        if self._asked % 3:
            return Answer(match.legal_steps[0], 0.001)
        if isinstance(self._fault, Exception):
            raise self._fault
        return self._fault(match)

    def ask_many(self, matches: Sequence[Match]) -> list[Answer]:
        return [self.ask(match) for match in matches]

    def value(self, match: Match) -> None:
        return None


class Agent:
    """Whatever is to be measured as an agent."""

    spec, facts, games = "mine", Facts("bot"), (NAME,)

    def __init__(self, player: object) -> None:
        self._player = player

    def open(self, game: object) -> object:
        return self._player

    def close(self) -> None:
        """There is nothing to end."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["benchmark", *arguments])


def without_times(result) -> dict:
    content = result.as_dict()
    for game in content["games"].values():
        del game["timing"]
    return content


# What is true


@pytest.mark.slow
def test_suite_values_are_those_of_the_table(suite: Suite, table) -> None:
    for entry in suite.positions:
        match = open_position(GAME, entry)
        values = dict(zip(match.legal_steps, entry.steps, strict=True))
        assert table.value(match) == entry.value == max(entry.steps)
        assert table.distance(match) == entry.distance
        assert {step for step, value in values.items() if value == entry.value} == set(table.best_steps(match))


@pytest.mark.slow
def test_positions_are_stratified_and_unique(suite: Suite) -> None:
    critical = [entry for entry in suite.positions if entry.is_critical]
    lost = [entry for entry in suite.positions if not entry.is_critical]

    assert len(critical) == 60
    assert {(entry.pieces, entry.value) for entry in critical} == {(2, 1), (2, 0), (3, 1), (3, 0), (4, 1), (4, 0)}
    assert {entry.value for entry in lost} == {-1}
    assert len({entry.position for entry in suite.positions}) == len(suite.positions)
    assert all(len(entry.steps) > 1 for entry in suite.positions)
    assert not any(":H" in entry.position for entry in suite.positions)


def test_one_best_turn_is_one_turn_and_not_one_step(suite: Suite) -> None:
    unique = [entry for entry in suite.positions if entry.unique]
    assert unique
    assert all(entry.steps.count(entry.value) == 1 for entry in unique)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_suite(protocol: Protocol, suite: Suite, table, tmp_path: Path) -> None:
    make_suite(replace(protocol, folder=tmp_path), GAME, table)

    assert read_suite(replace(protocol, folder=tmp_path), GAME) == suite


def test_a_perfect_agent_gets_full_scores(suite: Suite, protocol: Protocol) -> None:
    decisions = ask_all(CheckedPlayer(Knowing(suite), LIMITS), GAME, suite.positions)
    truth = summarise(decisions, protocol)

    assert (truth.all.optimal.value, truth.all.loss.value) == (1, 0)
    assert truth.all.optimal.low < 1 == truth.all.optimal.high
    assert truth.unique.optimal.value == 1
    assert truth.all.loss.low == 0 < truth.all.loss.high
    assert set(truth.mistakes.values()) == {0}
    assert sum(stratum.share.positions for stratum in truth.strata) == truth.all.positions == 60
    values = calibrate(decisions)
    assert (values.accuracy.value, values.squared_error, values.bin_error) == (1, 0, 0)


def test_the_worst_agent_loses_all_value(suite: Suite, protocol: Protocol) -> None:
    player = Knowing(suite, is_perfect=False)
    truth = summarise(ask_all(CheckedPlayer(player, LIMITS), GAME, suite.positions), protocol)
    critical = [entry for entry in suite.positions if entry.is_critical]

    assert truth.all.optimal.value == 0
    assert truth.all.loss.value == sum(entry.value - min(entry.steps) for entry in critical) / len(critical)
    assert sum(truth.mistakes.values()) == len(critical)


def test_random_steps_are_optimal_as_often_as_the_positions_predict(suite: Suite, protocol: Protocol) -> None:

    shares = []
    for seed in range(40):
        checked = CheckedPlayer(BotPlayer(load_bot("random", GAME, seed=seed)), LIMITS)
        shares.append(summarise(ask_all(checked, GAME, suite.positions), protocol).all)
    inside = sum(share.optimal.low <= share.chance <= share.optimal.high for share in shares)

    assert sum(share.optimal.value for share in shares) / 40 == pytest.approx(shares[0].chance, abs=0.03)
    assert inside >= 34


# Damage


@pytest.mark.parametrize("file", [f"suites/{NAME}.jsonl", f"ladders/{NAME}.json"])
def test_damaged_data_are_refused(file: str, protocol: Protocol, tmp_path: Path) -> None:
    for name in ("SHA256SUMS", f"suites/{NAME}.jsonl", f"ladders/{NAME}.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((protocol.folder / name).read_bytes())
    damaged = (tmp_path / file).read_bytes().replace(b"W", b"B", 1).replace(b"c", b"d", 1)
    (tmp_path / file).write_bytes(damaged)

    with pytest.raises(BenchmarkError, match=f"{file} is damaged: its SHA-256 is"):
        run_benchmark("random", [NAME], replace(protocol, folder=tmp_path))


def test_a_game_without_suite_is_refused(protocol: Protocol) -> None:
    with pytest.raises(BenchmarkError, match="benchmark v1 does not measure felli, expected one of alquerque"):
        run_benchmark("random", ["felli"], protocol)


# Agents that fail


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (RuntimeError("no idea"), "crash", "RuntimeError: no idea"),
        (AgentError("illegal", "answered 9"), "illegal", "answered 9"),
        (lambda match: Answer(match.legal_steps[0], 99.0), "over_time", "took 99 s, expected at most 60"),
        (lambda match: Answer(Match(GAME).legal_steps[0], 0.0), "illegal", "which is not legal"),
        (lambda match: Answer("c2-c3", 0.0), "illegal", "answered c2-c3, which is not legal"),
    ],
)
def test_faults_are_counted_and_the_run_continues(
    fault: object, kind: str, words: str, protocol: Protocol, suite: Suite
) -> None:
    result = run_benchmark(Agent(Failing(fault)), [], protocol).games[NAME]
    positions = len(suite.positions)

    assert getattr(result.faults, kind) == result.faults.count >= positions // 3
    assert words in result.faults.first
    assert not result.faults.gave_up
    assert result.timing.decisions == positions - positions // 3
    assert result.truth.all.positions == 60
    assert sum(rung.wins + rung.draws + rung.losses for rung in result.opponents.rungs) == 4 * 2


def test_an_agent_that_answers_nowhere_ends_the_run_with_its_first_fault(protocol: Protocol) -> None:
    class Crashing(Failing):
        def ask(self, match: Match) -> Answer:
            raise RuntimeError("no idea")

        def ask_many(self, matches: Sequence[Match]) -> None:
            """None: it takes one match at a time."""

    message = r"failed each of the \d+ times it was asked; the first time it raised RuntimeError: no idea \([WB]:"
    with pytest.raises(BenchmarkError, match=message):
        run_benchmark(Agent(Crashing(None)), [], protocol)


@pytest.mark.parametrize("count", [1, 3])
def test_each_failed_decision_is_one_fault_in_one_match_and_in_many(count: int) -> None:
    class Crashing(Failing):
        def ask(self, match: Match) -> Answer:
            self._asked += 1
            raise RuntimeError("no idea")

        def ask_many(self, matches: Sequence[Match]) -> None:
            """None: it takes one match at a time."""

    crashing = Crashing(None)
    checked = CheckedPlayer(crashing, LIMITS)
    seats = [(checked, load_bot("random", GAME, seed=0))] * count
    ends = dict(play_matches([Match(GAME) for _ in range(count)], seats, max_steps=100))

    assert [end.reason for end in ends.values()] == ["fault"] * count
    assert checked.faults["crash"] == crashing._asked == count


@pytest.mark.parametrize(
    ("at_go", "kind"),
    [("time.sleep(600)", "over_time"), ("sys.exit(3)", "crash"), ("print('bestmove a1-e5', flush=True)", "illegal")],
)
def test_faults_of_engines_have_their_kind(suite: Suite, tmp_path: Path, at_go: str, kind: str) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'):\n"
        f"        {at_go}\n"
        "    print({'ugi': 'ugiok', 'isready': 'readyok'}.get(line.strip(), ''), flush=True)\n"
    )
    timeouts = Timeouts(turn=0.2, margin=0.2 if kind == "over_time" else 60)
    bot = UgiBot("fake", GAME, [sys.executable, str(engine)], timeouts=timeouts)
    checked = CheckedPlayer(BotPlayer(bot), LIMITS)
    ask_all(checked, GAME, suite.positions[:4])
    bot.close()
    assert checked.faults[kind] == sum(checked.faults.values()) > 0
    assert checked.has_given_up == (kind != "illegal")


def test_exported_players_have_the_same_time_limit(suite: Suite, tmp_path: Path) -> None:
    player = tmp_path / "player.py"
    player.write_text("import time; time.sleep(600)")
    checked = CheckedPlayer(BotPlayer(load_bot(str(player), GAME, time_limit=0.3)), LIMITS)
    ask_all(checked, GAME, suite.positions)
    assert checked.faults["over_time"] == sum(checked.faults.values()) > 0
    assert checked.has_given_up


@pytest.mark.slow
def test_a_search_without_end_is_late(protocol: Protocol, suite: Suite) -> None:
    limits = replace(protocol, limits=SHORT)
    agent = find_agent("alphabeta:99", limits)
    checked = CheckedPlayer(agent.open(load_game("fetaix")), SHORT)
    begun = time.monotonic()
    for _ in range(LIMITS.patience + 1):
        checked.ask(Match("fetaix", "W:Wa1,b1,c1,d1,e1,a2,b2:Ba5,b5,c5,d5,e5,d4,e4"))
    assert checked.has_given_up
    assert time.monotonic() - begun < 30


def test_an_agent_that_is_often_late_is_not_asked_again(suite: Suite) -> None:
    class Slow(Knowing):
        asked = 0

        def ask(self, match: Match) -> Answer:
            self.asked += 1
            return super().ask(match)._replace(seconds=99.0)

    slow = Slow(suite)
    checked = CheckedPlayer(slow, LIMITS)
    ask_all(checked, GAME, suite.positions)

    assert checked.has_given_up
    assert slow.asked == LIMITS.patience
    assert checked.faults["over_time"] == len(suite.positions)


# Functions


@pytest.fixture
def function(folder: Path, request: pytest.FixtureRequest):
    found = FunctionProcess(f"mine:{request.param}", LIMITS)
    yield found
    found.close()


@pytest.mark.parametrize("function", ["saves"], indirect=True)
@pytest.mark.slow
def test_a_function_receives_what_an_environment_shows(function: FunctionProcess, folder: Path) -> None:
    environment = env(NAME)
    environment.reset()
    shown = environment.observe(environment.agent_selection)
    FunctionPlayer(function, 5.0).ask(Match(GAME))
    received = np.load(folder / "seen.npz")

    assert (received["observation"] == shown["observation"]).all()
    assert (received["mask"] == shown["action_mask"]).all()


@pytest.mark.parametrize("function", ["first"], indirect=True)
@pytest.mark.slow
def test_the_choices_and_values_of_a_function_are_used(function: FunctionProcess, suite: Suite) -> None:
    player = FunctionPlayer(function, 5.0)

    assert player.ask(Match(GAME)).step == Match(GAME).legal_steps[0]
    assert player.value(Match(GAME)) == 0.25
    decisions = ask_all(CheckedPlayer(player, LIMITS), GAME, suite.positions)
    assert all(decision.kept == decision.entry.steps[0] for decision in decisions)
    assert {decision.expected for decision in decisions} == {0.25}


@first_by_default
@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        ("fails", "crash", "RuntimeError: no idea"),
        ("illegal", "illegal", "answered 0, which is not legal"),
        ("words", "illegal", "answered 'e2-e3', expected the number of an action"),
        ("yes", "illegal", "answered True, expected the number of an action"),
        ("leaves", "crash", "SystemExit: enough"),
    ],
    indirect=["function"],
)
@pytest.mark.slow
def test_a_function_that_fails_is_reported(function: FunctionProcess, kind: str, words: str, suite: Suite) -> None:
    checked = CheckedPlayer(FunctionPlayer(function, LIMITS.decision), LIMITS)
    decisions = ask_all(checked, GAME, suite.positions)

    assert checked.faults[kind] >= 0.8 * len(decisions)  # some masks begin with a legal action
    assert words in checked.first_fault


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        ("dies", "crash", "its process has ended"),
        ("sleeps", "over_time", "did not answer within 0.3 s"),
    ],
    indirect=["function"],
)
@pytest.mark.slow
def test_a_function_that_dies_or_sleeps_is_started_again(
    function: FunctionProcess, kind: str, words: str, suite: Suite
) -> None:
    checked = CheckedPlayer(FunctionPlayer(function, SHORT.decision), LIMITS)
    decisions = ask_all(checked, GAME, suite.positions[:3])

    assert checked.faults[kind] == sum(decision.seconds is None for decision in decisions) >= 2
    assert words in checked.first_fault


def test_a_value_that_often_ends_the_process_is_not_asked_again(suite: Suite) -> None:
    class Dying(Knowing):
        asked = 0

        def value(self, match: Match) -> float | None:
            self.asked += 1
            raise AgentError("crash", "its process has ended", has_ended=True)

    dying = Dying(suite)
    checked = CheckedPlayer(dying, LIMITS)
    ask_all(checked, GAME, suite.positions)

    assert dying.asked == LIMITS.patience
    assert not checked.has_given_up


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mine:f", "agent 'mine:f' cannot be loaded: AttributeError: module 'mine' has no attribute 'f'"),
        *(
            pytest.param(spec, f"agent '{spec}' cannot be loaded: {words}", marks=pytest.mark.slow)
            for spec, words in (
                ("nowhere:f", "ModuleNotFoundError: No module named 'nowhere'"),
                ("mine:number", "TypeError: number is a int, which cannot be called"),
            )
        ),
        ("alphabeta:x", "'alphabeta:x' needs a depth from 1 to 99"),
        ("no-such-bot", "no bot and no file 'no-such-bot'"),
        ("random fetaixx", "no game 'fetaixx'; did you mean 'fetaix'?"),
        ("fetaix-small alquerque", "no game 'alquerque' of fetaix-small (known: fetaix)"),
        ("random fetaix pretwa", "benchmark v1 does not measure pretwa, but --protocol v2 does"),
        (
            "random --curve runs/1",
            "got random and runs/1, expected one of AGENT, --curve RUN, --leaderboard FOLDER, --check ",
        ),
        ("--curve runs/1", "'runs/1' is not a run with checkpoints"),
        ("--leaderboard .", "there are no results of v1 in '.'"),
        ("greedy --library x", "library is given for 'greedy', expected a function as module:name"),
        ("mine:first --steps -1", "invalid value for '--steps'"),
        ("mine:first --steps 10000000000000000", "steps is 10000000000000000, expected an integer from 0 to 10000000"),
        ("mine:first --seed -1", "-1 is not in the range 0 to "),
        ("--curve runs/1 --seed 1", "--seed describes a function that is measured, expected AGENT alone"),
        ("mine:first --check x.json --library x", "--library describes a function that is measured"),
        ("--check mine.py", "'mine.py' is not a result of the benchmark"),
        ("--check x.json --leaderboard .", "got . and x.json, expected one of AGENT, "),
        ("random -o nowhere/x.json", "folder 'nowhere' does not exist"),
        ("random --picture x.txt", "the picture is 'x.txt'"),
        ("", "missing argument 'AGENT'"),
    ],
)
def test_unusable_arguments_are_refused_in_one_line(spec: str, words: str, folder: Path) -> None:
    result = run(*spec.split())

    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


# Whole runs


@pytest.mark.slow
def test_another_process_measures_the_same_figures(protocol: Protocol) -> None:
    with ProcessPoolExecutor(1, mp.get_context("spawn")) as executor:
        far = run_benchmark("mcts:10", [NAME], protocol, executor=executor)
        with pytest.raises(AlquerqueError, match="'operator:add' is a function, which other machines need not have"):
            run_benchmark("operator:add", [NAME], protocol, executor=executor)

    assert without_times(far) == without_times(run_benchmark("mcts:10", [NAME], protocol))


def test_agents_on_the_ladder_keep_its_matches(protocol: Protocol) -> None:
    found = {spec: run_benchmark(spec, [NAME], protocol).games[NAME].opponents for spec in ("random", "greedy")}
    [meeting] = read_ladder(protocol, GAME).meetings

    assert found["random"].rating.value == 0
    assert [rung.name for rung in found["greedy"].rungs] == ["random"]
    assert found["greedy"].score == 1 - found["random"].score == (meeting.losses + meeting.draws / 2) / 4
    assert found["greedy"].rungs[0].wins == found["random"].rungs[0].losses == meeting.losses


def test_a_stronger_agent_gets_a_higher_rating(protocol: Protocol) -> None:
    assert run_benchmark("alphabeta:2", [NAME], protocol).games[NAME].opponents.rating.value > 100


@pytest.mark.slow
def test_the_program_writes_prints_and_draws_the_same_result(installed: None, folder: Path) -> None:
    shown = run("mine:first", NAME, "--quick", "-o", "mine.json", "--picture", "mine.png", "--json")
    tables = run("mine:first", NAME, "--quick", "--name", "the first")

    assert shown.exit_code == tables.exit_code == 0, shown.output
    printed = json.loads(shown.stdout)
    assert printed == json.loads((folder / "mine.json").read_text())
    [result] = read_file(folder / "mine.json")
    assert json.loads(json.dumps(result.as_dict())) == printed
    assert (printed["benchmark"], printed["quick"], printed["facts"]["kind"]) == ("v1", True, "function")
    assert printed["command"] == f"alquerque benchmark mine:first {NAME} --quick"
    assert printed["games"][NAME]["truth"]["all"]["positions"] < 20
    assert (folder / "mine.png").stat().st_size > 10_000
    assert "the first: benchmark v1" in tables.stdout
    assert "Note: a quick run, whose figures are not comparable." in tables.stdout


TRAINING = ("--library", "sb3-contrib 2.9", "--algorithm", "MaskablePPO", "--steps", "200000", "--seed", "3")


@pytest.mark.slow
def test_a_function_carries_how_it_was_trained(installed: None, folder: Path) -> None:
    shown = run("mine:first", NAME, "--quick", "-o", "mine.json", *TRAINING)

    assert shown.exit_code == 0, shown.output
    assert (
        "mine:first: benchmark v1, trained by MaskablePPO of sb3-contrib 2.9, 200,000 steps, seed 3\n" in shown.stdout
    )
    [result] = read_file(folder / "mine.json")
    facts = json.loads((folder / "mine.json").read_text())["facts"]
    assert result.facts.training == Training("sb3-contrib 2.9", "MaskablePPO", 200_000, 3)
    assert (facts["library"], facts["algorithm"], facts["steps"], facts["seed"]) == (
        "sb3-contrib 2.9",
        "MaskablePPO",
        200_000,
        3,
    )
    words = shlex.split(result.command)
    assert words[:2] == ["alquerque", "benchmark"]
    again = run(*words[2:], "--json")
    assert json.loads(again.stdout)["facts"] == facts


@pytest.mark.slow
def test_an_interrupted_function_is_resumed_only_with_the_same_training(protocol: Protocol, folder: Path) -> None:
    def measure(seed: int) -> Measured:
        with PartialResults(folder / "mine.json") as partial:
            return run_benchmark(
                "mine:first", [NAME], protocol.shortened(), training=Training(seed=seed), partial=partial
            )

    first = measure(1)
    with pytest.raises(BenchmarkError, match=r"holds results with facts .*'seed': 1.*, not .*'seed': 2"):
        measure(2)
    assert measure(1).as_dict() == first.as_dict()  # the times too: nothing was measured again


@pytest.mark.parametrize(
    "arguments",
    [
        {"library": ""},
        {"library": "a\nb"},
        {"library": 3},
        {"algorithm": " a"},
        {"algorithm": "a" * 101},
        {"steps": -1},
        {"steps": 1.5},
        {"steps": True},
        {"seed": 2**63},
        {"seed": "1"},
    ],
    ids=str,
)
def test_a_training_that_cannot_be_is_refused(arguments: dict[str, Any]) -> None:
    [name] = arguments
    with pytest.raises(BenchmarkError, match=f"^{name} is .*, expected (one line|an integer from 0)"):
        Training(**arguments)


TINY = f"""
[run]
game = "{NAME}"
total_steps = 512
checkpoint_every = 2
keep_checkpoints = 9
[self_play]
num_games = 16
rollout_steps = 8
max_cycles = 40
[ppo]
minibatch_size = 128
[network]
width = 16
blocks = 1
[evaluation]
games_per_seat = 2
max_cycles = 60
"""


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training run with two checkpoints."""
    from alquerque_training.run.train import train

    folder = tmp_path_factory.mktemp("training")
    (folder / "tiny.toml").write_text(TINY)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder / train(folder / "tiny.toml").run


@pytest.mark.slow
def test_the_checkpoints_of_a_run_make_a_curve(installed: None, tiny_run: Path, folder: Path) -> None:
    shown = run("--curve", f"{tiny_run}:4", "-o", "curve.json", "--picture", "curve.png", "--quick")

    assert shown.exit_code == 0, shown.output
    found = read_file(folder / "curve.json")
    assert [result.facts.steps for result in found] == [256, 512]
    assert [result.name for result in found] == ["tiny-1:4, 0.000256 M steps", "tiny-1:4, 0.000512 M steps"]
    assert {result.facts.simulations for result in found} == {4}
    assert {(result.facts.algorithm, result.facts.kind, result.facts.seed) for result in found} == {
        ("ppo", "checkpoint", 0)
    }
    assert all(result.games[NAME].calibration is not None for result in found)
    assert "256" in shown.stdout
    assert (folder / "curve.png").stat().st_size > 10_000
    assert list(folder.glob("*.unfinished")) == []


@pytest.mark.slow
def test_an_interrupted_curve_is_resumed(protocol: Protocol, tiny_run: Path, tmp_path: Path) -> None:
    output = tmp_path / "curve.json"

    def interrupt(progress: Progress) -> None:
        begun.append(progress.about)
        if len(set(begun)) == 2:
            raise KeyboardInterrupt

    def measure(watch: Watch, name: str = "it") -> list[Measured]:
        with PartialResults(output) as partial:
            return run_curve(str(tiny_run), protocol.shortened(), name=name, watch=watch, partial=partial)

    begun: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        measure(interrupt)
    with PartialResults(output) as partial:
        assert partial.count == 1
    with pytest.raises(BenchmarkError, match=r"holds results with name 'it, .*, not 'other, "):
        measure(interrupt, "other")
    seen: set[str] = set()
    results = measure(lambda progress: seen.add(progress.about))
    assert seen == {begun[-1]}
    whole = run_curve(str(tiny_run), protocol.shortened(), name="it")
    assert [result.facts.simulations for result in whole] == [0, 0]
    assert [without_times(result) for result in results] == [without_times(result) for result in whole]
    with PartialResults(output) as partial:
        partial.remove()
    (tmp_path / ".curve.json.unfinished.01234567.partial").touch()  # of a process that was killed
    with PartialResults(output) as partial:
        assert partial.count == 0
    assert list(tmp_path.glob(".*")) == []
    (tmp_path / "curve.json.unfinished").write_text("{")
    with pytest.raises(BenchmarkError, match="is not a result of the benchmark"):
        PartialResults(output)


@first_by_default
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda result: result["games"][NAME]["timing"].update(slow=-1.0), "slow"),
        (lambda result: result["games"][NAME]["faults"].update(crash=-1), "crash"),
        (lambda result: result.update(games={}), "games"),
        (lambda result: result["facts"].update(library="a\nb"), "facts: library is 'a"),
        (lambda result: result["facts"].update(seed=-1), "facts: seed is -1, expected an integer from 0"),
        (lambda result: result["facts"].update(steps="many"), "facts.steps is 'many', expected an integer or null"),
    ],
)
@pytest.mark.slow
def test_a_result_that_cannot_be_is_refused(
    change: Callable[[dict[str, Any]], Any], words: str, installed: None, folder: Path
) -> None:
    assert run("mine:first", NAME, "--quick", "-o", "mine.json").exit_code == 0
    result = json.loads((folder / "mine.json").read_text())
    change(result)
    (folder / "changed.json").write_text(json.dumps(result))
    with pytest.raises(BenchmarkError, match=words):
        read_file(folder / "changed.json")


# Results of others


@pytest.fixture(scope="module")
def measured(protocol: Protocol, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A result of the whole protocol of a function, for JSON."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "mine.py").write_text(AGENTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return run_benchmark("mine:first", [NAME], protocol).as_dict()


def write_result(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


@pytest.mark.slow
def test_a_measured_result_is_accepted_and_its_choices_are_repeated(
    measured: dict[str, Any], installed: None, folder: Path
) -> None:
    write_result(folder / "mine.json", measured)
    fits = f"mine:first: the numbers of {NAME} fit each other and the protocol\n"

    alone, again = run("--check", "mine.json"), run("mine:first", NAME, "--check", "mine.json")

    assert (alone.exit_code, alone.stdout) == (0, fits)
    assert (again.exit_code, again.stdout) == (0, f"{fits}{NAME}: mine:first makes the same choices again\n")
    elsewhere = run("mine:first", "fetaix", "--check", "mine.json")
    assert (elsewhere.exit_code, elsewhere.stderr.count("\n")) == (2, 1)
    assert f"no game 'fetaix' of the result of mine:first (known: {NAME})" in elsewhere.stderr


@pytest.mark.slow
def test_another_agent_than_that_of_a_result_is_found(measured: dict[str, Any], protocol: Protocol, folder: Path):
    [result] = check_file(write_result(folder / "mine.json", measured), protocol)

    with pytest.raises(BenchmarkError, match=r"mine:illegal now makes .* optimal choices, the result says "):
        check_choices(result, "mine:illegal", [], protocol)
    with pytest.raises(BenchmarkError, match="'fetaix-small' has other weights than the result of mine:first"):
        check_choices(result, "fetaix-small", [], protocol)
    greedy = run_benchmark("greedy", [NAME], protocol)
    assert check_choices(greedy, "greedy", [], protocol) == {NAME: "makes the same choices again"}
    truth = replace(greedy.games[NAME].truth, mistakes={})
    other = replace(greedy, games={NAME: replace(greedy.games[NAME], truth=truth)})
    assert check_choices(other, "greedy", [], protocol)[NAME].startswith("chooses otherwise: ")


def shift(*path: str | int, by: float) -> Callable[[dict[str, Any]], None]:
    """A change of one number of a game's result."""

    def change(found: dict[str, Any]) -> None:
        *outer, last = path
        for key in outer:
            found = found[key]
        found[last] += by

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda game: game.update(suite="0" * 64), "suite has SHA-256 000000000000…, expected"),
        (lambda game: game.update(ladder="0" * 64), "ladder has SHA-256 000000000000…, expected"),
        (shift("truth", "all", "positions", by=1), "truth.all.positions is 61, expected 60"),
        (shift("truth", "all", "optimal", "value", by=1 / 60), "truth.all.optimal is .*, expected .* of 60"),
        (shift("truth", "all", "optimal", "low", by=0.01), "truth.all.optimal is .*, expected .* of 60"),
        (shift("truth", "all", "loss", "value", by=0.004), "truth.all.loss.value is .*, which is no share of 60"),
        (shift("truth", "all", "loss", "high", by=0.2), "truth.all.loss is .*, expected about"),
        (shift("truth", "all", "chance", by=0.01), "truth.all.chance is .*, expected"),
        (shift("truth", "mistakes", "win_to_draw", by=1), "truth.mistakes add up to"),
        (lambda game: game["truth"]["mistakes"].pop("win_to_loss"), "truth.mistakes are .*, expected a number of each"),
        (lambda game: game["truth"]["strata"].pop(), "truth.strata are not those of the positions"),
        (lambda game: game["truth"].update(unique=None), "truth.unique should be there"),
        (shift("calibration", "positions", by=1), r"calibration.positions is \d+, the bins have \d+, the suite"),
        (shift("calibration", "bin_error", by=0.1), "calibration.bin_error is .*, expected"),
        (shift("calibration", "squared_error", by=-1), "calibration.squared_error is .*, expected"),
        (shift("calibration", "accuracy", "high", by=0.01), "calibration.accuracy is .*, expected"),
        (shift("calibration", "accuracy", "value", by=9), "calibration.accuracy is .*, expected a share"),
        (shift("truth", "all", "optimal", "value", by=-9), "truth.all.loss does not fit -"),
        (
            shift("opponents", "rungs", 0, "losses", by=-100),
            r"against random \(.*\) were won, drawn and lost, expected 4",
        ),
        (shift("opponents", "rungs", 0, "wins", by=1), r"against random \(.*\) were won, drawn and lost, expected 4"),
        (shift("opponents", "rungs", 0, "score", "value", by=0.1), "against random the score is .*, expected"),
        (shift("opponents", "score", by=0.01), "opponents.score is .*, expected"),
        (shift("opponents", "rating", "value", by=5), "mine:first is rated .*, expected"),
        (shift("opponents", "rating", "low", by=5000), "mine:first is rated .* and an interval around it"),
        (lambda game: game["opponents"]["rungs"].pop(), "opponents.rungs are random, expected random, greedy"),
        (shift("timing", "decisions", by=-1), r"timing.decisions is \d+ of \d+, but there are 0 faults"),
        (shift("timing", "median", by=1e6), "timing.median is above timing.slow"),
        (shift("faults", "crash", by=1), "faults.first is None, but there are 1 faults"),
    ],
)
def test_a_changed_number_is_found(
    change: Callable[[dict[str, Any]], Any], words: str, measured: dict[str, Any], protocol: Protocol, tmp_path: Path
) -> None:
    content = copy.deepcopy(measured)
    change(content["games"][NAME])

    with pytest.raises(BenchmarkError, match=f"mine:first: {NAME}: .*{words}"):
        check_file(write_result(tmp_path / "mine.json", content), protocol)


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"quick": True}, "is a quick run"), ({"benchmark": "v9"}, "is of benchmark v9, expected v1")],
)
def test_a_result_of_another_protocol_is_refused(
    changes: dict[str, Any], words: str, measured: dict[str, Any], protocol: Protocol, tmp_path: Path
) -> None:
    with pytest.raises(BenchmarkError, match=words):
        check_file(write_result(tmp_path / "mine.json", measured | changes), protocol)


@pytest.mark.parametrize("spec", ["greedy", "random"])
def test_results_of_bots_on_the_ladder_are_accepted(spec: str, protocol: Protocol, tmp_path: Path) -> None:
    content = run_benchmark(spec, [NAME], protocol).as_dict()

    check_file(write_result(tmp_path / "bot.json", content), protocol)
    rung = content["games"][NAME]["opponents"]["rungs"][0]
    rung["wins"], rung["losses"] = rung["losses"], rung["wins"]
    with pytest.raises(BenchmarkError, match=r"expected .* as in the ladder"):
        check_file(write_result(tmp_path / "bot.json", content), protocol)


def test_a_game_of_two_roles_is_measured_by_seat(protocol: Protocol, tmp_path: Path) -> None:
    hunt = load_game("catch_the_hare")
    small = replace(protocol, folder=tmp_path, ladder=replace(protocol.ladder, rungs=("random", "greedy"), plies=1))
    make_ladder(small, hunt)
    match, entries = Match(hunt), []
    while len(entries) < 5:  # what the values are does not matter here
        steps = (-1, *[1] * (len(match.legal_steps) - 1))
        entries.append(SuitePosition(match.position, 1, 9, steps, unique=False))
        match.push(match.legal_steps[-1])
    write_checked(tmp_path, suite_file(hunt.name), format_suite({"table_hash": hunt.table_hash}, entries))

    for spec in ("mcts:2", "greedy"):
        content = run_benchmark(spec, [hunt.name], small).as_dict()
        [checked] = check_file(write_result(tmp_path / "bot.json", content), small)
        found = checked.games[hunt.name]
        first, second = found.truth.by_seat
        assert {first.positions, second.positions} == {2, 3}
        assert first.positions == sum(entry.position.startswith("W") for entry in entries)
        for rung in found.opponents.rungs:
            assert tuple(map(sum, zip(*(vars(seat).values() for seat in rung.by_seat), strict=True))) == (
                rung.wins,
                rung.draws,
                rung.losses,
            )
    rung = content["games"][hunt.name]["opponents"]["rungs"][0]
    rung["by_seat"] = rung["by_seat"][::-1]
    with pytest.raises(BenchmarkError, match="by_seat"):
        check_file(write_result(tmp_path / "bot.json", content), small)
    output = io.StringIO()
    print_result(checked, Console(file=output, width=200))
    assert {"as hunter", "as hare"} <= set(re.findall(r"as \w+", output.getvalue()))


# What comes with the package


@first_by_default
@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.json")), ids=lambda path: path.stem)
@pytest.mark.slow
def test_the_results_of_the_repository_pass_the_check(path: Path) -> None:
    results = check_file(path, load_protocol())

    assert all(result.games for result in results)


@pytest.mark.parametrize(
    ("name", "exploration", "network", "width", "depth"),
    [
        ("fetaix-ladder-v1-small", 1.5, "mlp 128x2", 128, None),
        ("fetaix-small", 0.3, "mlp 80x2 with search features, depth 0", 80, 0),
    ],
)
def test_facts_are_read_from_a_checkpoint(
    name: str, exploration: float, network: str, width: int, depth: int | None
) -> None:
    path, simulations = find_checkpoint(f"{name}:64")
    game, facts = read_facts(path, simulations)

    assert game == "fetaix"
    assert (facts.network, facts.search_features) == (network, depth)
    assert (facts.algorithm, facts.simulations, facts.exploration) == ("alphazero", 64, exploration)
    assert facts.steps > 1_000_000
    planes, actions = 6, 512
    features, codes = (0, 0) if depth is None else (2 * actions, 10)
    layers = [planes * 25 + features, *(width,) * 5]
    sizes = [a * b + b for a, b in pairwise(layers)]
    assert facts.parameters == sum(sizes) + (width + 1) * (actions + 1) + codes


def test_specs_that_name_no_checkpoint_have_none() -> None:
    assert find_checkpoint("alphabeta:3") is find_checkpoint("fetaix-small:many") is None


def test_protocol_v1_measures_six_games() -> None:
    assert measured_games(load_protocol("v1")) == (
        *("alquerque", "alquerque_alfonso_x", "alquerque_murray"),
        *("awithlaknannai_mosona", "awithlaknannai_mosona_davis", "fetaix"),
    )


@first_by_default
@pytest.mark.parametrize("name", measured_games(load_protocol()))
def test_every_measured_game_has_a_suite_and_a_ladder(name: str) -> None:
    protocol, game = load_protocol(), load_game(name)
    suite, ladder = read_suite(protocol, game), read_ladder(protocol, game)

    assert sum(entry.is_critical for entry in suite.positions) >= 0.9 * protocol.suite.positions
    assert suite.origin["seed"] == protocol.suite.seed
    for entry in suite.positions:
        match = open_position(game, entry)
        assert max(entry.steps) == entry.value
        assert match.position == entry.position
    earlier = {f"{name}-ladder-v1:64": f"{name}-strong:64", f"{name}-ladder-v1-small:64": f"{name}-small:64"}
    rungs = tuple(earlier.get(rung, rung) for rung in ladder.rungs)
    # A bot that came with the package later is no rung of it.
    assert rungs == tuple(rung for rung in list_rungs(protocol, game) if rung in rungs or name not in rung)
    assert len(ladder.openings.list) == protocol.games // 2
    assert {sum(meeting.pairs) for meeting in ladder.meetings} == {protocol.games // 2}
    assert len(ladder.meetings) == len(ladder.rungs) * (len(ladder.rungs) - 1) // 2


def test_a_bot_of_the_ladder_is_found_by_its_weights_when_a_better_one_has_its_name(monkeypatch):
    protocol, game = load_protocol(), load_game("awithlaknannai_mosona")
    before, bots = read_ladder(protocol, game), shipped_bots()
    renamed = bots | {
        f"{game.name}-strong": bots[f"{game.name}-small"],
        f"{game.name}-old": bots[f"{game.name}-strong"],
    }
    monkeypatch.setattr(ladders, "shipped_bots", lambda: renamed)
    after = read_ladder(protocol, game)

    assert [*after.rungs[:-1], f"{game.name}-strong:64"] == [*before.rungs]
    assert after.rungs[-1] == f"{game.name}-old:64"
    players = {name for meeting in after.meetings for name in (meeting.first, meeting.second)}
    assert players == set(after.rungs)
    assert [meeting.pairs for meeting in after.meetings] == [meeting.pairs for meeting in before.meetings]
    del renamed[f"{game.name}-old"]
    with pytest.raises(BenchmarkError, match=r"was played by \w+-strong:64 with weights \w{12}, this package has"):
        read_ladder(protocol, game)


def test_every_bot_that_comes_with_the_package_is_a_rung_of_its_game() -> None:
    protocol = load_protocol()
    rungs = {spec.partition(":")[0] for name in games() for spec in list_rungs(protocol, load_game(name))}
    # They have other names there, or came after its ladders.
    later = "-ladder-v1", "-ladder-v1-small", "-plain", "-proved"
    assert {bot for bot in shipped_bots() if not bot.endswith(later)} <= rungs
    assert protocols.CURRENT == protocol.version == protocol.folder.name
