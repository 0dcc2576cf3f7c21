"""Every public entrance takes arrays in any layout, and refuses other types and shapes with a clear error."""

import numpy as np
import pytest

from alquerque_env import Match, SelfPlayVectorEnv, load_game
from alquerque_env.engine import entry_points
from alquerque_env.engine.fields import State
from alquerque_env.engine.player_view import PlayerView
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.errors import AlquerqueError, IllegalStepError, PositionError
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.kernel_arrays import JIT, words
from alquerque_env.match.state_check import bounds, check_states
from alquerque_env.search import GUMBEL, BatchSearch, Rule, SearchFeatures
from alquerque_env.search.decision_batch import DecisionBatch
from tests.array_forms import LAYOUTS, with_wrong_types
from tests.own_games import write_hunt

GAME = load_game("fetaix")
EVERY_LAYOUT = pytest.mark.parametrize("form", LAYOUTS.values(), ids=LAYOUTS)
MATCHES, SIMULATIONS = 4, 6


def some_matches() -> list[Match]:
    """Matches after two turns, each another."""
    matches = []
    for number in range(MATCHES):
        match = Match(GAME)
        while len(match.turns) < 4:
            match.push(match.legal_steps[number % len(match.legal_steps)])
        matches.append(match)
    return matches


STATES = np.array([match.state for match in some_matches()], np.int64)
PAST = np.array([match.keys(64) for match in some_matches()], np.int64)


def guess(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits and values that differ from action to action and from row to row."""
    sums = seen.reshape(len(seen), -1).astype(np.int64) @ np.arange(1, seen[0].size + 1)
    logits = (sums[:, None] * (2 * np.arange(GAME.num_actions) + 1) % 8191 / 4096).astype(np.float32)
    return logits, (sums % 101 / 101 - 0.5).astype(np.float32)


def decide(states=STATES, past=PAST, evaluate=guess) -> list[np.ndarray]:
    """The decisions of a search."""
    search = BatchSearch(GAME, MATCHES, SIMULATIONS, Rule(kind=GUMBEL))
    return list(search.run(states, past, evaluate, SIMULATIONS))


def are_equal(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@EVERY_LAYOUT
def test_a_search_takes_evaluations_in_any_layout(form, kind):
    expected = decide(evaluate=lambda seen: [part.astype(kind) for part in guess(seen)])

    assert are_equal(decide(evaluate=lambda seen: [form(part.astype(kind)) for part in guess(seen)]), expected)


@pytest.mark.parametrize(("which", "name"), [(0, "logits"), (1, "values")])
def test_a_search_refuses_other_evaluations(which, name):
    def with_part(change):
        def evaluate(seen):
            found = list(guess(seen))
            found[which] = change(found[which])
            return found

        return evaluate

    wrong = [lambda part, row=row: with_wrong_types(part)[row] for row in range(5)]
    wrong += [lambda part: part[:-1], lambda part: part[..., None], lambda part: part.T[:-1].T, lambda _: None]
    wrong += [lambda part: part.astype(np.float16), lambda part: [[0.0], *part.tolist()]]
    for change in wrong:
        with pytest.raises(AlquerqueError, match=rf"^{name} are .*, expected float32 \[4"):
            decide(evaluate=with_part(change))


@EVERY_LAYOUT
def test_a_search_takes_states_and_histories_in_any_layout(form):
    assert are_equal(decide(form(STATES), form(PAST)), decide())
    assert are_equal(decide(form(STATES.astype(np.int32)), PAST.tolist()), decide())


def test_a_search_refuses_other_states_and_histories():
    for states in [*with_wrong_types(STATES), STATES[:, :-1], STATES[0], STATES[None], [[1, 2], [3]]]:
        with pytest.raises(AlquerqueError, match=r"^states are .*, expected int64 \[N, \d+\]$"):
            decide(states)
    for past in [*with_wrong_types(PAST), PAST[:-1], PAST[0]]:
        with pytest.raises(AlquerqueError, match=r"^past are .*, expected int64 \[4, K\]$"):
            decide(past=past)
    with pytest.raises(AlquerqueError, match="row 2 of the states is not a position of fetaix"):
        decide(np.where(np.arange(4)[:, None] == 2, -2, STATES))
    with pytest.raises(AlquerqueError, match="states are of 5 matches, expected 1 to 4"):
        decide(np.concatenate([STATES, STATES[:1]]), np.concatenate([PAST, PAST[:1]]))
    with pytest.raises(AlquerqueError, match="states are of 0 matches, expected 1 to 4"):
        decide(STATES[:0], PAST[:0])
    search = BatchSearch(GAME, MATCHES, SIMULATIONS, Rule())
    with pytest.raises(AlquerqueError, match="simulations is 7, expected 0 to 6"):
        search.run(STATES, PAST, guess, 7)


OF_SCHEDULES = ("stage", "hand")  # only games with a schedule have these, where the table says
OF_SOME = (*OF_SCHEDULES, "closed", "ahead")


def test_every_word_of_a_state_has_bounds_of_its_own(tmp_path):
    """A word without any would be bounded as the one before it, and a kernel could read beyond an array."""
    game = load_game("alquerque", undo_scope="never_revisit", no_progress_limit=40)
    found = bounds(game.table.words)
    places = {name: getattr(STATE, name.upper()) for name in State.__annotations__ if name not in OF_SOME}
    assert {name: place for name, (place, _, _) in found.items()} == places
    assert [place for place, _, _ in found.values()] == sorted(places.values())
    check_bounds(game, found)

    hunt = load_game(write_hunt(tmp_path, "first drops", "second moves"))
    t, found = hunt.table.words, bounds(hunt.table.words)
    check_bounds(hunt, {name: bound for name, bound in found.items() if not name.startswith("memory")})
    assert [found[name][0] for name in OF_SCHEDULES] == [t[TABLE.STAGE], t[TABLE.HAND]]

    turning = load_game("fanorona")
    found = bounds(turning.table.words)
    check_bounds(turning, {name: bound for name, bound in found.items() if not name.startswith("memory")})
    assert found["ahead"][0] == turning.table.words[TABLE.AHEAD]

    shrinking = load_game("tuknanavuhpi")
    t, found = shrinking.table.words, bounds(shrinking.table.words)
    check_bounds(shrinking, {name: bound for name, bound in found.items() if not name.startswith("memory")})
    assert found["closed"][0] == t[TABLE.CLOSED] == t[TABLE.STATE_SIZE] - 1


def check_bounds(game, found):
    state = np.array([Match(game).state], np.int64)
    for name, (place, least, most) in found.items():
        for wrong in (least - 1, most + 1):
            changed = state.copy()
            changed[0, place] = wrong
            with pytest.raises(PositionError, match="row 0 of the states is not a position of"):
                check_states(game, changed)
            assert wrong != state[0, place], name


def test_a_search_refuses_histories_that_are_too_short():
    game = load_game("fetaix", repetition="threefold_draw")
    match = Match(game, "W:WKa1:BKe5:H9")
    search = BatchSearch(game, 1, 2, Rule())
    states, past = np.array([match.state]), np.array([match.keys(10)])
    evaluate = lambda seen: (np.zeros((len(seen), game.num_actions)), np.zeros(len(seen)))  # noqa: E731

    search.run(states, past, evaluate, 2)
    with pytest.raises(AlquerqueError, match=r"past has 9 positions of a match, expected more than .*, 9$"):
        search.run(states, past[:, :9], evaluate, 2)


def first_actions(states: np.ndarray) -> np.ndarray:
    return np.array([Match.from_state(GAME, state).legal_steps[0].action for state in states])


@EVERY_LAYOUT
def test_matches_from_choice_to_choice_take_arrays_in_any_layout(form):
    one, other = (DecisionBatch(GAME, 6, 4, seed=3) for _ in range(2))
    stops = np.arange(6) % 3 == 0
    for number in range(4):
        actions = first_actions(np.asarray(one.states))
        expected = one.advance(actions, stops)
        found = other.advance(form(actions.astype([np.int64, np.int32, np.int16, np.uint16][number])), form(stops))
        assert are_equal(list(found), list(expected))

    third = DecisionBatch(GAME, 6, 4, seed=9)
    third.set_state({name: form(array) for name, array in one.get_state().items()})
    assert all(np.array_equal(array, third.get_state()[name]) for name, array in one.get_state().items())


def test_matches_from_choice_to_choice_refuse_other_arrays():
    batch = DecisionBatch(GAME, 6, 4, seed=3)
    before = batch.get_state()
    actions, stops = first_actions(np.asarray(batch.states)), np.zeros(6, bool)

    for wrong in [*with_wrong_types(actions), actions[:-1], actions[:, None], actions[0], actions > 3]:
        with pytest.raises(AlquerqueError, match=r"^actions are .*, expected int64 \[6\]$"):
            batch.advance(wrong, stops)
    for wrong in [*with_wrong_types(stops), stops[:-1], stops[:, None], stops.astype(np.int8)]:
        with pytest.raises(AlquerqueError, match=r"^stops are .*, expected bool \[6\]$"):
            batch.advance(actions, wrong)
    for action in (-1, GAME.num_actions):
        with pytest.raises(AlquerqueError, match=f"action {action} of match 5 does not exist"):
            batch.advance(np.append(actions[:-1], action), stops)
    for name, array in before.items():
        for wrong in [*with_wrong_types(array), array[:-1], array[None]]:
            with pytest.raises(AlquerqueError, match=f"^{name} are "):
                batch.set_state(before | {name: wrong})
    assert all(np.array_equal(array, batch.get_state()[name]) for name, array in before.items())


@pytest.mark.parametrize("matches", [3, 24])
@EVERY_LAYOUT
def test_batched_environments_take_arrays_in_any_layout(form, matches):
    """Small batches and large ones have other kernels."""
    one, other = (SelfPlayVectorEnv(GAME, matches) for _ in range(2))
    for env in (one, other):
        env.reset(seed=1)
    for kind in (np.int64, np.int32, np.uint16, np.int64):
        actions = one.sample_actions()
        expected, found = one.step(actions), other.step(form(actions.astype(kind)))
        assert are_equal(list(expected[:4]), list(found[:4]))
        assert np.array_equal(expected[4]["action_mask"], found[4]["action_mask"])

    other.reset(seed=2)
    observation, info = other.set_state({name: form(array) for name, array in one.get_state().items()})
    assert np.array_equal(observation, found[0])
    assert np.array_equal(info["action_mask"], found[4]["action_mask"])

    versus = VersusVectorEnv(matches, game="fetaix")
    _, info = versus.reset(seed=1)
    versus.step(form(info["action_mask"].argmax(axis=1)))


def test_batched_environments_refuse_other_arrays():
    env, versus = SelfPlayVectorEnv(GAME, 3), VersusVectorEnv(3, game="fetaix")
    _, info = env.reset(seed=1)
    versus.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    kept = env.get_state()

    for wrong in [*with_wrong_types(actions), actions[:-1], actions[:, None], actions[0], actions > 0, [[1], [1, 2]]]:
        for each in (env, versus):
            with pytest.raises(IllegalStepError, match=r"^actions are .*, expected int64 \[3\]$"):
                each.step(wrong)
    for name, array in kept.items():
        other = np.float64 if array.dtype != bool else np.int8
        for wrong in (array.astype(other), array[None], array.astype("U30")):
            with pytest.raises(AlquerqueError, match=f"cannot set the state: '{name}'"):
                env.set_state(kept | {name: wrong})
    with pytest.raises(AlquerqueError, match="row 1 of the states is not a position of fetaix"):
        env.set_state(kept | {"states": np.where(np.arange(3)[:, None] == 1, -2, kept["states"])})
    assert all(np.array_equal(array, env.get_state()[name]) for name, array in kept.items())


@EVERY_LAYOUT
def test_search_features_are_of_observations_in_any_layout(form):
    features, view = SearchFeatures(GAME), PlayerView(GAME)
    seen = np.stack([view.observe(match.state, match.player, 0) for match in some_matches()])

    assert np.array_equal(features(form(seen)), features(seen))


def test_search_features_refuse_other_observations():
    features, shape = SearchFeatures(GAME), (1, *PlayerView(GAME).shape)
    for wrong in [*with_wrong_types(np.zeros(shape, np.int8)), np.zeros(shape, bool), np.zeros(shape[1:], np.int8)]:
        with pytest.raises(ValueError, match=r"^planes are .*, expected int8 \[R, \d+, 25\]$"):
            features(wrong)


@EVERY_LAYOUT
def test_a_match_begins_from_a_state_in_any_layout(form):
    for match, state in zip(some_matches(), STATES, strict=True):
        assert Match.from_state(GAME, form(state)).position == match.position
        assert Match.from_state(GAME, form(state.astype(np.int32))).position == match.position


def test_a_match_does_not_begin_from_other_states():
    state = STATES[0]
    kinds = [state.astype(kind) for kind in (float, complex, "U30", bool)]
    for wrong in [*kinds, state[:-1], state[None], [], ["a"], [1.5] * len(state), [1 << 64] * len(state)]:
        with pytest.raises(PositionError, match=r"^states are .*, expected int64 \[N, \d+\]$"):
            Match.from_state(GAME, wrong)
    for place, word in (
        (0, -1),
        (1, 1 << 60),
        (STATE.PLAYER, 2),
        (STATE.CHAIN, 25),
        (STATE.QUIET, -1),
        (STATE.QUIET, 1 << 20),
        (STATE.CAPTURED, -1),
    ):
        wrong = state.copy()
        wrong[place] = word
        with pytest.raises(PositionError, match="row 0 of the states is not a position of fetaix"):
            Match.from_state(GAME, wrong)


@pytest.mark.skipif(not JIT, reason="plain kernels take any layout")
@pytest.mark.parametrize("name", ["strided", "backwards"])
def test_a_kernel_is_not_compiled_for_arrays_that_are_not_contiguous(name):
    """The last barrier behind all entrances: a pointer knows no strides."""
    from numba.core.errors import TypingError

    t = GAME.table.words
    room = words(t, t[TABLE.SCRATCH_SIZE]), words(t, t[TABLE.NUM_ACTIONS])
    entry_points.legal_actions(t, STATES[0].copy(), *room)
    with pytest.raises(TypingError, match="kernels take contiguous arrays"):
        entry_points.legal_actions(t, LAYOUTS[name](STATES[0]), *room)
