"""Canonical images of states, one at a time and in batches."""

import random

import numpy as np
import pytest

from alquerque_env import Match, load_bot, load_game
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.canonical import CanonicalStates, find_canonical
from alquerque_env.game.game import Game


def states_of_matches(game: Game, count: int) -> np.ndarray:
    """States of `count` random matches of twelve steps, the start included."""
    chance, states = random.Random(0), []
    for _ in range(count):
        match = Match(game)
        for _ in range(12):
            states.append(np.array(match.state))
            match.push(chance.choice(match.legal_steps))
    return np.array(states)


@pytest.mark.parametrize("name", ["awithlaknannai_mosona", "pretwa"])
def test_images_of_a_state_have_one_canonical_image_unless_an_opening_rule_holds_in_it(name: str) -> None:
    game = load_game(name)
    states, start = states_of_matches(game, 8), np.array(Match(game).state)
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


@pytest.mark.parametrize("simulations", [0, 8])
def test_a_player_of_canonical_images_keeps_to_the_opening_rule(simulations: int) -> None:
    bot, match = (
        load_bot(f"awithlaknannai_mosona-proved:{simulations}", "awithlaknannai_mosona"),
        Match("awithlaknannai_mosona"),
    )
    texts = {step.text for step in match.legal_steps}
    assert {bot.choose(match).text, *(step.text for step in bot.choose_many([match, match]))} <= texts
    assert len(texts) < 5
