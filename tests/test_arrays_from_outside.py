"""Every public entrance takes arrays in any layout, and refuses other types and shapes with a clear error."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from alquerque_env import Match, SelfPlayVectorEnv, load_game
from alquerque_env.engine import entry_points
from alquerque_env.engine.fields import State
from alquerque_env.engine.player_view import PlayerView
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.errors import AlquerqueError, PositionError
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.kernel_arrays import JIT, words
from alquerque_env.match.chain_check import bounds, check_states
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


# Every entrance, which is given an array changed in some way; of those that take them, 32-bit integers are converted.

Change = Callable[[Any], Any]
DECISIONS = 6


def evaluated(part: int, change: Change) -> list[np.ndarray]:
    return decide(
        evaluate=lambda seen: [change(each) if place == part else each for place, each in enumerate(guess(seen))]
    )


def advanced(change_actions: Change, change_stops: Change) -> list[np.ndarray]:
    batch = DecisionBatch(GAME, DECISIONS, 4, seed=3)
    actions = [Match.from_state(GAME, state).legal_steps[0].action for state in np.asarray(batch.states)]
    return list(batch.advance(change_actions(np.array(actions)), change_stops(np.arange(DECISIONS) % 3 == 0)))


def stepped(env: Any, change: Change) -> list[np.ndarray]:
    """Small batches and large ones have other kernels."""
    _, info = env.reset(seed=1)
    return list(env.step(change(info["action_mask"].argmax(axis=1)))[:4])


def as_they_are(array: Any) -> Any:
    return array


SEEN = np.stack([PlayerView(GAME).observe(match.state, match.player, 0) for match in some_matches()])
ENTRANCES: dict[str, tuple[Callable[[Change], list[np.ndarray]], str]] = {
    "states of a search": (lambda change: decide(change(STATES)), r"^states are .*, expected int64 \[N, \d+\]$"),
    "past of a search": (lambda change: decide(past=change(PAST)), r"^past are .*, expected int64 \[4, K\]$"),
    "logits": (partial(evaluated, 0), r"^logits are .*, expected float32 \[4"),
    "values": (partial(evaluated, 1), r"^values are .*, expected float32 \[4"),
    "actions of decisions": (lambda change: advanced(change, as_they_are), r"^actions are .*, expected int64 \[6\]$"),
    "stops of decisions": (lambda change: advanced(as_they_are, change), r"^stops are .*, expected bool \[6\]$"),
    "few matches": (
        lambda change: stepped(SelfPlayVectorEnv(GAME, 3), change),
        r"^actions are .*expected int64 \[3\]$",
    ),
    "many matches": (
        lambda change: stepped(SelfPlayVectorEnv(GAME, 24), change),
        r"^actions are .*expected int64 \[24\]$",
    ),
    "matches against a bot": (
        lambda change: stepped(VersusVectorEnv(3, game="fetaix"), change),
        r"^actions are .*expected int64 \[3\]$",
    ),
    "features": (lambda change: [SearchFeatures(GAME)(change(SEEN))], r"^planes are .*, expected int8 \[R, \d+, 25\]$"),
    "state of a match": (
        lambda change: [np.array(Match.from_state(GAME, change(STATES[0])).state)],
        r"^states are .*, expected int64 \[N, \d+\]$",
    ),
}


@EVERY_LAYOUT
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_array_is_taken_in_any_layout(entrance, form):
    enter, _ = ENTRANCES[entrance]
    expected = enter(as_they_are)
    assert are_equal(enter(form), expected)
    assert are_equal(enter(lambda array: form(array.astype(np.int32) if array.dtype == np.int64 else array)), expected)
    if entrance in ("logits", "values"):
        doubles = enter(lambda array: array.astype(np.float64))
        assert are_equal(enter(lambda array: form(array.astype(np.float64))), doubles)


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_array_of_another_type_or_shape_is_refused(entrance):
    enter, sentence = ENTRANCES[entrance]
    wrong = [lambda array, row=row: with_wrong_types(array)[row] for row in range(5)]
    wrong += [lambda array: array[None], lambda _: [[1], [1, 2]]]
    wrong += [lambda array: array.astype(np.int8 if array.dtype == bool else bool)]
    if entrance == "state of a match":  # any iterable of integers
        wrong = [wrong[place] for place in (0, 2, 3, 5, 7)]
    else:
        wrong += [lambda array: array.flat[0], lambda _: None]
    for change in wrong:
        with pytest.raises(AlquerqueError, match=sentence):
            enter(change)


def test_a_search_refuses_states_that_are_none_and_other_numbers_of_them():
    with pytest.raises(AlquerqueError, match="row 2 of the states is not a position of fetaix"):
        decide(np.where(np.arange(4)[:, None] == 2, -2, STATES))
    with pytest.raises(AlquerqueError, match="states are of 5 matches, expected 1 to 4"):
        decide(np.concatenate([STATES, STATES[:1]]), np.concatenate([PAST, PAST[:1]]))
    with pytest.raises(AlquerqueError, match="states are of 0 matches, expected 1 to 4"):
        decide(STATES[:0], PAST[:0])
    search = BatchSearch(GAME, MATCHES, SIMULATIONS, Rule())
    with pytest.raises(AlquerqueError, match="simulations is 7, expected 0 to 6"):
        search.run(STATES, PAST, guess, 7)


OF_SOME = ("stage", "hand", "closed", "ahead")
"""Words that only some games have, where the table says."""


def test_every_word_of_a_state_has_bounds_of_its_own(tmp_path):
    """A word without any would be bounded as the one before it, and a kernel could read beyond an array."""
    game = load_game("alquerque", undo_scope="never_revisit", no_progress_limit=40)
    found = bounds(game.table.words)
    places = {name: getattr(STATE, name.upper()) for name in State.__annotations__ if name not in OF_SOME}
    assert {name: place for name, (place, _, _) in found.items()} == places
    assert [place for place, _, _ in found.values()] == sorted(places.values())
    check_bounds(game, found)

    hunt = load_game(write_hunt(tmp_path, "first drops", "second moves"))
    turning, shrinking = load_game("fanorona"), load_game("tuknanavuhpi")
    for game, words_of in (
        (hunt, {"stage": TABLE.STAGE, "hand": TABLE.HAND}),
        (turning, {"ahead": TABLE.AHEAD}),
        (shrinking, {"closed": TABLE.CLOSED}),
    ):
        t, found = game.table.words, bounds(game.table.words)
        check_bounds(game, {name: bound for name, bound in found.items() if not name.startswith("memory")})
        assert {name: found[name][0] for name in words_of} == {name: t[word] for name, word in words_of.items()}
    assert t[TABLE.CLOSED] == t[TABLE.STATE_SIZE] - 1


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


def test_matches_from_choice_to_choice_refuse_actions_that_do_not_exist():
    for action in (-1, GAME.num_actions):
        with pytest.raises(AlquerqueError, match=f"action {action} of match 5 does not exist"):
            advanced(lambda actions, last=action: np.append(actions[:-1], last), as_they_are)


@EVERY_LAYOUT
@pytest.mark.parametrize("make", [lambda: DecisionBatch(GAME, 6, 4, seed=3), lambda: SelfPlayVectorEnv(GAME, 3)])
def test_a_state_is_set_from_arrays_in_any_layout_and_not_from_others(make, form):
    one, other = make(), make()
    for each in (one, other):
        if isinstance(each, SelfPlayVectorEnv):
            each.reset(seed=1)
    kept = one.get_state()
    other.set_state({name: form(array) for name, array in kept.items()})
    for name, array in kept.items():
        for wrong in (array.astype(np.float64 if array.dtype != bool else np.int8), array[None], array.astype("U30")):
            with pytest.raises(AlquerqueError, match=rf"^{name} are |cannot set the state: '{name}'"):
                other.set_state(kept | {name: wrong})
        if isinstance(other, SelfPlayVectorEnv):
            with pytest.raises(AlquerqueError, match=f"cannot set the state: '{name}'"):
                other.set_state({each: array for each, array in kept.items() if each != name})
    assert all(np.array_equal(array, other.get_state()[name]) for name, array in kept.items())


def test_a_match_does_not_begin_from_other_states():
    state = STATES[0]
    for wrong in [[], ["a"], [1.5] * len(state), [1 << 64] * len(state)]:
        with pytest.raises(PositionError, match=r"^states are .*, expected int64 \[N, \d+\]$"):
            Match.from_state(GAME, wrong)
    with pytest.raises(PositionError, match="row 0 of the states is not a position of fetaix"):
        Match.from_state(GAME, np.where(np.arange(len(state)) == STATE.CHAIN, 25, state))


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
