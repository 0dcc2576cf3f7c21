"""UCT against minimax on small positions, and what holds for any tree."""

import random

import pytest

from alquerque_env import Match, load_game
from alquerque_env.bots import MctsBot, mcts
from alquerque_env.game.kernel_arrays import JIT
from tests.minimax import SURE, ab, minimax, some_position
from tests.sets import first_by_default


def uct(game, simulations, seed=1):
    return MctsBot("mcts", game, simulations, seed)


def scores_of_steps(match, depth):
    """What minimax says of each legal step, for the player to move."""
    scores = {}
    for step in match.legal_steps:
        after = match.copy()
        after.push(step)
        turned = after.player != match.player
        score = minimax(after, depth - turned, turned)
        scores[step.text] = -score if turned else score
    return scores


def sign(match, player):
    """Turns what is good for the player to move into what is good for a player."""
    return 1 if match.player == player else -1


@first_by_default
@pytest.mark.skipif(not JIT, reason="long without Numba")
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "alquerque_murray", "awithlaknannai_mosona"])
def test_it_comes_to_choose_what_wins(name):
    """Where minimax sees a win, the chosen step wins."""
    game, rng = load_game(name), random.Random(4)
    tried = 0
    for _ in range(60):
        match = some_position(game, rng, most=4)
        if len(match.legal_steps) < 2:
            continue
        scores = scores_of_steps(match, 3)
        if max(scores.values()) < SURE or min(scores.values()) > SURE:
            continue
        tried += 1
        chosen = match.copy()
        chosen.push(uct(game, 20_000).choose(match))
        # It may win later than it could.
        assert chosen.is_over or sign(chosen, match.player) * ab(game, 14).analyse(chosen).score > SURE, match.position
    assert tried >= 2


@pytest.mark.parametrize("position", ["W:Wa1,e1:Bb2,b3", "B:Wd4,d3:Be5,a5"])
def test_a_chain_keeps_the_sign(position):
    """The first leap keeps the turn and the second wins: both are worth 1 to the player who makes them."""
    match = Match(load_game("alquerque"), position)
    taking = uct(match.game, 200).analyse(match).best
    assert taking.step.captured
    assert taking.value == 1
    match.push(taking.step)
    assert match.chain is not None
    second = uct(match.game, 200).analyse(match, all_steps=True)
    assert {entry.value for entry in second.candidates if entry.step.captured} == {1.0}


@pytest.mark.parametrize("position", ["W:Wa1,e1:Bb2,b3", "B:Wd4,d3:Be5,a5"])
def test_in_the_middle_of_a_chain_the_tree_looks_for_what_its_mover_wants(position):
    """After the first leap the same player wins by another or gives that away by stopping."""
    match = Match(load_game("alquerque_murray"), position)
    simulations = 3000 if JIT else 150
    found = {entry.step.text: entry for entry in uct(match.game, simulations).analyse(match, all_steps=True).candidates}
    assert found[{"W": "a1xc3", "B": "e5xc3"}[position[0]]].value > (0.9 if JIT else 0.5)


def test_a_tree_without_room_stops_growing_and_goes_on_playing(monkeypatch):
    monkeypatch.setattr(mcts, "MAX_NODES", 40)
    match = Match(load_game("fetaix"))
    found = uct(match.game, 300).analyse(match, all_steps=True)
    assert found.nodes == 300
    assert sum(entry.share for entry in found.candidates) == pytest.approx(1)


def test_a_draw_is_worth_nothing():
    game = load_game("alquerque_murray", no_progress_limit=2)
    match = Match(game, "W:Wa1:Be5:H1")
    assert {entry.value for entry in uct(game, 50).analyse(match, all_steps=True).candidates} == {0.0}


def test_a_third_occurrence_is_a_draw_in_the_tree_too():
    game = load_game("alquerque_alfonso_x", repetition="threefold_draw", capture="compulsory")
    match = Match(game, "W:Wa1,a2,b1:Be5")
    for turn in ("a1-b2 e5-d5 b2-a1 d5-e5 " * 2).split()[:7]:
        match.push(turn)
    values = {entry.step.text: entry.value for entry in uct(game, 400).analyse(match, all_steps=True).candidates}
    assert values.pop("d5-e5") == 0
    assert max(values.values()) < 0
