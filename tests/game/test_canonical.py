"""Canonical images of states, and states without their clock, one at a time and in batches."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, load_bot, load_game, load_table
from alquerque_env.arena.exploit.asked_agent import AskedAgent
from alquerque_env.arena.exploit.walk import Walk
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.canonical import CanonicalStates, find_canonical
from alquerque_env.game.hidden_clock import hide_clock
from alquerque_env.solve.tables import build_table
from tests.chosen_steps import random_match
from tests.small_games import small_game

MOSONA = "awithlaknannai_mosona"


def with_clock(clock: int) -> str:
    return Match(MOSONA).position + (f":H{clock}" if clock else "")


@pytest.mark.parametrize("name", ["awithlaknannai_mosona", "pretwa"])
def test_images_of_a_state_have_one_canonical_image_unless_an_opening_rule_holds_in_it(name: str) -> None:
    game = load_game(name)
    states = np.array([match.state for seed in range(8) for match in islice(random_match(game, seed), 12)])
    start = np.array(Match(game).state)
    found, chosen = CanonicalStates(game).find(states)
    assert len(set(chosen.tolist())) > 1
    for state, image, number in zip(states, found, chosen, strict=True):
        alone, symmetry = find_canonical(game.table.words, state, game.symmetries)
        assert np.array_equal(alone, image)
        assert symmetry is game.symmetries[number]
        again, _ = find_canonical(game.table.words, image, game.symmetries)
        assert np.array_equal(again, image)
        images = [symmetry.actions[step.action] for step in Match.from_state(game, state).legal_steps]
        assert sorted(images) == sorted(step.action for step in Match.from_state(game, image).legal_steps)
        if game.opening is not None and np.array_equal(state, start):
            assert np.array_equal(image, start)


def test_the_start_with_an_opening_rule_has_its_own_image_whatever_the_clock() -> None:
    game = load_game("awithlaknannai_mosona")
    late = np.array(Match(game).state)
    late[STATE.QUIET] = 7
    for image, _ in (CanonicalStates(game).find(late[None]), find_canonical(game.table.words, late, game.symmetries)):
        assert np.array_equal(np.reshape(image, -1), late)


@pytest.mark.slow
@pytest.mark.parametrize("clock", [0, 1, 49])
@pytest.mark.parametrize("simulations", [0, 8])
def test_a_player_that_does_not_see_the_clock_chooses_among_the_legal_steps_of_a_late_start(
    simulations: int, clock: int
) -> None:
    """The opening rule holds in the start with a clock of 0 alone."""
    bot, match = load_bot(f"{MOSONA}-proved:{simulations}", MOSONA), Match(MOSONA, with_clock(clock))
    legal = set(match.legal_steps)
    assert legal == set(Match(MOSONA).legal_steps if clock == 0 else Match(MOSONA, with_clock(2)).legal_steps)
    assert {bot.choose(match), *bot.choose_many([match, match]), bot.analyse(match).best.step} <= legal
    assert set(bot.evaluate(match)[0]) == {step.text for step in legal}
    if clock:
        assert bot.evaluate(match) == bot.evaluate(Match(MOSONA, with_clock(2)))


def test_hidden_clocks_change_no_legal_action() -> None:
    game = load_game(MOSONA)
    matches = [Match(game, with_clock(clock)) for clock in (0, 1, 49)] + [Match(game, "W:Wb1,i2:Bb3:H7")]
    states = np.array([match.state for match in matches], np.int64)
    before = make_batch(game, 4).set(states).mask.copy()
    alone = [list(map(int, state)) for state in states]
    hide_clock(game.table.words, states.T)
    assert states[:, STATE.QUIET].tolist() == [0, 1, 1, 0]
    assert np.array_equal(make_batch(game, 4).set(states).mask, before)
    for state, expected in zip(alone, states.tolist(), strict=True):
        hide_clock(game.table.words, state)
        assert state == expected


def test_everything_is_played_against_a_player_from_a_late_start_without_the_opening_rule() -> None:
    """The policy of `greedy` does not depend on the clock, so that positions are not told apart by it."""
    match = Match(MOSONA, with_clock(3))
    walk = Walk(AskedAgent("greedy", match.game, 0, match), 1, match, counts_clock=False, value=-1, table=None)
    turns = iter([True, False])
    walk.run(lambda: next(turns))
    after = np.bitwise_count(walk.positions.states[1:, [STATE.MEN, STATE.MEN + 1]]).sum(1)
    assert (len(after), set(after.tolist())) == (3, {23})


@pytest.mark.slow
def test_a_table_without_the_clock_knows_the_captures_of_a_late_start(tmp_path: Path) -> None:
    game = small_game(MOSONA, "snake", "a2 c2", "e2 d3", (None, 0))
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))
    start = Match(game)
    late = Match(game, f"{start.position}:H5")
    assert ([str(step) for step in start.legal_steps], [str(step) for step in late.legal_steps]) == (
        ["a2-b1", "c2-b1"],
        ["c2xd1"],
    )
    known = table.action_values(np.array([late.state], np.int64), clockless=True).known[0]
    assert np.flatnonzero(known).tolist() == [late.legal_steps[0].action]
