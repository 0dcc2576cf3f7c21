"""Engine and reference, which share no code, agree at every sub-step of random matches under every option value."""

from dataclasses import replace

import numpy as np
import pytest
from option_values import every_value, sampled_values
from reference import Reference, RefMatch, RefStep

from alquerque_env import Match, load_game
from alquerque_env.errors import PositionError, RulesError
from alquerque_env.game.game import Game


@pytest.mark.parametrize(("name", "options"), every_value(), ids=lambda case: str(case).replace("'", ""))
def test_engine_and_reference_agree_at_every_sub_step(name: str, options: dict[str, object]) -> None:
    assert compare_matches(load_game(name, **options), MATCHES) > 10 * MATCHES


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), every_value(), ids=lambda case: str(case).replace("'", ""))
def test_engine_and_reference_agree_in_many_matches(name: str, options: dict[str, object]) -> None:
    assert compare_matches(load_game(name, **options), 10 * MATCHES) > 100 * MATCHES


MATCHES = 6


def compare_matches(game: Game, matches: int) -> int:
    """Compares random matches; returns their number of sub-steps."""
    rng = np.random.default_rng(0)
    return sum(play_both(game, rng) for _ in range(matches))


def play_both(game: Game, rng: np.random.Generator) -> int:
    """Plays one random match on both; returns its number of sub-steps."""
    match, other = Match(game), RefMatch(Reference(game))
    while True:
        assert_same(game, match, other)
        if match.is_over:
            return len(match.steps)
        step = match.legal_steps[rng.integers(len(match.legal_steps))]
        match.push(step)
        other.push(RefStep(step.origin, step.target, step.captured[0] if step.captured else None))


def assert_same(game: Game, match: Match, other: RefMatch) -> None:
    state = other.state
    assert {(s.origin, s.target, s.captured) for s in match.legal_steps} == {
        (s.origin, s.target, () if s.victim is None else (s.victim,)) for s in other.legal
    }, match.position
    outcome = None if match.outcome is None else (match.outcome.winner, match.outcome.reason)
    assert outcome == other.outcome, match.position
    assert (match.player, match.chain) == (state.player, state.chain)
    pieces = match.picture().pieces
    for player in (0, 1):
        mine = {point: piece[1] for point, piece in pieces.items() if piece[0] == player}
        assert {point for point, king in mine.items() if not king} == state.men[player]
        assert {point for point, king in mine.items() if king} == state.kings[player]
    again = Match(game, position=match.position)
    assert again.position == match.position
    if game.rules.repetition == "off":  # else the clock counts, and is not in the text where there is no limit
        assert list(again.state) == list(match.state), match.position
    if match.outcome is None or match.outcome.reason != "repetition":
        assert again.legal_steps == match.legal_steps
    assert other.reference.parse(match.position) == state, match.position


def test_loading_refuses_what_contradicts_itself() -> None:
    for options in (
        {"max_capture": "most_pieces", "chain": "optional"},
        {"mullah_landing": "must_continue", "chain": "single"},
        {"max_capture": "most_pieces", "capture": "optional"},
        {"no_progress_limit": "off"},
    ):
        with pytest.raises(RulesError):
            load_game("fetaix", **options)


def random_position(game: Game, rng: np.random.Generator) -> str:
    """Text of a position with pieces anywhere, a random mover and a clock up to a step before the limit."""
    density, kings = rng.uniform(0.05, 0.9), rng.uniform(0, 0.5) if game.promotion_points(0) else 0.0
    sides: tuple[list[str], list[str]] = [], []
    for label in game.board.labels:
        if rng.random() < density:
            sides[rng.integers(2)].append(("K" if rng.random() < kings else "") + label)
    limit = game.rules.no_progress_limit
    clock = f":H{rng.integers(1, limit)}" if isinstance(limit, int) and limit > 1 and rng.random() < 0.5 else ""
    return f"{'WB'[rng.integers(2)]}:W{','.join(sides[0])}:B{','.join(sides[1])}{clock}"


_LOOSE = {"man_steps": "all", "man_capture_dirs": "all", "undo_cleared_by_jump": False}

# Rules that no game here has together, but a game file may.
UNCOMMON: list[tuple[str, dict[str, object]]] = [
    ("alquerque", {"man_steps": "all", "undo_scope": "never_revisit", "no_progress_limit": 30}),
    ("alquerque", {"man_steps": "all", "undo_scope": "per_player_last_move", "no_progress_limit": 30}),
    ("fetaix", {"progress": "capture", "opening": "straight_only"}),
    ("fetaix", {"man_steps": "forward", "man_capture_dirs": "forward", "progress": "capture_or_man_step"}),
    ("fetaix", {"man_steps": "forward", "man_capture_dirs": "all", "mullah_steps": "one_point"}),
    ("fetaix", {"mullah_captures": "next_point", "man_capture_dirs": "all", "no_progress_limit": 7}),
    ("fetaix", {"mullah_captures": "next_point", "mullah_steps": "one_point", "max_capture": "most_pieces"}),
    ("awithlaknannai_mosona", {"lose_at_three": True, "capture_removal": "end_of_turn"}),
    ("alquerque_murray", {"lose_at_three": True, "man_steps": "forward", "no_progress_limit": 30}),
    ("alquerque", {"man_steps": "all", "last_rank_frozen": True, "no_progress_limit": 30}),
    ("fetaix", {"undo_scope": "per_coin", "mullah_steps": "one_point"}),
    ("fetaix", {"undo_scope": "never_revisit", "man_steps": "all", "capture_removal": "end_of_turn"}),
    ("fetaix", {"undo_scope": "per_player_last_move", "midchain_promotion": "promote_and_continue"} | _LOOSE),
    ("fetaix", {"undo_scope": "never_revisit", "midchain_promotion": "promote_and_stop"} | _LOOSE),
    ("fetaix", {"undo_scope": "per_coin", "chain": "optional", "mullah_steps": "one_point"} | _LOOSE),
]


def uncommon_game(name: str, rules: dict[str, object]) -> Game:
    """A game with other rules."""
    game = load_game(name)
    return replace(game, rules=replace(game.rules, **rules))


@pytest.mark.parametrize(("name", "rules"), UNCOMMON, ids=str)
def test_engine_and_reference_agree_under_rules_of_no_game_here(name: str, rules: dict[str, object]) -> None:
    game = uncommon_game(name, rules)
    assert compare_matches(game, MATCHES) > 10 * MATCHES
    compare_positions(game)


@pytest.mark.parametrize(("name", "options"), sampled_values(), ids=lambda case: str(case).replace("'", ""))
def test_engine_and_reference_agree_on_random_positions_and_the_chains_from_there(
    name: str, options: dict[str, object]
) -> None:
    compare_positions(load_game(name, **options))


POSITIONS = 30


def compare_positions(game: Game) -> None:
    """Compares random positions and six sub-steps after each."""
    reference, rng = Reference(game), np.random.default_rng(1)
    compared = 0
    while compared < POSITIONS:
        try:
            match = Match(game, random_position(game, rng))
        except PositionError:  # a man on its promotion points, for one
            continue
        play_on(game, match, RefMatch(reference, reference.parse(match.position)), rng)
        compared += 1


def play_on(game: Game, match: Match, other: RefMatch, rng: np.random.Generator) -> None:
    """Compares the next six sub-steps, captures if there are any."""
    for _ in range(6):
        assert_same(game, match, other)
        if match.is_over:
            return
        steps = [step for step in match.legal_steps if step.captured] or match.legal_steps
        step = steps[rng.integers(len(steps))]
        match.push(step)
        other.push(RefStep(step.origin, step.target, step.captured[0] if step.captured else None))
    assert_same(game, match, other)
