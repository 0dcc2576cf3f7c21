"""A copy, a pickle or a serialised state of an environment or adapter goes on exactly as the original."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import alquerque_env
from alquerque_env import Match, load_game
from alquerque_env.game.game import Game
from tests.envs.drawn import draw
from tests.sets import first_by_default

Twin = Callable[[Any], Any]
Step = Callable[[Any, Any, np.random.Generator], Any]
TWINS: dict[str, Twin] = {"copy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}
START = "W:Wa1,b1,c1,Kd3:Ba5,b5,c5,d5:H2"
OPTIONS = {"repetition": "threefold_draw", "no_progress_limit": 12, "capture": "optional", "chain": "optional"}
twins = pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)


@pytest.fixture(scope="module")
def game() -> Game:
    """A game with memory, in which matches repeat positions, stop chains and end by the clock."""
    return load_game("fetaix", capture_removal="end_of_turn", **OPTIONS)


class Drawing:
    """An opponent with random choices of its own."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng(3)

    def choose(self, match: Match) -> Any:
        return match.legal_steps[int(self.generator.integers(len(match.legal_steps)))]

    def __call__(self, _observation: np.ndarray, mask: np.ndarray) -> Any:
        return self.generator.choice(np.flatnonzero(mask))


def same(first: Any, second: Any) -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for name in first:
            same(first[name], second[name])
    elif isinstance(first, tuple | list):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(first, second)


def go_on_alike(env: Any, twin: Twin, step: Step, *, before: int, after: int, seen: Any = None) -> Any:
    """Plays with an environment, and after some steps with its twin too; returns the twin.

    A step gets what the one before showed, and random numbers, which both are given alike.
    """
    other = None
    for time in range(before + after):
        if time == before:
            other = twin(env)
        expected = None if other is None else step(other, seen, np.random.default_rng(time))
        seen = step(env, seen, np.random.default_rng(time))
        if other is not None:
            same(seen, expected)
    return other


opponents = pytest.mark.parametrize("opponent", ["random", ["greedy", Drawing()]], ids=["random", "several"])


@first_by_default
@twins
@pytest.mark.parametrize("before", [0, 1, 11])
@opponents
def test_a_match_against_an_opponent_goes_on_alike(twin: Twin, before: int, opponent: Any, game: Game) -> None:
    env = gymnasium.make(
        "alquerque/Game-v0", game=game, opponent=opponent, max_cycles=25, max_episode_steps=11, render_mode="ansi"
    )

    def step(env: Any, seen: Any, rng: np.random.Generator) -> Any:
        has_ended = seen is not None and len(seen[0]) == 5 and any(seen[0][2:4])
        shown = env.reset() if has_ended else env.step(draw(env.unwrapped.action_masks(), rng))
        return shown, env.unwrapped.action_masks(), env.render()

    env.reset(seed=2, options={"position": START})
    go_on_alike(env, twin, step, before=before, after=40)


@first_by_default
@twins
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@opponents
def test_many_matches_against_an_opponent_go_on_alike(twin: Twin, mode: str, opponent: Any, game: Game) -> None:
    env = gymnasium.make_vec(
        "alquerque/Game-v0", num_envs=3, game=game, opponent=opponent, max_episode_steps=9, autoreset_mode=mode
    )

    def step(env: Any, seen: Any, rng: np.random.Generator) -> Any:
        return env.step(draw(seen[-1]["action_mask"], rng))

    seen = env.reset(seed=2, options={"position": [START, None, START]})
    other = go_on_alike(env, twin, step, before=10, after=20, seen=seen)
    same(env.reset(), other.reset())


@pytest.mark.parametrize("make_twin", [*TWINS, "state"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("backend", ["auto", pytest.param("torch", marks=pytest.mark.long)])
def test_self_play_goes_on_alike(make_twin: str, mode: str, backend: str, game: Game) -> None:
    if backend == "torch":
        pytest.importorskip("torch")

    def make() -> Any:
        return alquerque_env.SelfPlayVectorEnv(
            game, 3, max_cycles=9, autoreset_mode=mode, observation="flat", backend=backend
        )

    def with_state_of(env: Any) -> Any:
        other = make()
        other.set_state(env.get_state())
        same(other.get_state(), env.get_state())
        return other

    def step(env: Any, _seen: Any, _rng: np.random.Generator) -> Any:
        actions = env.sample_actions()
        return actions, env.step(actions)

    env = make()
    env.reset(seed=4, options={"position": START})
    for _ in range(3):
        env.step(env.sample_actions())
    env.reset(options={"reset_mask": np.arange(3) == 1})  # the others have ended when the twin is made
    other = go_on_alike(env, TWINS.get(make_twin, with_state_of), step, before=6, after=15)
    same(env.reset(), other.reset())
    same(env.sample_actions(), other.sample_actions())


def look(env: Any) -> list[Any]:
    bare = env.unwrapped
    told = [env.agents, env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations, env.truncations]
    seen = [env.observe(agent) for agent in env.possible_agents]
    return [*told, env.infos, seen, bare.position, bare.match.turns, env.render()]


@first_by_default
@twins
@pytest.mark.parametrize("before", [0, 5, 24, 25, 26])
def test_an_environment_of_agents_goes_on_alike_also_while_agents_leave_it(twin: Twin, before: int, game: Game) -> None:
    env = alquerque_env.env(game, max_cycles=25, observation="flat", render_mode="svg")

    def step(env: Any, _seen: Any, rng: np.random.Generator) -> Any:
        if not env.agents:
            env.reset()
        seen, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else draw(seen["action_mask"], rng))
        return look(env) if env.agents else None

    env.reset(seed=3, options={"position": START})
    other = go_on_alike(env, twin, step, before=before, after=40)
    same(env.unwrapped.np_random.integers(100, size=3), other.unwrapped.np_random.integers(100, size=3))


@twins
def test_a_batch_for_stable_baselines_goes_on_alike(twin: Twin, game: Game) -> None:
    sb3 = pytest.importorskip("alquerque_env.adapters.sb3")
    opponent = sb3.FrozenOpponent(game, seed=3)
    batch = gymnasium.make_vec(
        "alquerque/Game-v0", num_envs=3, game=game, opponent=opponent, autoreset_mode="SameStep", max_cycles=20
    )

    def step(env: Any, _seen: Any, rng: np.random.Generator) -> Any:
        env.step_async(draw(env.action_masks(), rng))
        return env.step_wait(), env.action_masks()

    env = sb3.gymnasium_vec_to_sb3_vec_env_v0(batch)
    env.seed(3)
    env.reset()
    go_on_alike(env, twin, step, before=5, after=20)
    env.step_async(env.action_masks().argmax(1))
    other = twin(env)  # between the two halves of a step
    same(env.step_wait(), other.step_wait())
    env.seed(8)
    other = twin(env)
    same(env.reset(), other.reset())


def _states(pyspiel: Any, state: Any) -> dict[str, Any]:
    game = state.get_game()
    pair = pyspiel.serialize_game_and_state(game, state)
    return {
        "clone": state.clone(),
        "copy": copy.deepcopy(state),
        "pickle": pickle.loads(pickle.dumps(state)),
        "serialised": game.deserialize_state(state.serialize()),
        "with its game": pyspiel.deserialize_game_and_state(pair)[1],
    }


@first_by_default
@pytest.mark.parametrize("start", [None, "W:WKa1,c1:BKe5,c5:H7", "B:Wa1,b2:Bc3,e5"])
@pytest.mark.parametrize("before", [0, 1, 12])
def test_a_state_of_openspiel_goes_on_alike(start: str | None, before: int, game: Game) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from alquerque_env.adapters import openspiel

    rng = np.random.default_rng(1)
    state = openspiel.OpenSpielGame(game, {"max_game_length": 40}).new_initial_state()
    if start is not None:
        state.match = Match(game, start)
    for _ in range(before):
        if not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
    others = _states(pyspiel, state)
    while True:
        for other in others.values():
            assert str(other) == str(state)
            assert other.history() == state.history()
            assert other.move_number() == state.move_number()
            assert other.returns() == state.returns()
            assert other.legal_actions() == state.legal_actions()
            assert other.information_state_string(0) == state.information_state_string(0)
            assert other.match.occurrences() == state.match.occurrences()
        if state.is_terminal():
            break
        action = int(rng.choice(state.legal_actions()))
        for each in (state, *others.values()):
            each.apply_action(action)


def test_information_states_of_openspiel_tell_matches_that_were_set_apart() -> None:
    pytest.importorskip("pyspiel")
    from alquerque_env.adapters import openspiel

    spiel = openspiel.OpenSpielGame("fetaix")
    begun = Match("fetaix")
    begun.push("c2-c3")
    told = set()
    for match in (None, Match("fetaix", "W:WKa1,c1:BKe5,c5"), Match("fetaix", "W:WKa1,c1:BKe5,c5:H7"), begun):
        state = spiel.new_initial_state()
        if match is not None:
            state.match = match
        told.add(state.information_state_string())
    assert len(told) == 4
    assert "" in told  # the start of the game
