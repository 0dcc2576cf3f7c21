"""Variations in match files: trees are written, read back, and refused with the place of an error."""

import random
from collections.abc import Sequence

import pytest

from alquerque_env import Match, Record, load_game
from alquerque_env.errors import IllegalStepError, RecordError
from alquerque_env.game.step import Step
from alquerque_env.match import records
from alquerque_env.match.replay import first_position
from alquerque_env.match.variations import arrange
from tests.match.match_texts import MURRAY_CHAIN, played, record, refused, same, text_of
from tests.option_values import few_games

GAME = "alquerque_murray"
TREE = "1. c2-c3 (1. d2-c3 b4xd2 (1... d4xd2 2. d1xd3) 2. e1xc3) 1... c4xc2 2. c1xc3 (2. d2-c3 b4xd2)"


def line(game: str, *turns: str, **options: object) -> tuple[Step, ...]:
    return played(game, *turns, **options).steps


def random_tree(match: Match, chance: random.Random, count: int) -> list[tuple[Step, ...]]:
    """Lines that leave the match, or one another, at random moments, some of them in the middle of a turn."""
    lines = [match.steps]
    for _ in range(count):
        known = chance.choice(lines)
        ahead = Match(match.game, first_position(match))
        for step in known[: chance.randrange(len(known) + 1)]:
            ahead.push(step)
        for _ in range(chance.randrange(1, 6)):
            if not ahead.is_over:
                ahead.push(chance.choice(ahead.legal_steps))
        lines.append(ahead.steps)
    return lines[1:]


def beginnings(lines: Sequence[Sequence[Step]]) -> set[tuple[str, ...]]:
    """All positions of some lines, each as the steps to it: two trees with the same ones are the same tree."""
    texts = [tuple(step.text for step in each) for each in lines]
    return {each[:place] for each in texts for place in range(len(each) + 1)}


@pytest.mark.parametrize("name", few_games())
@pytest.mark.parametrize("seed", range(3))
def test_every_tree_survives_writing_and_reading(name, seed):
    chance = random.Random(seed)
    match = Match(load_game(name))
    for _ in range(chance.randrange(30)):
        if not match.is_over:
            match.push(chance.choice(match.legal_steps))
    lines = random_tree(match, chance, chance.randrange(8))

    text = str(Record(match, variations=lines))
    again = record(text)

    assert same(again.match, match), text
    assert beginnings([again.match.steps, *again.variations]) == beginnings([match.steps, *lines]), text
    assert str(again) == text


def test_a_variation_stands_in_parentheses_after_the_turn_that_it_replaces():
    match = played(GAME, "c2-c3", "c4xc2", "c1xc3")
    lines = [
        line(GAME, "d2-c3", "b4xd2", "e1xc3"),
        line(GAME, "d2-c3", "d4xd2", "d1xd3"),
        line(GAME, "c2-c3", "c4xc2", "d2-c3", "b4xd2"),
    ]

    text = str(Record(match, variations=lines))

    assert " ".join(text.partition("\n\n")[2].split()) == f"{TREE} *"
    assert record(text).variations == lines
    assert record(text_of(TREE, GAME)).variations == lines


@pytest.mark.parametrize(
    "turns",
    [
        "1. c2-c3 (1.d2-c3 b4xd2(1...d4xd2 2.d1xd3)2.e1xc3) c4xc2 2. c1xc3 (d2-c3 b4xd2)",
        "1. c2-c3 ( d2-c3 b4xd2 ( 1. ... d4xd2 d1xd3 ) e1xc3 ) 1. ... c4xc2 2. c1xc3 ( 2. d2-c3 b4xd2 )",
        "1. c2-c3! {best} (1. d2-c3?! $6 {why (not)} b4xd2 (1... d4xd2(?) 2. d1xd3) 2. e1xc3) 1... c4xc2!? "
        "2. c1xc3 $1 (2. d2-c3 (!) b4xd2)",
    ],
)
def test_variations_of_other_programs_are_read(turns):
    assert record(text_of(turns, GAME)).variations == record(text_of(TREE, GAME)).variations
    assert same(record(text_of(turns, GAME)).match, record(text_of(TREE, GAME)).match)


def test_a_variation_may_go_on_after_the_last_turn():
    match, longer = played(GAME, "c2-c3", "c4xc2"), line(GAME, "c2-c3", "c4xc2", "c1xc3")

    text = str(Record(match, result="0-1", reason="resigned", variations=[longer]))

    assert "1. c2-c3 c4xc2 (1... c4xc2 2. c1xc3) 0-1" in text
    assert record(text).variations == [longer]
    empty = str(Record(played(GAME), variations=[line(GAME, "c2-c3")]))
    assert "\n(1. c2-c3) *" in empty
    assert record(empty).variations == [line(GAME, "c2-c3")]


def test_a_variation_may_leave_a_turn_in_its_middle():
    match = played("alquerque_murray", "a1xc1xe1", "e5-e4", position=MURRAY_CHAIN)
    stopped = line("alquerque_murray", "a1xc1", "pass", "e5-e4", position=MURRAY_CHAIN)
    left_open = line("alquerque_murray", "a1xc1", position=MURRAY_CHAIN)

    text = str(Record(match, variations=[stopped]))

    assert "1. a1xc1xe1 (1. a1xc1 e5-e4) 1... e5-e4 *" in text
    assert record(text).variations == [stopped]
    assert record(text.replace(" e5-e4)", "...)")).variations == [left_open]


def test_a_variation_that_another_line_contains_is_left_out():
    match = played(GAME, "c2-c3", "c4xc2", "c1xc3")
    lines = [line(GAME, "c2-c3"), line(GAME, "d2-c3"), line(GAME, "d2-c3"), match.steps, ()]

    assert "1. c2-c3 (1. d2-c3) 1... c4xc2 2. c1xc3 *" in str(Record(match, variations=lines))


def test_branches_are_arranged_beside_the_line_that_they_leave():
    match, lines = played(GAME, "c2-c3", "c4xc2", "c1xc3"), record(text_of(TREE, GAME)).variations

    found = arrange(match, lines)

    assert [(branch.parent, branch.start, branch.place, branch.line) for branch in found] == [
        (None, 0, 0, 0),
        (0, 1, 1, 1),
        (None, 2, 2, 2),
    ]
    assert [len(branch.turns) for branch in found] == [3, 2, 2]
    assert match.num_steps == 3


def test_variations_that_leave_one_another_are_no_deeper_than_python_can_go():
    match, lines, ahead = played(GAME), [], Match(load_game("awithlaknannai_mosona"))
    match = Match(ahead.game)
    for _ in range(40):
        if len(ahead.legal_steps) > 1:
            lines.append((*ahead.steps, ahead.legal_steps[1]))
        if not ahead.is_over:
            ahead.push(ahead.legal_steps[0])
    deep = "(" * 3_000
    assert record(str(Record(match, variations=lines))).variations
    assert "the variation that begins here has no end" in refused(text_of(f"1. c2-c3 {deep}", GAME))
    nested = "1. c2-c3 " + "(1. d2-c3 " * 3_000 + ")" * 3_000
    assert beginnings(record(text_of(nested, GAME)).variations) == beginnings([line(GAME, "d2-c3")])


@pytest.mark.parametrize(
    ("turns", "problem"),
    [
        ("1. c2-c3 (1. a1-a5) c4xc2", "match 1, line 3, turn 1 of South in a variation: a1-a5 is not legal in 'W:W"),
        ("1. c2-c3 (1. d2-c3\nb4xd2 2. a1-a2) c4xc2", "line 4, turn 2 of South in a variation: a1-a2 is not legal"),
        ("1. c2-c3 (1. d2-c3 b4xd2 (1... a1-a2)) c4xc2", "turn 1 of North in a variation: a1-a2 is not legal"),
        ("1. c2-c3 (1. d2-c3) a3-a2", "turn 1 of North: a3-a2 is not legal"),
        ("1. c2-c3 (2. d2-c3) c4xc2", "it is numbered 2, expected 1"),
        ("1. c2-c3 (1... d2-c3) c4xc2", "dots stand for a turn of the player who is to move"),
        ("1. c2-c3 (1. d2-c3 ... b4xd2) c4xc2", "dots for a missing turn may only come first"),
        ("1. c2-c3 () c4xc2", "the variation has no turn; expected one after the '('"),
        ("1. c2-c3 c4xc2 (...) 2. c1xc3", "the variation has no turn"),
        ("1. c2-c3 c4xc2 (... (c4xc2))", "a variation stands after the turn that it replaces"),
        ("1. c2-c3 (1. d2-c3 c4xc2", "line 3: the variation that begins here has no end, expected a ')'"),
        ("1. c2-c3) c4xc2", "there is no variation that could end here; remove the ')'"),
        ("1. c2-c3 1. (d2-c3)", "number 1 has no turn"),
    ],
)
def test_a_wrong_variation_is_refused_with_its_place(turns, problem):
    assert problem in refused(text_of(turns, GAME))


def test_the_length_of_variations_is_limited(monkeypatch):
    monkeypatch.setattr(records.reader, "MAX_VARIATION_STEPS", 4)

    assert "the variations of the match have more than 4 steps in all" in refused(text_of(TREE, GAME))


def test_a_variation_that_is_not_legal_is_not_written():
    with pytest.raises(RecordError, match="a variation: a3-a2 is not legal"):
        str(Record(played(GAME, "c2-c3"), variations=[(*line(GAME, "a3-a2", position="B:Wb1:Ba3"),)]))
    with pytest.raises(IllegalStepError):
        arrange(played(GAME), [line(GAME, "a3-a2", position="B:Wb1:Ba3")])
