"""The bot of a checkpoint and its search: signs, exact ends, ties, repetition, and every way to be refused."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from alquerque_training.checkpoints.checkpoint import CheckpointError, make_meta, save_checkpoint
from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot
from alquerque_training.networks import Shape, build_network
from alquerque_training.run.config_file import parse_config

from alquerque_env import Match, load_game
from alquerque_env.errors import BotError
from alquerque_env.game.planes import planes
from alquerque_env.search.puct import MAX_SIMULATIONS, Position, decide
from tests.drawn_matches import matches
from tests.sets import first_by_default
from tests.training.random_checkpoints import save_random_checkpoint

REPEATING = {"repetition": "threefold_draw", "no_progress_limit": "40"}


@dataclass
class Tree:
    """A made-up game: who is to move, what each action leads to, or how it has ended."""

    player: int = 0
    children: "Sequence[Tree]" = ()
    result: int | None = None
    value: float = 0.0
    evaluations: list[int] = field(default_factory=list)

    @property
    def actions(self) -> tuple[int, ...]:
        return tuple(range(len(self.children)))

    def after(self, action: int) -> "Tree":
        return self.children[action]


def ended(result: int) -> Tree:
    return Tree(result=result)


def evenly(position: Tree) -> tuple[list[float], float]:
    """A policy without preferences, and the value that the position carries."""
    position.evaluations.append(1)
    return [1 / len(position.children)] * len(position.children), position.value


def random_tree(rng: random.Random, depth: int) -> Tree:
    """A game in which nobody knows who is to move next."""
    if depth == 0 or rng.random() < 0.1:
        return ended(rng.choice([-1, 0, 1]))
    return Tree(rng.randrange(2), [random_tree(rng, depth - 1) for _ in range(rng.randint(2, 3))])


def minimax(tree: Tree) -> int:
    if tree.result is not None:
        return tree.result
    return (max if tree.player == 0 else min)(minimax(child) for child in tree.children)


@pytest.mark.parametrize(
    ("exploration", "depth", "trees"),
    [(1.5, 3, 8), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((1.5, 4, 60), (0.3, 3, 60)))],
)
def test_many_simulations_find_the_best_action_with_any_order_of_players(
    exploration: float, depth: int, trees: int
) -> None:
    """The less a search explores, the longer it stays with what seemed best.

    With 0.3 and trees of depth 4, one of 56 is decided wrongly after 30,000 simulations still.
    """
    rng = random.Random(5)
    for _ in range(trees):
        tree = random_tree(rng, depth)
        if tree.result is not None:
            continue
        sign = 1 if tree.player == 0 else -1
        decision = decide(tree, evenly, 3000, exploration=exploration)
        assert minimax(tree.children[decision.action]) == minimax(tree)
        assert decision.value == pytest.approx(sign * minimax(tree), abs=0.4)


def test_without_simulations_the_policy_decides_and_equals_fall_to_the_lowest_action() -> None:
    tree = Tree(1, [ended(1), ended(-1), ended(-1)], value=0.3)

    assert decide(tree, evenly, 0) == (0, (1 / 3, 1 / 3, 1 / 3), 0.3)
    assert decide(tree, lambda _: ((0.2, 0.4, 0.4), 0.0), 0).action == 1
    assert decide(tree, lambda _: ((0.2, 0.4, 0.4 + 1e-12), 0.0), 0).action == 1
    assert decide(tree, lambda _: ((0.2, 0.4, 0.41), 0.0), 0).action == 2


def test_every_simulation_is_counted_once() -> None:
    tree = Tree(0, [Tree(1, [ended(0)] * 2), Tree(0, [ended(0)] * 2), ended(0)])

    for simulations in (1, 2, 7, 50):
        decision = decide(tree, evenly, simulations)
        assert sum(decision.policy) == pytest.approx(1)
        assert all(float(share * simulations).is_integer() for share in decision.policy)


def test_steps_without_a_choice_are_not_evaluated() -> None:
    choice = Tree(0, [ended(1), ended(-1)], value=0.5)
    forced = Tree(1, [Tree(0, [choice])])
    root = Tree(0, [forced, ended(0)])

    decide(root, evenly, 1)

    assert (len(root.evaluations), len(forced.evaluations), len(choice.evaluations)) == (1, 0, 1)


def test_a_forced_line_without_end_does_not_hold_the_search_up() -> None:
    loop = Tree(0)
    loop.children = [loop]

    assert decide(Tree(1, [loop, ended(1)]), evenly, 20).action == 0


OPTIONS = [
    ("alquerque", {}),
    ("alquerque", {"undo_scope": "never_revisit", "no_progress_limit": "30"}),
    ("fetaix", REPEATING),
    ("alquerque_murray", REPEATING),
    ("alquerque_alfonso_x", {"no_moves": "pass", "no_progress_limit": "off", "repetition": "threefold_draw"}),
    ("awithlaknannai_mosona", {"capture": "optional"}),
]


@first_by_default
@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_positions_of_the_search_are_those_of_a_match_with_its_history(name: str, options: dict) -> None:
    game, rng = load_game(name, **options), random.Random(3)
    repeated = 0
    for _ in range(6):
        match = Match(game)
        position = Position.of(match)
        while not match.is_over:
            # Stepping to and fro, where that is possible, lets positions come back.
            step = rng.choice(match.legal_steps)
            back = [s for s in match.legal_steps if len(match.steps) > 1 and s.origin == match.steps[-2].target]
            step = rng.choice(back) if back and rng.random() < 0.7 else step
            match.push(step)
            position = position.after(step.action)
            fresh = Position.of(match)
            for one in (position, fresh):
                assert list(one.state) == list(match.state)
                assert one.player == match.player
                assert one.actions == tuple(legal.action for legal in match.legal_steps)
                winner = None if match.outcome is None else {0: 1, 1: -1, None: 0}[match.outcome.winner]
                assert one.result == winner
                if options.get("repetition"):
                    assert one.earlier == (match.occurrences() - 1 if match.chain is None else 0)
            repeated += position.earlier > 0
    assert repeated or not options.get("repetition")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def saved(folder: Path) -> Path:
    return save_random_checkpoint(folder / "fetaix", load_game("fetaix"))


def test_a_search_is_the_same_every_time_and_adds_up(saved: Path) -> None:
    game = load_game("fetaix")
    one, other = (load_checkpoint_bot(saved, game, 25, seed=seed) for seed in (1, 2))
    for match in matches(game, 12):
        assert one.choose(match) == other.choose(match) == one.choose(match)
        assert one.choose(match) in match.legal_steps
        policy, value = one.evaluate(match)
        assert sum(policy.values()) == pytest.approx(1)
        assert -1 <= value <= 1


def test_a_search_sees_a_win_that_the_policy_does_not(saved: Path) -> None:
    """South can capture the last piece at once, or the one in front of it; nothing but the end is worth a whole 1."""
    match = Match(load_game("fetaix", capture="optional"), position="W:Wa1,c3,Ke1:Bc4")
    path = save_random_checkpoint(saved.parent / "optional", match.game)
    bot = load_checkpoint_bot(path, match.game, 400)

    assert bot.choose(match).captured
    assert bot.evaluate(match)[1] > load_checkpoint_bot(path, match.game).evaluate(match)[1]


def test_repetition_in_the_match_reaches_the_network_and_the_search(folder: Path) -> None:
    game = load_game("alquerque_alfonso_x", **REPEATING)
    bot = load_checkpoint_bot(save_random_checkpoint(folder / "repeating", game), game)
    fresh, repeated = (Match(game, position="W:Wa1:Be5") for _ in range(2))
    for step in ("a1-b1", "e5-d5", "b1-a1", "d5-e5"):
        repeated.push(step)

    assert repeated.position.partition(":H")[0] == fresh.position
    before = bot.evaluate(Match(game, position=repeated.position))
    assert bot.evaluate(repeated) != before


def test_a_network_for_other_observations_is_refused(tmp_path: Path) -> None:
    game = load_game("alquerque")
    config = parse_config({"network": {"width": 4, "blocks": 0}}, "test")
    shape = Shape(planes=3, points=25, actions=game.num_actions)
    network = build_network(config.network, shape, torch.ones(3), torch.Generator())
    save_checkpoint(tmp_path / "old", make_meta(game, network, config, steps=0, wall_time=0, strength=[]), network)

    with pytest.raises(CheckpointError, match=f"shape is .*planes=3.*, this game has .*planes={len(planes(game))}"):
        load_checkpoint_bot(tmp_path / "old", game)


@pytest.mark.parametrize("simulations", [-1, MAX_SIMULATIONS + 1, 1.5, "3", True])
def test_impossible_simulations_are_refused(saved: Path, simulations: object) -> None:
    with pytest.raises(BotError, match="expected a whole number from 0 to"):
        load_checkpoint_bot(saved, load_game("fetaix"), simulations)
