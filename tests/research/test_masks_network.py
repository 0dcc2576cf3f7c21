"""The steps of both players in observed positions, against the legal steps of matches."""

import numpy as np
import pytest
from masks_network import BothMasks

from alquerque_env import Match, load_game
from tests.chosen_steps import random_match


@pytest.mark.parametrize("name", ["alquerque", "fetaix", "felli", "catch_the_hare"])
def test_each_player_has_its_legal_steps_as_if_it_were_to_move(name):
    game = load_game(name)
    seen, expected = [], []
    for match in random_match(game, 1):
        if match.is_over or match.chain is not None:
            continue
        mover, _, rest = match.position.partition(":")
        turned = Match(game, f"{'B' if mover == 'W' else 'W'}:{rest}")
        if not turned.is_over:
            seen.append(match.observation())
            expected.append([match.action_mask(), turned.action_mask()])

    masks = BothMasks(game)(np.stack(seen))

    assert np.array_equal(masks, expected)
    assert len(seen) > 10


def test_in_the_middle_of_a_chain_the_mover_goes_on_and_the_opponent_steps_freely():
    match = Match(load_game("alquerque"), "W:Wa1:Bb1,d1,e5")
    match.push("a1xc1")
    assert match.chain is not None

    mover, opponent = BothMasks(match.game)(match.observation()[None])[0]

    assert mover.tolist() == match.action_mask().tolist()
    assert opponent.tolist() == Match(match.game, "B:Wc1:Bd1,e5").action_mask().tolist()
