"""Batched self-play as Gymnasium vectorizes it; `tests/all_forms.py` compares it with single matches."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from alquerque_env import SelfPlayVectorEnv, load_bot, load_game
from alquerque_env.envs.aec import MatchEnv
from alquerque_env.errors import AlquerqueError, BotError, IllegalStepError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from tests.envs.drawn import as_numpy, assert_alike, draw, named, step
from tests.option_values import core_first

AGENTS = ("player_0", "player_1")

# Options and max_cycles that between them meet every kind of memory and every end.
CASES: list[tuple[str, dict[str, object], int | None]] = [
    ("fetaix", {}, None),
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False}, 40),
    ("alquerque_alfonso_x", {"repetition": "threefold_draw", "no_progress_limit": "off"}, 150),
    ("awithlaknannai_mosona", {"leap": "straight", "board": "zigzag", "who_starts": "player_1"}, 17),
    ("bagh_chal", {}, None),
]


every_case = pytest.mark.parametrize(("name", "options", "max_cycles"), core_first(CASES), ids=named)
backends = pytest.mark.parametrize("backend", ["auto", "torch"])
modes = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def make(name: str, num_envs: int, max_cycles: int | None = None, **options: Any) -> SelfPlayVectorEnv:
    return SelfPlayVectorEnv(load_game(name, **options), num_envs, max_cycles=max_cycles)


def with_backend(backend: str, num_envs: int, game: Any = "fetaix", **arguments: Any) -> SelfPlayVectorEnv:
    if backend == "torch":
        pytest.importorskip("torch")
    return SelfPlayVectorEnv(game, num_envs, backend=backend, **arguments)


def begun(env: SelfPlayVectorEnv) -> SelfPlayVectorEnv:
    env.reset(seed=0)
    return env


class SingleMatch(gymnasium.Env):
    """One match of self-play as a Gymnasium environment, over the AEC environment: what Gymnasium vectorizes itself."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, game: Game, max_cycles: int | None) -> None:
        self.aec = MatchEnv(game, max_cycles=max_cycles)
        self.observation_space = self.aec.observation_space("player_0")["observation"]
        self.action_space = self.aec.action_space("player_0")

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        self.aec.reset(seed=seed)
        return self.told()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        mover = self.aec.agent_selection
        self.aec.step(action)
        observation, info = self.told()
        return observation, self.aec.rewards[mover], self.aec.terminations[mover], self.aec.truncations[mover], info

    def told(self) -> tuple[np.ndarray, dict[str, Any]]:
        seen = self.aec.observe(self.aec.agent_selection)
        gains = [self.aec.rewards[agent] for agent in AGENTS]
        return seen["observation"], {
            "action_mask": seen["action_mask"],
            "player": AGENTS.index(self.aec.agent_selection),
            "winner": gains.index(1) if 1 in gains else -1,
        }


class TestAgreement:
    @backends
    def test_a_bot_chooses_match_by_match(self, backend: str) -> None:
        env = begun(with_backend(backend, 8))
        for _ in range(5):
            env.step(env.sample_actions())
        live = np.arange(8)[1::2]
        bot, same = (load_bot("alphabeta:2", env.game, seed=7) for _ in range(2))
        assert env.choose(bot, live).tolist() == [same.choose(env.match(number)).action for number in live]
        assert env.choose(bot, live[:0]).shape == (0,)
        with pytest.raises(IndexError):
            env.match(8)

    @backends
    def test_only_numbers_of_matches_in_progress_are_asked_for(self, backend: str) -> None:
        env = with_backend(backend, 3, max_cycles=1)
        env.reset(seed=0)
        bot = load_bot("greedy", env.game, seed=0)

        assert env.choose(bot, []).shape == (0,)
        for wrong in (np.array([True, False, True]), [0.0], 1, [[0]], [None]):
            with pytest.raises(AlquerqueError, match=r"numbers of matches are .*, expected int64 \[K\]"):
                env.choose(bot, wrong)
        for wrong in (True, [0], slice(0, 1), None):
            with pytest.raises(AlquerqueError, match="numbers of matches are"):
                env.match(wrong)
        with pytest.raises(IndexError, match="there is no match 3 among 3"):
            env.choose(bot, [0, 3])
        env.step(env.sample_actions())
        with pytest.raises(BotError, match="no bot can choose in match 2: it has ended"):
            env.choose(bot, [2, 0])

    @backends
    def test_the_arrays_of_one_match_have_the_documented_types_and_shapes(self, backend: str) -> None:
        env = begun(with_backend(backend, 1, max_cycles=3))
        assert {array.dtype.kind for array in env.get_state().values()} <= set("bi")
        told = env.step(env.sample_actions())
        assert {type(array) for array in (*told[:4], *told[4].values())} == {type(env.sample_actions())}
        observations, rewards, terminated, truncated, info = as_numpy(told)
        assert rewards.shape == info["player"].shape == (1,)

        assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        assert [array.dtype for array in (observations, rewards, terminated, truncated)] == [
            np.int8, np.float32, np.bool_, np.bool_,
        ]  # fmt: skip
        assert {key: array.dtype for key, array in info.items()} == {
            "action_mask": np.int8, "player": np.int8, "winner": np.int8,
            "_action_mask": np.bool_, "_player": np.bool_, "_winner": np.bool_,
        }  # fmt: skip


def gymnasium_vectorized(game: Game, max_cycles: int | None, count: int, mode: AutoresetMode) -> SyncVectorEnv:
    makers: list[Callable[[], SingleMatch]] = [lambda: SingleMatch(game, max_cycles) for _ in range(count)]
    return SyncVectorEnv(makers, autoreset_mode=mode)


@modes
@pytest.mark.parametrize("count", [4, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "options", "max_cycles"),
    [("fetaix", {}, 40), ("alquerque", {}, None), ("alquerque_murray", {"no_progress_limit": 9}, 30)],
    ids=named,
)
@pytest.mark.parametrize("backend", ["auto", pytest.param("torch", marks=pytest.mark.slow)])
def test_each_autoreset_mode_is_that_of_gymnasium(
    name: str, options: dict[str, Any], max_cycles: int | None, count: int, mode: AutoresetMode, backend: str
) -> None:
    game = load_game(name, **options)
    ours = with_backend(backend, count, game, autoreset_mode=mode, max_cycles=max_cycles)
    theirs = gymnasium_vectorized(game, max_cycles, count, mode)
    rng = np.random.default_rng(0)
    observations, info = as_numpy(ours.reset(seed=0))
    their_observations, their_info = theirs.reset(seed=0)
    ends = 0
    for _ in range(200):
        assert np.array_equal(observations, their_observations)
        assert_infos_agree(info, their_info, skip={"winner"} if "final_info" in their_info else set())
        actions = draw(info["action_mask"], rng)
        actions[~info["action_mask"].any(1)] = -(10**9)  # ignored
        observations, *rest, info = step(ours, actions)
        their_observations, *their_rest, their_info = theirs.step(actions)
        for one, other in zip(rest, their_rest, strict=True):
            assert np.array_equal(one, other)
        ended = rest[1] | rest[2]
        ends += int(ended.sum())
        assert ("final_obs" in their_info) == (mode is AutoresetMode.SAME_STEP and ended.any())
        assert ("final_obs" in info) == ("final_obs" in their_info) or backend == "torch"
        if "final_obs" in their_info:
            assert np.array_equal(info["_final_obs"], their_info["_final_obs"])
            assert np.array_equal(info["_final_obs"], ended)
            for match in np.flatnonzero(ended):
                assert np.array_equal(info["final_obs"][match], their_info["final_obs"][match])
        if mode is AutoresetMode.DISABLED and ended.any():
            # One at a time, so that the others wait as they are.
            for match in np.flatnonzero(ended):
                with pytest.raises(gymnasium.error.ResetNeeded, match=f"match {match} has ended"):
                    step(ours, np.zeros(count, np.int64))
                chosen = np.arange(count) == match
                observations, info = as_numpy(ours.reset(options={"reset_mask": chosen}))
                their_observations, _ = theirs.reset(options={"reset_mask": chosen})
                assert np.array_equal(observations, their_observations)
                ended[match] = False
                assert np.array_equal(info["action_mask"].any(1), ~ended)
            their_info = {}
    assert ends > 8


def assert_infos_agree(ours: dict[str, Any], theirs: dict[str, Any], skip: set[str]) -> None:
    """Compares the entries that Gymnasium's info has; `skip` names those that are defined differently here."""
    for key, told in theirs.items():
        if key in skip or (key.startswith("_") and key[1:] in skip) or key in ("final_obs", "_final_obs"):
            continue
        if isinstance(told, dict):
            assert_infos_agree(ours[key], told, skip=set())
            continue
        assert np.array_equal(ours[f"_{key.lstrip('_')}"], theirs[f"_{key.lstrip('_')}"])
        present = theirs[f"_{key.lstrip('_')}"]
        assert np.array_equal(ours[key][present], told[present])


class TestAutoreset:
    def test_same_step_returns_the_winner_with_the_next_first_observation(self) -> None:
        env = begun(SelfPlayVectorEnv("fetaix", 4, autoreset_mode="SameStep"))
        wins = 0
        for _ in range(200):
            _, rewards, terminated, _, info = env.step(env.sample_actions())
            assert np.array_equal(info["winner"] >= 0, rewards != 0)
            if terminated.any():
                wins += int((rewards != 0).sum())
                assert np.array_equal(info["final_info"]["winner"][terminated], info["winner"][terminated])
                assert not info["final_info"]["action_mask"][terminated].any()
                assert info["action_mask"].any(1).all()
        assert wins > 0

    def test_a_reset_of_some_leaves_the_others_in_the_middle_of_their_match(self) -> None:
        for mode in AutoresetMode:
            env = begun(SelfPlayVectorEnv("fetaix", 2, autoreset_mode=mode, max_cycles=6))
            start, _ = env.reset(seed=0)
            for _ in range(3):
                before, *_ = env.step(env.sample_actions())
            after, _ = env.reset(options={"reset_mask": np.array([False, True])})
            assert np.array_equal(after[0], before[0])
            assert np.array_equal(after[1], start[1])
            cut = [env.step(env.sample_actions())[3].tolist() for _ in range(3)]
            assert cut == [[False, False], [False, False], [True, False]]

    @pytest.mark.parametrize(
        "mask", [np.ones(2, bool), np.ones((3, 1), bool), np.ones(3, np.int64), [1, 0, 1], "all"], ids=repr
    )
    def test_a_reset_mask_of_another_kind_is_refused_and_changes_nothing(self, mask: Any) -> None:
        env = begun(make("fetaix", 3))
        env.step(env.sample_actions())
        before = env.get_state()
        with pytest.raises(AlquerqueError, match="reset_mask is "):
            env.reset(seed=5, options={"reset_mask": mask})
        assert_alike(env.get_state(), before)

    def test_the_first_reset_begins_all_matches(self) -> None:
        env = make("fetaix", 2)
        with pytest.raises(AlquerqueError, match="the first reset must begin all matches"):
            env.reset(options={"reset_mask": np.array([True, False])})
        env.reset(options={"reset_mask": np.array([True, True])})

    def test_no_match_is_shown_or_played_by_a_bot_before_the_first_reset(self) -> None:
        env = make("fetaix", 2)
        for ask in (lambda: env.match(0), lambda: env.choose(load_bot("random", env.game), [0])):
            with pytest.raises(gymnasium.error.ResetNeeded, match="no match has begun: call reset first"):
                ask()


class TestIllegalActions:
    @every_case
    def test_an_illegal_action_raises_before_anything_changes(
        self, name: str, options: dict[str, Any], max_cycles: int | None
    ) -> None:
        env = make(name, 4, max_cycles, **options)
        rng = np.random.default_rng(0)
        _, info = env.reset(seed=0)
        refused = 0
        for _ in range(60):
            actions = env.sample_actions()
            match = int(rng.integers(4))
            if info["action_mask"][match].any():
                spoilt = actions.copy()
                spoilt[match] = rng.choice(np.flatnonzero(info["action_mask"][match] == 0))
                before = env.get_state()
                with pytest.raises(IllegalStepError, match=f"action {spoilt[match]} of match {match} is not legal"):
                    env.step(spoilt)
                assert_alike(env.get_state(), before)
                refused += 1
            *_, info = env.step(actions)
        assert refused > 20

    @backends
    @pytest.mark.parametrize("wrong", [-1, -(2**62), "n", 2**31, 2**62], ids=repr)
    def test_an_action_out_of_range_raises(self, wrong: Any, backend: str) -> None:
        env = begun(with_backend(backend, 2))
        actions = env.sample_actions()
        before = env.get_state()
        actions[1] = env.single_action_space.n if wrong == "n" else wrong
        with pytest.raises(IllegalStepError, match="of match 1 is not legal"):
            env.step(actions)
        assert_alike(env.get_state(), before)


class TestSampling:
    def test_draws_in_one_call_do_not_depend_on_each_other(self) -> None:
        env = begun(make("awithlaknannai_mosona", 2))
        pairs = {tuple(env.sample_actions().tolist()) for _ in range(200)}

        assert len(pairs) == 9


class TestState:
    def test_a_state_may_be_set_before_the_first_reset(self) -> None:
        env, other = make("fetaix", 2), begun(make("fetaix", 2))
        env.set_state(other.get_state())
        assert_alike(env.step(env.sample_actions()), other.step(other.sample_actions()))

    @pytest.mark.parametrize(
        ("name", "options", "num_envs"),
        [
            ("alquerque", {}, 3),
            ("alquerque_murray", {}, 3),
            ("fetaix", {"chain": "optional"}, 3),
            ("fetaix", {"no_progress_limit": 81}, 3),
            ("fetaix", {"repetition": "threefold_draw"}, 3),
            ("fetaix", {}, 2),
            ("fetaix", {}, 4),
        ],
        ids=str,
    )
    def test_a_state_of_other_matches_is_refused_and_changes_nothing(
        self, name: str, options: dict[str, Any], num_envs: int
    ) -> None:
        env = begun(make("fetaix", 3))
        env.step(env.sample_actions())
        before = env.get_state()
        with pytest.raises(AlquerqueError, match=r"cannot set the state: '(game|states)'"):
            env.set_state(begun(make(name, num_envs, **options)).get_state())
        assert_alike(env.get_state(), before)

    def test_a_state_with_a_clock_beyond_its_keys_is_refused(self) -> None:
        game = load_game("alquerque_alfonso_x", repetition="threefold_draw", no_progress_limit="off")
        env = begun(SelfPlayVectorEnv(game, 2))
        state = env.get_state()
        late = state["states"].copy()
        late[1, STATE.QUIET] = 1 << 40
        with pytest.raises(AlquerqueError, match="match 1 has 1099511627776 turns without progress"):
            env.set_state(state | {"states": late})
        assert_alike(env.get_state(), state)
