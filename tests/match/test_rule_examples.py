"""Examples of the rules: what each shows is true by the engine and by the reference, in every game."""

import re

import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.game.game import Game
from alquerque_env.match.rule_examples import RuleExample, rule_examples
from alquerque_env.web.game_answers import example_picture
from tests.reference import Reference, RefState
from tests.sets import first_by_default

CHOSEN = ("fetaix", "alquerque", "fanorona", "bagh_chal")
"""Games in the default tests: promotion, memory, rows, drops and roles."""
GAMES = [name if name in CHOSEN else pytest.param(name, marks=pytest.mark.slow) for name in games()]

FEWEST = 3
"""Kinds of examples that every game has: the start, a step, a capture."""


def kind_of(example: RuleExample) -> str:
    return re.sub("_(south|north)$", "", example.name)


def turn_of(match: Match, example: RuleExample) -> list[object]:
    """The steps of an example, played on a match from its position."""
    played = []
    for text in example.turn:
        (step,) = (step for step in match.legal_steps if step.text == text)
        played.append(step)
        match.push(step)
    return played


def ref_targets(game: Game, match: Match, origin: int) -> set[tuple[int | None, bool]]:
    """Where a piece may go by the reference, and whether it captures on the way."""
    picture, quiet = match.picture(), re.search(r":H(\d+)", match.position)
    men, kings = (
        tuple(frozenset(at for at, piece in picture.pieces.items() if piece == (player, king)) for player in (0, 1))
        for king in (False, True)
    )
    state = RefState(men=men, kings=kings, player=match.player, quiet=int(quiet[1]) if quiet else 0)
    legal = Reference(game).legal(state)
    return {(step.target, step.victim is not None) for step in legal if step.origin == origin}


@pytest.mark.parametrize("name", GAMES)
def test_every_example_shows_what_it_says(name: str) -> None:
    game = load_game(name)
    labels = game.board.labels
    examples = rule_examples(game)
    assert examples[0].name == "start"
    assert len(examples) >= FEWEST
    assert len({example.name for example in examples}) == len(examples)
    for example in examples:
        match = Match(game, position=example.position)
        before, kind = match.picture(), kind_of(example)
        mover = match.player
        assert example.name.endswith(("_south", "_north")[mover]) or kind == example.name
        if kind in ("step", "king_step", "compulsory"):
            assert before.pieces[example.origin] == (mover, kind == "king_step") or kind == "compulsory"
            offered = {
                (step.target, bool(step.captured)) for step in match.legal_steps if step.origin == example.origin
            }
            assert {captures for _, captures in offered} == {kind == "compulsory"}
            picture = example_picture(game, example)
            assert set(picture.targets) == {target for target, _ in offered}
            if not game.schedule and "U" not in match.position.split(":", 3)[-1]:
                assert ref_targets(game, match, example.origin) == offered
        if kind == "compulsory":
            assert {step.origin for step in match.legal_steps} == {example.origin}
            assert sum(player == mover for player, _ in before.pieces.values()) > 1
        steps = turn_of(match, example)
        if steps:
            after = match.picture()
            assert before.pieces[steps[0].origin] == (mover, kind in ("king_capture",)) or kind == "chain"
            captured = [point for step in steps for point in step.captured]
            for point in captured:
                assert before.pieces[point][0] == 1 - mover
                assert labels[point] in example.sentence or kind in ("chain", "promotion")
            if kind in ("capture", "king_capture", "chain"):
                assert all(step.captured for step in steps)
                assert (len(steps) > 1) == (kind == "chain")
                assert example_picture(game, example).captured == tuple(captured)
            if kind == "promotion":
                assert after.pieces[steps[-1].target] == (mover, True)
                assert f"reaches {labels[steps[-1].target]} " in example.sentence


@pytest.mark.parametrize("name", GAMES)
def test_examples_cover_the_rules_of_the_game(name: str) -> None:
    game = load_game(name)
    kinds = {kind_of(example) for example in rule_examples(game)}
    assert kinds >= {"step", "capture"}
    assert ("chain" in kinds) == (game.rules.chain != "single")
    assert ("promotion" in kinds) == ("king_step" in kinds) == (game.rules.promotion != "none")
    assert ("drop" in kinds) == any(game.hands)


@first_by_default
@pytest.mark.parametrize("name", CHOSEN)
def test_examples_are_small_and_always_the_same(name: str) -> None:
    examples = rule_examples(load_game(name))
    assert examples == rule_examples(load_game(name))
    few = [example for example in examples if kind_of(example) in ("capture", "king_capture")]
    assert all(len(Match(load_game(name), position=each.position).picture().pieces) <= 3 for each in few)


def test_examples_follow_the_options() -> None:
    assert "chain" not in {each.name for each in rule_examples(load_game("fetaix", chain="single"))}
    assert "compulsory" not in {each.name for each in rule_examples(load_game("alquerque", capture="optional"))}
