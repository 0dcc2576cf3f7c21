"""The engine itself: what its scratch space held, the hash of positions, random numbers, samples and play-outs."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.engine import entry_points, random_play, rules_scalar as rules
from alquerque_env.engine.compiler import borrowed, entry_kernel
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.kernel_arrays import copied, words
from alquerque_env.game.outcomes import BLOCKED, BY_MAJORITY, CAPTURED_ALL, NO_PROGRESS, NOBODY, REPETITION
from alquerque_env.match.position_text import format_position
from tests.chosen_steps import random_match
from tests.option_values import few_first, is_fast
from tests.reference import Reference

MOSONA = "awithlaknannai_mosona"
VARIANTS: list[tuple[str, dict[str, object]]] = [
    *((name, {}) for name in games() if is_fast(name)),
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False, "capture_removal": "end_of_turn"}),
    ("alquerque", {"undo_scope": "per_player_last_move", "repetition": "threefold_draw", "capture": "optional"}),
    ("alquerque", {"last_rank_frozen": True, "man_capture_dirs": "first_leap_forward_sideways"}),
    ("fetaix", {"man_capture_dirs": "all", "mullah_landing": "must_continue", "capture_removal": "end_of_turn"}),
    ("fetaix", {"man_capture_dirs": "all", "max_capture": "most_pieces", "midchain_promotion": "promote_and_stop"}),
    ("fetaix", {"chain": "optional", "midchain_promotion": "promote_and_continue", "no_moves": "pass"}),
    ("fetaix", {"mullah_lines": "long_diagonals", "repetition": "threefold_draw", "no_progress_limit": "off"}),
    (MOSONA, {"chain_may_return_to_start": False, "capture_removal": "end_of_turn", "chain": "optional"}),
    (MOSONA, {"board": "culin", "capture": "optional", "who_starts": "player_1", "repetition": "threefold_draw"}),
    ("alquerque_murray", {"no_moves": "pass", "no_progress_result": "majority", "no_progress_limit": 150}),
]
ROOM = 400


@entry_kernel
def sample_action(t, s, w, actions, rng):
    return random_play.sample_action(borrowed(t), borrowed(s), borrowed(w), borrowed(actions), borrowed(rng))


@entry_kernel
def observe(t, s, earlier, observation):
    rules.observe(borrowed(t), borrowed(s), earlier, borrowed(observation), 0)


@entry_kernel
def random_below(rng, n):
    return rules.random_below(borrowed(rng), n)


def seeded(seed: int) -> np.ndarray:
    return np.array([seed])


@pytest.mark.parametrize(("name", "options"), few_first([*VARIANTS, ("fetaix", {"opening": "straight_only"})]), ids=str)
def test_legal_actions_do_not_depend_on_what_buffers_held_before(name, options):
    game = load_game(name, **options)
    table = game.table.words
    for match in [match.copy() for match in random_match(game, 3)][:30]:
        found = []
        for action in {0, game.num_actions - 1, *(step.action for step in match.legal_steps)}:
            scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)
            scratch[:] = [action * 0x1234567 % 2**40] * len(scratch)
            room[:] = [action] * len(room)
            number = entry_points.legal_actions(table, copied(table, match.state), scratch, room)
            found.append([int(room[index]) for index in range(number)])
        assert found == found[:1] * len(found)


def test_the_opening_rule_holds_at_any_clock_where_there_is_no_limit():
    game = load_game(MOSONA, no_progress_limit="off", repetition="threefold_draw")
    table, start = game.table.words, Match(game)
    state, scratch, room = (
        copied(table, start.state),
        words(table, table[TABLE.SCRATCH_SIZE]),
        words(table, game.num_actions),
    )
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


@pytest.mark.parametrize(("name", "options"), VARIANTS[:3], ids=str)
def test_different_positions_have_different_hashes(name, options):
    game = load_game(name, **options)
    keys: dict[int, tuple[int, ...]] = {}
    for seed in range(12):
        for match in random_match(game, seed):
            words_but_clock = tuple(int(word) for place, word in enumerate(match.state) if place != STATE.QUIET)
            key = int(entry_points.position_key(game.table.words, copied(game.table.words, match.state)))
            assert 0 <= key < 2**63
            assert keys.setdefault(key, words_but_clock) == words_but_clock

    assert len(keys) > 150


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
    table = game.table.words
    scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)
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
    game = load_game("alquerque")
    table = game.table.words
    blocked = Match(game, "W:Wa5:Bd1:Ua5-b5")
    scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)

    assert sample_action(table, copied(table, blocked.state), scratch, room, seeded(0)) == (-1, 0)


REASONS = {CAPTURED_ALL: "captured", BLOCKED: "blocked", NO_PROGRESS: "no_progress", BY_MAJORITY: "majority"}


@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=str)
def test_a_rollout_ends_as_in_the_reference(name, options):
    """Repetition apart, which the reference does not see in a position."""
    game = load_game(name, **options)
    table = game.table.words
    reference = Reference(game)
    scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)
    rng = seeded(3)
    compared = 0
    for _ in range(30):
        match = Match(game)
        state = copied(table, match.state)
        code, played = entry_points.play_out(table, state, scratch, room, copied(table, match.keys(ROOM)), ROOM, rng)
        reason, winner = divmod(int(code), 4)
        assert played > 0
        assert state[STATE.CHAIN] == STATE.NO_POINT
        outlasted = reason == NO_PROGRESS and game.options["no_progress_limit"] == "off"
        if reason != REPETITION and not outlasted:
            text = format_position(table, game.board.labels, [int(word) for word in state])
            ended = reference.outcome(reference.parse(text))
            assert ended == (None if winner == NOBODY else winner, REASONS[reason])
            compared += 1

    assert compared > 5


def test_a_rollout_that_fills_its_room_is_drawn():
    game = load_game("fetaix", repetition="threefold_draw", no_progress_limit="off")
    table = game.table.words
    scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)
    match = Match(game, "W:WKa1:BKc5")

    code, played = entry_points.play_out(
        table, copied(table, match.state), scratch, room, copied(table, match.keys(2)), 2, seeded(0)
    )
    assert (int(code), int(played)) == (4 * NO_PROGRESS + NOBODY, 1)


def test_a_rollout_counts_a_position_that_two_passes_repeat():
    """All men stand side by side on their last ranks; after four passes the position occurs for the third time."""
    fetaix = load_game("fetaix", no_moves="pass", repetition="threefold_draw")
    game = replace(
        fetaix, start=(frozenset(range(20, 25)), frozenset(range(5)))
    )  # nowhere else can men come to stand so
    table = game.table.words
    scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)
    match = Match(game)

    code, played = entry_points.play_out(
        table, copied(table, match.state), scratch, room, copied(table, match.keys(ROOM)), ROOM, seeded(0)
    )
    assert (int(code), int(played)) == (4 * REPETITION + NOBODY, 4)


def test_a_rollout_counts_positions_before_it():
    """One step back, and the position occurs for the third time."""
    game = load_game("fetaix", repetition="threefold_draw")
    table = game.table.words
    scratch, room = words(table, table[TABLE.SCRATCH_SIZE]), words(table, game.num_actions)
    match = Match(game, "W:WKa1:BKc5")
    for step in (("a1-a2", "c5-d5", "a2-a1", "d5-c5") * 2)[:7]:
        match.push(step)

    def repeats_at_once(keys: object) -> int:
        results = [
            entry_points.play_out(
                table, copied(table, match.state), scratch, room, copied(table, keys), ROOM, seeded(seed)
            )
            for seed in range(300)
        ]
        return sum((int(code), int(played)) == (4 * REPETITION + NOBODY, 1) for code, played in results)

    assert repeats_at_once(match.keys(ROOM)) > 5
    assert repeats_at_once(words(table, ROOM)) == 0


def test_the_plain_engine_plays_without_numba():
    code = "import alquerque_env as aq; m = aq.Match(aq.load_game('fetaix')); m.push('c2-c3'); print(m.legal_steps[0])"
    code += "; import sys; print('numba' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"ALQUERQUE_JIT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.stdout.split() == ["c4xc2", "False"], result.stderr
