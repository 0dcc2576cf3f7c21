"""Wherever a game's id is taken, the path of a game file is; the file is read once, and a missing one is refused."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import alquerque_env
from alquerque_env import (
    Game,
    Match,
    Record,
    SelfPlayVectorEnv,
    evaluate,
    load_bot,
    load_game,
    load_table,
    perft,
    read_records,
    rollouts,
)
from alquerque_env.envs import aec
from alquerque_env.errors import RulesError
from tests.own_games import write_game


def play_env(env: Any) -> Game:
    env.reset(seed=0)
    for _ in range(6):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    assert env.metadata["name"] == "mine_v0"
    return env.unwrapped.game


def play_versus(env: Any) -> Game:
    """A match, or many at once."""
    _, info = env.reset(seed=0)
    env.step(info["action_mask"].argmax(-1))
    return env.unwrapped.game


def play_vector(env: Any) -> Game:
    env.reset(seed=0)
    for _ in range(6):
        env.step(env.sample_actions())
    return env.game


def play_record(match: Match) -> Game:
    match.push(match.legal_steps[-1])
    (record,) = read_records(str(Record(match)))
    assert (record.match.steps, record.match.position) == (match.steps, match.position)
    return record.match.game


def choose(bot: Any) -> Game:
    bot.choose(Match(bot.game))
    return bot.game


def play_all(path: Any) -> None:
    evaluate("greedy", path, opponent="random", games=2, seed=0)


# Each way to name a game, and what is done with what it gives after the file has gone.
DOORS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Game]]] = {
    "load_game": (load_game, lambda game: game.with_options(chain="compulsory")),
    "Match": (Match, play_record),
    "env": (alquerque_env.env, play_env),
    "raw_env": (aec.raw_env, play_env),
    "gymnasium": (
        lambda path: gymnasium.make("alquerque/Game-v0", game=path, opponent="greedy", seat=0),
        play_versus,
    ),
    "versus": (lambda path: gymnasium.make_vec("alquerque/Game-v0", 2, game=path, opponent="random"), play_versus),
    "self-play": (lambda path: SelfPlayVectorEnv(path, 2), play_vector),
    "bot": (lambda path: load_bot("alphabeta:1", path), choose),
}
FIGURES: dict[str, Callable[[Any], object]] = {
    "perft": lambda path: perft(path, 3),
    "rollouts": lambda path: rollouts(path, 20, seed=1).endings(),
}
"""Calls whose answer does not keep the game."""


@pytest.mark.parametrize("as_path", [str, Path])
@pytest.mark.parametrize("door", DOORS)
def test_a_path_names_a_game_and_its_file_is_read_once(door: str, as_path: Any, tmp_path: Path) -> None:
    make, use = DOORS[door]
    file = write_game(tmp_path)
    game = load_game(file)
    given = make(as_path(file))
    file.unlink()

    assert use(given) == game
    assert pickle.loads(pickle.dumps(use(given))).file_text == game.file_text


@pytest.mark.parametrize("door", FIGURES)
def test_a_path_gives_the_figures_of_the_game(door: str, tmp_path: Path) -> None:
    file = write_game(tmp_path)
    assert FIGURES[door](str(file)) == FIGURES[door](load_game(file))


@pytest.mark.parametrize("call", [*(make for make, _ in DOORS.values()), *FIGURES.values(), load_table, play_all])
def test_a_file_that_is_not_there_is_refused_with_the_one_that_is(call: Callable[[Any], Any], tmp_path: Path) -> None:
    write_game(tmp_path)
    with pytest.raises(RulesError, match=r"no game file .*min\.toml'; did you mean 'mine\.toml'\?"):
        call(str(tmp_path / "min.toml"))
