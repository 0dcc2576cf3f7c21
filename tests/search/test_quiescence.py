"""What steps gain once the captures after them are played out: worked positions, and a plain search of all captures."""

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import PositionError
from alquerque_env.game.game import Game
from alquerque_env.search import SearchFeatures
from alquerque_env.search.quiescence import EVEN, ILLEGAL, MAX_NODES, MOST
from tests.chosen_steps import random_match
from tests.observed import mask_of, observe
from tests.option_values import Variants, under_option_values

WON = 1000


def gains_of(match: Match, turns: int = 0) -> dict[str, int]:
    """What the search says of each step, by its text; nothing is said of others."""
    codes = SearchFeatures(match.game)(observe(match)[None], turns)[0]
    assert (codes != ILLEGAL).astype(int).tolist() == mask_of(match).tolist()
    return {step.text: int(codes[step.action]) - EVEN for step in match.legal_steps}


def material(match: Match) -> int:
    """Of the player to move less that of the opponent, promoted pieces twice."""
    _, *sides = match.position.split(":")[:3]
    south, north = (sum(2 if piece.startswith("K") else 1 for piece in side[1:].split(",") if piece) for side in sides)
    return south - north if match.player == 0 else north - south


class PatienceError(Exception):
    """More steps than the search would try."""


def play_out(match: Match, turns: int, tried: list[int]) -> int:
    """The best that the player to move can come to, by captures alone after so many turns, without a thought of what is
    worth trying."""
    if match.outcome is not None:
        winner = match.outcome.winner
        return 0 if winner is None else WON if winner == match.player else -WON
    # Steps that capture by flanking are not followed.
    follows = turns > 0 or match.chain is not None or match.game.captures(match.player) != "custodial"
    choices = [step for step in match.legal_steps if follows and (turns or step.captured or match.chain is not None)]
    is_free = not choices or (match.chain is None and match.game.rules.capture == "optional" and not turns)
    worths = [material(match)] if is_free else []
    for step in choices:
        tried.append(1)
        if len(tried) > MAX_NODES:
            raise PatienceError
        after = match.copy()
        after.push(step)
        worths.append(worth_after(match, after, turns, tried))
    return max(worths)


def worth_after(match: Match, after: Match, turns: int, tried: list[int]) -> int:
    if after.player == match.player:
        return play_out(after, turns, tried)
    return -play_out(after, max(turns - 1, 0), tried)


def expected_gains(match: Match, turns: int = 0) -> dict[str, int] | None:
    """As `gains_of`; None where there is too much to try."""
    found, now = {}, material(match)
    for step in match.legal_steps:
        after = match.copy()
        after.push(step)
        try:
            worth = worth_after(match, after, turns + 1, [])
        except PatienceError:
            return None
        found[step.text] = max(-MOST, min(worth - now, MOST))
    return found


def scattered(game: Game, rng: np.random.Generator) -> Match | None:
    """A position of few pieces anywhere; None if the rules do not allow it or the match is over there."""
    pieces = [str(label) for label in rng.permutation(game.board.labels)[: rng.integers(3, 11)]]
    if game.rules.promotion != "none":
        pieces = ["K" * int(rng.random() < 0.25) + label for label in pieces]
    south = int(rng.integers(1, len(pieces)))
    try:
        match = Match(game, f"{rng.choice(['W', 'B'])}:W{','.join(pieces[:south])}:B{','.join(pieces[south:])}")
    except PositionError:
        return None
    if not match.is_over and rng.random() < 0.5:
        match.push(max(match.legal_steps, key=lambda step: bool(step.captured)))
    return None if match.is_over else match


@under_option_values(sample=2)
def test_features_equal_a_plain_search_of_all_captures(variants):
    compare_gains(variants, turns=0, tries=30)


@under_option_values(sample=4, slow=8)
@pytest.mark.parametrize("turns", [1, 2])
def test_features_at_a_depth_equal_a_plain_search_of_all_turns(variants, turns):
    compare_gains(variants, turns, tries=8 // turns)


def compare_gains(variants: Variants, turns: int, tries: int) -> None:
    rng = np.random.default_rng(1)
    for game in variants:
        for _ in range(tries if game.rules.repetition == "off" else 0):
            match = scattered(game, rng)
            expected = None if match is None else expected_gains(match, turns)
            assert expected is None or gains_of(match, turns) == expected, (game, match.position)


WORKED = [
    # A man that is left standing before another, and one that is covered.
    ("alquerque", "W:Wc2,a1:Bc4,e5", "c2-c3", -1),
    ("alquerque", "W:Wc2,c1:Bc4,e5", "c2-c3", 0),
    ("alquerque", "W:Wc2,a1:Bc5", "c2-c3", 0),
    # A chain of two, asked at its first leap and in its middle.
    ("alquerque", "W:Wc1,a1:Bc2,c4,e5", "c1xc3", 2),
    ("alquerque", "W:Wc3,a1:Bc4,e5:Cc3", "c3xc5", 1),
    # The last piece.
    ("alquerque", "W:Wc1:Bc2", "c1xc3", MOST),
    # A man becomes a king.
    ("fetaix", "W:Wa4,e1:Be3", "a4-a5", 1),
]


@pytest.mark.parametrize(("name", "position", "step", "gain"), WORKED)
def test_features_of_worked_positions(name, position, step, gain):
    assert gains_of(Match(load_game(name), position))[step] == gain


def test_a_batch_gives_the_features_of_single_positions_for_either_player():
    game = load_game("fetaix")
    seen = np.stack([observe(match) for match in random_match(game, 1) if not match.is_over])
    gains = SearchFeatures(game)

    together = gains(seen)

    assert together.dtype == np.int8
    assert together.shape == (len(seen), game.num_actions)
    assert len(seen) > 20
    assert np.array_equal(together, np.concatenate([gains(one[None]) for one in seen]))
    assert gains(seen[:0]).shape == (0, game.num_actions)


def test_planes_of_another_shape_are_refused_and_random_planes_do_not_crash():
    game = load_game("fetaix")
    gains = SearchFeatures(game)
    with pytest.raises(ValueError, match=r"planes are int8 \[1, 5, 25\], expected int8 \[R, 6, 25\]"):
        gains(observe(Match(load_game("alquerque")))[None])

    nonsense = np.random.default_rng(0).integers(0, 2, (200, 6, 25), dtype=np.int8)
    assert np.isin(gains(nonsense), [ILLEGAL, *range(EVEN - MOST, EVEN + MOST + 1)]).all()


def test_the_search_stops_at_its_limit_of_nodes():
    """Captures are free to choose here, and chains may stop: without an end it would try millions."""
    game = load_game("awithlaknannai_mosona", chain="optional", capture="optional")
    for match in random_match(game, 0):
        if not match.is_over and len(match.steps) % 5 == 0:
            assert all(-MOST <= gain <= MOST for gain in gains_of(match).values())
        if len(match.steps) > 60:
            break
