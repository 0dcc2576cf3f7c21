"""Games seen through symmetries: the same matches, other images."""

import numpy as np
import pytest
from alquerque_training.experience.symmetric_env import SymmetricGames

from alquerque_env import SelfPlayVectorEnv, load_bot, load_game
from alquerque_env.game.game import Game
from tests.sets import first_by_default

GAMES = ("alquerque", "fetaix", "awithlaknannai_mosona", "alquerque_alfonso_x")


def plain_actions(mirrored: SymmetricGames, game: Game, actions: np.ndarray) -> np.ndarray:
    """The actions of the plain matches that have these images."""
    origins = np.array([symmetry.actions for symmetry in game.symmetries]).argsort(1)
    return origins[mirrored.get_state()["chosen"], actions]


def images(planes: np.ndarray, mask: np.ndarray, game: Game) -> set[tuple[bytes, bytes]]:
    """Every image of one observation and mask, by the definition of `Symmetry`."""
    found = set()
    for symmetry in game.symmetries:
        image, image_mask = np.zeros_like(planes), np.zeros_like(mask)
        for plane, plane_image in enumerate(symmetry.planes):
            for point, point_image in enumerate(symmetry.points):
                image[plane_image, point_image] = planes[plane, point]
        for action, action_image in enumerate(symmetry.actions):
            image_mask[action_image] = mask[action]
        found.add((image.tobytes(), image_mask.tobytes()))
    return found


@first_by_default
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.slow
def test_every_match_is_an_image_of_a_plain_match_of_the_same_actions(name: str) -> None:
    game, count = load_game(name), 16
    mirrored = SymmetricGames(SelfPlayVectorEnv(game, count), game.symmetries)
    plain = SelfPlayVectorEnv(game, count)
    planes, info = mirrored.reset(seed=1)
    plain_planes, plain_info = plain.reset(seed=1)
    generator = np.random.default_rng(2)
    drawn = set()
    for _ in range(150):
        legal = info["action_mask"] > 0
        actions = np.array([generator.choice(np.flatnonzero(row)) if row.any() else 0 for row in legal])
        meant = plain_actions(mirrored, game, actions)
        drawn |= set(mirrored.get_state()["chosen"].tolist())
        for row in range(count):
            image = planes[row].numpy().tobytes(), info["action_mask"][row].numpy().tobytes()
            assert image in images(plain_planes[row], plain_info["action_mask"][row], game)
            assert not legal[row].any() or plain_info["action_mask"][row, meant[row]]
        planes, rewards, terminated, truncated, info = mirrored.step(actions)
        plain_planes, plain_rewards, plain_terminated, plain_truncated, plain_info = plain.step(meant)
        assert np.array_equal(rewards, plain_rewards)
        assert np.array_equal(terminated, plain_terminated)
        assert np.array_equal(truncated, plain_truncated)
        assert np.array_equal(info["player"], plain_info["player"])
    assert drawn == set(range(len(game.symmetries)))


def test_a_match_keeps_its_symmetry_to_the_end() -> None:
    game = load_game("alquerque")
    mirrored = SymmetricGames(SelfPlayVectorEnv(game, 8), game.symmetries)
    _, info = mirrored.reset(seed=3)
    before, ended = mirrored.get_state()["chosen"], np.zeros(8, bool)
    for _ in range(200):
        _, _, terminated, truncated, info = mirrored.step(info["action_mask"].argmax(1))
        chosen = mirrored.get_state()["chosen"]
        assert np.array_equal(chosen[~ended], before[~ended])
        before, ended = chosen, terminated | truncated


@first_by_default
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.slow
def test_a_bot_sees_the_plain_match_and_its_choice_is_shown_in_the_image(name: str) -> None:
    game, count = load_game(name), 16
    plain = SelfPlayVectorEnv(game, count)
    mirrored = SymmetricGames(plain, game.symmetries)
    bot = load_bot("alphabeta:1", game, seed=5)
    _, info = mirrored.reset(seed=1)
    for _ in range(60):
        live = np.flatnonzero(info["action_mask"].any(1))
        wanted = plain.choose(bot, live)
        actions = np.zeros(count, np.int64)
        actions[live] = mirrored.choose(load_bot("alphabeta:1", game, seed=5), live)
        assert info["action_mask"][live, actions[live]].all()
        meant = plain_actions(mirrored, game, actions)
        bot = load_bot("alphabeta:1", game, seed=5)
        assert np.array_equal(meant[live], wanted)
        _, _, _, _, info = mirrored.step(actions)
