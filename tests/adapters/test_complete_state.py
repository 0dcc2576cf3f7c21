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
from tests.sets import first_by_default

Twin = Callable[[Any], Any]
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


def draw(mask: np.ndarray, rng: np.random.Generator) -> int:
    legal = np.flatnonzero(mask)
    return int(rng.choice(legal)) if len(legal) else 0


@first_by_default
@twins
@pytest.mark.parametrize("before", [0, 1, 11])
@pytest.mark.parametrize("opponent", ["random", ["greedy", Drawing()]], ids=["random", "several"])
def test_a_match_against_an_opponent_goes_on_alike(twin: Twin, before: int, opponent: Any, game: Game) -> None:
    rng = np.random.default_rng(1)
    env = gymnasium.make(
        "alquerque/Game-v0", game=game, opponent=opponent, max_cycles=25, max_episode_steps=11, render_mode="ansi"
    )

    def play(envs: list[Any], steps: int) -> None:
        for _ in range(steps):
            masks = [each.unwrapped.action_masks() for each in envs]
            action = draw(masks[0], rng)
            ends = not masks[0].any()
            results = [each.reset() if ends else each.step(action) for each in envs]
            same([*results[:1], masks[0], envs[0].render()], [*results[-1:], masks[-1], envs[-1].render()])
            if not ends and results[0][3]:
                same(*[each.reset() for each in (envs[0], envs[-1])]) if len(envs) == 2 else envs[0].reset()

    env.reset(seed=2, options={"position": START})
    play([env], before)
    play([env, twin(env)], 40)


@first_by_default
@twins
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("opponent", ["random", ["greedy", Drawing()]], ids=["random", "several"])
def test_many_matches_against_an_opponent_go_on_alike(twin: Twin, mode: str, opponent: Any, game: Game) -> None:
    rng = np.random.default_rng(1)
    env = gymnasium.make_vec(
        "alquerque/Game-v0", num_envs=3, game=game, opponent=opponent, max_episode_steps=9, autoreset_mode=mode
    )
    _, info = env.reset(seed=2, options={"position": [START, None, START]})
    other = None
    for time in range(30):
        if time == 10:
            other = twin(env)
        actions = np.array([draw(mask, rng) for mask in info["action_mask"]])
        result = env.step(actions)
        info = result[-1]
        if other is not None:
            same(result, other.step(actions))
    same(env.reset(), other.reset())  # type: ignore[union-attr]


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

    env = make()
    env.reset(seed=4, options={"position": START})
    for _ in range(6):
        env.step(env.sample_actions())
    if make_twin == "state":
        other = make()
        other.set_state(env.get_state())
    else:
        other = TWINS[make_twin](env)
    for _ in range(15):
        actions = env.sample_actions()
        same(actions, other.sample_actions())
        same(env.step(actions), other.step(actions))
    same(env.reset(), other.reset())
    same(env.sample_actions(), other.sample_actions())


def look(env: Any) -> list[Any]:
    bare = env.unwrapped
    told = [env.agents, env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations, env.truncations]
    return [
        *told,
        env.infos,
        [env.observe(agent) for agent in env.possible_agents],
        bare.position,
        bare.match.turns,
        env.render(),
    ]


@first_by_default
@twins
@pytest.mark.parametrize("before", [0, 5, 24, 25, 26])
def test_an_environment_of_agents_goes_on_alike_also_while_agents_leave_it(twin: Twin, before: int, game: Game) -> None:
    rng = np.random.default_rng(1)
    env = alquerque_env.env(game, max_cycles=25, observation="flat", render_mode="svg")

    def act() -> Any:
        seen, _, terminated, truncated, _ = env.last()
        return None if terminated or truncated else draw(seen["action_mask"], rng)

    env.reset(seed=3, options={"position": START})
    for _ in range(before):
        if not env.agents:
            break
        env.step(act())
    other = twin(env)
    while env.agents:
        same(look(env), look(other))
        action = act()
        env.step(action)
        other.step(action)
    same(env.unwrapped.np_random.integers(100, size=3), other.unwrapped.np_random.integers(100, size=3))
    env.reset()
    other.reset()
    same(look(env), look(other))


@twins
def test_a_batch_for_stable_baselines_goes_on_alike(twin: Twin, game: Game) -> None:
    sb3 = pytest.importorskip("alquerque_env.adapters.sb3")
    rng = np.random.default_rng(1)
    opponent = sb3.FrozenOpponent(game, seed=3)
    batch = gymnasium.make_vec(
        "alquerque/Game-v0", num_envs=3, game=game, opponent=opponent, autoreset_mode="SameStep", max_cycles=20
    )
    env = sb3.gymnasium_vec_to_sb3_vec_env_v0(batch)
    env.seed(3)
    env.reset()
    other = None
    for time in range(25):
        env.step_async(np.array([draw(mask, rng) for mask in env.action_masks()]))
        if other is not None:
            other.step_async(env._actions)
        if time == 5:
            other = twin(env)  # between the two halves of a step
        result = env.step_wait()
        if other is not None:
            same(result, other.step_wait())
            same(env.action_masks(), other.action_masks())
    env.seed(8)
    other = twin(env)
    same(env.reset(), other.reset())


def test_of_a_match_that_wins_in_its_last_step_stable_baselines_is_told_no_time_limit(game: Game) -> None:
    sb3 = pytest.importorskip("alquerque_env.adapters.sb3")
    batch = gymnasium.make_vec(
        "alquerque/Game-v0", num_envs=2, game=game, seat=0, autoreset_mode="SameStep", max_episode_steps=1
    )
    env = sb3.gymnasium_vec_to_sb3_vec_env_v0(batch)
    env.reset()
    masks = env.action_masks()
    *_, infos = env.step(np.array([masks[0].argmax(), masks[1].argmin()]))  # the second loses by an illegal action
    assert [info["TimeLimit.truncated"] for info in infos] == [True, False]


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
