"""Values for a match with its clock: what the table says is what brute force finds under the whole rules."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest

from alquerque_env import Match
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.match.position_text import format_position, unpromoted_men
from alquerque_env.match.status_text import exact_sentence
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.tables import build_table, load_table
from alquerque_env.solve.tables.numbering import set_up
from alquerque_env.solve.tables.search_probe import Endgames
from alquerque_env.solve.tables.value_codes import DRAWN
from alquerque_env.solve.tables.verify_table import verify_table
from tests.brute_force import Clocked, all_positions, text_of
from tests.sets import first_by_default
from tests.small_games import small_game
from tests.solve.table_cases import HOOK, MAJORITY, SNAKE, SQUARE, WEDGE

GAMES = [
    (("awithlaknannai_mosona", *SNAKE), 4, {"no_progress_limit": 6, "no_progress_result": "draw"}),
    (("awithlaknannai_mosona", *SNAKE), 4, {"leap": "straight", "no_progress_limit": 4}),
    (("alquerque_murray", *HOOK), 3, {"no_progress_limit": 4}),
    (("alquerque_murray", *WEDGE), 3, {"no_progress_limit": 1, **MAJORITY}),
    (("alquerque_alfonso_x", *SQUARE), 3, {**MAJORITY, "no_progress_limit": 8}),
    (("fetaix", *HOOK), 3, {"no_progress_limit": 5, "no_moves": "draw"}),
    (("fetaix", *HOOK), 3, {"no_progress_limit": 7, **MAJORITY}),
    (("fetaix", *HOOK), 3, {"no_progress_limit": 5, **MAJORITY, "no_moves": "majority"}),
    (("fetaix", *HOOK), 3, {"no_progress_limit": 6, "progress": "capture", "capture": "optional"}),
    (("alquerque", *HOOK), 3, {"no_progress_limit": 4, **MAJORITY}),
    (("draughts_english", *HOOK), 3, {"no_progress_limit": 5}),
    (("draughts_english", "oblong", "a1 c1", "d3"), 3, {"no_progress_limit": 6, **MAJORITY}),
]


# Every rule of progress that is studied, with limits that change values and limits that change none.
STUDIED = [
    (("alquerque_murray", *WEDGE), {"no_progress_limit": 4}),
    (("fetaix", *HOOK), {"no_progress_limit": 3}),
    (("draughts_english", *HOOK), {"no_progress_limit": 9, "no_moves": "pass"}),
    (("draughts_english", *WEDGE), {"no_progress_limit": 3, **MAJORITY}),
    (("alquerque_murray", *WEDGE), {"no_progress_limit": 5, "no_moves": "pass"}),
    (("alquerque_murray", *WEDGE), {"no_progress_limit": 1, **MAJORITY}),
    (("awithlaknannai_mosona", *WEDGE), {"no_progress_limit": 2, **MAJORITY}),
    (("alquerque", *HOOK), {"no_progress_limit": 4, "undo_scope": "per_player_last_move"}),
    (("fetaix", *HOOK), {"no_progress_limit": 2, **MAJORITY}),
]


def with_clock(game, state, clock):
    return text_of(game, state) + (f":H{clock}" if clock else "")


@first_by_default
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
        true = {step: true_value(clocked, match, step) for step in match.legal_steps}
        assert all(step.value in (None, true[step.step]) for step in steps), text
        best = table.best_steps(match)
        assert {step.value for step in steps if step.step in best} <= {max(true.values())}


def true_value(clocked, match, step):
    """The value of a step for its player."""
    after = match.copy()
    after.push(step)
    value = clocked.value(clocked.reference.parse(after.position))
    return value if after.player == match.player else -value


@first_by_default
@pytest.mark.parametrize(("base", "pieces", "rules"), GAMES, ids=str)
def test_a_right_step_is_left_where_only_some_steps_are_known(tmp_path, base, pieces, rules):
    """By tables of all positions and of those with fewer pieces: what they say is true, and `best` steps are right."""
    game = small_game(*base, **rules)
    tables = [load_table(game, build_table(game, most, tmp_path / f"{most}.aqt")) for most in (pieces, pieces - 1)]
    clocked, rng, left_out = Clocked(game), random.Random(str(rules)), 0
    limit = game.rules.no_progress_limit
    positions = list(all_positions(game, pieces))
    for state in rng.sample(positions, min(300, len(positions))):
        match = Match(game, with_clock(game, state, limit - 1 - min(rng.randrange(limit), rng.randrange(limit))))
        if match.is_over:
            continue
        true = {step: true_value(clocked, match, step) for step in match.legal_steps}
        value = max(true.values())
        for table in tables:
            found = exact_steps(match, table, None)
            assert found.least <= value <= found.most, match.position
            assert all(each.least <= true[each.step] <= each.most for each in found.steps), match.position
            assert value in {true[each.step] for each in found.keeping}, match.position
            assert {true[each.step] for each in found.best} <= {value}, match.position
            left_out += len(found.keeping) < len(true)
    assert left_out > 50


@first_by_default
@pytest.mark.parametrize(("base", "rules"), STUDIED, ids=str)
def test_what_the_limit_changes_is_counted_under_the_rule_of_progress_of_the_game(tmp_path, base, rules):
    game = small_game(*base, **rules)
    table, clocked = load_table(game, build_table(game, 3, tmp_path / "table.aqt")), Clocked(game)
    verify_table(table)

    is_same = True
    for group, notes in zip(table.index.groups, table.header.groups, strict=True):
        changed, ways = 0, [0]
        for lead, clockless, state, is_reachable in numbered(table, group, clocked.reference):
            value = clocked.value(state)
            is_same = is_same and value == clockless
            changed += is_reachable and value != clockless
            at_limit = lead if game.rules.no_progress_result == "majority" else 0
            if value != at_limit and clocked.reference.outcome(state) is None:
                late = (
                    q for q in range(game.rules.no_progress_limit) if clocked.value(state._replace(quiet=q)) == value
                )
                ways.append(game.rules.no_progress_limit - max(late))
        assert notes["changed"] == changed
        assert notes["longest_way"] == max(ways) or not is_same


def numbered(table, group, reference):
    """For each number of a group of slices: who has more pieces, the value without the clock, and the position.

    The last item says whether a match can come to the position: a man may stand where it would have been promoted.
    """
    table.expand()
    game = table.game
    state = np.zeros(int(game.table.words[TABLE.STATE_SIZE]), np.int64)
    for part in group:
        for number, code in enumerate(table.codes[part.base : part.base + part.size].tolist()):
            if set_up(table.data.t, table.data.x, part.row, number, state):
                text = format_position(game.table.words, game.board.labels, state.tolist())
                value = 0 if code == DRAWN else 1 if code > 0 else -1
                is_reachable = not unpromoted_men(game.table.words, state)
                yield (part.lead > 0) - (part.lead < 0), value, reference.parse(text), is_reachable


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


def test_bots_choose_among_the_steps_that_surely_win_if_there_are_any(tmp_path):
    """A capture or promotion may win in time where a quiet step to a win without the clock comes too late."""
    game = small_game("fetaix", "hook", "a1 b1", "b3", no_progress_limit=4)
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))
    endgames = Endgames(table)

    late = 0
    for clock, state in product((2, 3), all_positions(game, 3)):
        match = Match(game, with_clock(game, state, clock))
        steps = table.steps(match)
        sure = {found.step.action for found in steps if found.value == 1}
        if sure:
            assert endgames.keeping(match) == sure, match.position
            late += any(found.value is None and found.clockless == 1 for found in steps)
    assert late > 10


@pytest.mark.slow
def test_a_match_is_said_to_take_so_many_turns_only_if_it_can(tmp_path):
    """Where the side with more pieces wins at the limit, it may win before the end that the table knows."""
    game = small_game("fetaix", "hook", "a1 b1", "b3", no_progress_limit=7, no_progress_result="majority")
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))

    said = Counter()
    for clock, state in product((0, 6), all_positions(game, 3)):
        match = Match(game, with_clock(game, state, clock), table=table)
        if match.is_over or not match.value or match.distance is None:
            continue
        captures = all(step.captured for step in match.legal_steps)
        sentence = exact_sentence(match)
        fits = match.distance <= (8 if captures else 7 - clock)
        assert f"under best play in {match.distance} turn" in sentence or not fits, match.position
        assert "without the no-progress limit it would take" in sentence or fits, match.position
        said[fits] += 1
    assert min(said[True], said[False]) > 20


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
            and later.state[STATE.QUIET]
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
