"""Environments and opponents for Stable-Baselines3: its own checks, and a model that learns."""

import gymnasium
import numpy as np
import pytest

import alquerque_env
from alquerque_env import Match, evaluate, load_game
from alquerque_env.engine.observation_form import ObservationForm
from alquerque_env.errors import AlquerqueError, PositionError
from tests.chosen_steps import random_match

sb3_contrib = pytest.importorskip("sb3_contrib")
from sb3_contrib import MaskablePPO  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402

from alquerque_env.adapters import sb3  # noqa: E402


def batched(count: int, **arguments: object) -> sb3.BatchedVecEnv:
    arguments = {"opponent": "random", "observation": "flat", "autoreset_mode": "SameStep", **arguments}
    return sb3.gymnasium_vec_to_sb3_vec_env_v0(gymnasium.make_vec("alquerque/Fetaix-v0", count, **arguments))


def first_legal(match: Match) -> object:
    return match.legal_steps[0]


@pytest.fixture(scope="module")
def model() -> MaskablePPO:
    return MaskablePPO("MlpPolicy", batched(16), n_steps=64, batch_size=256, seed=0)


@pytest.mark.slow
def test_a_model_learns_in_a_batch() -> None:
    model = MaskablePPO("MlpPolicy", batched(16), n_steps=64, batch_size=256, seed=0).learn(20_000)
    result = evaluate(sb3.MaskedPolicy(model), "fetaix", games=100, observation="flat", batched=True)
    assert result.win_rate.low > 0.7, str(result)


@pytest.mark.slow
def test_a_batch_plays_as_single_environments_do() -> None:
    ours = batched(4, opponent=first_legal, seat=1)
    theirs = [gymnasium.make("alquerque/Fetaix-v0", opponent=first_legal, seat=1, observation="flat") for _ in range(4)]
    rng = np.random.default_rng(0)
    seen = ours.reset()
    alone = [env.reset()[0] for env in theirs]
    ends = 0
    for _ in range(120):
        assert np.array_equal(seen, np.stack(alone))
        masks = ours.action_masks()
        assert np.array_equal(masks, np.stack([env.unwrapped.action_masks() for env in theirs]))
        assert np.array_equal(masks, np.stack(ours.env_method("action_masks")))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, dones, infos = ours.step(actions)
        for place, env in enumerate(theirs):
            last, reward, terminated, truncated, _ = env.step(int(actions[place]))
            assert rewards[place] == reward
            assert dones[place] == (terminated or truncated)
            alone[place] = last
            if dones[place]:
                ends += 1
                assert np.array_equal(infos[place]["terminal_observation"], last)
                assert infos[place]["TimeLimit.truncated"] is truncated
                alone[place], _ = env.reset()
            else:
                assert infos[place] == {}
    assert ends > 5


def test_a_truncated_match_is_told_and_one_that_ends_in_its_last_step_is_not() -> None:
    env = batched(2, max_episode_steps=1, opponent=first_legal, seat=0)
    env.reset()
    masks = env.action_masks()
    *_, dones, infos = env.step(np.array([masks[0].argmax(), masks[1].argmin()]))  # the second loses, by a wrong action
    assert dones.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [True, False]


def test_the_seed_decides_the_matches() -> None:
    def play(seed: int) -> list[bytes]:
        env = batched(5, seat="random")
        env.seed(seed)
        seen = [env.reset().tobytes()]
        for _ in range(20):
            seen.append(env.step(env.action_masks().argmax(1))[0].tobytes())
        return seen

    assert play(1) == play(1) != play(2)


ENDING = "W:WKc3:BKd1,e5:H4"


def test_matches_begin_in_the_positions_of_the_options() -> None:
    env, other = batched(3, seat=0), "W:Wa1,c1:Be5,c5:H2"
    shown = {text: Match("fetaix", text) for text in (ENDING, other, None)}
    for options, texts in (
        ({"position": ENDING}, [ENDING] * 3),
        ({"position": [ENDING, other, None]}, [ENDING, other, None]),
        ([{"position": other}, {}, {"position": ENDING}], [other, None, ENDING]),
        (None, [None] * 3),
    ):
        env.set_options(options)
        seen = env.reset()
        assert np.array_equal(env.action_masks(), [shown[text].action_mask() for text in texts])
        assert np.array_equal(seen > 0, [shown[text].observation().reshape(-1) > 0 for text in texts])
        env.reset()  # options are for one reset
        assert np.array_equal(env.action_masks(), [shown[None].action_mask()] * 3)


def test_wrong_positions_of_the_options_are_refused_and_the_matches_go_on() -> None:
    env = batched(3, seat=0)
    env.reset()
    before = env.action_masks()
    for options, problem in (
        ([{}, {"position": "W:Wz9:Ba1"}, {}], "match 1: unknown point 'z9'"),
        ([{"position": ENDING}, {}], "a list of 2, expected a text for each of 3 matches"),
    ):
        env.set_options(options)
        with pytest.raises(PositionError, match=problem):
            env.reset()
        assert np.array_equal(env.action_masks(), before)
    env.step(before.argmax(1))


def test_stable_baselines3_passes_positions_to_single_environments() -> None:
    env = DummyVecEnv([lambda: gymnasium.make("alquerque/Fetaix-v0", seat=0, observation="flat")] * 2)
    env.set_options([{"position": ENDING}, {}])
    env.reset()
    masks = [Match("fetaix", ENDING).action_mask(), Match("fetaix").action_mask()]
    assert np.array_equal(env.env_method("action_masks"), masks)


def test_what_stable_baselines3_cannot_express_is_refused() -> None:
    with pytest.raises(AlquerqueError, match=r"autoreset NextStep, .* make it with autoreset_mode='SameStep'"):
        sb3.gymnasium_vec_to_sb3_vec_env_v0(gymnasium.make_vec("alquerque/Fetaix-v0", 2, opponent="random"))
    both = alquerque_env.SelfPlayVectorEnv("fetaix", 2, autoreset_mode="SameStep")
    for env in (both, gymnasium.wrappers.vector.RecordEpisodeStatistics(both)):
        with pytest.raises(AlquerqueError, match="both players act in SelfPlayVectorEnv"):
            sb3.gymnasium_vec_to_sb3_vec_env_v0(env)
    with pytest.raises(AlquerqueError, match=r"expected a vector environment, as gymnasium\.make_vec makes"):
        sb3.gymnasium_vec_to_sb3_vec_env_v0(gymnasium.make("alquerque/Fetaix-v0"))


def test_a_batch_has_no_other_methods_or_attributes_of_its_matches() -> None:
    env = batched(3)
    assert env.has_attr("action_masks")
    assert env.get_attr("game")[0].name == "fetaix"
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    with pytest.raises(AlquerqueError, match="'action_masks' only, not 'render'"):
        env.env_method("render")
    with pytest.raises(AlquerqueError, match="cannot set 'seat'"):
        env.set_attr("seat", 1)
    env.close()


def test_a_policy_answers_for_one_and_for_many(model: MaskablePPO) -> None:
    policy = sb3.MaskedPolicy(model)
    match = Match("fetaix")
    seen = match.observation().reshape(-1).astype(np.float32)
    one = policy(seen, match.action_mask())
    many = policy(np.stack([seen] * 3), np.stack([match.action_mask()] * 3))
    assert match.action_mask()[int(one)]
    assert many.tolist() == [int(one)] * 3
    with pytest.raises(AlquerqueError, match="takes no action masks"):
        sb3.MaskedPolicy(PPO("MlpPolicy", batched(2)))
    with pytest.raises(AlquerqueError, match="str takes no action masks"):
        sb3.MaskedPolicy("model.zip")


def chosen_by(model: MaskablePPO, match: Match) -> int:
    seen = ObservationForm(match.game, "flat")(match.observation())
    return int(sb3.MaskedPolicy(model)(seen, match.action_mask()))


class TestFrozenOpponent:
    @pytest.mark.slow
    def test_it_plays_at_random_and_then_as_the_model_did_when_it_was_copied(self) -> None:
        opponent = sb3.FrozenOpponent("fetaix", observation="flat", deterministic=True, seed=0)
        env = batched(4, opponent=opponent)
        learner = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, learning_rate=0.01, seed=0)
        assert len({opponent.choose(Match("fetaix")) for _ in range(40)}) > 1
        opponent.freeze(learner)
        found = [match.copy() for match in random_match(load_game("fetaix"), 1) if not match.is_over]
        copied = [opponent.choose(match).action for match in found]
        assert copied == [chosen_by(learner, match) for match in found]
        learner.learn(512)
        assert [opponent.choose(match).action for match in found] == copied
        assert [chosen_by(learner, match) for match in found] != copied

    @pytest.mark.parametrize(("game", "form"), [("alquerque", "flat"), ("fetaix", "planes")])
    def test_a_model_of_another_game_or_form_is_refused(self, model: MaskablePPO, game: str, form: str) -> None:
        with pytest.raises(AlquerqueError, match=rf"the model takes .*\(150,\).* but the opponent plays {game} with"):
            sb3.FrozenOpponent(game, observation=form).freeze(model)

    @pytest.mark.slow
    def test_the_callback_copies_each_time_after_so_many_steps(self) -> None:
        opponent = sb3.FrozenOpponent("fetaix", observation="flat")
        copies = []
        opponent.freeze = lambda model: copies.append(model.num_timesteps)  # type: ignore[method-assign]
        learner = MaskablePPO("MlpPolicy", batched(4, opponent=opponent), n_steps=32, batch_size=64, seed=0)
        learner.learn(512, callback=opponent.callback(every=200))
        assert copies == [200, 400]
