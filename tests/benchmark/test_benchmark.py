"""Runs of the benchmark: figures of agents of known strength, faults of agents, functions, and interrupted runs."""

import json
import multiprocessing as mp
import shlex
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from make_protocol import make_ladder

from alquerque_env import Match, env, games, load_game
from alquerque_env.arena import natural_states
from alquerque_env.arena.match_runner import play_matches
from alquerque_env.benchmark import (
    BenchmarkError,
    Result as Measured,
    Training,
    load_protocol,
    protocol as protocols,
    run_benchmark,
    run_curve,
)
from alquerque_env.benchmark.agent_answers import (
    Opponents,
    exact_errors,
    find_responses,
    rate_agent,
    solved_share,
    unpack,
)
from alquerque_env.benchmark.agent_result import read_file
from alquerque_env.benchmark.agents.agent import find_agent
from alquerque_env.benchmark.agents.ask import AgentError, Answer, BotPlayer, CheckedPlayer
from alquerque_env.benchmark.agents.facts import Facts, read_facts
from alquerque_env.benchmark.agents.function import FunctionProcess
from alquerque_env.benchmark.entry import entries_of, find_entries, measured_games
from alquerque_env.benchmark.protocol import Protocol, Setting, list_rungs, read_ladder
from alquerque_env.benchmark.runner import PartialResults
from alquerque_env.bots import load_bot
from alquerque_env.bots.external.ugi_bot import Timeouts
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.bots.shipped import FAMILY, shipped_bots
from alquerque_env.bots.spec import parse_spec
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError, UnknownNameError
from alquerque_env.exercises import load_puzzles, measure_puzzles
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.progress import Progress, Watch
from alquerque_env.solve.tables.whole import whole_table
from tests.benchmark.small_protocol import FEW, LIMITS, NAME, POSITIONS, small_protocol
from tests.fake_engines import Fake
from tests.sets import first_by_default

GAME = load_game(NAME)
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where somebody has agents of theirs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(AGENTS)
    (tmp_path / "none.pdn").write_text("\n")
    return tmp_path


@pytest.fixture
def installed(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small protocol in place of the one that comes with the package."""
    monkeypatch.setattr("alquerque_env.benchmark.load_protocol", lambda: protocol)


def positions(count: int) -> list[Match]:
    return Match.of_engine(GAME, natural_states(GAME, count))


class Player:
    """Takes the first step everywhere, with some seconds for each, except where it fails."""

    def __init__(self, fault: object = None, *, every: int = 1, seconds: float = 0.001, at_once: bool = True) -> None:
        self._fault, self._every, self._seconds, self._at_once = fault, every, seconds, at_once
        self.asked = 0

    def ask(self, match: Match) -> Answer:
        self.asked += 1
        if self._fault is None or self.asked % self._every:
            return Answer(match.legal_steps[0], self._seconds)
        if isinstance(self._fault, Exception):
            raise self._fault
        return self._fault(match)

    def ask_many(self, matches: Sequence[Match]) -> list[Answer] | None:
        return [self.ask(match) for match in matches] if self._at_once else None


class Agent:
    """Whatever is to be measured as an agent."""

    spec, facts, games, is_function = "mine", Facts("bot"), (NAME,), True

    def __init__(self, player: object) -> None:
        self._player = player

    def open(self, game: object) -> object:
        return self._player

    def close(self) -> None:
        """There is nothing to end."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["benchmark", *arguments])


def without_times(result: Measured) -> dict[str, Any]:
    content = result.as_dict()
    for game in content["games"].values():
        del game["timing"], game["processor_seconds"]
    return content


def opponents_of(result: Measured, protocol: Protocol) -> Opponents:
    return rate_agent(result.spec, result.games[NAME].matches, read_ladder(protocol, GAME), protocol)


# What is true


def test_a_player_that_keeps_every_value_is_never_wrong_and_nobody_beats_it(protocol: Protocol) -> None:
    found = run_benchmark("perfect", [NAME], protocol).games[NAME]
    for choices in found.choices.values():
        errors = exact_errors(choices, protocol)
        assert errors.positions == POSITIONS
        assert errors.wrong.value == errors.regret.value == 0
        assert errors.wrong.low == 0 < errors.wrong.high
    assert not any(response.line for response in found.responses)


@pytest.mark.parametrize(
    ("name", "kinds"), [(NAME, ("uniform", "natural")), pytest.param(FEW, ("endings",), marks=pytest.mark.slow)]
)
def test_random_steps_are_wrong_as_often_as_chance(name: str, kinds: tuple[str, ...], protocol: Protocol) -> None:
    found = run_benchmark("random", [name], protocol).games[name]
    assert tuple(found.choices) == kinds
    for choices in found.choices.values():
        errors = exact_errors(choices, protocol)
        assert errors.wrong.low <= errors.chance <= errors.wrong.high
    assert [response.seat for response in found.responses or ()] == [0] * (name == NAME)
    assert found.processor_seconds["choices"] > 0


@pytest.mark.slow
def test_endings_have_the_most_pieces_of_the_table(protocol: Protocol) -> None:
    entry = entries_of([FEW], protocol)[FEW]
    for match in Match.of_engine(entry.game, entry.sample("endings", protocol).states):
        south, north = match.position.split(":")[1:3]
        assert south.count(",") + north.count(",") + 2 == 5


def test_agents_on_the_ladder_keep_its_matches(protocol: Protocol) -> None:
    random, greedy = (run_benchmark(spec, [NAME], protocol) for spec in ("random", "greedy"))
    assert random.games[NAME].matches == greedy.games[NAME].matches == {}
    [meeting, *_] = read_ladder(protocol, GAME).meetings
    assert (meeting.first, meeting.second) == ("random", "greedy")
    assert opponents_of(random, protocol).rating.value == 0
    assert [rung.meeting.second for rung in opponents_of(greedy, protocol).rungs] == ["random", f"{NAME}-small:8"]
    assert opponents_of(greedy, protocol).rungs[0].meeting.total == meeting.total.mirrored


def test_a_stronger_agent_gets_a_higher_rating(protocol: Protocol) -> None:
    found = opponents_of(run_benchmark("alphabeta:3", [NAME], protocol), protocol)
    assert found.rating.value > 100
    assert found.total.games == 3 * protocol.games
    assert found.rungs[0].score.value == found.rungs[0].meeting.total.share.value


@pytest.mark.slow
def test_puzzles_are_solved_as_often_as_they_are_elsewhere(protocol: Protocol) -> None:
    settings = (Setting(game="pretwa", options={}),)
    small = replace(protocol, exact=replace(protocol.exact, settings=settings, positions=5))
    found = run_benchmark("alphabeta:1", ["pretwa"], small).games["pretwa"].puzzles
    puzzles = load_puzzles("pretwa").puzzles
    assert len(found.solved) == len(puzzles)
    elsewhere = measure_puzzles("alphabeta:1", "pretwa", puzzles).solved  # with another seed
    assert solved_share(found).low <= elsewhere.value <= solved_share(found).high


@pytest.mark.slow
def test_a_game_of_two_roles_is_measured_by_seat(tmp_path: Path) -> None:
    small, hunt = small_protocol(tmp_path, with_ladder=False), load_game("catch_the_hare")
    small = replace(small, ladder=replace(small.ladder, rungs=("random", "greedy"), plies=1))
    make_ladder(small, hunt)
    found = run_benchmark("mcts:2", [hunt.name], small).games[hunt.name]
    assert (found.table, found.choices, found.responses, found.timing) == (None, {}, None, None)
    rated = rate_agent("mcts:2", found.matches, read_ladder(small, hunt), small)
    assert rated.seats[0] + rated.seats[1] == rated.total
    assert [seat.games for seat in rated.seats] == [4, 4]


# Damage


def test_a_damaged_ladder_and_one_of_other_weights_are_refused(protocol: Protocol, tmp_path: Path) -> None:
    file = f"ladders/{NAME}.json"
    (tmp_path / "ladders").mkdir()
    for name in ("SHA256SUMS", file):
        (tmp_path / name).write_bytes((protocol.folder / name).read_bytes())
    text = (tmp_path / file).read_text()
    (tmp_path / file).write_text(text.replace("W", "B", 1).replace("c", "d", 1))
    elsewhere = replace(protocol, folder=tmp_path)
    with pytest.raises(BenchmarkError, match=f"{file} is damaged: its SHA-256 is"):
        run_benchmark("random", [NAME], elsewhere)
    [weights] = json.loads(text)["weights"].values()
    protocols.write_checked(tmp_path, file, text.replace(weights, "0" * 12))
    with pytest.raises(BenchmarkError, match=f"{NAME}-small:8 with weights 0+, this package has {weights}"):
        read_ladder(elsewhere, GAME)


def test_a_ladder_does_not_name_a_program(protocol: Protocol, tmp_path: Path) -> None:
    file = f"ladders/{NAME}.json"
    text = (protocol.folder / file).read_text()
    protocols.write_checked(tmp_path, file, text.replace('"random", "greedy"', '"random", "ugi:rm"', 1))
    with pytest.raises(BenchmarkError, match=r"rungs has 'ugi:rm', which starts a program; a ladder is data"):
        read_ladder(replace(protocol, folder=tmp_path), GAME)


def test_what_is_not_measured_is_refused(protocol: Protocol) -> None:
    with pytest.raises(BenchmarkError, match="the benchmark does not measure felli, expected one of alquerque"):
        run_benchmark("random", ["felli"], protocol)
    with pytest.raises(UnknownNameError, match="v1"):
        load_protocol("v3")


def test_a_game_without_a_table_is_left_out_unless_it_is_asked_for(protocol: Protocol) -> None:
    settings = (*protocol.exact.settings, Setting(game="dash_guti", options={"capture": "optional"}))
    more = replace(protocol, exact=replace(protocol.exact, settings=settings, positions=5))
    assert [*find_entries([NAME, "dash_guti"], more, "left out")] == [NAME]
    with pytest.raises(BenchmarkError, match="alquerque solve dash_guti --option capture=optional --whole"):
        run_benchmark("random", ["dash_guti"], more)


# Agents that fail


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (RuntimeError("no idea"), "crash", "RuntimeError: no idea"),
        (AgentError("illegal", "answered 9"), "illegal", "answered 9"),
        (lambda match: Answer(match.legal_steps[0], 99.0), "over_time", "took 99 s, expected at most 60"),
        (lambda match: Answer("c2-c3", 0.0), "illegal", "answered c2-c3, which is not legal"),
    ],
)
def test_faults_are_counted_and_the_run_continues(fault: object, kind: str, words: str, protocol: Protocol) -> None:
    result = run_benchmark(Agent(Player(fault, every=3)), [], protocol).games[NAME]
    asked = 2 * POSITIONS
    assert getattr(result.faults, kind) == result.faults.count >= asked // 3
    assert words in result.faults.first
    assert not result.faults.gave_up
    assert result.timing.decisions == asked - asked // 3
    actions = np.concatenate([unpack(choices.actions) for choices in result.choices.values()])
    assert np.count_nonzero(actions < 0) == asked // 3
    assert {len(signs) for signs in result.matches.values()} == {protocol.games}


def test_an_agent_that_answers_nowhere_ends_the_run_with_its_first_fault(protocol: Protocol) -> None:
    message = r"failed each of the \d+ times it was asked; the first time it raised RuntimeError: no idea \([WB]:"
    with pytest.raises(BenchmarkError, match=message):
        run_benchmark(Agent(Player(RuntimeError("no idea"), at_once=False)), [], protocol)


@pytest.mark.parametrize("count", [1, 3])
def test_each_failed_decision_is_one_fault_in_one_match_and_in_many(count: int) -> None:
    crashing = Player(RuntimeError("no idea"), at_once=False)
    checked = CheckedPlayer(crashing, LIMITS)
    seats = [(checked, load_bot("random", GAME, seed=0))] * count
    ends = dict(play_matches([Match(GAME) for _ in range(count)], seats, max_steps=100))
    assert [end.reason for end in ends.values()] == ["fault"] * count
    assert checked.faults["crash"] == crashing.asked == count


@pytest.mark.parametrize(
    ("at_go", "kind"),
    [("time.sleep(600)", "over_time"), ("sys.exit(3)", "crash"), ("print('bestmove a1-c5', flush=True)", "illegal")],
)
def test_faults_of_engines_have_their_kind(tmp_path: Path, at_go: str, kind: str) -> None:
    timeouts = Timeouts(turn=0.2, margin=0.2 if kind == "over_time" else 60)
    bot = Fake(tmp_path, at_go).bot(GAME, timeouts)
    checked = CheckedPlayer(BotPlayer(bot), LIMITS)
    checked.ask_many(positions(4))
    bot.close()
    assert checked.faults[kind] == sum(checked.faults.values()) > 0
    assert checked.has_given_up == (kind != "illegal")


def test_exported_players_have_the_same_time_limit(tmp_path: Path) -> None:
    player = tmp_path / "player.py"
    player.write_text("import time; time.sleep(600)")
    checked = CheckedPlayer(BotPlayer(load_bot(str(player), GAME, time_limit=0.3)), LIMITS)
    checked.ask_many(positions(4))
    assert checked.faults["over_time"] == sum(checked.faults.values()) > 0
    assert checked.has_given_up


@pytest.mark.slow
def test_a_search_without_end_is_late(protocol: Protocol) -> None:
    limits = replace(protocol, limits=SHORT)
    agent = find_agent("alphabeta:99", limits)
    checked = CheckedPlayer(agent.open(load_game("fetaix")), SHORT)
    begun = time.monotonic()
    for _ in range(LIMITS.patience + 1):
        checked.ask(Match("fetaix", "W:Wa1,b1,c1,d1,e1,a2,b2:Ba5,b5,c5,d5,e5,d4,e4"))
    assert checked.has_given_up
    assert time.monotonic() - begun < 30


def test_an_agent_that_is_often_late_is_not_asked_again() -> None:
    slow = Player(seconds=99.0, at_once=False)
    checked = CheckedPlayer(slow, LIMITS)
    checked.ask_many(positions(20))
    assert checked.has_given_up
    assert slow.asked == LIMITS.patience
    assert checked.faults["over_time"] == 20


def test_an_agent_that_draws_its_steps_has_no_best_response() -> None:
    rng = np.random.default_rng(0)
    policies = (lambda _seen, mask: rng.choice(np.flatnonzero(mask)), lambda _seen, mask: mask.argmax())
    players = [CheckedPlayer(BotPlayer(PolicyBot(NAME, policy)), LIMITS) for policy in policies]
    table = whole_table(GAME)
    drawn, fixed = (find_responses("mine:choose", player, table, 5.0, is_function=True) for player in players)
    assert drawn is None
    assert [response.seat for response in fixed] == [0]


# Functions


@pytest.fixture
def function(folder: Path, request: pytest.FixtureRequest):
    found = FunctionProcess(f"mine:{request.param}", SHORT if request.param == "sleeps" else LIMITS)
    yield found
    found.close()


@pytest.mark.parametrize("function", ["saves"], indirect=True)
@pytest.mark.slow
def test_a_function_receives_what_an_environment_shows(function: FunctionProcess, folder: Path) -> None:
    environment = env(NAME)
    environment.reset()
    shown = environment.observe(environment.agent_selection)
    function.ask(Match(GAME))
    received = np.load(folder / "seen.npz")

    assert (received["observation"] == shown["observation"]).all()
    assert (received["mask"] == shown["action_mask"]).all()


@first_by_default
@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        ("fails", "crash", "RuntimeError: no idea"),
        ("illegal", "illegal", "which is not legal"),
        ("words", "illegal", "answered 'e2-e3', expected the number of an action"),
        ("yes", "illegal", "answered True, expected the number of an action"),
        ("leaves", "crash", "SystemExit: enough"),
        ("dies", "crash", "its process has ended"),
        ("sleeps", "over_time", "did not answer within 0.3 s"),
    ],
    indirect=["function"],
)
@pytest.mark.slow
def test_a_function_that_fails_is_reported_and_started_again(function: FunctionProcess, kind: str, words: str) -> None:
    checked = CheckedPlayer(function, LIMITS)
    answers = checked.ask_many(positions(10))

    # Some masks begin with a legal action, and who sleeps does so from the second time on.
    assert checked.faults[kind] == sum(isinstance(answer, AgentError) for answer in answers) >= 8
    assert words in checked.first_fault


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("run mine:f", "agent 'mine:f' cannot be loaded: AttributeError: module 'mine' has no attribute 'f'"),
        *(
            pytest.param(f"run {spec}", f"agent '{spec}' cannot be loaded: {words}", marks=pytest.mark.slow)
            for spec, words in (
                ("nowhere:f", "ModuleNotFoundError: No module named 'nowhere'"),
                ("mine:number", "TypeError: number is a int, which cannot be called"),
            )
        ),
        ("run fetaix-small alquerque", "no game 'alquerque' of fetaix-small (known: fetaix)"),
        ("run greedy --library x", "library is given for 'greedy', expected a function as module:name"),
        ("run mine:first --steps 10000000000000000", "steps is 10000000000000000, expected an integer from 0 to "),
        ("run random -o nowhere/x.json", "folder 'nowhere' does not exist"),
        ("curve runs/1", "'runs/1' is not a run with checkpoints"),
        ("curve runs/1 --picture x.txt", "the picture is 'x.txt'"),
        ("leaderboard .", "there are no results in '.'"),
        ("check mine.py", "'mine.py' is not a result of the benchmark"),
        ("check mine.py fetaix", "'fetaix' is where an agent is asked again: give --agent too"),
        ("record none.pdn", "'none.pdn' has no matches that can be read"),
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


TRAINING = ("--library", "sb3-contrib 2.9", "--algorithm", "MaskablePPO", "--steps", "200000", "--seed", "3")


@pytest.mark.slow
def test_the_program_writes_and_prints_the_same_result_and_how_a_function_was_trained(
    installed: None, folder: Path
) -> None:
    files = ("-o", "mine.json", "--json")
    shown = run("run", "mine:first", NAME, "--quick", *TRAINING, *files)
    assert shown.exit_code == 0, shown.output
    printed = json.loads(shown.stdout)
    words = shlex.split(printed["command"])
    tables = run(*words[2:], "--name", "the first")

    assert tables.exit_code == 0, tables.output
    assert words[:5] == ["alquerque", "benchmark", "run", "mine:first", NAME]
    assert printed == json.loads((folder / "mine.json").read_text())
    [result] = read_file(folder / "mine.json")
    assert json.loads(json.dumps(result.as_dict())) == printed
    assert (printed["benchmark"], printed["quick"], printed["facts"]["kind"]) == ("v1", True, "function")
    assert result.facts.training == Training("sb3-contrib 2.9", "MaskablePPO", 200_000, 3)
    told = "the first: benchmark v1, trained by MaskablePPO of sb3-contrib 2.9, 200,000 steps, seed 3\n"
    assert told in tables.stdout
    assert "wrong in 20 natural positions" in tables.stdout
    assert "Note: a quick run, whose figures are not comparable." in tables.stdout


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("library", ""), ("library", "a\nb"), ("library", 3), ("algorithm", " a"), ("algorithm", "a" * 101)),
        *(("steps", -1), ("steps", 1.5), ("steps", True), ("seed", 2**63), ("seed", "1")),
    ],
)
def test_a_training_that_cannot_be_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BenchmarkError, match=f"^{name} is .*, expected (one line|an integer from 0)"):
        Training(**{name: value})


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training run with two checkpoints."""
    from alquerque_training.run.train import train

    from tests.training.tiny_runs import TINY

    folder = tmp_path_factory.mktemp("training")
    (folder / "tiny.toml").write_text(TINY)
    fewer = ["self_play.num_games=16", "self_play.rollout_steps=8", "evaluation.games_per_seat=2"]
    run = [f"run.game={NAME}", "run.total_steps=512", "run.checkpoint_every=2", "run.keep_checkpoints=9"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder / train(folder / "tiny.toml", [*run, *fewer]).run


@pytest.mark.slow
def test_the_checkpoints_of_a_run_make_a_curve(installed: None, tiny_run: Path, folder: Path) -> None:
    shown = run("curve", f"{tiny_run}:4", "-o", "curve.json", "--picture", "curve.png", "--quick")

    assert shown.exit_code == 0, shown.output
    found = read_file(folder / "curve.json")
    assert [result.facts.steps for result in found] == [256, 512]
    assert [result.name for result in found] == ["tiny-1:4, 0.000256 M steps", "tiny-1:4, 0.000512 M steps"]
    assert {result.facts.simulations for result in found} == {4}
    assert {(result.facts.algorithm, result.facts.kind, result.facts.seed) for result in found} == {
        ("ppo", "checkpoint", 0)
    }
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


# What comes with the package


@pytest.mark.parametrize(
    ("name", "exploration", "network", "width", "depth"),
    [
        ("fetaix-plain", 0.3, "mlp 512x2", 512, None),
        ("fetaix-small", 0.3, "mlp 80x2 with search features, depth 0", 80, 0),
    ],
)
def test_facts_are_read_from_a_checkpoint(
    name: str, exploration: float, network: str, width: int, depth: int | None
) -> None:
    game, facts = read_facts(parse_spec(f"{name}:64"))

    assert game == "fetaix"
    assert (facts.network, facts.search_features) == (network, depth)
    assert (facts.algorithm, facts.simulations, facts.exploration) == ("alphazero", 64, exploration)
    assert facts.steps > 1_000_000
    planes, actions = 6, 512
    features, codes = (0, 0) if depth is None else (2 * actions, 10)
    layers = [planes * 25 + features, *(width,) * 5]
    sizes = [a * b + b for a, b in pairwise(layers)]
    assert facts.parameters == sum(sizes) + (width + 1) * (actions + 1) + codes


def test_protocol_v1_measures_games_with_exact_values_and_those_with_a_ladder() -> None:
    protocol = load_protocol("v1")
    exact = {setting.game for setting in protocol.exact.settings}
    ladders = {path.stem for path in (protocol.folder / "ladders").glob("*.json")}
    assert {*measured_games(protocol)} == exact | ladders
    assert protocols.CURRENT == protocol.version == protocol.folder.name
    for name, entry in find_entries(measured_games(protocol), protocol, "kept").items():
        assert entry.missing is None or " " in name or name == "lau_kata_kati"
        assert entry.missing is not None or not entry.kinds or entry.table.game == entry.game


@pytest.mark.parametrize("name", sorted(path.stem for path in (load_protocol().folder / "ladders").glob("*.json")))
def test_every_ladder_is_whole(name: str) -> None:
    protocol, game = load_protocol(), load_game(name)
    ladder = read_ladder(protocol, game)
    assert ladder.rungs == list_rungs(protocol, game)
    assert len(ladder.openings.list) == protocol.games // 2
    assert {meeting.total.games for meeting in ladder.meetings} == {protocol.games}
    assert len(ladder.meetings) == len(ladder.rungs) * (len(ladder.rungs) - 1) // 2


def test_every_bot_that_comes_with_the_package_is_a_rung_of_its_game() -> None:
    protocol = load_protocol()
    rungs = {spec.partition(":")[0] for name in games() for spec in list_rungs(protocol, load_game(name))}
    assert {bot for bot in shipped_bots() if not bot.endswith(("-plain", "-proved"))} - {FAMILY} <= rungs
