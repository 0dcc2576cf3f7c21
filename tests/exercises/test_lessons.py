"""Every lesson is what it claims to be, by the rules alone."""

import re
from itertools import pairwise

import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises.lessons import SENTENCES, Lesson, load_lessons, task
from tools.lessons import COUNT, find_lessons, legal_turns


def all_turns(match):
    """The legal turns of a match as texts of their steps, each with the match after it; by pushing and popping."""
    found, player = [], match.player

    def go_on(steps):
        for step in match.legal_steps:
            match.push(step)
            if match.turn_goes_on:
                go_on([*steps, step])
            else:
                found.append(([*steps, step], match.copy()))
            match.pop()

    go_on([])
    assert match.player == player
    return found


def captured(steps):
    return sum(len(step.captured) for step in steps)


def kings(match, player):
    return sum(each == (player, True) for each in match.picture().pieces.values())


def may_step(match):
    """Whether a piece of the player stands beside an empty point."""
    pieces = match.picture().pieces
    ends = [pair for line in match.game.board.lines for pair in pairwise(line)]
    return any(
        pieces.get(one, (None,))[0] == match.player and other not in pieces
        for pair in ends
        for one, other in (pair, pair[::-1])
    )


def is_straight(game, step):
    (ax, ay), (bx, by), (cx, cy) = (game.board.points[point] for point in (step.origin, step.captured[0], step.target))
    return (bx - ax) * (cy - ay) == (by - ay) * (cx - ax)


# For each theme whether a turn, its steps and the match after it, shows it; written anew.
SHOWS = {
    "drop": lambda match, steps, after: all(step.origin is None and step.target is not None for step in steps),
    "step": lambda match, steps, after: len(steps) == 1 and captured(steps) == 0 and steps[0].origin is not None,
    "removal": lambda match, steps, after: steps[0].target is None and captured(steps) == 1,
    "capture": lambda match, steps, after: captured(steps) == 1,
    "compulsory capture": lambda match, steps, after: captured(steps) > 0,
    "row": lambda match, steps, after: len(steps) == 1 and captured(steps) > 1,
    "chain": lambda match, steps, after: sum(bool(step.captured) for step in steps) > 1,
    "bent leap": lambda match, steps, after: len(steps[0].captured) == 1 and not is_straight(match.game, steps[0]),
    "promotion": lambda match, steps, after: kings(after, match.player) > kings(match, match.player),
    "promoted piece": lambda match, steps, after: match.picture().pieces[steps[0].origin][1] and captured(steps) > 0,
    "goal": lambda match, steps, after: after.outcome is not None and after.outcome.reason == "goal",
    "win by capture": lambda match, steps, after: after.outcome is not None and after.outcome.reason == "captured",
    "win by blocking": lambda match, steps, after: after.outcome is not None and after.outcome.reason == "blocked",
}


def test_every_theme_has_its_test():
    assert set(SHOWS) == set(SENTENCES)


@pytest.mark.parametrize("name", games())
def test_the_lessons_of_a_game_are_what_they_claim(name):
    game = load_game(name)
    lessons = load_lessons(game)
    assert len(lessons) == COUNT
    assert len({lesson.exercise.position for lesson in lessons}) == COUNT
    assert [list(SENTENCES).index(lesson.theme) for lesson in lessons] == sorted(
        list(SENTENCES).index(lesson.theme) for lesson in lessons
    )
    for lesson in lessons:
        match = Match(game, lesson.exercise.position)
        (turn,) = lesson.exercise.line
        found = all_turns(match)
        (right,) = (each for each in found if tuple(step.text for step in each[0]) == turn)
        shows = SHOWS[lesson.theme]
        assert shows(match, *right)
        others = [each for each in found if each is not right and shows(match, *each)]
        sentence = task(game, lesson)
        if lesson.theme in ("drop", "step", "removal"):  # the sentence names the turn
            assert all(game.board.labels[step.target] in sentence for step in right[0] if step.target is not None)
        elif lesson.theme == "capture":  # a chain takes a piece more, or the piece is a promoted one
            assert game.board.labels[right[0][0].captured[0]] in sentence
            assert all(match.picture().pieces[each[0][0].origin][1] for each in others)
        elif lesson.theme == "bent leap":  # the sentence names the piece that is taken
            assert f"on {game.board.labels[right[0][0].captured[0]]}." in sentence
            assert right[0][0].captured not in [each[0][0].captured for each in others]
        else:
            assert others == []
        if lesson.theme == "compulsory capture":
            assert len(found) == 1
            assert may_step(match)
        if lesson.theme in ("row", "chain"):
            numbers = "two", "three", "four", "five", "six", "seven", "eight", "nine"
            assert numbers[captured(right[0]) - 2] in sentence
        if lesson.theme in ("goal", "win by capture", "win by blocking"):
            assert right[1].outcome.winner == match.player
            assert sum(after.outcome is not None and after.outcome.winner == match.player for _, after in found) == 1
        assert not re.search(r"\ba [aeiou]|\bman\b", sentence)  # what a person reads calls men pieces
        assert sentence.endswith(".")
        assert sentence.count(".") == 1


def test_every_game_begins_with_a_step_or_a_drop_and_shows_how_to_take():
    for name in games():
        themes = [lesson.theme for lesson in load_lessons(name)]
        assert themes[0] in ("drop", "step"), name
        assert {"capture", "compulsory capture", "chain", "row"}.intersection(themes), name


@pytest.mark.parametrize(
    ("name", "themes"),
    [
        ("awithlaknannai_mosona", {"bent leap"}),
        ("bagh_chal", {"drop"}),
        ("fetaix", {"promotion", "compulsory capture"}),
        ("draughts_english", {"promotion", "chain"}),
        ("fanorona", {"row"}),
    ],
)
def test_what_is_special_in_a_game_is_shown(name, themes):
    assert themes <= {lesson.theme for lesson in load_lessons(name)}


def test_lessons_are_found_again_and_the_same():
    game = load_game("felli_simplified")
    assert find_lessons(game, 42) == find_lessons(game, 42) == load_lessons(game)


def test_turns_are_listed_whole_and_not_more_than_asked_for():
    match = Match("fetaix", "W:Wa1,e1:Bb2,b4,d2")
    listed = [tuple(step.text for step in turn.steps) for turn in legal_turns(match)]
    assert sorted(listed) == sorted(tuple(step.text for step in steps) for steps, _ in all_turns(match))
    assert legal_turns(match, len(listed)) is not None
    assert legal_turns(match, len(listed) - 1) is None


def test_a_lesson_whose_turn_is_not_legal_has_no_sentence():
    game = load_game("fetaix")
    with pytest.raises(AlquerqueError, match="c2-c4"):
        task(game, Lesson("step", Match(game).position, ("c2-c4",)))


def test_lessons_are_of_the_default_rules_only():
    with pytest.raises(AlquerqueError, match="no lessons for fetaix with these options"):
        load_lessons(load_game("fetaix", man_capture_dirs="all"))
