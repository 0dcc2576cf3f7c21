"""The puzzles that come with the package are what they claim to be, and files of puzzles are read or refused."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, load_game, load_table
from alquerque_env.bots import load_bot
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises.exercise import (
    GOES_ON,
    NOT_SOLVED,
    SOLVED,
    Attempt,
    Exercise,
    check_line,
    find_missed_wins,
    refute,
)
from alquerque_env.exercises.puzzle_rating import FIRST, expected_score, rate_person, rate_puzzle
from alquerque_env.exercises.puzzle_set import NATURAL, SHIPPED, SUFFIX, games_with_puzzles, load_puzzles
from alquerque_env.exercises.solved_share import measure_puzzles
from alquerque_env.solve.tables.build import build_table
from tests.lost_match import GAME, lost_match
from tools.lessons import legal_turns
from tools.puzzles import LEAST_DISTANCE, LEAST_MISSED, LEAST_STEPS, find_images, make_puzzles, write_puzzles

GAMES = games_with_puzzles()
ENOUGH = 12  # games that have puzzles, at least
COUNT = 300


@pytest.fixture(scope="module")
def small_table(tmp_path_factory):
    """A table of a game that is solved in a second."""
    game = load_game("felli_simplified")
    return load_table(game, build_table(game, 8, tmp_path_factory.mktemp("table") / "felli.aqt", threads=1))


@pytest.fixture(scope="module")
def made(small_table):
    return make_puzzles(small_table, command="none", count=20, seed=3)


def check_puzzle(table, puzzle):
    """Checks a puzzle by the values of a table: each step, one position after the other."""
    match = Match(table.game, puzzle.position)
    solver, choices_of_solver, turn_had_choice = match.player, 0, False
    assert table.value(match) == 1
    assert table.distance(match) == puzzle.distance >= LEAST_DISTANCE
    assert len(match.legal_steps) >= LEAST_STEPS
    line = puzzle.exercise.line
    for number, turn in enumerate(line):
        for text in turn:
            known = {found.step.text: found for found in table.steps(match)}
            assert None not in [found.value for found in known.values()]
            if match.player == solver:
                assert number % 2 == 0
                assert [step for step, found in known.items() if found.value == 1] == [text]
                turn_had_choice |= len(known) > 1
            else:
                assert number % 2 == 1
                assert known[text].value == -1
                assert known[text].distance == max(found.distance for found in known.values())
            match.push(next(step for step in match.legal_steps if step.text == text))
        assert not match.turn_goes_on
        choices_of_solver += turn_had_choice
        turn_had_choice = False
    assert choices_of_solver >= 2
    assert len(line) % 2 == 1
    if match.is_over:
        assert match.outcome.winner == solver
    return match


WHOLE = ("alquerque", "fetaix", "tiger_and_buffaloes")
"""Games of which every puzzle is checked in the slow set."""


@pytest.mark.parametrize(
    ("name", "pieces", "every"),
    [
        ("fetaix", 3, 4),
        *(pytest.param(name, -int(name not in WHOLE), 1, marks=pytest.mark.slow) for name in GAMES),
        *(pytest.param(name, 0, 1, marks=pytest.mark.long) for name in GAMES if name not in WHOLE),
    ],
)
def test_every_puzzle_agrees_with_a_freshly_built_table(name, pieces, every, tmp_path):
    """A table of a piece less is built in a fraction of the time, and has a part of the puzzles."""
    game, puzzles = load_game(name), load_puzzles(name)
    most = pieces if pieces > 0 else puzzles.pieces + pieces
    held = [each for each in puzzles.puzzles if len(Match(game, each.position).picture().pieces) <= most]
    assert len(held) > 10 if pieces else len(held) == COUNT
    table = load_table(game, build_table(game, most, tmp_path / "table.aqt", threads=1))
    table.load()
    for puzzle in held[::every]:
        check_puzzle(table, puzzle)


def test_there_are_puzzles_of_many_games_half_of_them_natural_and_some_hard():
    assert len(GAMES) >= ENOUGH
    for name in GAMES:
        found = load_puzzles(name)
        assert len(found.puzzles) == COUNT
        assert sum(puzzle.source == NATURAL for puzzle in found.puzzles) == COUNT // 2
        hard = sum(puzzle.missed[found.bots.index("alphabeta:3")] == "1" for puzzle in found.puzzles)
        assert hard >= LEAST_MISSED * COUNT
        assert len({puzzle.position for puzzle in found.puzzles}) == COUNT
        assert (SHIPPED / f"{name}{SUFFIX}").stat().st_size < 5_000
        assert found.command.endswith(f"--seed {found.seed} {name}")


@pytest.mark.parametrize("name", GAMES)
def test_the_lines_of_some_puzzles_are_legal_and_alternate(name):
    game = load_game(name)
    for puzzle in load_puzzles(game).puzzles[::60]:
        after = check_line(game, puzzle.exercise)
        assert after.history[0][0] == after.history[-1][0]
        assert (
            any(step.captured for step in after.history[0][1]) == ("capture" in puzzle.tags) != ("quiet" in puzzle.tags)
        )
        assert ("sacrifice" in puzzle.tags) == any(
            step.captured for player, turn in after.history for step in turn if player != after.history[0][0]
        )


def test_made_puzzles_are_right_and_the_same_at_every_call(small_table, made):
    assert made == make_puzzles(small_table, command="none", count=20, seed=3)
    assert made.puzzles != make_puzzles(small_table, command="none", count=20, seed=4).puzzles
    for puzzle in made.puzzles:
        after = check_puzzle(small_table, puzzle)
        if not after.is_over:  # after the reply that resists longest, several steps win, or the only one is forced
            assert is_end(small_table, after)


def is_end(table, after):
    """Whether the line could not go on: after each longest resistance more than one step wins."""
    known = table.steps(after)
    longest = max(found.distance for found in known)
    ends = []
    for found in known:
        if found.distance == longest:
            ahead = after.copy()
            ahead.push(found.step)
            ends.append(ahead.is_over or ahead.turn_goes_on or sum(each.value == 1 for each in table.steps(ahead)) != 1)
    return any(ends)


def test_no_two_made_puzzles_are_images_of_each_other(small_table, made):
    states = [Match(small_table.game, each.position).state for each in made.puzzles]
    assert len(set(find_images(small_table.game, np.array(states, np.int64)))) == len(states)


def test_images_are_equal_for_turned_and_mirrored_positions_only():
    game = load_game("felli_simplified")
    texts = "W:Wa1,c2:Be5", "B:Wa1:Bc4,e5", "W:We1,c2:Ba5", "W:Wa1,b2:Be5", "B:Wa1,c2:Be5"
    one, turned, mirrored, other, to_move = find_images(
        game, np.array([Match(game, text).state for text in texts], np.int64)
    )
    assert one == turned == mirrored
    assert len({one, other, to_move}) == 3


def test_the_grade_says_which_bots_missed_the_puzzle(small_table, made):
    bot = load_bot("alphabeta:3", small_table.game, seed=3, tables=False)
    share = measure_puzzles(bot, small_table.game, made.puzzles)
    graded = sum(puzzle.missed[made.bots.index("alphabeta:3")] == "0" for puzzle in made.puzzles)
    assert abs(share.solved.value * share.puzzles - graded) <= 2  # bots draw among equal steps


def test_a_player_by_the_table_solves_everything_and_one_that_errs_nothing(small_table, made):
    class Exact:
        name, game = "exact", small_table.game

        def choose(self, match):
            return small_table.best_steps(match)[0]

    class Wrong(Exact):
        def choose(self, match):
            return next(each.step for each in reversed(small_table.steps(match)))

    exact = measure_puzzles(Exact(), small_table.game, made.puzzles)
    assert (exact.solved.value, exact.puzzles) == (1, 20)
    assert exact.solved.low < 1 == exact.solved.high
    assert measure_puzzles(Wrong(), small_table.game, made.puzzles).solved.value == 0
    assert sum(total for _, total in exact.by_grade.values()) == 20


def test_an_attempt_goes_on_with_the_reply_and_refuses_a_wrong_step():
    game, puzzle = load_game("pretwa"), load_puzzles("pretwa").puzzles[0]
    attempt = Attempt(game, puzzle.exercise)
    line = puzzle.exercise.line
    wrong = next(step.text for step in attempt.match.legal_steps if step.text != attempt.expected)
    assert attempt.answer([wrong]) == NOT_SOLVED
    assert attempt.match.position == puzzle.position
    for number in range(0, len(line), 2):
        result = attempt.answer(line[number])
        assert result == (SOLVED if number == len(line) - 1 else GOES_ON)
    assert attempt.is_solved
    assert [step.text for step in attempt.match.steps] == [step for turn in line for step in turn]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ((("a1-a2",),), "a1-a2"),
        ((("c2-c3",), ("c4xc2",)), "does not end with the player's turn"),
        ((("c2-c3", "c4xc2"),), "more than one turn"),
    ],
)
def test_a_line_that_is_none_is_refused(line, problem):
    with pytest.raises(AlquerqueError, match=problem):
        check_line(load_game("fetaix"), Exercise(Match("fetaix").position, line))


def test_a_wrong_turn_is_refuted_by_the_best_reply(small_table, made):
    replies = 0
    for puzzle in made.puzzles:
        match = Match(small_table.game, puzzle.position)
        player = match.player
        for found in small_table.steps(match):
            ahead = match.copy()
            ahead.push(found.step)
            if found.value == 1 or ahead.is_over or ahead.turn_goes_on:
                continue
            sentence, reply = refute(ahead, 0, small_table)
            assert ("draws" in sentence, "loses" in sentence) == (found.value == 0, found.value == -1)
            for text in reply:
                ahead.push(text)
            if reply and not ahead.is_over:
                assert ahead.player == player
                assert small_table.value(ahead) == found.value
                replies += 1
    assert replies > 5
    match = Match(small_table.game, made.puzzles[0].position)
    first = match.legal_steps[0]
    match.push(first)
    assert refute(match, 0, None) == (f"{first.text} does not win.", ())


def test_ratings_follow_elo():
    assert rate_puzzle(1, 2) == FIRST
    ratings = [rate_puzzle(missed, 5) for missed in range(6)]
    assert ratings == sorted(set(ratings))
    assert [rate_puzzle(missed, 5) + rate_puzzle(5 - missed, 5) for missed in range(6)] == [2 * FIRST] * 6
    assert expected_score(1900, 1500) == pytest.approx(10 / 11)
    assert rate_person(1500, 1500, solved=True) == 1516
    assert rate_person(1500, 1500, solved=False) == 1484
    assert rate_person(1500, 1900, solved=True) > 1528


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "felli.json.gz"
    write_puzzles(path, load_puzzles("pretwa"), load_game("pretwa"))
    return path


def rewrite(path: Path, puzzles: object = None, **changes):
    content = json.loads(gzip.decompress(path.read_bytes()))
    content["puzzles"] = content["puzzles"] | puzzles if isinstance(puzzles, dict) else content["puzzles"]
    path.write_bytes(gzip.compress(json.dumps({**content, **changes}).encode()))


def test_a_file_is_read_as_it_was_written(file):
    assert load_puzzles("pretwa", file) == load_puzzles("pretwa")
    written, shipped = (gzip.decompress(path.read_bytes()) for path in (file, SHIPPED / f"pretwa{SUFFIX}"))
    assert written == shipped  # the header of the archive differs between versions of Python


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"format": "alquerque puzzles 1"}, "of this version.*'alquerque puzzles 1'"),
        ({"table_hash": "0" * 16}, "made for other rules"),
        ({"game": "felli"}, "has puzzles of felli, not of pretwa"),
        ({"puzzles": {"position": "W:Wa1:Bb2"}}, "damaged"),
        ({"puzzles": {"line": " ".join(["~"] * COUNT)}}, "a line that is not legal"),
        ({"puzzles": {"line": " ".join(["!"] * COUNT)}}, "a line that is not legal"),
        ({"puzzles": {"position": " ".join(["W:Wz9:Bb2"] * COUNT)}}, "a line that is not legal: .*z9"),
        ({"puzzles": {"distance": [0] * COUNT}}, r"puzzles\[0\]"),
        ({"puzzles": {"more": 1}}, "more"),
        ({"bots": ["greedy"]}, "puzzle 1 has no grade"),
        ({"more": 1}, "more"),
    ],
)
def test_a_file_of_another_version_or_of_other_rules_is_refused(file, changes, problem):
    rewrite(file, **changes)
    with pytest.raises(AlquerqueError, match=problem) as caught:
        load_puzzles("pretwa", file)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"no puzzles", gzip.compress(b"[1]", mtime=0), gzip.compress(b"{", mtime=0)[:-3]]
)
def test_a_file_that_is_none_is_refused(file, data):
    file.write_bytes(data)
    with pytest.raises(AlquerqueError, match=str(file)):
        load_puzzles("pretwa", file)


def test_puzzles_of_other_options_are_refused():
    game = load_game("pretwa")
    name, option = next((name, option) for name, option in game.option_table.items() if len(option.values) > 1)
    other = next(value for value in option.values if value not in ("N", game.options[name]))
    with pytest.raises(AlquerqueError, match=f"{name}.*leave that option out"):
        load_puzzles(game.with_options(**{name: other}))
    with pytest.raises(AlquerqueError, match="no puzzles of bagh_chal"):
        load_puzzles("bagh_chal")


# Missed wins of a match, and the lines in which one turn alone wins.


def winning_turns(match: Match) -> set[tuple[str, ...]]:
    """The turns that win, each step by step."""
    table, found = load_table(GAME), set()
    for turn in legal_turns(match):
        after, own = turn.after, match.player
        value = 0 if after.is_over else table.value(after)
        won = after.outcome.winner == own if after.is_over else value == (1 if after.player == own else -1)
        if won:
            found.add(tuple(step.text for step in turn.steps))
    return found


def test_a_missed_win_goes_on_while_one_turn_alone_wins_against_the_longest_resistance() -> None:
    table, lines = load_table(GAME), []
    for seed in range(12):
        match, chance = Match(GAME), random.Random(seed)
        while not match.is_over:
            match.push(chance.choice(match.legal_steps))
        lines += [exercise for _, exercise in find_missed_wins(match, [0, 1], table, None)]
    assert max(len(line) for _, line in lines) > 5
    for position, line in lines:
        match = Match(GAME, position)
        player = match.player
        for number, turn in enumerate(line):
            if match.player == player:
                assert winning_turns(match) == {turn}
            else:
                assert table.distance(match) == max(found.distance for found in table.steps(match))
            before = table.distance(match)
            for text in turn:
                match.push(next(step for step in match.legal_steps if step.text == text))
            assert match.is_over or number % 2 == 0 or table.distance(match) == before - 1
        replies = [] if match.is_over else match.legal_steps
        for reply in replies:  # there is no longest resistance after which one turn alone wins again
            after = match.copy()
            after.push(reply)
            if after.player == player and table.distance(after) == table.distance(match) - 1:
                assert len(winning_turns(after)) > 1


def test_the_match_that_is_looked_through_is_unchanged() -> None:
    match, _ = lost_match()
    before = match.position, match.steps
    list(find_missed_wins(match, [0, 1], load_table(GAME), None))
    assert (match.position, match.steps) == before
