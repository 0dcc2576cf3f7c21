"""Results of others: what `check` finds in their files, and by asking their agents again; and recorded matches."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from alquerque_env import Match, Record, load_game, load_table, read_records
from alquerque_env.arena.exact_errors import ILLEGAL, score_records
from alquerque_env.benchmark import Agent, BenchmarkError, Result, check, load_protocol, run_benchmark
from alquerque_env.benchmark.agent_answers import judge_choices, pack, unpack
from alquerque_env.benchmark.agent_result import read_file
from alquerque_env.benchmark.agents.ask import BotPlayer
from alquerque_env.benchmark.agents.facts import Facts
from alquerque_env.benchmark.check import check_choices, check_file
from alquerque_env.benchmark.entry import entries_of
from alquerque_env.benchmark.protocol import Protocol, Setting
from alquerque_env.benchmark.report.text_tables import print_result
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.cli.main import main
from alquerque_env.errors import UnknownNameError
from alquerque_env.game.kernel_arrays import JIT
from tests.benchmark.small_protocol import NAME, POSITIONS

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


@pytest.fixture(scope="module")
def fixed(protocol: Protocol) -> Result:
    """The result of a bot that draws no steps."""
    return run_benchmark("alphabeta:1", [NAME], protocol)


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("spec", ["greedy", "alphabeta:1"])  # a rung that draws its steps, and one that is no rung
def test_a_result_is_accepted_and_its_agent_makes_the_same_choices_again(
    spec: str, protocol: Protocol, tmp_path: Path
) -> None:
    measured = run_benchmark(spec, [NAME], protocol)
    [result] = check_file(write(tmp_path / "bot.json", measured.as_dict()), protocol)
    assert result.as_dict() == measured.as_dict()
    assert check_choices(result, spec, [], protocol) == {NAME: "makes the same choices again"}


def test_another_agent_than_that_of_a_result_is_found(fixed: Result, protocol: Protocol) -> None:
    with pytest.raises(BenchmarkError, match=f"{NAME}: perfect chooses otherwise in .* in 0.00% of uniform ones, "):
        check_choices(fixed, "perfect", [NAME], protocol)
    with pytest.raises(BenchmarkError, match="'fetaix-small' has other weights than the result of alphabeta:1"):
        check_choices(fixed, "fetaix-small", [], protocol)
    with pytest.raises(UnknownNameError, match="no game 'fetaix' of the result of alphabeta:1"):
        check_choices(fixed, "alphabeta:1", ["fetaix"], protocol)


def with_choices(result: Result, protocol: Protocol, share: float) -> Result:
    """The result of an agent that takes another legal action in a share of the positions."""
    rng, entry, changed = np.random.default_rng(1), entries_of([NAME], protocol)[NAME], {}
    for kind, choices in result.games[NAME].choices.items():
        values, chosen = entry.sample(kind, protocol).values, unpack(choices.actions)
        for place in rng.permutation(len(values))[: round(share * len(values))]:
            legal = np.flatnonzero(values[place] > ILLEGAL)
            chosen[place] = rng.choice(legal[legal != chosen[place]])
        changed[kind] = judge_choices(values, choices.sample, chosen)
    return replace(result, games={NAME: replace(result.games[NAME], choices=changed)})


def test_one_changed_choice_in_a_hundred_is_found(fixed: Result, protocol: Protocol, tmp_path: Path) -> None:
    other = with_choices(fixed, protocol, 0.01)
    [read] = check_file(write(tmp_path / "other.json", other.as_dict()), protocol)
    with pytest.raises(BenchmarkError, match="chooses otherwise in 2 of 200 positions: wrong"):
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
    assert re.fullmatch(r"chooses otherwise in \d+ of 200 positions: wrong .*; it draws at random", found[NAME])
    perfect = run_benchmark("perfect", [NAME], protocol)
    with pytest.raises(BenchmarkError, match="chooses otherwise"):
        check_choices(replace(perfect, facts=drawing.facts), drawing.spec, [], protocol)


def test_a_beaten_agent_that_is_said_to_keep_its_value_is_found_when_it_is_asked(
    fixed: Result, protocol: Protocol
) -> None:
    [response] = fixed.games[NAME].responses
    assert (response.kept, bool(response.line)) == (False, True)
    kept = replace(response, kept=True, complete=True, line=())
    other = replace(fixed, games={NAME: replace(fixed.games[NAME], responses=(kept,))})
    with pytest.raises(BenchmarkError, match="alphabeta:1 does not keep what the start is worth in seat 0"):
        check_choices(other, fixed.spec, [], protocol)


def test_a_missing_table_is_named_and_the_other_settings_are_checked(
    fixed: Result, protocol: Protocol, tmp_path: Path
) -> None:
    absent = Setting(game="dash_guti", options={"capture": "optional"})
    more = replace(protocol, exact=replace(protocol.exact, settings=(*protocol.exact.settings, absent)))
    content = fixed.as_dict()
    seconds = dict.fromkeys(("choices", "best response", "puzzles"), 1.0)
    alone = {"ladder": None, "matches": {}, "processor_seconds": seconds}
    content["games"][absent.name] = content["games"][NAME] | alone
    notes: list[str] = []
    [result] = check_file(write(tmp_path / "both.json", content), more, notes.append)
    missing = f"there is no table of {absent.name}: build it with alquerque solve dash_guti --option capture=optional"
    assert notes == [f"{absent.name}: the choices are not checked: {missing} --whole"]
    again = check_choices(result, fixed.spec, [], more)
    assert again[NAME] == "makes the same choices again"
    assert again[absent.name] == f"was not asked again: {missing} --whole"
    with pytest.raises(BenchmarkError, match="there is no table of dash_guti"):
        check_choices(result, fixed.spec, [absent.name], more)


Change = Callable[[dict[str, Any]], Any]


def put(*path: str | int, **changes: Any) -> Change:
    """A change of some values of a setting's result."""

    def change(result: dict[str, Any]) -> None:
        found: Any = result["games"][NAME]
        for key in path:
            found = found[key]
        found.update(changes)

    return change


def change_line(make: Callable[[list[str]], list[str]]) -> Change:
    """A change of the line of the best response."""

    def change(result: dict[str, Any]) -> None:
        [response] = result["games"][NAME]["responses"]
        response["line"] = make(response["line"])

    return change


def begin_with(part: str, number: int) -> Change:
    """Another number in place of the first choice, or of what it loses."""

    def change(result: dict[str, Any]) -> None:
        choices = result["games"][NAME]["choices"]["natural"]
        choices[part] = pack(np.array([number, *unpack(choices[part])[1:]]))

    return change


NATURAL, RESPONSE = ("choices", "natural"), ("responses", 0)
DOCTORED = [
    (put(table="0" * 16), "table is '0000000000000000', expected"),
    (put(*NATURAL, sample="0" * 64), "choices.natural: sample is 000000000000…, expected"),
    (put(*NATURAL, chance=0.9), "choices.natural: chance is 0.9, expected"),
    (put(*NATURAL, actions="no"), "choices.natural cannot be read"),
    (put(*NATURAL, actions=pack(np.zeros(99))), "choices.natural cannot be read"),
    (
        put(*NATURAL, actions=pack(np.zeros(99)), losses=pack(np.zeros(99))),
        f"not legal ones in {POSITIONS} positions",
    ),
    (put(*NATURAL, losses=pack(np.zeros(10**6))), "choices.natural cannot be read"),
    (begin_with("losses", 3), "choices.natural cannot be read"),
    (begin_with("actions", -2), "choices.natural cannot be read"),
    (begin_with("actions", 9999), f"choices.natural: actions are not legal ones in {POSITIONS} positions"),
    (begin_with("losses", 2), "choices.natural: losses are not those of the actions"),
    (
        lambda result: result["games"][NAME]["choices"].pop("natural"),
        "choices are of uniform, expected uniform, natural",
    ),
    (put(*RESPONSE, kept=True), "responses: seat 0 has kept True, complete .* and a line, so kept should be False"),
    (put(*RESPONSE, kept=None, complete=False), "responses: seat 0 has kept None, complete False and a line"),
    (put(*RESPONSE, kept=True, complete=False, line=[]), "so kept should be None"),
    (put(*RESPONSE, complete=True, line=[]), "has kept False, complete True and no line, so kept should be True"),
    (put(*RESPONSE, line=["a1-b2"]), "responses: seat 0 has a line that cannot be played: a1-b2"),
    (change_line(lambda line: line[:-1]), "a line that does not end with less for it than the start is worth"),
    (change_line(lambda line: [*line, line[-1]]), "a line that cannot be played"),
    (put(*RESPONSE, seat=1), r"responses are of the seats \(1,\), expected \(0,\)"),
    (put(*RESPONSE, positions=0), r"responses\[0\].positions is 0, expected an integer from 1"),
    (put(*RESPONSE, positions=10**12), "responses: seat 0 has 1000000000000 positions, expected at most"),
    (put(responses=[]), r"responses are of the seats \(\), expected \(0,\)"),
    (put(responses=None), "responses should be there: a bot chooses alike"),
    (put(ladder="0" * 64), "ladder has SHA-256 '0+"),
    (put("matches", random="+"), "matches against random cannot be read"),
    (put("matches", random="++?="), "matches against random cannot be read"),
    (put("matches", random="++"), "matches against random are 2, expected 4"),
    (put("matches", nobody="++++"), "matches are against random, greedy, .*, nobody, expected random, greedy"),
    (put(timing=None), "timing.decisions is 0 of 200, but there are 0 faults"),
    (put("timing", decisions=199), "timing.decisions is 199 of 200"),
    (put("timing", median=9.0, slow=1.0), "timing.median is above timing.slow"),
    (put("timing", slow=1e300), "timing.slow above the limit"),
    (put("faults", crash=1), "faults.first is None, but there are 1 faults"),
    (put("faults", first="late"), "faults.first is 'late', but there are 0 faults"),
    (put("faults", gave_up=True), "faults.gave_up is true after 0 faults"),
    (put("faults", illegal=-1), "faults.illegal is -1, expected an integer from 0"),
    (put(puzzles={"sha256": "0" * 64, "actions": pack(np.zeros(1)), "solved": "+"}), "puzzles should not be there"),
    (put(puzzles={"sha256": "0" * 64, "actions": "no", "solved": "+"}), "puzzles cannot be read"),
    (put(processor_seconds={}), "processor_seconds are of , expected choices, best response, puzzles, matches"),
    (put("processor_seconds", choices=-1.0), "choices is -1.0, expected a number from 0"),
    (lambda result: result["facts"].update(kind="human"), "facts.kind is 'human', expected one of"),
    (lambda result: result["facts"].update(steps=10), "facts.steps is 10, expected None"),
    (lambda result: result["facts"].update(library="a\nb"), "facts: library is 'a"),
    (lambda result: result["facts"].update(parameters=-1), "facts.parameters is -1, expected an integer from 0"),
    (lambda result: result["facts"].update(weights="0" * 64), r"facts.weights is '0+\.\.\., expected None"),
    (
        lambda result: result.update(command="rm -r /"),
        "command is 'rm -r /', expected alquerque benchmark run alphabeta",
    ),
    (lambda result: result.update(command="alquerque benchmark run alphabeta:1 ; ls"), "command is .*, expected"),
    (lambda result: result.update(spec="alphabeta:9"), "command is .*, expected alquerque benchmark run alphabeta:9"),
    (lambda result: result.update(name=""), "name is '', expected a string, not empty"),
    (lambda result: result.update(quick=True), "is a quick run"),
    (lambda result: result.update(benchmark="v9"), "is of benchmark v9, expected v1"),
    (lambda result: result.update(games={}), "games"),
    (lambda result: result["games"].update({"felli": result["games"].pop(NAME)}), "is not measured|nothing to measure"),
]


@pytest.mark.parametrize(("change", "words"), DOCTORED, ids=[str(number) for number in range(len(DOCTORED))])
def test_a_doctored_field_is_found(
    change: Change, words: str, fixed: Result, protocol: Protocol, tmp_path: Path
) -> None:
    content = json.loads(json.dumps(fixed.as_dict()))
    change(content)
    with pytest.raises(BenchmarkError, match=words):
        check_file(write(tmp_path / "doctored.json", content), protocol)


@pytest.mark.slow
def test_doctored_puzzles_are_found(protocol: Protocol, tmp_path: Path) -> None:
    settings = (Setting(game="pretwa", options={}),)
    small = replace(protocol, exact=replace(protocol.exact, settings=settings, positions=5))
    right = run_benchmark("alphabeta:1", ["pretwa"], small).as_dict()
    check_file(write(tmp_path / "right.json", right), small)
    solved = right["games"]["pretwa"]["puzzles"]["solved"]
    for change, words in (
        ({"sha256": "0" * 64}, "puzzles have SHA-256 0000"),
        ({"actions": pack(np.zeros(9))}, "puzzles.actions are 9, expected"),
        ({"solved": "+" * len(solved)}, "puzzles.solved are not those that the actions solve"),
    ):
        wrong = json.loads(json.dumps(right))
        wrong["games"]["pretwa"]["puzzles"].update(change)
        with pytest.raises(BenchmarkError, match=f"pretwa: {words}"):
            check_file(write(tmp_path / "wrong.json", wrong), small)


def test_a_result_with_a_key_twice_is_refused(fixed: Result, tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text(json.dumps(fixed.as_dict()).replace('"kept": ', '"kept": true, "kept": '))
    with pytest.raises(BenchmarkError, match="is not a result of the benchmark"):
        read_file(path)


@pytest.mark.slow
def test_the_program_checks_a_result_and_asks_its_agent(
    fixed: Result, protocol: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alquerque_env.benchmark.load_protocol", lambda: protocol)
    file = str(write(tmp_path / "bot.json", fixed.as_dict()))
    fits = f"alphabeta:1: the answers in {NAME} fit the protocol\n"
    alone = CliRunner().invoke(main, ["benchmark", "check", file])
    again = CliRunner().invoke(main, ["benchmark", "check", file, NAME, "--agent", "alphabeta:1"])
    assert (alone.exit_code, alone.stdout) == (0, fits)
    assert (again.exit_code, again.stdout) == (0, f"{fits}{NAME}: alphabeta:1 makes the same choices again\n")


def test_settings_of_the_training_are_told_apart(fixed: Result, protocol: Protocol) -> None:
    for settings, is_marked in ((None, False), (NAME, False), (f"pretwa, {NAME} capture=optional", True)):
        output = io.StringIO()
        trained = replace(fixed, facts=replace(fixed.facts, trained_on=settings))
        print_result(trained, protocol, Console(file=output, width=120))
        assert (f"{NAME}, not trained on" in output.getvalue()) == is_marked


@pytest.mark.parametrize(
    "path",
    [
        # One of each game; the others take five minutes in all.
        pytest.param(path, id=path.stem, marks=() if path.stem.endswith("-small") else pytest.mark.long)
        for path in sorted(BENCHMARKS.glob("*.json"))
    ],
)
@pytest.mark.slow
def test_the_results_of_the_repository_pass_the_check(path: Path) -> None:
    results = check_file(path, load_protocol())

    assert all(result.games for result in results)


# Recorded matches


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
    printed = CliRunner().invoke(main, ["benchmark", "record", str(file), "--json"])
    assert printed.exit_code == 0, printed.output
    assert [each["player"] for each in json.loads(printed.stdout)["players"]] == ["perfect", "anybody"]
    file.write_text("\n\n".join(['[GameType "25"]\n*', *texts]))
    output = CliRunner().invoke(main, ["benchmark", "record", str(file)]).output
    assert "match 1, line 1: Russian draughts, GameType 25, is not among the games" in output
    assert "regret 0.0000 a step" in output
