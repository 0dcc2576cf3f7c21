"""Alpha-beta against a plain minimax over `Match`, which shares nothing with it but the rules."""

import random
import threading
from _thread import interrupt_main

import pytest

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.game.kernel_arrays import JIT
from tests.minimax import SURE, WIN, ab, minimax, some_position, static_score
from tests.option_values import few_first, is_fast
from tests.sets import first_by_default

VARIANTS = [
    ("alquerque", {"repetition": "threefold_draw", "capture": "optional"}),
    ("alquerque", {"undo_scope": "never_revisit", "capture_removal": "end_of_turn", "last_rank_frozen": True}),
    ("fetaix", {"chain": "optional", "capture": "optional", "no_progress_limit": 3}),
    ("fetaix", {"midchain_promotion": "promote_and_continue", "no_moves": "pass"}),
    ("fetaix", {"midchain_promotion": "promote_and_stop", "max_capture": "most_pieces", "no_progress_limit": 4}),
    ("fetaix", {"mullah_landing": "must_continue", "repetition": "threefold_draw", "no_progress_limit": 12}),
    ("awithlaknannai_mosona", {"no_moves": "pass", "repetition": "threefold_draw", "no_progress_limit": 5}),
    ("awithlaknannai_mosona", {"no_moves": "majority", "leap": "straight", "chain_may_return_to_start": False}),
    ("alquerque_murray", {"repetition": "threefold_draw", "no_progress_limit": "off", "no_moves": "draw"}),
]

LINES, LINES_OF_HUNTS = 3000, 200
"""So many lines of play are looked at, about: flying kings and drops have more, and hunts a slow evaluation."""


def shuffle_about(match, rng, steps):
    """Plays some steps to and fro, so that positions occur again."""
    for _ in range(steps):
        quiet = [step for step in match.legal_steps if not step.captured] or list(match.legal_steps)
        if len(match.steps) >= 2 and rng.random() < 0.8:
            mine = match.steps[-2]
            quiet = [s for s in quiet if (s.origin, s.target) == (mine.target, mine.origin)] or quiet
        match.push(rng.choice(quiet))
        if match.is_over:
            match.pop()
            return


def played_score(match, actions, depth):
    """What a line of play comes to, for the player to move at its begin."""
    ahead = match.copy()
    ply = 0
    for action in actions:
        before = ahead.player
        ahead.push(action)
        ply += ahead.player != before
    if ahead.is_over and ahead.outcome.winner is not None:
        score = WIN - ply
        return score if ahead.outcome.winner == match.player else -score
    if ahead.is_over:
        return 0
    assert ply >= depth, "the line ends before its depth"
    return static_score(ahead) * (1 if ahead.player == match.player else -1)


@first_by_default
@pytest.mark.parametrize(
    ("name", "options"),
    few_first([*((name, {}) for name in games() if is_fast(name)), *VARIANTS]),
    ids=lambda value: str(value)[:60],
)
def test_the_score_is_that_of_looking_at_everything(name, options):
    game = load_game(name, **options)
    rng = random.Random(f"{name} {options}")
    most = LINES_OF_HUNTS if game.has_roles or game.schedule else LINES
    for trial in range(12):
        match = some_position(game, rng)
        if options.get("repetition") and trial % 2:
            shuffle_about(match, rng, 10)
        depth = 1 + trial % 4
        while depth > 1 and len(match.legal_steps) ** depth > most:
            depth -= 1
        found = ab(game, depth).analyse(match)
        assert found.score == minimax(match.copy(), depth), (match.position, match.turns, depth, found)
        assert found.depth == depth or abs(found.score) > SURE


@pytest.mark.parametrize("options", [{}, {"chain": "single", "centre_safe": False}], ids=str)
def test_captures_by_flanking_are_followed_until_the_position_is_quiet(options):
    game = load_game("seega_5x5", **options)
    for position in ("W:Wc2,d2,c4:Bb2,c3,a4,e4,a5,d5", "W:Wa1,c1,d4:Ba2,c2,e4", "B:Wb1,d1,b2,c2,a5,b5:Bc1,a2"):
        match = Match(game, position)
        assert ab(game, 1).analyse(match).score == minimax(match.copy(), 1), position


REPETITION = {"repetition": "threefold_draw", "no_progress_limit": 12, "capture": "compulsory"}
CLOCK = {"repetition": "threefold_draw", "no_progress_limit": 10, "no_moves": "pass"}
TO_AND_FRO = "e5-e4 c1-d1 e4-e5 d1-c1 e5-e4"
LATE = {"repetition": "threefold_draw", "no_progress_limit": 1000}
NEEDS_NUMBA = pytest.mark.skipif(not JIT, reason="long without Numba")


@pytest.mark.parametrize(
    ("name", "options", "position", "turns", "depth"),
    [
        # It went wrong when a leap in a chain counted as a turn, or when the table took bounds for scores.
        ("awithlaknannai_mosona", {}, "W:Wg2:Bb1,d3,f3,j3:H46", "", 2),
        ("awithlaknannai_mosona", {}, "B:Wb1,l1,b3,n3:Bk2,h3", "", 2),
        ("alquerque", {}, "B:Wb1,e1,b2:Bc3,d3,c4,d5", "", 2),
        ("alquerque_murray", {}, "B:Wb5:Bc2,c4", "", 4),
        ("fetaix", {}, "B:WKa2,Ka5,Ke5:BKb1,Kc1,Kb3,Kc5:H77", "", 3),
        ("awithlaknannai_mosona_davis", {}, "W:We2,i2,m2,o2,h3:Bn3:H48", "", 4),
        # It went wrong when its table forgot which positions had occurred twice, or what the clock was.
        pytest.param("awithlaknannai_mosona", CLOCK, "W:Wb1,b3:Bd3", "b1-a2", 7, marks=NEEDS_NUMBA),
        pytest.param("alquerque_alfonso_x", REPETITION, "W:We5:Bc1,d2", TO_AND_FRO, 7, marks=NEEDS_NUMBA),
        # In the middle of a chain.
        ("fetaix", {**REPETITION, "chain": "optional"}, "W:Wa1,e1:Bb2,b3,e5:H7", "a1xc3", 3),
        # The clock before the chain is larger than the room for the positions after it.
        ("alquerque_murray", LATE, "W:Wa1,e1:Bb2,b3,e5:H150", "a1xc3", 2),
    ],
)
def test_the_score_is_that_of_minimax_where_it_once_was_not(name, options, position, turns, depth):
    match = Match(load_game(name, **options), position)
    for turn in turns.split():
        match.push(turn)
    assert ab(match.game, depth).analyse(match).score == minimax(match.copy(), depth, prune=True)
    assert load_bot("mcts:20", match.game, seed=1).choose(match) in match.legal_steps


@pytest.mark.parametrize("name", few_first((name,) for name in games() if is_fast(name)))
def test_the_line_is_worth_the_score_and_is_written_in_whole_turns(name):
    rng = random.Random(name)
    game = load_game(name)
    for _ in range(10):
        match = some_position(game, rng)
        found = ab(game, 1).analyse(match)
        ahead = match.copy()
        for turn in found.best.line:
            ahead.push(turn)
        actions = [step.action for step in ahead.steps[len(match.steps) :]]
        if "@" in found.best.line[0][1:]:
            continue  # a depth is a ply of the schedule, and the turn has several
        assert found.score == played_score(match, actions, 1), match.position


def test_a_sure_win_takes_as_many_turns_as_said():
    wins = 0
    for name in ("alquerque", "fetaix", "awithlaknannai_mosona_davis"):
        game, rng = load_game(name), random.Random(11)
        for _ in range(25):
            match = some_position(game, rng)
            score = ab(game, 5).analyse(match).score
            if abs(score) < SURE or WIN - abs(score) > 5:
                continue
            wins += 1
            winner = match.player if score > 0 else 1 - match.player
            bots = ab(game, 6, seed=2), ab(game, 6, seed=3)
            turns = len(match.turns)
            while not match.is_over:
                match.push(bots[match.player].choose(match))
            assert match.outcome.winner == winner
            assert len(match.turns) - turns == WIN - abs(score)
    assert wins > 10


def test_the_rest_of_a_turn_is_planned_for_its_own_position_alone():
    game = load_game("alquerque")
    bot, match = ab(game, 3), Match(game, "W:Wa1,e1:Bb2,d2,b3,d3,e5")
    match.push(bot.choose(match))
    assert match.chain is not None
    other = Match(game, "W:Wa1,d1:Bb2,b3,d3,e5")
    other.push("a1xc3")
    assert bot.choose(other) in other.legal_steps
    assert bot.choose(match) in match.legal_steps


def test_equals_are_chosen_among_by_the_seed():
    game = load_game("alquerque_alfonso_x")
    match = Match(game, "W:Wb1,d1:Ba5,e5")
    chosen = [str(ab(game, 1, seed).choose(match)) for seed in range(20)]
    assert chosen == [str(ab(game, 1, seed).choose(match)) for seed in range(20)]
    assert len(set(chosen)) > 1


def test_an_interrupted_search_leaves_the_bot_usable():
    match = Match(load_game("fetaix"))
    bot = ab(match.game, 99)
    ab(match.game, 1).choose(match)
    timer = threading.Timer(0.3, interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bot.choose(match)
    timer.join()
    bot.time_limit = 0.1
    assert bot.choose(match) in match.legal_steps
