"""Whole games: the shipped values and tables, and the bot that plays by them."""

import json
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import Match, load_bot, load_game, load_table
from alquerque_env.cli.main import main
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.solutions import known_solution
from alquerque_env.solve.tables.index import Index
from alquerque_env.solve.tables.table_file import WHOLE
from alquerque_env.solve.tables.whole import count_values, seconds_needed, value_of_start, whole_pieces

NAME = "felli_simplified"
GAMES = sorted(file.stem for file in WHOLE.glob("*.json"))
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


@pytest.fixture(scope="module", autouse=True)
def no_tables_of_the_user(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALQUERQUE_TABLES", str(tmp_path_factory.mktemp("tables")))
        yield


@pytest.mark.parametrize("name", GAMES)
def test_a_shipped_table_says_what_the_values_in_the_package_say(name):
    game = load_game(name)
    known = known_solution(game)
    if not any(file.name.startswith(f"{name}-{game.table_hash}") for file in WHOLE.glob("*.aqt")):
        pytest.skip("the table is too large to come with the package")
    table = load_table(game)
    assert table.pieces == whole_pieces(game)
    assert table.digest == known.whole.digest
    counts = count_values(table)
    assert counts == {field: getattr(known.whole, field) for field in counts}
    if not game.schedule:
        start = value_of_start(table)
        assert (start.winner, start.plies, start.steps) == (known.winner, known.whole.plies, known.whole.steps)


@pytest.mark.parametrize("name", GAMES)
def test_the_time_that_is_told_before_is_about_that_of_the_table(name):
    for entry in json.loads((WHOLE / f"{name}.json").read_text(encoding="utf-8")):
        game, measured = load_game(name, **entry["options"]), entry["processor_seconds"] or 0
        if measured > 60 and not game.schedule:  # a schedule is searched besides
            told = seconds_needed(Index(game, whole_pieces(game)), verified=True)
            assert measured / 5 < told < 5 * measured, entry["command"]


def test_the_line_of_best_play_is_as_long_as_the_table_says():
    known = known_solution(load_game(NAME))
    match = Match(NAME)
    for turn in known.line:
        match.push(turn)
    assert match.outcome.winner == known.winner
    assert len(match.history) == known.whole.plies


def test_the_builder_of_these_files_keeps_what_is_known_and_leaves_out_what_is_too_large(tmp_path, monkeypatch):
    path = Path(__file__).parents[2] / "benchmarks" / "whole_games.py"
    spec = spec_from_file_location("whole_games", path)
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "WHOLE", tmp_path)
    file = tmp_path / f"{NAME}.json"
    shutil.copyfile(WHOLE / file.name, file)
    before = file.read_bytes()
    done = CliRunner().invoke(script.main, ["--each-option", NAME])
    assert done.output.startswith(f"left out no_progress_limit=off: {NAME}: a match could go on for ever")
    assert done.output.count("\n") == 1
    assert file.read_bytes() == before
    done = CliRunner().invoke(script.main, ["--memory", "0.01", "--option", "capture=optional", "butterfly"])
    assert done.output.startswith("left out butterfly capture=optional: butterfly with 18 pieces has ")
    done = CliRunner().invoke(script.main, ["--minutes", "1", "butterfly"])
    assert done.output.startswith("left out butterfly: it would take about ")
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


@pytest.mark.slow
def test_a_game_is_solved_by_one_command(tmp_path):
    done = CliRunner().invoke(main, ["solve", NAME, "--whole", "--json", "-o", str(tmp_path / "t.aqt")])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    entry = json.loads((WHOLE / f"{NAME}.json").read_text(encoding="utf-8"))[0]
    assert found["verified"] is True
    assert {key: value for key, value in found["whole"].items() if key != "processor_seconds"} == {
        key: value for key, value in entry.items() if key not in ("processor_seconds", "bytes")
    }


@pytest.mark.slow
def test_a_program_of_its_own_finds_every_value_and_distance_of_the_table():
    from tools.solve_again import compare

    counts = compare(NAME)
    assert counts["differences"] == counts["changed_by_limit"] == 0
    whole = known_solution(load_game(NAME)).whole
    assert {field: counts[field] for field in ("positions", "won", "drawn", "lost")} == {
        field: getattr(whole, field) for field in ("positions", "won", "drawn", "lost")
    }


@pytest.mark.parametrize("opponent", ["greedy", "alphabeta:3"])
def test_the_perfect_bot_wins_a_won_game_and_no_slower_than_the_table_says(opponent):
    bot, other = load_bot("perfect", NAME, seed=0), load_bot(opponent, NAME, seed=1)
    match = Match(NAME)
    left = known_solution(load_game(NAME)).whole.plies
    while not match.is_over:
        match.push((bot if match.player == 0 else other).choose(match))
    assert match.outcome.winner == 0
    assert len(match.history) <= left


def test_the_perfect_bot_keeps_every_value():
    table, bot = load_table(NAME), load_bot("perfect", NAME, seed=0)
    rng = np.random.default_rng(0)
    for state in table.sample(60, rng):
        match = Match.from_state(table.game, state)
        if not match.is_over:
            assert bot.choose(match) in table.best_steps(match)


def test_bots_play_alike_whether_or_not_a_table_comes_with_the_package():
    bot = load_bot("alphabeta:2", NAME, seed=0)
    assert not bot._endgames.best(Match(NAME))
