"""The engine itself: what its scratch space held, the hash of positions, random numbers, samples and play-outs."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.engine import entry_points, random_play, rules_scalar as rules
from alquerque_env.engine.compiler import entry_kernel
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied, words
from alquerque_env.game.outcomes import NO_PROGRESS, NOBODY, REPETITION
from tests.chosen_steps import random_match
from tests.option_values import MIXED, few_first, is_fast

MOSONA = "awithlaknannai_mosona"
VARIANTS = [*((name, {}) for name in games() if is_fast(name)), *MIXED[::2]]
ROOM = 400


sample_action = entry_kernel(random_play.sample_action)
random_below = entry_kernel(rules.random_below)


def seeded(seed: int) -> np.ndarray:
    return np.array([seed])


def rooms(game: Game) -> tuple[Any, Any, Any]:
    """The table of a game, scratch space, and room for actions."""
    table = game.table.words
    return table, words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)


def roll_out(match: Match, room: int = ROOM) -> tuple[int, int]:
    """The code of the outcome of a rollout from the position of a match, and its steps."""
    table, scratch, actions = rooms(match.game)
    state, keys = copied(table, match.state), copied(table, match.keys(room))
    code, played = entry_points.play_out(table, state, scratch, actions, keys, room, seeded(0))
    return int(code), int(played)


@pytest.mark.parametrize(("name", "options"), few_first([*VARIANTS, ("fetaix", {"opening": "straight_only"})]), ids=str)
def test_legal_actions_do_not_depend_on_what_buffers_held_before(name, options):
    game = load_game(name, **options)
    for match in [match.copy() for match in random_match(game, 3)][:30]:
        found = []
        for action in {0, game.num_actions - 1, *(step.action for step in match.legal_steps)}:
            table, scratch, room = rooms(game)
            scratch[:] = [action * 0x1234567 % 2**40] * len(scratch)
            room[:] = [action] * len(room)
            number = entry_points.legal_actions(table, copied(table, match.state), scratch, room)
            found.append([int(room[index]) for index in range(number)])
        assert found == found[:1] * len(found)


def test_the_opening_rule_holds_at_any_clock_where_there_is_no_limit():
    game = load_game(MOSONA, no_progress_limit="off", repetition="threefold_draw")
    (table, scratch, room), start = rooms(game), Match(game)
    state = copied(table, start.state)
    state[STATE.QUIET] = 6
    number = entry_points.legal_actions(table, state, scratch, room)

    assert sorted(int(room[index]) for index in range(number)) == [step.action for step in start.legal_steps]


# The hash of a position.


@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=str)
def test_the_hash_depends_on_everything_in_a_state_but_the_clock(name, options):
    game = load_game(name, **options)
    table = game.table.words
    for match in [match.copy() for match in random_match(game, 6)][::5]:
        key = entry_points.position_key(table, copied(table, match.state))
        for place in range(len(match.state)):
            other = copied(table, match.state)
            other[place] += 1
            assert (entry_points.position_key(table, other) == key) == (place == STATE.QUIET)


# Random numbers and samples.


def test_random_numbers_are_in_range_and_even():
    rng = seeded(1)
    for below in (1, 2, 7, 30):
        counts = Counter(int(random_below(rng, below)) for _ in range(3000 * below))
        assert set(counts) == set(range(below))
        assert all(abs(count - 3000) < 300 for count in counts.values())


def test_random_numbers_differ_with_the_seed_and_do_not_repeat_soon():
    draws = [tuple(int(random_below(rng, 2**31 - 1)) for _ in range(100)) for rng in map(seeded, range(50))]

    assert len({number for numbers in draws for number in numbers}) > 4990
    assert draws[0] == tuple(int(random_below(rng, 2**31 - 1)) for rng in [seeded(0)] for _ in range(100))


@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=str)
def test_a_sample_is_each_legal_action_equally_often(name, options):
    game = load_game(name, **options)
    table, scratch, room = rooms(game)
    rng = seeded(2)
    matches = [match.copy() for match in random_match(game, 9)]
    in_chains = [match for match in matches if match.chain is not None]
    for match in in_chains[:3] + matches[:: max(1, len(matches) // 6)]:
        if match.is_over:
            continue
        legal = {step.action for step in match.legal_steps}
        counts: Counter[int] = Counter()
        for _ in range(200 * len(legal)):
            state = copied(table, match.state)
            action, number = sample_action(table, state, scratch, room, rng)
            counts[int(action)] += 1
            assert number == len(legal)
            assert list(state) == list(match.state)
        assert set(counts) == legal
        assert all(120 < count < 280 for count in counts.values())


def test_a_sample_is_none_where_nothing_is_legal():
    blocked = Match("alquerque", "W:Wa5:Bd1:Ua5-b5")
    table, scratch, room = rooms(blocked.game)

    assert sample_action(table, copied(table, blocked.state), scratch, room, seeded(0)) == (-1, 0)


def test_a_rollout_that_fills_its_room_is_drawn():
    game = load_game("fetaix", repetition="threefold_draw", no_progress_limit="off")
    assert roll_out(Match(game, "W:WKa1:BKc5"), 2) == (4 * NO_PROGRESS + NOBODY, 1)


def test_a_rollout_counts_a_position_that_two_passes_repeat():
    """All men stand side by side on their last ranks; after four passes the position occurs for the third time."""
    fetaix = load_game("fetaix", no_moves="pass", repetition="threefold_draw")
    game = replace(
        fetaix, start=(frozenset(range(20, 25)), frozenset(range(5)))
    )  # nowhere else can men come to stand so
    assert roll_out(Match(game)) == (4 * REPETITION + NOBODY, 4)
