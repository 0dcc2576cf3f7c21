"""Version 2 of the benchmark: choices in whole games, and recorded matches, by exact values."""

import copy
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from alquerque_env import Match, Record, load_game, load_table, read_records
from alquerque_env.arena.exact_errors import ILLEGAL, KINDS, draw_critical, summarise_choices
from alquerque_env.benchmark import Agent, BenchmarkError, check, load_protocol, run_benchmark
from alquerque_env.benchmark.agent_facts import Facts
from alquerque_env.benchmark.agent_result import TrackedResult, read_file
from alquerque_env.benchmark.agents.ask import BotPlayer
from alquerque_env.benchmark.agents.fault_count import CheckedPlayer
from alquerque_env.benchmark.check import check_choices, check_file
from alquerque_env.benchmark.protocol import Protocol, Setting
from alquerque_env.benchmark.record_scores import score_records
from alquerque_env.benchmark.report.text_tables import print_result
from alquerque_env.benchmark.response import find_responses
from alquerque_env.benchmark.tracks import ExactTrack, pack_choices, unpack_choices
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.cli.main import main
from alquerque_env.errors import UnknownNameError
from alquerque_env.exercises import load_puzzles, measure_puzzles
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.tables.whole import whole_table

NAME = "felli_simplified"
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


@pytest.fixture(scope="module")
def protocol() -> Protocol:
    """Version 2, only smaller."""
    full = load_protocol("v2")
    exact = replace(full.exact, settings=full.exact.settings[:1], positions=300, response_seconds=1.0)
    return replace(full, exact=exact)


@pytest.fixture(scope="module")
def measured(protocol: Protocol) -> dict[str, Any]:
    """The result of a bot, for JSON."""
    return run_benchmark("greedy", [NAME], protocol).as_dict()


@pytest.fixture(scope="module")
def fixed(protocol: Protocol) -> TrackedResult:
    """The result of a bot that draws no steps."""
    return run_benchmark("alphabeta:1", [NAME], protocol)


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_a_player_that_keeps_every_value_is_never_wrong_and_nobody_beats_it(protocol: Protocol) -> None:
    found = run_benchmark("perfect", [NAME], protocol).games[NAME]
    for errors in (found.exact.uniform, found.exact.natural):
        assert errors.positions == 300
        assert errors.wrong.value == errors.regret.value == 0
    assert not any(response.line for response in found.responses)


def test_random_steps_are_wrong_as_often_as_chance(protocol: Protocol) -> None:
    result = run_benchmark("random", [NAME], protocol)
    assert isinstance(result, TrackedResult)
    for errors in (result.games[NAME].exact.uniform, result.games[NAME].exact.natural):
        assert errors.wrong.low <= errors.chance <= errors.wrong.high
    [response] = result.games[NAME].responses
    assert (response.seat, response.kept) in ((0, False), (0, None))
    spent = result.games[NAME].processor_seconds
    assert spent.keys() == {"choices", "best response", "puzzles"}
    assert spent["choices"] > 0


def test_a_result_is_accepted_and_its_agent_makes_the_same_choices_again(
    measured: dict[str, Any], fixed: TrackedResult, protocol: Protocol, tmp_path: Path
) -> None:
    [result] = check_file(write(tmp_path / "greedy.json", measured), protocol)
    assert result.as_dict() == measured
    for each in (result, fixed):  # one draws its steps, from the same seed
        assert check_choices(each, each.spec, [], protocol) == {NAME: "makes the same choices again"}
    with pytest.raises(BenchmarkError, match=f"{NAME}: perfect chooses otherwise in .* in 0.00% of uniform ones, 5"):
        check_choices(result, "perfect", [NAME], protocol)


def with_changed_choices(result: TrackedResult, share: float, *, keeps_choices: bool) -> TrackedResult:
    """The result of an agent that takes another legal action in a share of the positions; the figures fit it."""
    exact, rng = result.games[NAME].exact, np.random.default_rng(1)
    table = whole_table(load_game(NAME))
    drawn = [draw_critical(table, 300, kind, load_protocol("v2").exact.seed)[1] for kind in KINDS]
    values = np.concatenate(drawn)
    chosen = unpack_choices(exact.choices, len(values))
    for place in rng.permutation(len(values))[: round(share * len(values))]:
        legal = np.flatnonzero(values[place] > ILLEGAL)
        chosen[place] = rng.choice(legal[legal != chosen[place]])
    parts = np.split(chosen, [300])
    errors = [summarise_choices(*each, load_protocol("v2").exact.seed) for each in zip(drawn, parts, strict=True)]
    other = ExactTrack(exact.table, exact.sample, *errors, pack_choices(chosen) if keeps_choices else "")
    return replace(result, games={NAME: replace(result.games[NAME], exact=other)})


@pytest.mark.parametrize("keeps_choices", [True, False], ids=["with choices", "of version 0.1.0"])
def test_one_changed_choice_in_a_hundred_is_found(
    keeps_choices: bool, fixed: TrackedResult, protocol: Protocol, tmp_path: Path
) -> None:
    for share in (0, 0.01):
        other = with_changed_choices(fixed, share, keeps_choices=keeps_choices)
        [read] = check_file(write(tmp_path / "other.json", other.as_dict()), protocol)
        if share == 0:
            assert check_choices(read, fixed.spec, [], protocol) == {NAME: "makes the same choices again"}
            continue
        with pytest.raises(BenchmarkError, match=f"chooses otherwise in {'6 of ' * keeps_choices}600 positions: wrong"):
            check_choices(read, fixed.spec, [], protocol)


def test_an_agent_that_draws_its_steps_is_compared_by_intervals(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    policy = PolicyBot(NAME, lambda _seen, mask: rng.choice(np.flatnonzero(mask)))
    drawing = Agent("mine:draw", Facts("function"), (NAME,), lambda _game: BotPlayer(policy))
    monkeypatch.setattr(check, "find_agent", lambda spec, protocol: drawing)
    result = run_benchmark(drawing, [NAME], protocol)
    found = check_choices(result, drawing.spec, [], protocol)
    assert re.fullmatch(r"chooses otherwise in \d+ of 600 positions: wrong .*; it draws at random", found[NAME])
    perfect = run_benchmark("perfect", [NAME], protocol)
    with pytest.raises(BenchmarkError, match="chooses otherwise"):
        check_choices(replace(perfect, facts=drawing.facts), drawing.spec, [], protocol)


def test_a_beaten_agent_that_is_said_to_keep_its_value_is_found_when_it_is_asked(
    fixed: TrackedResult, protocol: Protocol
) -> None:
    [response] = fixed.games[NAME].responses
    assert (response.kept, bool(response.line)) == (False, True)
    kept = replace(response, kept=True, complete=True, line=())
    other = replace(fixed, games={NAME: replace(fixed.games[NAME], responses=(kept,))})
    with pytest.raises(BenchmarkError, match="alphabeta:1 does not keep what the start is worth in seat 0"):
        check_choices(other, fixed.spec, [], protocol)


def test_a_missing_table_is_told_and_the_other_settings_are_checked(
    fixed: TrackedResult, protocol: Protocol, tmp_path: Path
) -> None:
    absent = Setting(game="dash_guti", options={"capture": "optional"})
    more = replace(protocol, exact=replace(protocol.exact, settings=(*protocol.exact.settings, absent)))
    content = fixed.as_dict()
    content["games"][absent.name] = content["games"][NAME]
    notes: list[str] = []
    [result] = check_file(write(tmp_path / "both.json", content), more, notes.append)
    missing = f"there is no table of {absent.name}: build it with alquerque solve dash_guti --option capture=optional"
    assert notes == [f"{absent.name}: the exact figures are not checked: {missing} --whole"]
    again = check_choices(result, fixed.spec, [], more)
    assert again[NAME] == "makes the same choices again"
    assert again[absent.name] == f"was not asked again: {missing} --whole"
    assert list(check_choices(result, fixed.spec, [NAME], more)) == [NAME]
    with pytest.raises(BenchmarkError, match="there is no table of dash_guti"):
        check_choices(result, fixed.spec, [absent.name], more)
    content["games"][NAME]["exact"]["natural"]["chance"] = 0.9
    with pytest.raises(BenchmarkError, match=r"exact\.natural\.chance is 0\.9"):
        check_file(write(tmp_path / "wrong.json", content), more)


def put(*path: str | int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    """A change of some values of a setting's result."""

    def change(result: dict[str, Any]) -> None:
        found: Any = result["games"][NAME]
        for key in path:
            found = found[key]
        found.update(changes)

    return change


def change_line(make: Callable[[list[str]], list[str]]) -> Callable[[dict[str, Any]], None]:
    """A change of the line of the best response."""

    def change(result: dict[str, Any]) -> None:
        [response] = result["games"][NAME]["responses"]
        response["line"] = make(response["line"])

    return change


def change_choices(action: int) -> Callable[[dict[str, Any]], None]:
    """One action in place of the first choice."""

    def change(result: dict[str, Any]) -> None:
        exact = result["games"][NAME]["exact"]
        exact["choices"] = pack_choices(np.array([action, *unpack_choices(exact["choices"], 600)[1:]]))

    return change


RESPONSE = "responses", 0
DOCTORED = [
    (put("exact", table="0" * 16), "exact.table is 000000000000…, expected"),
    (put("exact", sample="0" * 64), "exact.sample is 000000000000…, expected"),
    (put("exact", "natural", "wrong", value=0.01), "exact.natural"),
    (put("exact", "natural", "wrong", value=1e308), "exact.natural does not fit 300 positions"),
    (put("exact", "uniform", "wrong", low=0.0), "exact.uniform.wrong is .*, expected"),
    (put("exact", "uniform", "regret", high=2.0), "exact.uniform.regret is .*, expected"),
    (put("exact", "natural", chance=0.9), "exact.natural.chance is 0.9, expected"),
    (put("exact", "natural", positions=299), "exact.natural does not fit 300 positions"),
    (put("exact", "uniform", positions=-1), "exact.uniform does not fit 300 positions"),
    (put("exact", choices="no"), "exact.choices are not legal actions in 600 positions"),
    (put("exact", choices=pack_choices(np.zeros(599))), "exact.choices are not legal actions"),
    (put("exact", choices=pack_choices(np.zeros(10**6))), "exact.choices are not legal actions"),
    (change_choices(-2), "exact.choices are not legal actions"),
    (change_choices(9999), "exact.choices are not legal actions"),
    (change_choices(-1), r"exact.uniform|timing.decisions is 600 of 600, but there are 0 faults"),
    (put(*RESPONSE, kept=True), "responses: seat 0 has kept True, complete .* and a line, so kept should be False"),
    (put(*RESPONSE, kept=None), "responses: seat 0 has kept None"),
    (put(*RESPONSE, kept=None, complete=False), "responses: seat 0 has kept None, complete False and a line"),
    (put(*RESPONSE, kept=True, complete=False, line=[]), "so kept should be None"),
    (put(*RESPONSE, kept=False, complete=False, line=[]), "so kept should be None"),
    (
        put(*RESPONSE, complete=True, line=[]),
        "responses: seat 0 has kept False, complete True and no line, so kept should be True",
    ),
    (put(*RESPONSE, line=["a1-b2"]), "responses: seat 0 has a line that cannot be played: a1-b2"),
    (put(*RESPONSE, line=["nonsense"]), "responses: seat 0 has a line that cannot be played: "),
    (change_line(lambda line: line[:-1]), "a line that does not end with less for it than the start is worth"),
    (change_line(lambda line: line[1:]), "a line that cannot be played"),
    (change_line(lambda line: [*line, line[-1]]), "a line that cannot be played"),
    (put(*RESPONSE, seat=1), r"responses are of the seats \(1,\), expected \(0,\)"),
    (put(*RESPONSE, seat=5), r"responses are of the seats \(5,\), expected \(0,\)"),
    (put(*RESPONSE, positions=-1), r"responses\[0\].positions is -1, expected an integer from 1"),
    (put(*RESPONSE, positions=0), r"responses\[0\].positions is 0, expected an integer from 1"),
    (put(*RESPONSE, positions=10**12), "responses: seat 0 has 1000000000000 positions, expected at most"),
    (put(responses=[]), r"responses are of the seats \(\), expected \(0,\)"),
    (put(responses=None), "responses should be there: a bot chooses alike"),
    (put(ladder="0" * 64), "ladder has SHA-256 000000000000"),
    (put(exact=None), "exact should be there"),
    (put(timing=None), "timing.decisions is 0 of 600, but there are 0 faults"),
    (put("timing", decisions=599), "timing.decisions is 599 of 600"),
    (put("timing", decisions=10**9), "timing.decisions is 1000000000 of 600"),
    (put("timing", median=9.0, slow=1.0), "timing.median is above timing.slow"),
    (put("timing", slow=1e300), "timing.slow above the limit"),
    (put("faults", crash=1), "faults.first is None, but there are 1 faults"),
    (put("faults", first="late"), "faults.first is 'late', but there are 0 faults"),
    (put("faults", gave_up=True), "faults.gave_up is true after 0 faults"),
    (put("faults", illegal=-1), "faults.illegal is -1, expected an integer from 0"),
    (put(puzzles={"sha256": "0" * 64, "puzzles": 1, "solved": {"value": 1, "low": 0, "high": 1}}), "puzzles have SHA"),
    (put(processor_seconds={}), "processor_seconds are of , expected choices, best response, puzzles"),
    (put("processor_seconds", matches=1.0), "processor_seconds are of choices, best response, puzzles, matches"),
    (put("processor_seconds", choices=-1.0), "choices is -1.0, expected a number from 0"),
    (lambda result: result["facts"].update(kind="human"), "facts.kind is 'human', expected one of"),
    (lambda result: result["facts"].update(steps=10), "facts.steps is 10, expected None"),
    (lambda result: result["facts"].update(parameters=-1), "facts.parameters is -1, expected an integer from 0"),
    (lambda result: result["facts"].update(weights="0" * 64), r"facts.weights is '0+\.\.\., expected None"),
    (lambda result: result.update(command="rm -r /"), "command is 'rm -r /', expected alquerque benchmark alphabeta:1"),
    (lambda result: result.update(command="alquerque benchmark alphabeta:1 ; ls"), "command is .*, expected alquerque"),
    (lambda result: result.update(spec="alphabeta:9"), "command is .*, expected alquerque benchmark alphabeta:9"),
    (lambda result: result.update(name=""), "name is '', expected a string, not empty"),
    (lambda result: result.update(quick=True), "is a quick run"),
    (lambda result: result["games"].update({"felli": result["games"].pop(NAME)}), "is not measured|nothing to measure"),
]


@pytest.mark.parametrize(("change", "words"), DOCTORED, ids=[str(number) for number in range(len(DOCTORED))])
def test_a_doctored_field_is_found(
    change: Callable[[dict[str, Any]], Any], words: str, fixed: TrackedResult, protocol: Protocol, tmp_path: Path
) -> None:
    content = fixed.as_dict()
    change(content)
    with pytest.raises(BenchmarkError, match=words):
        check_file(write(tmp_path / "doctored.json", content), protocol)


def test_a_result_with_a_key_twice_is_refused(measured: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text(json.dumps(measured).replace('"kept": ', '"kept": true, "kept": '))
    with pytest.raises(BenchmarkError, match="is not a result of the benchmark"):
        read_file(path)


def test_a_result_of_version_2_is_no_result_of_version_1(measured: dict[str, Any], tmp_path: Path) -> None:
    file = write(tmp_path / "greedy.json", measured)
    assert isinstance(read_file(file)[0], TrackedResult)
    with pytest.raises(BenchmarkError, match="is of benchmark v2, expected v1: check it with --protocol v2"):
        check_file(file, load_protocol())


def test_a_game_without_a_table_is_left_out_unless_it_is_asked_for(protocol: Protocol) -> None:
    settings = (*protocol.exact.settings, Setting(game="dash_guti", options={"capture": "optional"}))
    more = replace(protocol, exact=replace(protocol.exact, settings=settings, positions=5))
    with pytest.raises(BenchmarkError, match="alquerque solve dash_guti --option capture=optional --whole"):
        run_benchmark("random", ["dash_guti"], more)


def test_an_agent_that_draws_its_steps_has_no_best_response(protocol: Protocol) -> None:
    rng = np.random.default_rng(0)
    policies = (lambda _seen, mask: rng.choice(np.flatnonzero(mask)), lambda _seen, mask: mask.argmax())
    players = [CheckedPlayer(BotPlayer(PolicyBot(NAME, policy)), protocol.limits) for policy in policies]
    drawn, fixed = (find_responses("mine:choose", player, whole_table(load_game(NAME)), 5.0) for player in players)
    assert drawn is None
    assert [response.seat for response in fixed] == [0]


def test_settings_of_the_training_are_told_apart(measured: dict[str, Any], tmp_path: Path) -> None:
    [result] = read_file(write(tmp_path / "greedy.json", measured))
    for settings, is_marked in ((None, False), (NAME, False), (f"pretwa, {NAME} capture=optional", True)):
        output = io.StringIO()
        trained = replace(result, facts=replace(result.facts, trained_on=settings))
        print_result(trained, Console(file=output, width=120))
        assert (f"{NAME}, not trained on" in output.getvalue()) == is_marked


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
def test_the_network_for_all_boards_chooses_as_its_result_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    [result] = read_file(Path("benchmarks", "v2", "graph-network.json"))
    full = load_protocol("v2")
    assert check_choices(result, result.spec, [NAME], full) == {NAME: "makes the same choices again"}
    assert result.facts.settings == (NAME, "pretwa")


def test_an_unknown_version_is_named() -> None:
    with pytest.raises(UnknownNameError, match="v1, v2"):
        load_protocol("v3")


def test_version_2_plays_the_ladders_of_version_1() -> None:
    full = load_protocol("v2")
    assert full.ladder == load_protocol("v1").ladder
    shortest = replace(full, quick=replace(full.quick, games=2, positions=5)).shortened()
    found = run_benchmark("random", ["alquerque_murray"], shortest)
    assert found.games["alquerque_murray"].exact is None
    assert found.games["alquerque_murray"].opponents.rungs


@pytest.mark.slow
def test_puzzles_are_part_of_a_result_and_checked(protocol: Protocol, tmp_path: Path) -> None:
    settings = (Setting(game="pretwa", options={}),)
    small = replace(protocol, exact=replace(protocol.exact, settings=settings, positions=5))
    result = run_benchmark("alphabeta:1", ["pretwa"], small)
    puzzles = load_puzzles("pretwa").puzzles
    share = measure_puzzles("alphabeta:1", "pretwa", puzzles).solved
    found = result.games["pretwa"].puzzles
    assert found.puzzles == len(puzzles)
    assert found.solved.low <= share.value <= found.solved.high
    output = io.StringIO()
    print_result(result, Console(file=output, width=120))
    assert f"solved of {len(puzzles)} puzzles" in output.getvalue()
    content = result.as_dict()
    check_file(write(tmp_path / "right.json", content), small)
    for change, words in (({"sha256": "0" * 64}, "puzzles have SHA-256 0000"), ({"puzzles": 9}, "puzzles.solved is")):
        wrong = copy.deepcopy(content)
        wrong["games"]["pretwa"]["puzzles"].update(change)
        with pytest.raises(BenchmarkError, match=f"pretwa: {words}"):
            check_file(write(tmp_path / "wrong.json", wrong), small)


def test_recorded_steps_lose_what_the_table_says(tmp_path: Path) -> None:
    table, game = load_table(NAME), load_game(NAME)
    rng = np.random.default_rng(5)
    lost = {"perfect": [], "anybody": []}
    texts = []
    for _ in range(8):
        match = Match(game)
        while not match.is_over:
            ranked = table.steps(match)
            best = ranked[0].value
            chosen = ranked[0] if match.player == 0 else ranked[rng.integers(len(ranked))]
            if len(ranked) > 1 and None not in [each.value for each in ranked]:
                lost["perfect" if match.player == 0 else "anybody"].append(best - chosen.value)
            match.push(chosen.step)
        texts.append(str(Record(match, south="perfect", north="anybody")))
    scores = {score.player: score for score in score_records(read_records("\n\n".join(texts)))}
    assert scores.keys() == lost.keys()
    for player, score in scores.items():
        assert (score.game, score.matches, score.known) == (NAME, 8, len(lost[player]))
        assert score.regret == pytest.approx(np.mean(lost[player]))
    assert scores["perfect"].critical.wrong.value == 0

    file = tmp_path / "matches.pdn"
    file.write_text("\n\n".join(texts))
    printed = CliRunner().invoke(main, ["benchmark", "--record", str(file), "--json"])
    assert printed.exit_code == 0, printed.output
    assert [each["player"] for each in json.loads(printed.stdout)["players"]] == ["perfect", "anybody"]
    file.write_text("\n\n".join(['[GameType "25"]\n*', *texts]))
    output = CliRunner().invoke(main, ["benchmark", "--record", str(file)]).output
    assert "match 1, line 1: Russian draughts, GameType 25, is not among the games" in output
    assert "regret 0.0000 a step" in output


def test_a_file_without_matches_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "matches.pdn"
    file.write_text("\n")
    refused = CliRunner().invoke(main, ["benchmark", "--record", str(file)])
    assert refused.exit_code == 2
    assert "has no matches" in refused.output
