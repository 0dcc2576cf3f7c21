"""The report on a match: mistakes by exact values and by search, the decisive one, and accuracy."""

import random
import threading

import pytest

from alquerque_env import Match, load_game, load_table
from alquerque_env.bots.analysis import Analysis, Candidate, Limits
from alquerque_env.bots.match_report import JudgedTurn, judge_turns, limits_a_turn, make_report, report_match
from tests.lost_match import LOST


def played(game: str, turns: str, position: str | None = None, **options: object) -> Match:
    match = Match(load_game(game, **options), position)
    for turn in turns.split():
        match.push(turn)
    return match


def never(match: Match, limits: Limits) -> Analysis:
    raise AssertionError(f"a table has {match.position} ({limits})")


def valued(**values: float):
    """A search that gives the steps of every position these values, and 0 to others."""

    def evaluate(match: Match, _: Limits) -> Analysis:
        found = [
            Candidate(step, (step.text,), values.get(step.text.replace("-", "_"), 0.0), None)
            for step in match.legal_steps
        ]
        return Analysis(0.0, tuple(found), 7, None, None)

    return evaluate


def judged(player: int, best: float | None, after: float | None, number: int = 1, *, exact: bool = False) -> JudgedTurn:
    return JudgedTurn(number, player, "a1-a2", 0, 1, best, best, after, ("a1-b1",), exact, exact, exact, 9)


def test_every_choice_of_a_match_in_a_solved_game_is_judged_as_its_table_has_it():
    generator = random.Random(5)
    for _ in range(5):
        match = Match("felli_simplified")
        while not match.is_over:
            match.push(generator.choice(match.legal_steps))
        table = load_table("felli_simplified")
        turns = list(judge_turns(match, never, table))
        assert [turn.text for turn in turns] == list(match.turns)
        for turn in turns:
            before, steps = Match("felli_simplified"), match.steps
            for step in steps[: turn.start]:
                before.push(step)
            values = {found.step: found.value for found in table.steps(before)}
            if turn.best is None:
                continue
            assert turn.is_exact
            if turn.end - turn.start == 1:
                assert turn.value == turn.best == max(values.values())
                assert turn.played == values[steps[turn.start]]
                keeping = [step.text for step, value in values.items() if value == turn.best]
                assert len(turn.better) == len(keeping)
                assert all(text.startswith(tuple(keeping)) for text in turn.better)


def test_the_decisive_mistake_is_named_with_what_would_have_kept_the_result():
    report = report_match(played("felli_simplified", LOST))

    assert report.verdict == "The decisive mistake: move 9 of South, c2xc4. Only d2xb4 kept the win."
    assert [(turn.number, turn.player, turn.text, turn.mark) for turn in report.mistakes] == [
        (6, 0, "c5-c4", "??"),
        (8, 1, "d4-c3", "??"),
        (9, 0, "c2xc4", "??"),
    ]
    assert report.mistakes[1].sentence == "c5-e5 and 4 other turns kept the draw."
    assert report.values[0] == 1
    assert report.values[-1] == -1
    assert len(report.values) == 19
    assert report.decisive == 16


def test_a_proof_says_what_wins_and_the_search_what_was_played():
    report = report_match(played("awithlaknannai_mosona", "k2-i2"))

    (turn,) = report.mistakes
    assert (turn.is_exact, turn.is_best_exact, turn.best) == (False, True, 1)
    assert turn.sentence.startswith("j1-i2 wins. By search, ")
    assert turn.sentence.endswith("k2-i2 is +0.00 (level).")


def test_where_no_table_reaches_all_steps_are_searched_to_the_same_depth():
    match = played("alquerque", "d2-c3", "W:Wd2,e1:Ba5,b5")
    evaluate = valued(d2_c3=-0.5, e1_e2=0.25)

    (turn,) = judge_turns(match, evaluate)

    assert (turn.value, turn.best, turn.played, turn.better, turn.depth) == (0.25, 0.25, -0.5, ("e1-e2",), 7)
    assert not turn.is_exact
    assert (
        turn.sentence
        == "By search, 7 turns ahead, e1-e2 was better: +0.25 (a little better) instead of −0.50 (a piece down)."
    )
    assert turn._replace(depth=1).sentence.startswith("By search, 1 turn ahead, ")
    (alike,) = judge_turns(match, valued(e1_e2=0.0))
    assert (alike.loss, alike.better, alike.kind, alike.sentence) == (0, (), "", "")


def test_a_forced_turn_is_no_choice_and_takes_its_value_from_the_next():
    match = played("alquerque_murray", "c2-c3 c4xc2 d2-c3")
    turns = list(judge_turns(match, valued(c2_c3=0.5, d2_c3=0.25)))

    assert [turn.best is None for turn in turns] == [False, True, False]
    report = make_report(match, turns)
    assert report.accuracy == (100.0, None)
    assert report.values == (0.5, 0.25, 0.25, 0.25)


def test_what_the_first_search_finds_while_it_is_loaded_judges_nothing():
    match = played("alquerque_murray", "c2-c3")
    asked: list[Limits] = []

    def evaluate(before: Match, limits: Limits) -> Analysis:
        asked.append(limits)
        return valued(d2_c3=1.0)(before, limits) if len(asked) == 1 else valued(b2_c3=0.5)(before, limits)

    (turn,) = judge_turns(match, evaluate)

    assert (turn.best, turn.better) == (0.5, ("b2-c3",))
    assert asked[0].nodes == 1
    assert asked[1] == limits_a_turn(1, 1)


def test_the_worst_step_of_a_turn_is_judged():
    match = played("alquerque_murray", "a1xc1 pass e5-e4", "W:Wa1,a5:Bb1,d1,e5")

    def evaluate(before: Match, _: Limits) -> Analysis:
        better = {"a1xc1": 0.9, "c1xe1": 0.8, "pass": -0.1}
        found = [Candidate(step, (step.text,), better.get(step.text, 0.0), None) for step in before.legal_steps]
        return Analysis(0.0, tuple(found), 3, None, None)

    turn = next(judge_turns(match, evaluate))

    assert (turn.text, turn.value) == ("a1xc1", 0.9)
    assert (turn.best, turn.played, turn.better) == (0.8, -0.1, ("a1xc1xe1",))


@pytest.mark.parametrize(
    ("turns", "winner", "decisive"),
    [
        ([judged(0, 0.0, -0.4), judged(0, -0.4, -0.9), judged(0, -0.9, -1.0)], 1, 1),
        ([judged(0, 0.0, -0.9), judged(1, 0.9, 0.0), judged(0, 0.0, -0.8)], 1, 2),
        ([judged(0, 0.0, -0.9), judged(1, 0.9, 0.3)], None, 1),
        ([judged(0, 0.3, -0.3)], None, None),
        ([judged(0, 0.0, -0.05)], 1, None),
        ([judged(1, 0.0, -0.9)], 1, None),
        ([], 1, None),
    ],
)
def test_the_decisive_mistake_is_the_last_that_gave_the_result_away(turns, winner, decisive):
    assert make_report(played("fetaix", ""), turns, winner).decisive == decisive


def test_without_a_decisive_mistake_the_verdict_says_why():
    match = played("fetaix", "")

    assert make_report(match, [judged(0, -1.0, -1.0, exact=True)], 1).verdict.startswith(
        "The match was lost for South from the start"
    )
    assert make_report(match, [judged(0, 0.0, 0.0)], 1).verdict == "No mistake was found."
    assert make_report(match, [judged(0, 0.5, 0.35)], None).verdict == "No single turn decided the match."


def test_accuracy_is_the_mean_over_turns_with_a_choice():
    match = played("fetaix", "")
    turns = [judged(0, 0.0, 0.0), judged(0, 1.0, -1.0), judged(0, None, None), judged(1, 0.2, 0.2)]

    assert make_report(match, turns).accuracy == (50.0, 100.0)
    assert make_report(match, []).accuracy == (None, None)
    assert make_report(match, [judged(0, 0.5, 0.3)]).accuracy[0] == pytest.approx(63.6, abs=0.1)  # 10 points of a score


@pytest.mark.parametrize(("loss", "kind"), [(0.05, ""), (0.1, "inaccuracy"), (0.25, "mistake"), (0.3, "blunder")])
def test_kinds_are_those_of_lichess(loss, kind):
    assert judged(0, loss, 0.0).kind == kind


@pytest.mark.parametrize(
    ("depth", "kinds"), [(5, ["", "doubtful", "doubtful"]), (6, ["inaccuracy", "mistake", "blunder"])]
)
def test_a_search_that_does_not_look_far_calls_nothing_a_mistake(depth, kinds):
    turns = [judged(0, loss, 0.0)._replace(depth=depth) for loss in (0.15, 0.25, 0.9)]
    report = make_report(played("fetaix", ""), turns, 1)

    assert [turn.kind for turn in turns] == kinds
    assert f"by a search of {depth} turns ahead" in report.basis
    assert ("doubtful" in report.basis) == (depth == 5)
    assert judged(0, 1.0, -1.0, exact=True)._replace(depth=None).kind == "blunder"


def test_a_decisive_turn_that_is_only_doubtful_is_perhaps_decisive():
    turns = [judged(0, 0.0, -0.9)._replace(depth=3)]

    assert make_report(played("fetaix", ""), turns, 1).verdict.startswith("Perhaps decisive: move 1 of South, a1-a2. ")


@pytest.mark.parametrize(
    ("person", "verdict", "accuracy"),
    [
        (None, "move 1 of North", "South 100 %, North 21 %"),
        (0, "the bot's move 1", "you 100 %, the bot 21 %"),
        (1, "your move 1", "the bot 100 %, you 21 %"),
    ],
)
def test_the_players_are_called_as_the_page_calls_them(person, verdict, accuracy):
    turns = [judged(0, 0.0, 0.0), judged(1, 0.0, -0.66)]
    report = make_report(played("fetaix", ""), turns, 0, person)

    assert report.verdict.startswith(f"The decisive mistake: {verdict}, a1-a2. ")
    assert report.accuracy_sentence(person) == f"Accuracy: {accuracy}."


def test_the_limits_hold_a_match_of_a_hundred_turns_below_ten_seconds():
    assert limits_a_turn(100).seconds * 100 < 9
    assert limits_a_turn(10).seconds * 10 < 9
    assert limits_a_turn(100, 4).seconds * 4 == pytest.approx(limits_a_turn(100).seconds)
    assert limits_a_turn(300) == limits_a_turn(100)


def test_a_report_can_be_followed_stopped_and_made_in_parts():
    match, stop, seen = played("felli_simplified", LOST), threading.Event(), []

    def follow(turn: JudgedTurn) -> None:
        seen.append(turn)
        if len(seen) == 4:
            stop.set()

    assert report_match(match, progress=follow, stop=stop).turns == tuple(seen)
    assert len(seen) == 4
    table = load_table("felli_simplified")
    rest = judge_turns(match, never, table, first=4)
    assert make_report(match, [*seen, *rest]) == report_match(match)


def test_a_match_that_people_ended_has_their_winner():
    match = played("felli_simplified", LOST.rpartition(" ")[0])

    assert report_match(match, winner=1).decisive == 16
    assert report_match(match, winner=1).values[-1] == -1  # by the table
    assert make_report(match, [judged(0, 0.5, 0.25)], 1).values == (0.5, 0.25)
