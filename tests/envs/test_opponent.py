"""Matches against an opponent as Gymnasium environments, one by one and batched."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from alquerque_env import Match, Step, games, load_bot, load_game
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.envs.registration import camel_case
from alquerque_env.errors import AlquerqueError, BotError, IllegalStepError, NotationError
from tests.envs.drawn import draw, named
from tests.option_values import few_first, few_games
from tests.sets import first_by_default

every_game = pytest.mark.parametrize("name", few_games())
seats = pytest.mark.parametrize("seat", [0, 1])

CASES: list[tuple[str, dict[str, object], int | None]] = [
    *((game, {}, None) for game in games()),
    ("alquerque", {"capture_removal": "end_of_turn", "undo_scope": "never_revisit"}, 25),
    ("alquerque_alfonso_x", {"repetition": "threefold_draw", "no_progress_limit": "off"}, 200),
    ("alquerque_murray", {"no_moves": "pass", "no_progress_limit": 8, "no_progress_result": "majority"}, None),
    ("fetaix", {"who_starts": "player_1", "repetition": "threefold_draw", "man_capture_dirs": "all"}, None),
    ("fetaix", {}, 1),
]


every_case = pytest.mark.parametrize(("name", "options", "max_cycles"), few_first(CASES), ids=named)


def make(name: str, **arguments: Any) -> gymnasium.Env:
    return gymnasium.make(f"alquerque/{camel_case(name)}-v0", **arguments)


def make_vec(name: str, num_envs: int, **arguments: Any) -> VersusVectorEnv:
    return gymnasium.make_vec(f"alquerque/{camel_case(name)}-v0", num_envs=num_envs, **arguments)


def first_legal(match: Match) -> Step:
    return match.legal_steps[0]


def by_position(match: Match) -> int:
    """Returns an action that depends on the position only."""
    return match.legal_steps[sum(match.position.encode()) % len(match.legal_steps)].action


def whole_turn(match: Match) -> str:
    """The text of a whole turn, to the end of its chain."""
    ahead = match.copy()
    turns = len(match.turns)
    while not ahead.is_over and ahead.player == match.player:
        ahead.push(ahead.legal_steps[0])
    return ahead.turns[turns]


def play(env: gymnasium.Env, rng: np.random.Generator, **reset: Any) -> Iterator[tuple[Any, ...]]:
    """Plays a match of random actions; yields what `reset` and each `step` return, as five values."""
    observation, info = env.reset(**reset)
    told: tuple[Any, ...] = observation, 0.0, False, False, info
    yield told
    while not (told[2] or told[3]):
        told = env.step(draw(told[4]["action_mask"], rng))
        yield told


class TestNames:
    @pytest.mark.slow
    def test_every_game_is_registered_under_its_name_in_camel_case(self) -> None:
        assert {f"alquerque/{camel_case(name)}-v0" for name in games()} <= set(gymnasium.registry)
        assert "alquerque/AwithlaknannaiMosonaDavis-v0" in gymnasium.registry
        for name in games():
            assert make(name).unwrapped.game.name == name

    def test_gymnasium_imports_the_package_that_is_named_before_a_colon(self) -> None:
        env = gymnasium.make("alquerque_env:alquerque/Fetaix-v0", seat=1, chain="single")
        assert env.unwrapped.game.options["chain"] == "single"
        assert env.unwrapped.seat == 1


class TestPlay:
    @every_case
    @seats
    def test_the_agent_sees_its_own_side_and_its_own_choices_to_the_end(
        self, name: str, options: dict[str, Any], max_cycles: int | None, seat: int
    ) -> None:
        env = make(name, opponent=by_position, seat=seat, max_cycles=max_cycles, **options)
        rng = np.random.default_rng(0)
        for _ in range(4):
            for observation, reward, terminated, truncated, info in play(env, rng):
                match = env.unwrapped.match
                legal = [] if terminated or truncated else [step.action for step in match.legal_steps]
                assert match.player == seat or not legal
                assert np.flatnonzero(info["action_mask"]).tolist() == sorted(legal)
                assert info["action_mask"].dtype == np.int8
                assert info["player"] == seat
                assert np.array_equal(env.unwrapped.action_masks(), info["action_mask"])
                assert np.array_equal(observation, match.observation(seat))
                assert terminated == match.is_over
                winner = match.outcome.winner if match.outcome else None
                assert reward == (0 if winner is None else 1 if winner == seat else -1)

    def test_opponents_may_be_specs_bots_or_functions_and_answer_in_any_form(self) -> None:
        game = load_game("fetaix")
        forms: dict[str, Any] = {
            "spec": "greedy",
            "bot": load_bot("greedy", game, seed=0),
            "bound": load_bot("greedy", game, seed=0).choose,
            "step": first_legal,
            "index": lambda match: match.legal_steps[0].action,
            "text": lambda match: match.legal_steps[0].text,
            "turn": whole_turn,
        }
        ends = {}
        for form, opponent in forms.items():
            env = make("fetaix", opponent=opponent, seat=1)
            *_, last = play(env, np.random.default_rng(3), seed=0)
            assert last[2]
            ends[form] = [step.text for step in env.unwrapped.match.steps]
        assert ends["bot"] == ends["bound"]
        assert ends["step"] == ends["index"] == ends["text"]

    def test_a_bot_of_other_options_is_refused_when_it_is_to_choose(self) -> None:
        env = make("fetaix", opponent=load_bot("greedy", load_game("alquerque")), seat=1)
        with pytest.raises(AlquerqueError, match="plays load_game\\('alquerque'\\)"):
            env.reset()

    @pytest.mark.parametrize(
        ("answer", "error", "message"),
        [
            (lambda _match: 0, IllegalStepError, "answered wrongly: action 0 is not legal"),
            (lambda _match: Match("fetaix").legal_steps[0], IllegalStepError, "answered wrongly: b2-c3 is not legal"),
            (lambda _match: True, NotationError, "answered wrongly: a step is"),
            (lambda _match: 1 / 0, ZeroDivisionError, "division"),
            (lambda _match: None, BotError, "gave 0 answers in 1 matches, expected one for each"),
        ],
    )
    def test_an_opponent_that_fails_in_one_match_or_in_one_of_many_is_named_and_waits_for_reset(
        self, answer: Any, error: type[Exception], message: str
    ) -> None:
        class Opponent:
            fails = True

            def choose(self, match: Match) -> Any:
                """Unused: `choose_many` is there."""

            def choose_many(self, matches: Sequence[Match]) -> list[Any]:
                answers = [
                    answer(match) if self.fails and str(match.steps[0]) == "b2-c3" else match.legal_steps[0]
                    for match in matches
                ]
                return [] if error is BotError and self.fails else answers

        opponent = Opponent()
        env = make("fetaix", opponent=opponent, seat=0)
        envs = make_vec("fetaix", 3, opponent=opponent, seat=0)
        steps = {str(step): step.action for step in Match("fetaix").legal_steps}
        actions = np.array([steps["d2-c3"], steps["d2-c3"], steps["b2-c3"]])
        env.reset(), envs.reset()

        where = "" if error in (ZeroDivisionError, BotError) else "the opponent "
        with pytest.raises(error, match=where + message):
            env.step(steps["b2-c3"])
        where = "the opponent of match 2 " if where else ""
        with pytest.raises(error, match=where + message.replace("1 matches", "3 matches")):
            envs.step(actions)
        for step in (lambda: env.step(0), lambda: envs.step(actions)):
            with pytest.raises(gymnasium.error.ResetNeeded):
                step()

        opponent.fails = False
        env.reset(), envs.reset()
        assert env.step(steps["b2-c3"])[2] is False
        assert not envs.step(actions)[2].any()

    def test_an_illegal_action_loses_the_match(self) -> None:
        for action in (-1, 10**6, None):
            env = make("fetaix", opponent=first_legal, seat=0)
            _, info = env.reset(seed=0)
            for _ in range(3):
                *_, info = env.step(draw(info["action_mask"], np.random.default_rng(0)))
            before = env.unwrapped.match.position
            illegal = int(np.flatnonzero(info["action_mask"] == 0)[0]) if action is None else action
            observation, reward, terminated, truncated, info = env.unwrapped.step(illegal)

            assert (reward, terminated, truncated) == (-1.0, True, False)
            assert not info["action_mask"].any()
            assert not env.unwrapped.action_masks().any()
            assert env.unwrapped.match.position == before
            assert np.array_equal(observation, env.unwrapped.match.observation(0))
            with pytest.raises(gymnasium.error.ResetNeeded):
                env.unwrapped.step(0)
            assert env.reset()[1]["action_mask"].any()

    @pytest.mark.parametrize("action", [1.0, None, True, "c2-c3", np.float32(2), [3], np.array([3])], ids=repr)
    def test_an_action_that_is_not_an_integer_raises_and_changes_nothing(self, action: Any) -> None:
        env = VersusEnv("fetaix", first_legal, 0)
        _, info = env.reset()
        before = env.match.position
        with pytest.raises(AlquerqueError, match="expected an integer"):
            env.step(action)
        assert env.match.position == before
        assert np.array_equal(env.action_masks(), info["action_mask"])

    @seats
    @pytest.mark.parametrize("limit", [1, 2, 7, 8])
    def test_max_cycles_truncates_after_so_many_sub_steps_of_both_but_not_before_the_agents_first(
        self, seat: int, limit: int
    ) -> None:
        env = make("fetaix", opponent=first_legal, seat=seat, max_cycles=limit)
        for _ in range(2):
            *before, (_, reward, terminated, truncated, info) = play(env, np.random.default_rng(0))
            assert (reward, terminated, truncated) == (0.0, False, True)
            assert not info["action_mask"].any()
            assert len(env.unwrapped.match.steps) == max(limit, 1 + seat)
            assert all(told[4]["action_mask"].any() for told in before)
            with pytest.raises(gymnasium.error.ResetNeeded):
                env.unwrapped.step(0)

    def test_max_cycles_lets_the_opponent_finish_its_first_turn(self) -> None:
        """No game starts with a double capture, so the test makes a start with one."""
        alquerque = load_game("alquerque")
        points = [
            frozenset(alquerque.board.index[label] for label in labels.split()) for labels in ("c1 d2 c4", "c5 b4 c2")
        ]
        game = dataclasses.replace(alquerque, start=(points[0], points[1]))

        def twice(match: Match) -> Step:
            return next(step for step in match.legal_steps if step.text in ("c1xc3", "c3xa5"))

        single, vector = (
            VersusEnv(game, opponent=twice, seat=1, max_cycles=1),
            VersusVectorEnv(1, game, opponent=twice, seat=1, max_cycles=1),
        )
        observation, info = single.reset()
        observations, infos = vector.reset()

        assert single.match.turns == ("c1xc3xa5",)
        assert single.match.player == 1
        assert np.array_equal(observations[0], observation)
        assert np.array_equal(infos["action_mask"][0], info["action_mask"])
        action = draw(info["action_mask"], np.random.default_rng(0))
        assert single.step(action)[1:4] == (0.0, False, True)
        assert [array.tolist() for array in vector.step(np.array([action]))[1:4]] == [[0.0], [False], [True]]


OPPONENTS: dict[str, Callable[[Match], Any]] = {"by_position": by_position, "whole_turn": whole_turn}


class TestVector:
    @every_game
    def test_make_vec_makes_the_batched_form(self, name: str) -> None:
        env = make_vec(name, 3, opponent="greedy", seat=1)

        assert type(env) is VersusVectorEnv
        assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        assert env.num_envs == 3
        assert env.single_observation_space == make(name).observation_space
        assert env.single_action_space == make(name).action_space

    @first_by_default
    @every_case
    @seats
    @pytest.mark.parametrize("opponent", OPPONENTS)
    @pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
    def test_it_agrees_with_single_matches_in_every_field(
        self, name: str, options: dict[str, Any], max_cycles: int | None, seat: int, opponent: str, mode: AutoresetMode
    ) -> None:
        arguments = {"opponent": OPPONENTS[opponent], "seat": seat, "max_cycles": max_cycles, **options}
        ours = make_vec(name, 3, autoreset_mode=mode, **arguments)
        theirs = SyncVectorEnv([lambda: VersusEnv(name, **arguments)] * 3, autoreset_mode=mode)
        assert ours.metadata["autoreset_mode"] is mode
        rng = np.random.default_rng(0)
        told: tuple[Any, ...] = ours.reset(seed=0)
        same: tuple[Any, ...] = theirs.reset(seed=0)
        ends = 0
        for number in range(100):
            assert ours.observation_space.contains(told[0])
            assert all(np.array_equal(one, other) for one, other in zip(told[:-1], same[:-1], strict=True))
            info, their_info = told[-1], same[-1]
            assert info.keys() == their_info.keys()
            for key in ("action_mask", "player"):  # Gymnasium tells nothing of matches that were not reset
                told_of = their_info[f"_{key}"]
                assert np.array_equal(info[key][told_of], their_info[key][told_of])
                assert mode is AutoresetMode.DISABLED or told_of.all()
            if "final_info" in info:
                for place in np.flatnonzero(info["_final_obs"]):
                    assert np.array_equal(info["final_obs"][place], their_info["final_obs"][place])
                    for key, value in their_info["final_info"].items():
                        assert np.array_equal(info["final_info"][key][place], value[place])
            if mode is AutoresetMode.DISABLED and len(told) == 5 and (ended := told[2] | told[3]).any():
                with pytest.raises(gymnasium.error.ResetNeeded, match="has ended"):
                    ours.step(np.zeros(3, np.int64))
                told, same = (env.reset(options={"reset_mask": ended}) for env in (ours, theirs))
                continue
            actions = draw(info["action_mask"], rng)
            if number % 9 == 8:
                actions[number % 3] = [-1, 0, 10**9][number // 9 % 3]
            told, same = ours.step(actions), theirs.step(actions)
            ends += int((told[2] | told[3]).sum())
        assert ends > 4

    def test_random_seats_are_in_the_info_to_the_end_of_the_match(self) -> None:
        env, rng = make_vec("fetaix", 8), np.random.default_rng(0)
        _, info = env.reset(seed=5)
        begins, seats = np.zeros(8, bool), info["player"]
        for _ in range(60):
            *_, terminated, _, info = env.step(draw(info["action_mask"], rng))
            assert (info["player"] == seats)[~begins].all()
            begins, seats = terminated, info["player"]
        assert set(seats.tolist()) == {0, 1}


class TestPools:
    """A list of opponents, of which one is drawn for each match."""

    def test_each_match_is_played_by_the_opponent_in_its_info(self) -> None:
        asked: list[str] = []

        def answering(name: str) -> Callable[[Match], Step]:
            return lambda match: asked.append(name) or match.legal_steps[0]  # type: ignore[func-returns-value]

        env = make("fetaix", opponent=[answering("first"), answering("second"), "random"], seat=1)
        drawn = []
        for seed in range(30):
            asked.clear()
            _, info = env.reset(seed=seed)
            drawn.append(info["opponent"])
            assert asked == {0: ["first"], 1: ["second"], 2: []}[info["opponent"]]
            assert env.step(int(info["action_mask"].argmax()))[-1]["opponent"] == info["opponent"]
        assert set(drawn) == {0, 1, 2}
        again = [env.reset(seed=seed)[1]["opponent"] for seed in range(30)]
        assert again == drawn

    def test_a_batch_draws_an_opponent_for_each_match(self) -> None:
        env = make_vec("fetaix", 40, opponent=["random", "greedy", first_legal], autoreset_mode="SameStep")
        _, info = env.reset(seed=0)
        first = info["opponent"]
        assert first.dtype == np.int64
        assert set(first.tolist()) == {0, 1, 2}
        changed = np.zeros(40, bool)
        rng = np.random.default_rng(0)
        for _ in range(60):
            before = info["opponent"]
            *_, terminated, truncated, info = env.step(draw(info["action_mask"], rng))
            ended = terminated | truncated
            assert np.array_equal(info["opponent"][~ended], before[~ended])
            if ended.any():
                assert np.array_equal(info["final_info"]["opponent"][ended], before[ended])
            changed |= info["opponent"] != before
        assert changed.any()
        assert np.array_equal(env.reset(seed=0)[1]["opponent"], first)

    def test_without_a_list_the_info_does_not_name_the_opponent(self) -> None:
        assert "opponent" not in make("fetaix", opponent="greedy").reset(seed=0)[1]
        assert "opponent" not in make_vec("fetaix", 2, opponent="greedy").reset(seed=0)[1]

    def test_an_opponent_that_chooses_in_many_matches_at_once_is_asked_once(self) -> None:
        class Many:
            name = "many"
            sizes: list[int] = []  # noqa: RUF012

            def choose(self, match: Match) -> Step:
                return self.choose_many([match])[0]

            def choose_many(self, matches: Any) -> list[Step]:
                self.sizes.append(len(matches))
                return [match.legal_steps[0] for match in matches]

        env = make_vec("fetaix", 7, opponent=Many(), seat=1)
        env.reset(seed=0)
        assert Many.sizes == [7]
