"""What an arena writes where there is no room for it: nothing half written, and what was there before is kept."""

import errno
import os
from pathlib import Path

import pytest
from full_disk import files_up_to
from sets import first_by_default

from alquerque_env import load_game
from alquerque_env.arena import ArenaResult, Settings, play_arena
from alquerque_env.arena.cross_table_plot import draw_cross_table
from alquerque_env.errors import AlquerqueError

FETAIX = load_game("fetaix")
BOTS = ["random", "greedy"]
QUICK = Settings(games=8, plies=6, seed=3, judge="random", resamples=20)
LARGE = os.strerror(errno.EFBIG)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[ArenaResult, bytes]:
    path = tmp_path_factory.mktemp("arena") / "whole.jsonl"
    return play_arena(FETAIX, BOTS, QUICK, output=path), path.read_bytes()


@pytest.mark.parametrize("lines", [0, 1, 2, 5])
def test_a_line_that_cannot_be_written_leaves_those_before_and_the_arena_goes_on(
    finished: tuple[ArenaResult, bytes], tmp_path: Path, lines: int
) -> None:
    result, content = finished
    path = tmp_path / "arena.jsonl"
    kept = b"".join(content.splitlines(keepends=True)[:lines])
    path.write_bytes(kept)

    with files_up_to(len(kept) + 30), pytest.raises(OSError, match=LARGE) as caught:
        play_arena(FETAIX, BOTS, QUICK, output=path)

    assert caught.value.filename == str(path)
    assert caught.value.strerror == (f"{LARGE}; its lines are kept: fix that, and the same command resumes")
    assert path.read_bytes() == kept
    assert play_arena(FETAIX, BOTS, QUICK, output=path).as_dict() == result.as_dict()
    assert path.read_bytes() == content


def test_a_file_without_any_line_is_not_left(tmp_path: Path) -> None:
    with files_up_to(30), pytest.raises(OSError, match=LARGE):
        play_arena(FETAIX, BOTS, QUICK, output=tmp_path / "arena.jsonl")

    assert list(tmp_path.iterdir()) == []


@first_by_default
@pytest.mark.parametrize("name", ["arena.png", "arena.svg", "arena.pdf"])
def test_a_picture_that_cannot_be_written_leaves_the_one_before(
    finished: tuple[ArenaResult, bytes], tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    draw_cross_table(finished[0], path)
    before = path.read_bytes()
    assert len(before) > 3000

    with files_up_to(2000), pytest.raises(AlquerqueError) as caught:
        draw_cross_table(finished[0], path)

    assert str(caught.value) == (f"picture {str(path)!r} cannot be written: {LARGE}; correct that and draw it again")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
