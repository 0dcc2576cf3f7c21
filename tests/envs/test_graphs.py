"""Positions as graphs beside `tests/graph_reference.py`, which follows `docs/graphs.md`, in every environment."""

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from alquerque_env import Match, SelfPlayVectorEnv, games, load_game
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.engine.graph_form import COUNTS, POSITION_LINK_FACTS, POSITION_POINT_FACTS, GraphForm
from alquerque_env.envs.aec import AGENTS, raw_env
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.errors import AlquerqueError, IllegalStepError, PositionError
from alquerque_env.game.game import Game
from alquerque_env.game.graph import LINK_FACTS, POINT_FACTS, RULE_FACTS
from tests.all_forms import assert_equal, random_position, ref_step
from tests.chosen_steps import random_match
from tests.envs.drawn import assert_alike, draw
from tests.graph_reference import GraphReference
from tests.grid_games import write_grid
from tests.option_values import CORE, Variants
from tests.own_games import write_hunt
from tests.random_games import game_text, random_game, random_options
from tests.reference import RefMatch

POINTS, LINKS, FACTS = (
    (*POSITION_POINT_FACTS, *POINT_FACTS),
    (*POSITION_LINK_FACTS, *LINK_FACTS),
    (*RULE_FACTS, *COUNTS),
)
SIZES = {"max_points": 64, "max_links": 1100}


class Compared:
    """Matches of a game in the environment and in the reference."""

    def __init__(self, game: Game) -> None:
        self.game, self.expected, self.env = game, GraphReference(game), raw_env(game, observation="graph")
        self.rng = np.random.default_rng(0)

    def play(self, steps: int, position: str | None = None) -> None:
        """Compares the positions of random steps, of captures where a position is given, with the last one."""
        self.env.reset(options={"position": position})
        match, reference = Match(self.game, position), self.expected.reference
        other = RefMatch(reference, None if position is None else reference.parse(position))
        for _ in range(steps):
            self.compare(other, match.position)
            if match.is_over:
                return
            captures = [step for step in match.legal_steps if step.captured and position is not None]
            chosen = captures or match.legal_steps
            step = chosen[self.rng.integers(len(chosen))]
            self.env.step(step.action)
            match.push(step)
            other.push(ref_step(step))

    def play_from_anywhere(self, positions: int, steps: int) -> None:
        """Compares random positions and the steps from them, as far as the game has such positions."""
        for _ in range(positions):
            position = random_position(self.game, self.rng)
            try:
                if Match(self.game, position).is_over:
                    continue
            except PositionError:  # a man on its promotion points, for one
                continue
            self.play(steps, position)

    def compare(self, match: RefMatch, position: str) -> None:
        """Compares what both players see."""
        for player, agent in enumerate(AGENTS):
            seen, expected = self.env.observe(agent)["observation"], self.expected.graph(match, player)
            assert self.env.observation_space(agent)["observation"].contains(seen), position
            roles = np.zeros_like(seen["roles"])
            for link, points in enumerate(expected.roles):
                roles[link, list(points)] = list(points.values())
            assert_equal(seen["roles"], roles, position)
            for kind, names in (("points", POINTS), ("links", LINKS), ("facts", FACTS)):
                known: dict[str, Any] = getattr(expected, kind)
                numbers = np.array([known[name] for name in names]).T
                is_close = np.isclose(seen[kind], numbers, atol=1e-6)
                assert seen[kind].shape == numbers.shape, kind
                wrong = [
                    name for name, fits in zip(names, is_close.reshape(-1, len(names)).T, strict=True) if not fits.all()
                ]
                assert not wrong, (self.game, agent, position, wrong)
        self._compare_memory(match, position)

    def _compare_memory(self, match: RefMatch, position: str) -> None:
        """A step of men that only memory forbids is one that memory can forbid."""
        state, reference = match.state, self.expected.reference
        if state.memory:
            banned = {*reference.simple_steps(state._replace(memory=frozenset()))} - {*reference.simple_steps(state)}
            links = self.env.observe(AGENTS[state.player])["observation"]["links"]
            for step in banned:
                link = self.expected.links[state.player][self.expected.turned(state.player, step)]
                assert links[link, LINKS.index("may_be_forbidden")], (position, step)


def check(game: Game, steps: int, positions: int) -> None:
    """Compares a random match and some random positions; fewer on large boards, whose graphs take long."""
    compared = Compared(game)
    compared.play(steps if not game.board.is_wide else 8)
    compared.play_from_anywhere(positions if not game.board.is_wide else 1, 4)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in CORE else pytest.mark.slow) for name in games()]
)
def test_graphs_have_the_facts_that_the_page_says(name: str) -> None:
    check(load_game(name), 15, 4)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "alquerque",
            {"undo_scope": "never_revisit", "capture_removal": "end_of_turn", "repetition": "threefold_draw"},
        ),
        ("alquerque", {"last_rank_frozen": True, "man_capture_dirs": "first_leap_forward_sideways"}),
        ("fetaix", {"chain": "single", "mullah_lines": "long_diagonals", "opening": "straight_only"}),
        ("awithlaknannai_mosona", {"leap": "drawn_line", "chain": "optional", "chain_may_return_to_start": False}),
        ("draughts_english", {"midchain_promotion": "only_if_turn_ends_there", "no_progress_limit": 300}),
        ("fanorona", {}),  # approach and withdrawal, chains that must turn
        ("seega_5x5", {"chain": "compulsory"}),  # flanking
        ("rimau", {}),  # rows, removals
        ("tuknanavuhpi", {"shrink_sides": "all"}),
    ],
    ids=str,
)
def test_graphs_have_the_facts_under_options_too(name: str, options: dict[str, Any]) -> None:
    check(load_game(name, **options), 4, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORE)
def test_graphs_have_the_facts_under_every_value_of_an_option(name: str) -> None:
    for game in Variants(name, "new", (0, 1)):
        check(game, 4, 3)


DRAWN = {
    8: "men that stand on points of promotion, and kings beside captures by approach and withdrawal",
    103: "an opening rule on a board that looks different from both sides",
    216: "men that are promoted in the middle of a chain",
    282: "flanking on circles",
    2708: "flanking by steps of any distance, by one side",
}
"""Games drawn at random that have what no game of the package has."""


@pytest.mark.parametrize("seeds", [DRAWN, pytest.param(range(300), marks=pytest.mark.slow)], ids=["few", "many"])
def test_graphs_of_games_drawn_at_random_have_the_facts(seeds: Iterable[int], tmp_path: Path) -> None:
    count = 0
    for seed in seeds:
        tables, file = random_game(seed), tmp_path / f"game{seed}.toml"
        file.write_text(game_text(tables), encoding="utf-8")
        try:
            game = load_game(file, **random_options(tables, seed))
        except AlquerqueError:  # many draws contradict themselves
            assert seed not in DRAWN
            continue
        check(game, 10, 2)
        count += 1
    assert count == 5 or count > 40


def test_graphs_of_own_games_from_files_have_the_facts(tmp_path: Path) -> None:
    check(load_game(write_hunt(tmp_path, "3 times: first drops, second moves", goal="b3")), 12, 3)
    large = load_game(write_grid(tmp_path, 8, 8, promotion="none"))
    assert large.board.is_wide
    check(large, 4, 1)


# Environments


def test_the_environments_of_one_match_show_the_same_graphs_and_take_the_same_actions() -> None:
    game, arguments = load_game("high_jump"), {"observation": "graph", **SIZES}
    *_, match = random_match(game, 0)
    actions = [step.action for step in match.steps]
    raw, batch = raw_env(game, **arguments), SelfPlayVectorEnv(game, 2, **arguments)
    raw.reset()
    seen, _ = batch.reset(seed=0)
    versus = gymnasium.make(
        "alquerque/Game-v0", game=game, seat=1, opponent=lambda asked: actions[len(asked.steps)], **arguments
    )
    alone, info = versus.reset()
    assert versus.observation_space.contains(alone)
    for step in match.steps:
        action = SIZES["max_links"] if step.is_pass else step.action
        shown = raw.observe(raw.agent_selection)
        assert_alike({name: array[1] for name, array in seen.items()}, shown["observation"])
        if raw.agent_selection == AGENTS[1]:
            assert_alike((alone, info["action_mask"]), (shown["observation"], shown["action_mask"]))
            alone, reward, _, _, info = versus.step(action)
        raw.step(action)
        seen, *_ = batch.step(np.full(2, action))
    assert raw.rewards[AGENTS[1]] == reward
    assert {step.is_pass for step in match.steps[1::2]} == {True, False}


BATCHES = {
    "against": partial(VersusVectorEnv, 4, "high_jump", opponent="greedy"),
    "self-play": partial(SelfPlayVectorEnv, "seega_5x5", 4),
}
"""Batches of games in which a player may pass."""


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("kind", BATCHES)
def test_batches_show_padded_graphs_of_all_matches_and_take_their_actions(kind: str, mode: str) -> None:
    arguments = {"autoreset_mode": mode, "max_cycles": 40}
    plain, padded = BATCHES[kind](**arguments), BATCHES[kind](**arguments, observation="graph", **SIZES)
    form, rng = GraphForm(plain.game, **SIZES), np.random.default_rng(0)
    one, other = plain.reset(seed=3), padded.reset(seed=3)
    passes, ends = 0, 0
    for _ in range(60):
        assert_alike(other[0], form(one[0]))
        assert padded.observation_space.contains(other[0])
        mask, wide = one[-1]["action_mask"], other[-1]["action_mask"]
        assert_equal(wide[:, : mask.shape[1] - 1], mask[:, :-1])
        assert_equal(wide[:, -1], mask[:, -1])
        assert not wide[:, mask.shape[1] - 1 : -1].any()
        assert padded.single_action_space.n == wide.shape[1] == SIZES["max_links"] + 1
        if "final_obs" in one[-1] and one[-1]["_final_obs"].any():
            ends += 1
            assert_alike(other[-1]["final_obs"], form(one[-1]["final_obs"]))
        actions = draw(mask + 3 * mask * (np.arange(mask.shape[1]) == mask.shape[1] - 1), rng)
        if kind == "self-play":
            actions = plain.sample_actions()
        last = actions == mask.shape[1] - 1
        wider = np.where(last, SIZES["max_links"], actions)
        if kind == "self-play":
            assert_equal(padded.sample_actions(), wider)
        passes += int(last.sum())
        one, other = plain.step(actions), padded.step(wider)
        for known, found in zip(one[1:4], other[1:4], strict=True):
            assert_equal(found, known)
    assert passes
    assert ends or mode == "NextStep"
    if kind == "self-play":
        assert_alike(padded.set_state(padded.get_state())[0], other[0])


# Padding


def test_padded_graphs_are_zero_but_for_the_game() -> None:
    game = load_game("high_jump")
    plain, padded = raw_env(game, observation="graph"), raw_env(game, observation="graph", **SIZES)
    links, points = game.num_actions - 1, len(game.board.points)
    passes = 0
    for seed in range(2):
        plain.reset()
        padded.reset()
        *_, match = random_match(game, seed)
        for step in match.steps[:60]:
            agent = plain.agent_selection
            small, large = plain.observe(agent), padded.observe(agent)
            for name, array in small["observation"].items():
                wide = large["observation"][name]
                rows, columns = (*array.shape, None)[:2]
                assert_equal(wide[:rows, :columns] if array.ndim == 2 else wide, array)
                assert np.count_nonzero(wide) == np.count_nonzero(array)
            assert large["observation"]["roles"].shape == (SIZES["max_links"], SIZES["max_points"]) > (links, points)
            assert_equal(np.append(large["action_mask"][:links], large["action_mask"][-1]), small["action_mask"])
            assert large["action_mask"].sum() == small["action_mask"].sum()
            plain.step(step.action)
            padded.step(SIZES["max_links"] if step.is_pass else step.action)
            passes += step.is_pass
            assert padded.position == plain.position
    assert passes


@pytest.mark.parametrize("name", ["high_jump", "fetaix"])  # with a pass and without
def test_actions_that_a_padded_game_does_not_have_are_illegal(name: str) -> None:
    game = load_game(name)
    arguments: dict[str, Any] = {"observation": "graph", **SIZES}
    single, versus = raw_env(game, **arguments), VersusEnv(game, seat=0, **arguments)
    batch, many = SelfPlayVectorEnv(game, 2, **arguments), VersusVectorEnv(2, game, seat=0, **arguments)
    for action in (game.num_actions - (None in game.actions), game.num_actions, SIZES["max_links"], -1):
        single.reset()
        batch.reset()
        with pytest.raises(IllegalStepError, match=f"action {action} is not legal"):
            single.step(action)
        with pytest.raises(IllegalStepError, match=f"action {action} of match 1 is not legal"):
            batch.step(np.array([batch.sample_actions()[0], action]))
        versus.reset(seed=0)
        assert versus.step(action)[1:4] == (-1.0, True, False)
        _, info = many.reset(seed=0)
        _, rewards, terminated, *_ = many.step(np.array([info["action_mask"][0].argmax(), action]))
        assert (rewards.tolist(), terminated.tolist()) == ([0.0, -1.0], [False, True])


def test_bots_answer_with_the_actions_of_padded_graphs() -> None:
    game, match = load_game("high_jump"), None
    for match in random_match(game, 0):
        if match.chain is not None:
            break
    assert match is not None
    assert match.legal_steps[-1].is_pass

    def pass_on(seen: dict[str, np.ndarray], mask: np.ndarray) -> int:
        assert seen["links"].shape[0] + 1 == len(mask) == SIZES["max_links"] + 1
        return int(np.flatnonzero(mask)[-1])

    assert PolicyBot(game, pass_on, observation="graph", **SIZES).choose(match).is_pass


@pytest.mark.parametrize("sizes", [{"max_points": 24}, {"max_links": 511}, {"max_points": 40, "max_links": 5}])
def test_a_game_that_is_too_large_is_refused_with_both_figures(sizes: dict[str, int]) -> None:
    told = f"25 points and 512 links, more than max_points={sizes.get('max_points', 25)}"
    with pytest.raises(AlquerqueError, match=f"{told} and max_links={sizes.get('max_links', 512)}"):
        raw_env("fetaix", observation="graph", **sizes)
    raw_env("fetaix", observation="graph", max_points=25, max_links=512)


def test_tensors_and_sizes_of_other_forms_are_refused() -> None:
    with pytest.raises(AlquerqueError, match=re.escape("do not go with observation='planes'")):
        raw_env("fetaix", max_points=30)
    pytest.importorskip("torch")
    with pytest.raises(AlquerqueError, match=re.escape("observation='graph' gives NumPy arrays, not tensors")):
        SelfPlayVectorEnv("fetaix", 2, observation="graph", backend="torch")
