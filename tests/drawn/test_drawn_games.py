"""Games drawn at random: the same for ever, playable, apart from each other, and with tables of their own."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import Match, games, load_game, rollouts
from alquerque_env.cli.main import main
from alquerque_env.drawn import SPLITS, draw_game, drawn_games, splits
from alquerque_env.drawn.games import MOST_POSITIONS, POINTS, candidate, good_candidates
from alquerque_env.drawn.identity import identity
from alquerque_env.errors import AlquerqueError, UnknownNameError
from alquerque_env.files.atomic import open_whole
from alquerque_env.game.game import Game, load_text
from alquerque_env.solve.tables.build import plan
from alquerque_env.solve.tables.whole import whole_pieces
from tools.draw_tries import CRITICAL, HELD_OUT, has_choices

OF_200 = "4f250cf5051fdc95"
OF_40_LARGE = "6dd6b741cf15a439"
"""Digests of the games of some seeds, which a version of the distribution keeps for ever."""


def digest(drawn: list[Game]) -> str:
    return hashlib.sha256(" ".join(game.table_hash for game in drawn).encode()).hexdigest()[:16]


def test_a_seed_gives_the_same_game_for_ever() -> None:
    assert digest([draw_game(seed) for seed in range(0, 12_000, 60)]) == OF_200
    assert digest([draw_game(seed, "large") for seed in range(40)]) == OF_40_LARGE


def test_games_beyond_the_splits_are_the_same_without_a_compiler() -> None:
    seeds = range(12_000, 12_006)
    program = (
        "from alquerque_env.drawn import draw_game\n"
        f"print([draw_game(seed).table_hash for seed in range({seeds.start}, {seeds.stop})])"
    )
    run = [sys.executable, "-c", program]
    told = subprocess.run(run, env={**os.environ, "ALQUERQUE_JIT": "0"}, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str([draw_game(seed).table_hash for seed in seeds])


@pytest.mark.parametrize(("size", "seeds"), [("small", range(0, 12_000, 500)), ("large", range(12))])
def test_games_have_the_size_asked_for_and_are_played_in_time(size: str, seeds: range) -> None:
    for seed in seeds:
        game = draw_game(seed, size)
        assert POINTS[size][0] <= len(game.board.points) <= POINTS[size][1]
        found = rollouts(game, 300, seed=1)
        assert 8 < found.length.mean() < 220  # other matches than those by which the game was chosen
        assert size == "large" or plan(game, whole_pieces(game), 64).size <= MOST_POSITIONS
        assert load_text(game.name, game.file_text) == game


def test_games_are_the_same_but_for_symmetry_and_names() -> None:
    felli = load_game("felli_simplified")
    tables = tomllib.loads(felli.to_toml())
    turned = {**tables, "start": {"south": tables["start"]["north"], "north": tables["start"]["south"]}}
    text = json.dumps(turned)
    for label in felli.board.labels:  # a1 is called p1
        text = re.sub(rf"\b{label}\b", f"{chr(ord(label[0]) + 15)}{label[1:]}", text)
    renamed = json.loads(text)
    renamed["board"]["labels"] = " ".join(f"{chr(ord(label[0]) + 15)}{label[1:]}" for label in felli.board.labels)
    other = load_text("other", json.dumps(renamed))
    assert other.board.labels != felli.board.labels
    assert identity(other) == identity(felli)

    known = {name: identity(load_game(name)) for name in games()}
    twins = [{one, two} for one, two in combinations(known, 2) if known[one] == known[two]]
    assert twins == [{"butterfly", "lau_kata_kati"}, {"dama_comoros", "fetaix"}, {"lay_gwet_kyah", "sua_ghin_gnua"}]
    assert identity(load_game("felli_simplified", capture="optional")) not in known.values()
    assert identity(load_game("pretwa", lose_at_three=True)) not in known.values()


def identities(seeds: range) -> set[str]:
    return {identity(draw_game(seed)) for seed in seeds}


def check_apart(every: int) -> None:
    """Compares each `every`-th game of the splits with all others of the package and of the other splits."""
    found = [identities(SPLITS[split][::every]) for split in SPLITS]
    known = {identity(load_game(name)) for name in games()}
    known |= {identity(load_game(name, **options)) for name, each in HELD_OUT.items() for options in each}
    assert all(found)
    for place, part in enumerate(found):
        assert part.isdisjoint(known.union(*found[place + 1 :]))


def test_games_of_a_split_are_in_no_other() -> None:
    check_apart(80)


@pytest.mark.long
def test_all_games_of_a_split_are_in_no_other() -> None:
    check_apart(1)


def test_games_are_drawn_as_the_file_of_tries_says() -> None:
    """Where nothing was drawn again for being another game, the first good try is taken."""
    seeds = list(range(300, 10_000, 600))
    first = [next(good_candidates(seed))[1] for seed in seeds]
    same = sum(game == draw_game(seed) for seed, game in zip(seeds, first, strict=True))
    assert same >= len(seeds) - 4
    assert candidate(7, "small", 0).name == "drawn-1-7"


@pytest.mark.slow
def test_test_games_have_choices() -> None:
    assert CRITICAL == 200
    assert all(has_choices(draw_game(seed)) for seed in SPLITS["test"][::50])


def test_tables_are_built_once_and_take_so_much_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    drawn = list(drawn_games("validation", 3))
    files = sorted((tmp_path / "drawn-1").glob("*.aqt"), key=lambda path: path.stat().st_mtime_ns)
    assert [each.game for each in drawn] == [draw_game(seed) for seed in range(10_000, 10_003)]
    assert all(each.table.value(Match(each.game)) in (-1, 0, 1) for each in drawn)
    before = [path.read_bytes() for path in files]
    list(drawn_games("validation", 3))
    assert [path.read_bytes() for path in files] == before

    # Too much by one byte: the table that was used longest ago goes.
    files[2].unlink()
    monkeypatch.setattr(splits, "MOST_BYTES", sum(map(len, before)) - 1)
    with open_whole(tmp_path / "drawn-1" / "more"):  # which another process writes meanwhile
        list(drawn_games("validation", 3))
    assert set((tmp_path / "drawn-1").glob("*.aqt")) == set(files[1:])


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        (lambda: draw_game(-1), AlquerqueError, "seed is -1"),
        (lambda: draw_game(1, "huge"), UnknownNameError, "no size 'huge'"),
        (lambda: drawn_games("exam"), UnknownNameError, "no split 'exam'"),
        (lambda: drawn_games("test", 1001), AlquerqueError, "count is 1001, but the split 'test' has 1000 games"),
        (lambda: drawn_games("test", 0), AlquerqueError, "count is 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        asked()  # type: ignore[operator]


def test_the_command_writes_a_game_that_other_commands_take(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    told = CliRunner().invoke(main, ["draw", "11007", "-o", str(path)], catch_exceptions=False)
    printed = CliRunner().invoke(main, ["draw", "11007"], catch_exceptions=False)
    assert told.exit_code == printed.exit_code == 0
    assert printed.stdout == path.read_text(encoding="utf-8")
    game = load_game(path)
    assert (game.board, game.rules, game.start) == (
        draw_game(11007).board,
        draw_game(11007).rules,
        draw_game(11007).start,
    )
    refused = CliRunner().invoke(main, ["draw", "11007", "-o", str(tmp_path / "mine.txt")])
    assert refused.exit_code == 2
    assert "expected a name that ends in .toml" in " ".join(refused.output.split())
    described = CliRunner().invoke(main, ["describe", str(path)], catch_exceptions=False)
    assert "Drawn game drawn-1-11007" in described.stdout
