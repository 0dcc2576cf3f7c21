"""The forms of observations in every environment, and action masks as matrices."""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import alquerque_env
from alquerque_env import Match, SelfPlayVectorEnv, load_game
from alquerque_env.engine.observation_form import ARRAYS, ObservationForm
from alquerque_env.envs.aec import AGENTS
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.game.game import Game
from alquerque_env.game.planes import planes
from tests.chosen_steps import random_match
from tests.option_values import few_games
from tests.sets import first_by_default

with warnings.catch_warnings():  # it imports PettingZoo's games in the old way
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

every_game = pytest.mark.parametrize("name", few_games())
every_form = pytest.mark.parametrize("form", ARRAYS)
OPTIONS: dict[str, dict[str, Any]] = {
    "alquerque": {"undo_scope": "never_revisit", "capture_removal": "end_of_turn", "repetition": "threefold_draw"},
    "fetaix": {"no_progress_limit": 300, "who_starts": "player_1"},
}


def expected(match: Match, player: int, form: str) -> np.ndarray:
    """An observation in a form, point by point from the board."""
    seen = match.observation(player)
    if form == "planes":
        return seen
    if form == "flat":
        scaled = [plane / shown.maximum for plane, shown in zip(seen, planes(match.game), strict=True)]
        return np.concatenate(scaled).astype(np.float32)
    places = match.game.board.grid
    rows, columns = (1 + max(place[axis] for place in places) for axis in (1, 0))
    grid = np.zeros((len(seen) + 1, rows, columns), np.int8)
    grid[-1] = 1
    for point, (column, row) in enumerate(places):
        grid[:-1, row, column] = seen[:, point]
        grid[-1, row, column] = 0
    return grid if grid[-1].any() else grid[:-1]


def actions_of(game: Game, seed: int) -> list[int]:
    """The actions of thirty random steps."""
    *_, match = islice(random_match(game, seed), 30)
    return [step.action for step in match.steps]


@first_by_default
@every_game
@every_form
@pytest.mark.parametrize("with_options", [False, True])
def test_environments_show_the_form_that_was_asked_for(name: str, form: str, with_options: bool) -> None:
    options = OPTIONS.get(name, {}) if with_options else {}
    single = alquerque_env.env(name, observation=form, **options)
    batch = SelfPlayVectorEnv(load_game(name, **options), 3, observation=form)
    single.reset(seed=0)
    seen, _ = batch.reset(seed=0)
    match = Match(load_game(name, **options))
    for action in actions_of(match.game, 1):
        for player, agent in enumerate(AGENTS):
            shown = single.observe(agent)["observation"]
            assert shown.dtype == (np.float32 if form == "flat" else np.int8)
            assert np.array_equal(shown, expected(match, player, form))
            assert single.observation_space(agent)["observation"].contains(shown)
        assert np.array_equal(seen[1], expected(match, match.player, form))
        assert batch.observation_space.contains(seen)
        single.step(action)
        match.push(action)
        seen, *_ = batch.step(np.full(3, action))


BATCHES: dict[str, Callable[..., Any]] = {
    "against": partial(VersusVectorEnv, 6, "awithlaknannai_mosona", opponent="greedy"),
    "self-play": partial(SelfPlayVectorEnv, "fetaix", 6),
    "tensors": partial(SelfPlayVectorEnv, "fetaix", 6, backend="torch"),
    "tensors of a grid with gaps": partial(SelfPlayVectorEnv, "awithlaknannai_mosona", 6, backend="torch"),
}


@first_by_default
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@every_form
@pytest.mark.parametrize("kind", BATCHES)
def test_batches_show_ended_matches_too_in_the_form(kind: str, form: str, mode: str) -> None:
    array = pytest.importorskip("torch").from_numpy if "tensors" in kind else np.asarray
    rng = np.random.default_rng(0)
    plain, formed = (BATCHES[kind](autoreset_mode=mode, observation=each) for each in ("planes", form))
    change = ObservationForm(plain.game, form)
    one, other = plain.reset(seed=3), formed.reset(seed=3)
    ends = 0
    for _ in range(80):
        shown, found = np.asarray(other[0]), change(np.asarray(one[0]))
        assert shown.dtype == found.dtype
        assert np.array_equal(shown, found)
        assert ("final_obs" in one[-1]) == ("final_obs" in other[-1])
        if "final_obs" in one[-1] and bool(one[-1]["_final_obs"].any()):
            ends += 1
            final = change(np.asarray(one[-1]["final_obs"]))
            assert np.array_equal(np.asarray(other[-1]["final_obs"]), final)
        mask = np.asarray(one[-1]["action_mask"])
        actions = array((mask * rng.random(mask.shape)).argmax(1))
        one, other = plain.step(actions), formed.step(actions)
    assert mode == "NextStep" or ends
    if kind != "against":
        assert np.array_equal(np.asarray(formed.set_state(formed.get_state())[0]), np.asarray(other[0]))


@every_form
def test_many_observations_have_the_form_of_each(form: str) -> None:
    change, plain = ObservationForm(load_game("fetaix"), form), ObservationForm(load_game("fetaix"))
    seen = np.random.default_rng(0).integers(2, size=(2, 3, *plain.shape), dtype=np.int8)

    assert np.array_equal(change(seen), [[change(one) for one in row] for row in seen])
    assert change(seen[:, :0]).shape == (2, 0, *change.shape)


@first_by_default
@every_game
@every_form
def test_the_checks_of_pettingzoo_and_gymnasium_pass(name: str, form: str) -> None:
    api_test(alquerque_env.env(name, observation=form), num_cycles=50)
    seed_test(lambda: alquerque_env.env(name, observation=form), num_cycles=50)
    check_env(gymnasium.make("alquerque/Game-v0", game=name, observation=form).unwrapped, skip_render_check=True)


def test_points_between_the_places_of_a_grid_have_rows_and_columns_of_their_own() -> None:
    form = ObservationForm(load_game("pretwa"), "grid")
    shown = form(Match(load_game("pretwa")).observation(0))

    # x is 0 or that of a point on one of three circles, left or right; y is 0, 0.5, 1, 1.5, 2 or 3, up or down.
    assert form.shape[1:] == (11, 7)
    assert (shown[-1] == 0).sum() == 19
    assert shown[0].sum() == shown[1].sum() == 9
    for row, columns in ((0, [3]), (1, [3]), (2, [0, 6]), (3, [1, 3, 5]), (4, [2, 4]), (5, [3])):
        assert list(np.flatnonzero(shown[-1, row] == 0)) == columns
        assert list(np.flatnonzero(shown[-1, 10 - row] == 0)) == columns


@every_game
def test_masks_are_shown_as_matrices(name: str) -> None:
    env = alquerque_env.env(name)
    env.reset(seed=0)
    game, match = load_game(name), Match(name)
    masks, matrices = [], []
    for action in actions_of(game, 2):
        actions = [game.actions[step.action] for step in match.legal_steps if not step.is_pass]
        pairs = {
            (origin, target) if origin is not None else (target if over is None else over,) * 2
            for origin, target, over in actions
        }
        matrix = env.unwrapped.mask_matrix()
        assert matrix.dtype == np.int8
        assert {tuple(pair) for pair in np.argwhere(matrix).tolist()} == pairs
        masks.append(match.action_mask())
        matrices.append(matrix)
        env.step(action)
        match.push(action)
    assert np.array_equal(game.mask_matrix(np.stack(masks)), np.stack(matrices))


def test_an_environment_against_an_opponent_has_the_matrix_too() -> None:
    env = VersusEnv("fetaix", seat=1)
    _, info = env.reset(seed=0)
    assert np.array_equal(env.mask_matrix(), env.game.mask_matrix(info["action_mask"]))
    assert env.mask_matrix().any()
