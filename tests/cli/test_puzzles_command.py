"""`alquerque puzzles`: solved in the terminal, and an agent measured."""

import json
from itertools import chain

import pytest
from click.testing import CliRunner

from alquerque_env import Match
from alquerque_env.cli.main import main
from alquerque_env.cli.terminal_match import puzzle_session
from alquerque_env.cli.terminal_match.puzzle_session import PuzzleRecord, puzzle_key, read_record
from alquerque_env.exercises.puzzle_set import load_puzzles
from alquerque_env.game.step import join_turn
from alquerque_env.render import draw_text

GAME = "fetaix"


@pytest.fixture(autouse=True)
def record(tmp_path, monkeypatch):
    """The file of the record, in an empty folder."""
    file = tmp_path / "state" / "puzzles.json"
    monkeypatch.setattr(puzzle_session, "record_file", lambda: file)
    return file


def run(*arguments, typed=""):
    return CliRunner().invoke(main, ["puzzles", *map(str, arguments)], input=typed, standalone_mode=False)


def first_puzzle():
    """The puzzle that a new person gets."""
    return min(load_puzzles(GAME).puzzles, key=lambda each: abs(each.rating - PuzzleRecord().rating))


def typed_line(puzzle):
    """The person's steps of the line, each on a line."""
    return "".join(f"{step}\n" for turn in puzzle.exercise.line[::2] for step in turn)


def test_a_puzzle_is_solved_and_the_rating_kept(record):
    puzzle = first_puzzle()
    result = run(GAME, typed=typed_line(puzzle) + "quit\n")
    assert result.exception is None, result.output
    assert "Find the only move." in result.output
    assert "Solved. Your rating is" in result.output
    kept = json.loads(record.read_text())
    assert kept["tried"] == {puzzle_key(GAME, puzzle): True}
    assert kept["rating"] > PuzzleRecord().rating
    again = run(GAME, typed="quit\n")
    assert f"Your rating is {kept['rating']:.0f}." in again.output


def test_a_wrong_turn_lowers_the_rating_once_and_can_be_tried_again(record):
    puzzle = first_puzzle()
    first = Match(GAME, puzzle.position)
    wrong = next(step.text for step in first.legal_steps if step.text != puzzle.exercise.line[0][0])
    result = run(GAME, typed=f"{wrong}\n{wrong}\nsolution\nquit\n")
    assert result.exception is None, result.output
    assert "Try again, or type solution." in result.output
    end = Match(GAME, puzzle.position)
    for step in chain.from_iterable(puzzle.exercise.line):
        end.push(step)
    board = draw_text(end.picture(turned=first.player == 1))
    assert f"The line is {', '.join(map(join_turn, puzzle.exercise.line))}.\n{board}\nPress Enter" in result.output
    assert result.output.count("Find the only move.") == 1
    kept = json.loads(record.read_text())
    assert list(kept["tried"].values()) == [False]
    assert kept["rating"] < PuzzleRecord().rating


def test_skip_keeps_the_rating_and_shows_another_puzzle(record):
    result = run(GAME, typed="skip\nskip\nquit\n")
    assert result.output.count("Find the only move.") == 3
    assert not record.exists()


def test_a_hint_names_the_piece_and_counts_as_missed(record):
    puzzle = first_puzzle()
    result = run(GAME, typed="hint\n" + typed_line(puzzle) + "quit\n")
    origin = puzzle.exercise.line[0][0].split("x")[0].split("-")[0]
    assert f"The piece on {origin} moves." in result.output
    assert "Solved." in result.output
    assert list(json.loads(record.read_text())["tried"].values()) == [False]


@pytest.mark.parametrize("typed", ["help\n", "?\n", "skp\n", "a1-q9\n", "board\n"])
def test_what_is_typed_else_ends_nothing(typed):
    result = run(GAME, typed=typed + "quit\n")
    assert result.exception is None, result.output
    assert "Your rating is 1500." in result.output


def test_a_damaged_record_is_refused_in_a_sentence(record):
    record.parent.mkdir()
    record.write_text("{")
    result = run(GAME)
    assert "is damaged: delete it to begin with a new rating" in str(result.exception)
    record.write_text('{"rating": "much"}')
    assert "rating" in str(run(GAME).exception)


def test_a_record_that_cannot_be_written_ends_nothing(record):
    record.parent.parent.joinpath("state").write_text("a file")
    result = run(GAME, typed=typed_line(first_puzzle()) + "quit\n")
    assert "The rating cannot be kept" in result.output or "cannot be read" in str(result.exception)


def test_all_puzzles_that_were_tried_are_gone(record):
    found = load_puzzles(GAME)
    record.parent.mkdir()
    record.write_text(json.dumps({"rating": 1500, "tried": {puzzle_key(GAME, each): True for each in found.puzzles}}))
    assert len(read_record().tried) == len(found.puzzles)
    assert "You have tried every puzzle" in run(GAME).output


def test_an_agent_is_measured_as_json_and_as_text():
    found = json.loads(run(GAME, "--agent", "greedy", "--json").stdout)
    assert found["puzzles"] == 300
    assert 0 <= found["low"] <= found["solved"] <= found["high"] <= 1
    assert sum(each["puzzles"] for each in found["grades"]) == 300
    assert sum(each["solved"] for each in found["grades"]) == round(300 * found["solved"])
    assert f"greedy solves {found['solved']:.1%}" in run(GAME, "--agent", "greedy").output


def test_the_set_is_described_as_json():
    found = json.loads(run(GAME, "--json").stdout)
    assert found["game"] == GAME
    assert found["sources"] == {"natural": 150, "uniform": 150}
    assert found["command"].startswith("python benchmarks/puzzle_sets.py")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["bagh_chal"], "there are no puzzles of bagh_chal"),
        ([GAME, "--agent", "nobody"], "no bot"),
        ([GAME, "--option", "man_capture_dirs=all"], "leave that option out"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(arguments, problem):
    result = run(*arguments)
    assert problem in str(result.exception)
    assert "\n" not in str(result.exception)
