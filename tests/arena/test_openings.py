"""Lists of balanced openings: how they are made, what comes with the package, and what an arena takes from it."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.arena import Settings, openings, play_arena
from alquerque_env.arena.openings import (
    FOLDER,
    Opening,
    OpeningList,
    OpeningsError,
    choose_openings,
    draw_lines,
    extend_list,
    published_list,
)
from alquerque_env.arena.schedule import derive_seed
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.progress import Progress
from tests.position_images import images
from tests.sets import first_by_default

FETAIX = load_game("fetaix")
GAMES = tuple(path.stem for path in sorted(FOLDER.iterdir()))
FEW, LOT = 8, 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[OpeningList, bytes]:
    path = tmp_path_factory.mktemp("lists") / "fetaix.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openings, "JUDGED_AT_ONCE", LOT)
        return extend(path), path.read_bytes()


@pytest.fixture
def _small_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "JUDGED_AT_ONCE", LOT)


small_lots = pytest.mark.usefixtures("_small_lots")


def extend(path: Path, count: int = FEW, **others: object) -> OpeningList:
    return extend_list(path, FETAIX, count, **{"judges": ["random"], **others})


# Making a list


@small_lots
def test_a_list_has_as_many_openings_as_are_asked_for_also_if_it_is_made_longer(
    made: tuple[OpeningList, bytes], tmp_path: Path
) -> None:
    path, (found, content) = tmp_path / "list", made

    assert FEW <= len(found.lines) < found.tried
    assert len(set(found.lines)) == len(found.lines)
    assert len(content.splitlines()) == 1 + found.tried // LOT >= 4
    assert extend(path, 2).lines[:2] == found.lines[:2]
    assert extend(path) == found
    assert path.read_bytes() == content


def test_balanced_is_what_no_judge_wins_twice_for_one_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn = draw_lines(FETAIX, [8], np.random.default_rng(derive_seed(0, "openings")))
    lines = [next(drawn) for _ in range(64)]
    decided = {"first": set(lines[::2]), "second": set(lines[::3])}
    asked: dict[str, list[tuple[str, ...]]] = {"first": [], "second": []}

    def judge(
        _game: Game, given: list[tuple[str, ...]], spec: str, seeds: list[int], _max_steps: int
    ) -> list[int | None]:
        assert len(set(seeds)) == 2
        asked[spec] += given
        return [20 if line in decided[spec] else None for line in given]

    monkeypatch.setattr(openings, "judge_lines", judge)
    monkeypatch.setattr(openings, "load_bot", lambda *_arguments, **_others: None)
    found = extend(tmp_path / "list", 20, judges=["first", "second"])

    assert found.lines == tuple(line for place, line in enumerate(lines) if place % 2 and place % 3)
    assert asked == {"first": lines, "second": lines[1::2]}


@small_lots
@pytest.mark.parametrize("lots", [0, 1, 2])
def test_who_is_interrupted_goes_on_to_the_same_list(
    lots: int, made: tuple[OpeningList, bytes], tmp_path: Path
) -> None:
    path, seen = tmp_path / "list", []

    def interrupt(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) > lots:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extend(path, watch=interrupt)
    assert len(path.read_bytes().splitlines()) == 1 + lots

    assert extend(path) == made[0]
    assert path.read_bytes() == made[1]
    assert extend(path, 1) == made[0]


@pytest.mark.parametrize(
    ("others", "content", "words"),
    [
        ({"seed": 1}, b"LIST", "holds a list of openings with seed 0, this one has 1: choose another file"),
        ({"judges": ["greedy"]}, b"LIST", 'with judges ["random"], this one has ["greedy"]'),
        ({"judges": ["nobody"]}, b"LIST", "no bot and no file 'nobody'"),
        ({}, b"my notes", "is not the file of a list of openings: it does not begin as one"),
        ({}, b'{"arena": 1}\n', "is not the file of a list of openings: it does not begin as one"),
        ({}, b"HEAD\n{}\n", "line 2 is damaged"),
        ({}, b'HEAD\n{"tried": 1, "balanced": ["a1-a2"]}\n{"tried": 1, "balanced": [3]}\n', "line 3 is damaged"),
    ],
)
def test_another_list_and_what_is_none_are_refused_and_left_alone(
    others: dict[str, object], content: bytes, words: str, made: tuple[OpeningList, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "list"
    content = content.replace(b"LIST", made[1]).replace(b"HEAD", made[1].splitlines()[0])
    path.write_bytes(content)

    with pytest.raises(AlquerqueError) as error:
        extend(path, 1000, **others)
    assert words in str(error.value)
    assert path.read_bytes() == content


@small_lots
def test_a_game_with_too_few_openings_says_so_and_keeps_those_it_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(openings, "PLIES", range(1, 3))
    path = tmp_path / "list"

    with pytest.raises(OpeningsError, match=r"found only \d+ balanced openings of 1 to 2 plies"):
        extend(path, 1000)
    assert extend(path, 1).lines


@small_lots
def test_the_command_makes_a_list_and_makes_it_longer(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    arguments = ["openings", "fetaix", "--judge", "random", "-o", str(path)]

    short = CliRunner().invoke(main, [*arguments, "--count", "1"])
    long = CliRunner().invoke(main, [*arguments, "--count", str(FEW)])

    assert (short.exit_code, long.exit_code) == (0, 0)
    found = extend(path)
    assert long.output == f"{path}: {len(found.lines)} balanced openings of {found.tried} tried\n"
    assert len(path.read_bytes().splitlines()) == 1 + found.tried // LOT


# Those that come with the package


def test_every_game_with_bots_has_a_list() -> None:
    assert set(GAMES) >= {"alquerque", "fetaix", "awithlaknannai_mosona", "awithlaknannai_mosona_davis"}


@first_by_default
@pytest.mark.parametrize("name", GAMES)
def test_the_openings_of_a_list_are_different_and_leave_something_to_play(name: str) -> None:
    """A few may have the same men on the board: then other steps are forbidden there, or the clock is another."""
    game = load_game(name)
    known = published_list(game)
    assert known is not None
    assert len(known.lines) >= 200
    seen, repeated = set(), 0
    for line in known.lines:
        match = Opening(line, is_balanced=True).begin(game)
        assert not match.is_over
        assert match.chain is None
        same = set(images(game, match.position))
        repeated += not seen.isdisjoint(same)
        seen |= same
    assert repeated <= len(known.lines) // 100


@pytest.mark.skipif(not JIT, reason="the second judge is slow in plain Python")
@pytest.mark.parametrize(
    "name", [name if name == "alquerque" else pytest.param(name, marks=pytest.mark.long) for name in GAMES]
)
@pytest.mark.slow
def test_a_list_is_what_its_command_makes(name: str, tmp_path: Path) -> None:
    """Its first lot, made again; the rest follows in the same way."""
    path = tmp_path / "list.jsonl"
    shipped = (FOLDER / f"{name}.jsonl").read_bytes()
    extend_list(path, load_game(name), 1)

    assert shipped.startswith(path.read_bytes())


# What an arena takes


def test_an_arena_begins_with_openings_of_the_list_the_seed_says_which() -> None:
    known = published_list(FETAIX)
    assert known is not None

    first, again, other = (choose_openings(FETAIX, Settings(games=40, seed=seed)) for seed in (1, 1, 2))
    more = choose_openings(FETAIX, Settings(games=60, seed=1))

    assert first == again
    assert first.list != other.list
    assert more.list[:20] == first.list
    assert {opening.steps for opening in more.list} <= set(known.lines)
    assert (first.num_balanced, first.tried, first.is_published) == (20, known.tried, True)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"judge": "random"}, {}),
        pytest.param({"plies": 9}, {}, marks=pytest.mark.slow),
        pytest.param({}, {"chain": "optional"}, marks=pytest.mark.slow),
    ],
)
def test_who_asks_for_others_gets_others(settings: dict[str, object], options: dict[str, str]) -> None:
    game = load_game("fetaix", **options)
    found = choose_openings(game, Settings(games=4, **settings))

    assert not found.is_published
    assert len(found.list) == 2
    if "plies" in settings:
        assert {len(opening.begin(game).turns) for opening in found.list} == {settings["plies"]}


@pytest.mark.parametrize(("game", "judges"), [("fetaix", ["alphabeta:4", "alphabeta:8"]), ("zamma", ["alphabeta:2"])])
def test_lists_and_arenas_have_the_same_judge_first(game: str, judges: list[str], tmp_path: Path) -> None:
    """On a board of more than 63 points it is one that plain Python can wait for."""
    extend_list(tmp_path / "list.jsonl", load_game(game), 0)

    header = json.loads((tmp_path / "list.jsonl").read_text().splitlines()[0])
    assert header["judges"] == judges
    assert Settings().judge_of(load_game(game)) == judges[0]
    assert Settings(judge="random").judge_of(load_game(game)) == "random"


def test_no_opening_is_as_long_as_a_match_may_be() -> None:
    shorter = choose_openings(FETAIX, Settings(games=20, max_steps=10))

    assert shorter.is_published
    assert max(len(opening.steps) for opening in shorter.list) < 10
    assert max(len(opening.steps) for opening in choose_openings(FETAIX, Settings(games=20)).list) >= 10


def test_more_than_the_list_has_are_drawn_and_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = []
    monkeypatch.setattr(openings, "find_openings", lambda *arguments, **_others: asked.append(arguments[1]))
    known = published_list(FETAIX)
    assert known is not None

    assert choose_openings(FETAIX, Settings(games=2 * len(known.lines))).is_published
    choose_openings(FETAIX, Settings(games=2 * len(known.lines) + 2))

    assert asked == [len(known.lines) + 1]


def test_an_arena_says_where_its_openings_are_from_and_goes_on_with_them(tmp_path: Path) -> None:
    path, settings = tmp_path / "arena.jsonl", Settings(games=4, resamples=10)
    whole = play_arena(FETAIX, ["random", "greedy"], settings, output=path)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))

    assert whole.openings["published"] is True
    assert play_arena(FETAIX, ["random", "greedy"], settings, output=part) == whole
    shown = CliRunner().invoke(main, ["arena", "fetaix", "random", "greedy", "--games", "4"])
    assert "2 openings (balanced according to alphabeta:8, of the published list), each from both seats" in shown.output
    shown = CliRunner().invoke(main, ["arena", "fetaix", "random", "greedy", "--games", "2"])
    assert "1 opening (balanced" in shown.output


def test_a_list_of_other_rules_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copy(FOLDER / "fetaix.jsonl", tmp_path / "alquerque.jsonl")
    monkeypatch.setattr(openings, "FOLDER", tmp_path)

    assert published_list(load_game("alquerque")) is None
    assert published_list(FETAIX) is None
