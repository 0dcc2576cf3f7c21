"""Arenas of games from files: one of another file with the same name is not resumed."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from own_games import write_game

from alquerque_env import load_game
from alquerque_env.arena import Settings, play_arena
from alquerque_env.arena.opening_lists import extend_list, published_list
from alquerque_env.errors import AlquerqueError

QUICK = Settings(games=4, plies=2, seed=3, judge="random", resamples=20)
BOTS = ["random", "greedy"]


@pytest.mark.slow
def test_an_arena_in_other_processes_needs_no_file(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    game = load_game(file)
    expected = play_arena(game, BOTS, QUICK).as_dict()
    file.unlink()

    with ProcessPoolExecutor(1, get_context("spawn")) as executor:
        assert play_arena(game, BOTS, QUICK, executor=executor).as_dict() == expected


def test_an_arena_of_another_file_is_not_resumed(tmp_path: Path) -> None:
    output = tmp_path / "arena.jsonl"
    play_arena(load_game(write_game(tmp_path)), BOTS, QUICK, output=output)
    before = output.read_bytes()

    with pytest.raises(AlquerqueError, match="was made for other rules"):
        play_arena(load_game(write_game(tmp_path, at_limit="majority")), BOTS, QUICK, output=output)
    assert output.read_bytes() == before
    play_arena(load_game(write_game(tmp_path)), BOTS, QUICK, output=output)


def test_a_list_of_openings_is_not_that_of_another_file(tmp_path: Path) -> None:
    for name in ("fetaix", "alquerque"):
        assert published_list(load_game(name)) is not None
        assert published_list(load_game(write_game(tmp_path, name))) is None
    output = tmp_path / "openings.jsonl"
    extend_list(output, load_game(write_game(tmp_path)), 0, judges=["random"])
    with pytest.raises(AlquerqueError, match="was made for other rules"):
        extend_list(output, load_game(write_game(tmp_path, at_limit="majority")), 0, judges=["random"])
