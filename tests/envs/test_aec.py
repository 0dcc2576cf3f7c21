"""A match as a PettingZoo environment: PettingZoo's own tests, and what they do not cover."""

import copy
import importlib
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

import alquerque_env
from alquerque_env import games
from alquerque_env.envs import registration
from alquerque_env.envs.aec import MatchEnv, raw_env
from alquerque_env.errors import IllegalStepError, UnknownNameError
from tests.option_values import few_games

with warnings.catch_warnings():
    # PettingZoo's tests make a game of their own in a deprecated way and warn of it.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test

AGENTS = ("player_0", "player_1")

# What PettingZoo says of every environment of others whose observation is a dictionary.
UNAVOIDABLE = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}

every_game = pytest.mark.parametrize("name", few_games())


def module(name: str) -> Any:
    return getattr(alquerque_env, f"{name}_v0")


def begun(env: Any) -> Any:
    env.reset(seed=0)
    return env


def choices(env: Any) -> np.ndarray:
    """The actions that the mask of the agent to move allows."""
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"])


def is_done(env: Any) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def play(env: Any, rng: np.random.Generator, steps: int = 10**6) -> list[int]:
    """Plays random actions to the end of the match or up to a number of them; returns the actions."""
    played: list[int] = []
    while len(played) < steps and not is_done(env):
        played.append(int(rng.choice(choices(env))))
        env.step(played[-1])
    return played


def snapshot(env: Any) -> dict[str, Any]:
    """All that an environment shows, as plain values."""
    return {
        "position": env.position,
        "agents": list(env.agents),
        "selection": env.agent_selection,
        "rewards": dict(env.rewards),
        "cumulative": dict(env.unwrapped._cumulative_rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "masks": {agent: info["action_mask"].tolist() for agent, info in env.infos.items()},
        "seen": {agent: {key: array.tolist() for key, array in env.observe(agent).items()} for agent in AGENTS},
    }


class TestPettingZooChecks:
    @every_game
    def test_the_api_test_passes_with_the_two_unavoidable_warnings_only(self, name: str) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            api_test(module(name).env(), num_cycles=200)
            api_test(module(name).raw_env(max_cycles=20), num_cycles=200)

        assert {str(warning.message) for warning in caught} == UNAVOIDABLE

    @every_game
    def test_play_prints_nothing(self, name: str, capfd: pytest.CaptureFixture[str]) -> None:
        env = module(name).env()
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
        env.close()

        assert capfd.readouterr() == ("", "")


class TestNames:
    @every_game
    def test_each_game_has_a_module_with_env_and_raw_env(self, name: str) -> None:
        imported = importlib.import_module(f"alquerque_env.{name}_v0")

        assert imported is module(name)
        assert imported.__all__ == ["env", "raw_env"]
        assert imported.env().unwrapped.game.name == name
        assert isinstance(imported.raw_env(), MatchEnv)
        assert alquerque_env.env(name).unwrapped.game.name == name

    def test_a_module_can_be_imported_from_and_hands_options_on(self) -> None:
        from alquerque_env.fetaix_v0 import env

        made = env(max_cycles=5, chain="single", no_progress_limit="7")

        assert made.unwrapped.game.options["chain"] == "single"
        assert made.unwrapped.game.options["no_progress_limit"] == 7
        assert made.unwrapped.max_cycles == 5

    @every_game
    def test_the_metadata_follow_pettingzoo(self, name: str) -> None:
        env = module(name).env()

        assert env.metadata["name"] == f"{name}_v0" == str(env)
        assert env.metadata["render_modes"] == ["human", "rgb_array", "ansi", "svg"]
        assert env.metadata["is_parallelizable"] is False
        assert env.metadata["render_fps"] > 0
        assert env.possible_agents == list(AGENTS)
        assert env.max_num_agents == 2


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry since 1.27")
class TestRegistry:
    @every_game
    def test_pettingzoo_makes_every_game(self, name: str) -> None:
        env = pettingzoo.make("aec", f"alquerque/{name}-v0", max_cycles=1)
        env.reset(seed=0)

        assert str(env) == f"{name}_v0"
        assert play(env, np.random.default_rng(0))
        assert env.truncations == dict.fromkeys(AGENTS, True)

    def test_registering_again_overrides_nothing(self) -> None:
        """PettingZoo and Gymnasium warn of an override, and pytest turns warnings into errors."""
        before = dict(pettingzoo.aec_registry), dict(gymnasium.registry)

        registration.register()

        assert (pettingzoo.aec_registry, gymnasium.registry) == before
        assert {f"alquerque/{name}-v0" for name in games()} <= set(before[0])


@pytest.mark.slow
def test_the_package_works_with_a_pettingzoo_that_has_no_registry() -> None:
    program = """
import pettingzoo
for name in ("register", "make", "spec", "aec_registry"):
    if hasattr(pettingzoo, name):
        delattr(pettingzoo, name)
import alquerque_env, gymnasium
env = alquerque_env.fetaix_v0.env()
env.reset()
print(env.agent_selection, "alquerque/Fetaix-v0" in gymnasium.registry)
"""
    result = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)

    assert (result.stdout, result.stderr) == ("player_0 True\n", "")


class TestSpaces:
    @every_game
    def test_a_space_is_the_same_object_at_every_call_and_each_agent_has_its_own(self, name: str) -> None:
        env = module(name).env(chain="optional") if name == "fetaix" else module(name).env()
        for space in (env.observation_space, env.action_space):
            assert space("player_0") is space("player_0")
            assert space("player_0") is not space("player_1")
            assert space("player_0") == space("player_1")
        assert env.action_space("player_0") == spaces.Discrete(env.unwrapped.game.num_actions)


class TestEnds:
    @pytest.mark.parametrize(("position", "winner"), [("W:Wa1:Bb2", 0), ("B:Wd4:Be5", 1)])
    def test_the_winner_gets_1_and_the_loser_sees_its_loss_in_its_dead_step(self, position: str, winner: int) -> None:
        env = module("fetaix").env()
        env.reset(options={"position": position})
        env.step(choices(env)[0])
        seen = {}
        for agent in env.agent_iter():
            observation, seen[agent], terminated, truncated, info = env.last()
            assert (terminated, truncated) == (True, False)
            assert not observation["action_mask"].any()
            assert not info["action_mask"].any()
            env.step(None)
        assert seen == {AGENTS[winner]: 1, AGENTS[1 - winner]: -1}
        assert env.agents == []
        assert env.rewards == env.terminations == env.truncations == env.infos == {}

    @every_game
    def test_max_cycles_truncates_after_so_many_sub_steps(self, name: str) -> None:
        for limit in (1, 2):
            env = begun(module(name).env(max_cycles=limit))
            played = play(env, np.random.default_rng(0))

            assert len(played) == limit
            assert env.terminations == {"player_0": False, "player_1": False}
            assert env.truncations == {"player_0": True, "player_1": True}
            assert env.rewards == {"player_0": 0, "player_1": 0}
            assert env.agent_selection == AGENTS[env.match.player]
            for agent in AGENTS:
                assert not env.observe(agent)["action_mask"].any()
                assert not env.infos[agent]["action_mask"].any()
            env.step(None)
            env.step(None)
            assert env.agents == []

    @pytest.mark.parametrize(
        ("position", "step", "ends"),
        [("W:Wa1:Bb2", "a1xc3", True), ("W:Wa1,b2:Be2,c3,d3,c4", "b2xd4", False)],
    )
    def test_the_last_cycle_truncates_a_match_that_is_not_over_also_within_a_chain(
        self, position: str, step: str, ends: bool
    ) -> None:
        env = module("fetaix").env(max_cycles=1)
        env.reset(options={"position": position})
        env.step(next(each.action for each in env.match.legal_steps if each.text == step))

        assert env.terminations == dict.fromkeys(AGENTS, ends)
        assert env.truncations == dict.fromkeys(AGENTS, not ends)
        assert env.rewards == ({"player_0": 1, "player_1": -1} if ends else dict.fromkeys(AGENTS, 0))
        assert ends or env.agent_selection == AGENTS[env.match.player]

    def test_reset_clears_the_last_match(self) -> None:
        fresh = snapshot(begun(module("fetaix").env()))
        env = module("fetaix").env()
        for seed, position in enumerate((None, None, "W:WKa1,b2:Be5,d4:H3")):
            env.reset(options={"position": position})
            play(env, np.random.default_rng(seed))
            env.reset()
            assert snapshot(env) == fresh

    def test_a_dead_agent_takes_only_none(self) -> None:
        env = begun(module("fetaix").env(max_cycles=1))
        env.step(choices(env)[0])

        with pytest.raises(ValueError, match="only valid action is None"):
            env.step(0)


class TestIllegalActions:
    @every_game
    def test_an_illegal_action_ends_a_wrapped_match_with_minus_1(
        self, name: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        env = begun(module(name).env())
        play(env, np.random.default_rng(0), steps=3)
        offender, before = env.agent_selection, env.position
        illegal = int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0])
        env.step(illegal)

        assert env.terminations == env.truncations == {"player_0": True, "player_1": True}
        assert {agent: env.rewards[agent] for agent in AGENTS} == {a: -1 if a == offender else 0 for a in AGENTS}
        assert env.position == before
        assert len(caplog.records) == 1
        assert not any(env.observe(agent)["action_mask"].any() for agent in AGENTS)
        env.reset()
        assert not is_done(env)
        assert len(choices(env)) > 0

    @every_game
    def test_an_illegal_action_raises_without_wrappers_and_changes_nothing(self, name: str) -> None:
        env = begun(raw_env(name))
        rng = np.random.default_rng(0)
        for _ in range(25):
            if is_done(env):
                env.reset()
            for info in env.infos.values():
                info["action_mask"][:] = 1  # a caller's copy
            before = snapshot(env)
            illegal = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)))
            with pytest.raises(IllegalStepError, match=f"action {illegal} is not legal for {env.agent_selection} in '"):
                env.step(illegal)
            assert snapshot(env) == before
            env.step(int(rng.choice(choices(env))))

    @pytest.mark.parametrize(
        "action", [-1, 10_000, 10**30, None, 1.0, np.float64(1), "c2-c3", np.array([1]), [1]], ids=repr
    )
    def test_an_action_of_another_type_raises_and_changes_nothing(self, action: Any) -> None:
        raw, wrapped = begun(raw_env("fetaix")), begun(module("fetaix").env())
        before = snapshot(raw)

        with pytest.raises(IllegalStepError):
            raw.step(action)
        # The oldest supported Gymnasium cannot convert the number of 31 digits, and says so.
        with pytest.raises((AssertionError, OverflowError), match=r"action is not in action space|int too large"):
            wrapped.step(action)

        assert snapshot(raw) == before == snapshot(wrapped)

    @pytest.mark.parametrize(
        "ask",
        [
            lambda env: env.step(0),
            lambda env: env.observe("player_0"),
            lambda env: env.last(),
            lambda env: next(iter(env.agent_iter())),
            lambda env: env.num_agents,
            *(lambda env, name=name: getattr(env, name) for name in ("rewards", "infos", "truncations")),
        ],
    )
    def test_what_is_known_after_reset_alone_says_so_before_without_wrappers_too(self, ask) -> None:
        env = raw_env("fetaix")
        with pytest.raises(AttributeError, match=r"no match has begun, so there is no '[a-z_]+': call reset first"):
            ask(env)
        assert not hasattr(copy.deepcopy(env), "agents")

    @pytest.mark.parametrize("make", [raw_env, lambda game: module(game).env()])
    def test_an_unknown_agent_is_named(self, make) -> None:
        env = make("fetaix")
        env.reset()
        for ask in (env.observe, env.observation_space, env.action_space):
            for agent in ("player_2", 0, None, ["player_0"]):
                with pytest.raises(UnknownNameError, match=r"^no agent .* \(known: player_0, player_1\)$"):
                    ask(agent)
