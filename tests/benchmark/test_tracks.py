"""Version 2 of the benchmark: choices in whole games, and recorded matches, by exact values."""

import copy
import io
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from alquerque_env import Match, format_record, load_game, load_table, read_records
from alquerque_env.benchmark import BenchmarkError, load_protocol, run_benchmark
from alquerque_env.benchmark.agent_result import TrackedResult, read_file
from alquerque_env.benchmark.agents.ask import BotPlayer
from alquerque_env.benchmark.agents.fault_count import CheckedPlayer
from alquerque_env.benchmark.check import check_choices, check_file
from alquerque_env.benchmark.protocol import Protocol, Setting
from alquerque_env.benchmark.record_scores import score_records
from alquerque_env.benchmark.report.text_tables import print_result
from alquerque_env.benchmark.response import find_responses
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
    exact = replace(full.exact, settings=full.exact.settings[:1], positions=300, again=200, response_seconds=2.0)
    return replace(full, exact=exact)


@pytest.fixture(scope="module")
def measured(protocol: Protocol) -> dict[str, Any]:
    """The result of a bot, for JSON."""
    return run_benchmark("greedy", [NAME], protocol).as_dict()


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


def test_a_result_is_accepted_and_its_choices_are_within_its_intervals(
    measured: dict[str, Any], protocol: Protocol, tmp_path: Path
) -> None:
    [result] = check_file(write(tmp_path / "greedy.json", measured), protocol)
    assert result.as_dict() == measured
    assert list(check_choices(result, "greedy", [], protocol)) == [NAME]
    with pytest.raises(BenchmarkError, match=f"{NAME}: perfect is now wrong in 0.0% of uniform positions"):
        check_choices(result, "perfect", [NAME], protocol)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda game: game["exact"].update(table="0" * 16), "exact.table is 000000000000…, expected"),
        (lambda game: game["exact"].update(sample="0" * 64), "exact.sample is 000000000000…, expected"),
        (lambda game: game["exact"]["natural"]["wrong"].update(value=0.01), "exact.natural"),
        (lambda game: game["exact"]["uniform"]["wrong"].update(low=0.0), "exact.uniform.wrong is .*, expected"),
        (lambda game: game["exact"]["uniform"]["regret"].update(high=2.0), "exact.uniform.regret is .*, expected"),
        (lambda game: game["exact"]["natural"].update(chance=0.9), "exact.natural.chance is 0.9, expected"),
        (lambda game: game["exact"]["natural"].update(positions=299), "exact.natural does not fit 300 positions"),
        (lambda game: game.update(ladder="0" * 64), "ladder has SHA-256 000000000000"),
        (lambda game: game["responses"][0].update(kept=True, line=["a1-b2"]), "responses: seat 0 has kept"),
    ],
)
def test_a_changed_number_is_found(
    change: Callable[[dict[str, Any]], Any], words: str, measured: dict[str, Any], protocol: Protocol, tmp_path: Path
) -> None:
    content = copy.deepcopy(measured)
    change(content["games"][NAME])
    with pytest.raises(BenchmarkError, match=f"greedy: {NAME}: {words}"):
        check_file(write(tmp_path / "greedy.json", content), protocol)


def test_a_result_of_version_2_is_no_result_of_version_1(measured: dict[str, Any], tmp_path: Path) -> None:
    file = write(tmp_path / "greedy.json", measured)
    assert isinstance(read_file(file)[0], TrackedResult)
    with pytest.raises(BenchmarkError, match="is of benchmark v2, expected v1"):
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
    drawn, fixed = (find_responses(player, whole_table(load_game(NAME)), 5.0) for player in players)
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
    again = check_choices(result, result.spec, [NAME], replace(full, exact=replace(full.exact, again=300)))
    assert list(again) == [NAME, f"{NAME} capture=optional"]
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
    small = replace(protocol, exact=replace(protocol.exact, settings=settings, positions=5, again=5))
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
        texts.append(format_record(match, south="perfect", north="anybody"))
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
