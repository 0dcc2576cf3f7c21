"""Values for a match with its clock: what the table says is what brute force finds under the whole rules."""

import random
from collections import Counter

import pytest
from brute_force import Clocked, all_positions, text_of
from small_games import small_game

from alquerque_env import Match
from alquerque_env.game import table_layout as e
from alquerque_env.match.status_text import exact_sentence
from alquerque_env.solve.tables import build_table, load_table

GAMES = [
    (("awithlaknannai_mosona", "snake", "b1 d1", "b3 d3"), 4, {"no_progress_limit": 6, "no_progress_result": "draw"}),
    (("awithlaknannai_mosona", "snake", "b1 d1", "b3 d3"), 4, {"leap": "straight", "no_progress_limit": 4}),
    (("alquerque_murray", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 4}),
    (("alquerque_murray", "wedge", "a1 b1", "b3"), 3, {"no_progress_limit": 1, "no_progress_result": "majority"}),
    (
        ("alquerque_alfonso_x", "square", "a1 b1", "c3 b3"),
        3,
        {"no_progress_result": "majority", "no_progress_limit": 8},
    ),
    (("fetaix", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 5, "no_moves": "draw"}),
    (("fetaix", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 7, "no_progress_result": "majority"}),
    (
        ("fetaix", "hook", "a1 b1", "b3"),
        3,
        {"no_progress_limit": 5, "no_progress_result": "majority", "no_moves": "majority"},
    ),
    (("fetaix", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 6, "progress": "capture", "capture": "optional"}),
    (("alquerque", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 4, "no_progress_result": "majority"}),
    (("draughts_english", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 5}),
    (("draughts_english", "oblong", "a1 c1", "d3"), 3, {"no_progress_limit": 6, "no_progress_result": "majority"}),
]


def with_clock(game, state, clock):
    return text_of(game, state) + (f":H{clock}" if clock else "")


@pytest.mark.parametrize(("base", "pieces", "rules"), GAMES, ids=str)
def test_every_value_is_that_of_the_whole_rules(tmp_path, base, pieces, rules):
    game = small_game(*base, **rules)
    table, clocked = load_table(game, build_table(game, pieces, tmp_path / "table.aqt")), Clocked(game)
    rng = random.Random(str(rules))
    positions = list(all_positions(game, pieces))
    texts = [
        with_clock(game, state, rng.randrange(game.rules.no_progress_limit))
        for state in rng.sample(positions, min(1500, len(positions)))
    ]
    texts = [text for text in texts if not Match(game, text).is_over]

    found, kinds = table.values(texts), Counter()
    for text, value in zip(texts, found, strict=True):
        assert value in (None, clocked.value(clocked.reference.parse(text))), text
        kinds[value is None] += 1
    assert kinds[False] > len(texts) // 10
    for text, value in list(zip(texts, found, strict=True))[::7]:
        match = Match(game, text, table=table)
        assert match.value == table.value(match) == value
        steps = table.steps(match)
        for step in steps:
            after = match.copy()
            after.push(step.step)
            true = clocked.value(clocked.reference.parse(after.position))
            sign = 1 if after.player == match.player else -1
            assert step.value in (None, sign * true), (text, step)
        best = table.best_steps(match)
        assert {step.value for step in steps if step.step in best} <= {clocked.value(clocked.reference.parse(text))}


def test_a_win_that_comes_too_late_is_no_win(tmp_path):
    """The table says that it is one without the clock, and how many plies it takes."""
    rules = {"leap": "drawn_line", "no_progress_result": "draw", "no_progress_limit": 5}
    game = small_game("awithlaknannai_mosona", "snake", "b1 d1", "b3 d3", **rules)
    table = load_table(game, build_table(game, 4, tmp_path / "table.aqt"))
    clocked = Clocked(game)
    late = 0
    for text in (with_clock(game, state, 4) for state in all_positions(game, 4)):
        match = Match(game, text, table=table)
        if match.is_over or table.clockless(match) in (0, None):
            continue
        true = clocked.value(clocked.reference.parse(text))
        assert match.value in (None, true), text
        if match.value is None:
            late += true == 0
            assert match.distance is not None
            assert "to win; the match may end without progress before" in exact_sentence(match)
    assert late > 20


def test_repetition_leaves_wins_open_where_positions_may_have_occurred(tmp_path):
    rules = {"repetition": "threefold_draw", "no_progress_limit": "off"}
    game = small_game("fetaix", "hook", "a1 b1", "b3", **rules)
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))
    for state in list(all_positions(game, 3))[::29]:
        fresh = Match(game, text_of(game, state))
        if fresh.is_over:
            continue
        assert table.value(fresh) == table.clockless(fresh) is not None
        later = fresh.copy()
        later.push(fresh.legal_steps[0])
        if (
            not later.is_over
            and later.chain is None
            and later.state[e.QUIET]
            and not any(step.captured for step in later.legal_steps)
        ):
            assert table.value(later) == (0 if table.clockless(later) == 0 else None)


def test_the_majority_at_the_limit_leaves_draws_by_repetition_open(tmp_path):
    rules = {"repetition": "threefold_draw", "no_progress_result": "majority"}
    game = small_game("fetaix", "hook", "a1 b1", "b3", **rules)
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))

    assert not table.holds_under_limit
    assert not any(table.header.groups)
    values = {table.value(match) for match in matches(game) if table.clockless(match) == 0}
    assert values == {None}


def matches(game):
    found = (Match(game, text_of(game, state)) for state in list(all_positions(game, 3))[::29])
    return [match for match in found if not match.is_over]
