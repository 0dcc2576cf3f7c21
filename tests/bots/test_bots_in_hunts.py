"""Bots in games whose sides differ, and where a schedule lets a player go on without a chain."""

import random
from pathlib import Path

import pytest

from alquerque_env import Match, load_bot, load_game
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied
from alquerque_env.search import SearchFeatures
from alquerque_env.search.puct import Position, decide
from alquerque_env.search.quiescence import EVEN
from alquerque_env.search.static_evaluation import evaluate_one, evaluation_features
from tests.minimax import WIN, ab, minimax, played_position
from tests.own_games import write_hunt

CAUGHT_IN_FIVE = "B:Wd1:Ba1,c1,d2,e2,c3,d3,e3,b4,c4,a5,b5,e5"


def blind(position: Position) -> tuple[list[float], float]:
    """Takes all steps for equal, and all positions too."""
    count = len(position.actions)
    return [1 / count] * count, 0.0


def double_turns(folder: Path) -> Game:
    """North drops twice, South removes once and moves, twice over."""
    return load_game(write_hunt(folder, "2 times: first drops 2, second removes, second moves"))


def test_the_score_counts_each_ply_of_a_turn_of_several(tmp_path: Path) -> None:
    game = double_turns(tmp_path)
    rng = random.Random(0)
    for trial in range(20):
        match = played_position(game, rng)
        depth = 1 + trial % 4
        assert ab(game, depth).analyse(match).score == minimax(match.copy(), depth, prune=True), match.position


def test_a_turn_of_two_drops_is_searched_to_its_depth_in_plies(tmp_path: Path) -> None:
    match = Match(double_turns(tmp_path))
    found = ab(match.game, 1).analyse(match)
    assert found.nodes <= len(match.legal_steps)  # whole turns would be eight times as many
    assert len(found.best.line) == 1
    match.push(found.best.line[0])  # the line is written in whole turns
    assert not match.turn_goes_on


@pytest.mark.parametrize("spec", ["alphabeta:4", "mcts:16", "puct:300"])
def test_every_search_knows_whose_plies_follow_each_other(spec: str, tmp_path: Path) -> None:
    """North drops two goats and South removes both, so that every line is lost for North."""
    match = Match(load_game(write_hunt(tmp_path, "first drops 2, second removes 2")))
    kind, _, number = spec.partition(":")
    for value in (-1, -1, 1, 1):
        if kind == "puct":
            assert decide(Position.of(match), blind, int(number)).value * value > 0.5
        else:
            assert load_bot(spec, match.game, seed=0).analyse(match).value == value
        match.push(match.legal_steps[0])
    assert match.is_over


@pytest.mark.parametrize("spec", ["greedy", "alphabeta:2", "mcts:16"])
def test_a_bot_plays_drops_removals_and_double_turns_to_the_end(spec: str, tmp_path: Path) -> None:
    game = double_turns(tmp_path)
    match, bots = Match(game), [load_bot(name, game, seed=1) for name in (spec, "random")]
    while not match.is_over:
        match.push(bots[match.player].choose(match))
    assert match.outcome is not None


@pytest.mark.parametrize("seed", [0, 1])
def test_hunters_see_how_the_hare_is_caught_and_catch_it(seed: int) -> None:
    """They need five turns, whatever the hare does; the evaluation alone does not know."""
    match = Match("catch_the_hare", CAUGHT_IN_FIVE)
    hunters, hare = load_bot("alphabeta:5", match.game, seed=seed), load_bot("random", match.game, seed=seed)
    assert hunters.analyse(match).score == WIN - 5
    while not match.is_over:
        match.push((hare, hunters)[match.player].choose(match))
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.reason) == (1, "blocked")
    assert len(match.steps) <= 5


@pytest.mark.parametrize(
    ("name", "better", "worse"),
    [
        ("catch_the_hare", "W:Wc3:Ba1,b1,c1,d1,e1,a2,b2,d2,e2,a3", "W:Wa5:Bb5,b4,c3,d1,e1,a2,b2,d2,e2,a3"),
        ("bagh_chal", "W:Wa1,c3,e3,c5:Bb1,c1,a2,d5:D0,14", "W:Wa1,c3,e3,c5:Bb1,c1,a2,d5:D0,15"),
        (
            "indian_and_jackrabbits_tiwa",
            "B:Wc3:Ba2,e3,a4,b4,c4,d4,e4,a5,b5,c5,d5,e5",
            "B:Wc3:Ba3,e3,a4,b4,c4,d4,e4,a5,b5,c5,d5,e5",
        ),
    ],
)
def test_the_evaluation_prefers_what_is_nearer_to_the_end(name: str, better: str, worse: str) -> None:
    """A hare in the open, a goat less in hand for tigers, a rabbit on its way."""
    assert evaluated(load_game(name), better) > evaluated(load_game(name), worse)


@pytest.mark.parametrize("name", ["adugo", "indian_and_jackrabbits_tiwa", "tiger_and_buffaloes"])
def test_the_start_of_a_hunt_counts_as_even(name: str) -> None:
    game = load_game(name)
    assert evaluated(game, Match(game).position) == 0


def evaluated(game: Game, position: str) -> int:
    match = Match(game, position)
    features = evaluation_features(game)
    return int(evaluate_one(game.table.words, copied(game.table.words, match.state), features))


def test_a_drop_gains_nothing_and_a_removal_is_no_capture_to_wait_for(tmp_path: Path) -> None:
    match = Match(double_turns(tmp_path))
    features = SearchFeatures(match.game)
    for _ in range(3):  # two drops, then a removal
        codes = features(match.observation()[None])[0]
        swing = {int(codes[step.action]) - EVEN for step in match.legal_steps}
        assert swing == ({1} if match.legal_steps[0].captured else {0})
        match.push(match.legal_steps[0])
