"""Games from files: found by their path, equal by their content, and sent to other processes without the file."""

import copy
import json
import multiprocessing
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from alquerque_env import Match, load_game, perft
from alquerque_env.errors import RulesError, UnknownNameError
from alquerque_env.game.game import Game, as_game, load_text
from alquerque_env.game.game_file import MOST_TEXT
from tests.option_values import few_games
from tests.own_games import BOARD, game_text, write_game


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the current one and the home folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "name_of",
    [str, Path, lambda _: "mine.toml", lambda _: "./mine.toml", lambda _: "~/mine.toml", lambda _: "x/../mine.toml"],
)
def test_a_game_is_loaded_by_the_path_of_its_file(name_of: Callable[[Path], "str | Path"], here: Path) -> None:
    (here / "x").mkdir()
    file = write_game(here)

    game = load_game(name_of(file), chain="single")

    assert (game.name, game.title, game.options["chain"]) == ("mine", "Small game", "single")
    assert perft(load_game(name_of(file)), 2) == 5
    assert as_game(name_of(file)) == load_game(file)


def test_the_board_of_a_game_stands_in_its_file_or_beside_it(here: Path) -> None:
    inside = load_game(write_game(here))
    (here / "boards").mkdir()
    (here / "boards" / "small.toml").write_text(BOARD, encoding="utf-8")
    (here / "mine.toml").write_text(game_text(board='board = "boards/small.toml"'), encoding="utf-8")

    beside = load_game("mine.toml")

    assert beside.board == inside.board
    assert beside == inside
    assert beside.table_hash == inside.table_hash


def test_the_option_board_chooses_among_boards_of_every_kind(here: Path) -> None:
    (here / "small.toml").write_text(BOARD, encoding="utf-8")
    inside = "".join(f"board.zigzag.{line}\n" for line in re.sub(r"\[\n +|,\n\]", "", BOARD).strip().split("\n"))
    inside = re.sub(r"lines = .*", "lines = " + json.dumps(re.findall(r'"(\w\d \w\d \w\d)"', BOARD)), inside)
    text = game_text(board=f'board.culin = "small.toml"\n{inside}')
    option = 'board = { default = "zigzag", values = ["culin", "zigzag"], source = "an example" }'
    (here / "mine.toml").write_text(f"{text}{option}\n", encoding="utf-8")

    game = load_game("mine.toml")
    (here / "small.toml").unlink()

    assert game.options["board"] == "zigzag"
    assert pickle.loads(pickle.dumps(game)).with_options(board="culin").board == game.board


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("min.toml", RulesError, r"no game file 'min\.toml'; did you mean 'mine\.toml'\?"),
        ("far/mine.toml", RulesError, r"no game file 'far.mine\.toml'"),
        ("fetaix.toml", RulesError, r"no game file 'fetaix\.toml'; did you mean 'fetaix'\?"),
        ("mine", UnknownNameError, r"no game 'mine'; did you mean 'mine\.toml'\?"),
        ("~nobody-of-this-name/mine.toml", RulesError, r"no game file '~nobody-of-this-name.mine\.toml'"),
        ("a\0b.toml", RulesError, r"no game file 'a\\x00b\.toml'"),
        ("x" * 5000 + ".toml", RulesError, r"no game file 'x+\.\.\.'"),
        (".toml", RulesError, r"'\.toml' is not the path of a game file, whose name ends in \.toml"),
        ("folder.toml", RulesError, r"folder\.toml: cannot be read: "),
        ("link.toml", RulesError, r"nowhere\.toml: cannot be read: "),
        ("my game.toml", RulesError, r"my game\.toml: the name of the file becomes the id .* rename the file"),
        ("-o.toml", RulesError, r"-o\.toml: the name of the file becomes the id"),
        ("a.b.toml", RulesError, r"a\.b\.toml: the name of the file becomes the id"),
        ("spiel_für_zwei.toml", RulesError, r"spiel_für_zwei\.toml: the name of the file becomes the id"),
        ("large.toml", RulesError, r"large\.toml: cannot be read: it has more than 1,000,000 bytes"),
        (
            "long.toml",
            RulesError,
            r"long\.toml: the game with its boards has [\d,]+ characters, expected 30,000 at most",
        ),
        (Path("mine.txt"), RulesError, r"'mine\.txt' is not the path of a game file, whose name ends in \.toml"),
        ("mine.txt", RulesError, r"'mine\.txt' is not the path of a game file, whose name ends in \.toml"),
        ("../games/fetaix", RulesError, r"'\.\./games/fetaix' is not the path of a game file, whose name ends in"),
        (".", RulesError, r"'\.' is not the path of a game file, whose name ends in \.toml"),
        ("chess.toml", RulesError, r"no game file 'chess\.toml'$"),
        ("board.toml", RulesError, r"board\.toml: this is a board file, expected a game file"),
        ("ending.toml", RulesError, r"ending\.toml: board is 'board', expected .*; did you mean 'board\.toml'\?"),
        ("tri", UnknownNameError, r"no game 'tri'; did you mean 'tri\.toml'\?"),
    ],
)
def test_what_is_no_game_file_is_refused_in_one_sentence(
    name: "str | Path", kind: type[Exception], message: str, here: Path
) -> None:
    write_game(here)
    for other in ("my game", "-o", "a.b", "spiel_für_zwei", "tri"):
        write_game(here, other)
    (here / "folder.toml").mkdir()
    (here / "link.toml").symlink_to("nowhere.toml")
    text = game_text()
    (here / "large.toml").write_text(f"{text}#{'x' * 1_000_000}", encoding="utf-8")
    (here / "long.toml").write_text(text.replace('["an example"]', f'["{"x" * MOST_TEXT}"]'), encoding="utf-8")
    (here / "mine.txt").write_text(text, encoding="utf-8")
    (here / "board.toml").write_text(BOARD, encoding="utf-8")
    (here / "ending.toml").write_text(game_text(board='board = "board"'), encoding="utf-8")

    with pytest.raises(kind) as caught:
        load_game(name)

    assert re.search(message, str(caught.value))
    assert "\n" not in str(caught.value)
    # The folder of the tests may have a long path, and the package many games and boards.
    assert len(re.sub(r"\(known: .*\)", "", str(caught.value)).replace(str(here), "")) < 300


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_with_the_name_of_a_game_file_is_refused_at_once(here: Path) -> None:
    os.mkfifo(here / "pipe.toml")
    with pytest.raises(RulesError, match="cannot be read: it is not a regular file"):
        load_game("pipe.toml")


def test_commands_in_messages_name_the_path_that_was_given(here: Path) -> None:
    (here / "my games").mkdir()
    file = write_game(here / "my games")

    game = load_game("my games/mine.toml")

    assert game.command_argument == "'my games/mine.toml'"
    assert game.with_options(chain="single").command_argument == game.command_argument
    assert game.argument == pickle.loads(pickle.dumps(game)).command_argument == "mine.toml"
    assert game == load_game(file) == pickle.loads(pickle.dumps(game))
    assert load_game("fetaix").command_argument == "fetaix"
    (here / "others").mkdir()
    other = load_game(write_game(here / "others"))
    assert (other, other.command_argument) == (game, str(here / "others" / "mine.toml"))


def test_a_game_without_options_says_so(here: Path) -> None:
    rules = 'capture = "compulsory"\nchain = "compulsory"\nno_progress_limit = 20\n'
    (here / "mine.toml").write_text(game_text().partition("[options]")[0] + rules, encoding="utf-8")

    with pytest.raises(UnknownNameError, match=r"^no option 'chain' of mine; there are none$"):
        load_game("mine.toml", chain="single")


def in_other_process(game: Game) -> tuple[str, str, int, list[str]]:
    match = Match(game)
    match.push(match.legal_steps[0])
    return game.name, game.table_hash, perft(game, 4), [game.options["chain"], match.position]


@pytest.mark.slow
def test_another_process_gets_a_game_without_its_file(here: Path) -> None:
    file = write_game(here)
    game = load_game(file, chain="optional")
    expected = in_other_process(game)
    file.unlink()

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(in_other_process, (game,)) == expected
    assert copy.deepcopy(game) is game
    assert game.with_options(chain="single").file_text == game.file_text


def test_a_file_that_has_changed_since_does_not_change_a_loaded_game(here: Path) -> None:
    game = load_game(write_game(here))
    changed = load_game(write_game(here, chain="single"))

    assert changed != game
    assert pickle.loads(pickle.dumps(game)) == game
    assert game.with_options(no_progress_limit=9).options["chain"] == "compulsory"


def test_games_are_equal_if_their_content_is(here: Path) -> None:
    (here / "other").mkdir()
    game = load_game(write_game(here))
    same = load_game(write_game(here / "other"))
    (here / "commented.toml").write_text(f"# mine\n{game_text()}", encoding="utf-8")

    assert (game, hash(game)) == (same, hash(same))
    assert load_game("commented.toml").file_text == game.file_text
    assert game != load_game("commented.toml")  # of another id
    assert game != load_game("mine.toml", chain="single")
    assert load_game("mine.toml", chain="single") == load_game("mine.toml").with_options(chain="single")
    assert load_game("fetaix") == load_game("fetaix", chain="compulsory")
    assert load_game("fetaix") != load_game("fetaix", chain="single")
    assert load_game("fetaix") != load_game("alquerque")
    assert {load_game("fetaix"): 1}[load_game("fetaix")] == 1


def test_a_file_named_like_a_game_of_the_package_is_another_game(here: Path) -> None:
    mine, theirs = load_game(write_game(here, "fetaix")), load_game("fetaix")

    assert mine.name == theirs.name
    assert mine != theirs
    assert mine.table_hash != theirs.table_hash
    assert pickle.loads(pickle.dumps([mine, theirs])) == [mine, theirs]
    assert (repr(mine), repr(theirs)) == ("load_game('fetaix.toml')", "load_game('fetaix')")
    assert (mine.argument, theirs.argument) == ("fetaix.toml", "fetaix")


@pytest.mark.parametrize("name", few_games())
def test_a_game_of_the_package_can_be_written_to_a_file_and_changed(name: str, here: Path) -> None:
    game = load_game(name)
    (here / f"{name}.toml").write_text(game.to_toml(), encoding="utf-8")

    own = load_game(f"{name}.toml")

    assert own.table_hash == game.table_hash
    assert own.options == game.options
    assert list(own.options) == list(game.options)
    assert [own.title, own.sources, own.board] == [game.title, game.sources, game.board]
    (here / f"{name}.toml").write_text(own.to_toml(), encoding="utf-8")
    assert load_game(f"{name}.toml") == own
    assert load_text(own.name, own.file_text).file_text == own.file_text


def test_a_game_that_extends_others_is_kept_whole(here: Path) -> None:
    write_game(here, "base")
    (here / "mine.toml").write_text('extends = "base.toml"\n[defaults]\nchain = "single"\n', encoding="utf-8")
    game = load_game("mine.toml")
    (here / "base.toml").unlink()

    again = pickle.loads(pickle.dumps(game))

    assert again == game
    assert again.options["chain"] == "single"
    assert "extends" not in json.loads(game.file_text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mine.toml", "", "no game 'mine.toml'"),
        ("mine", "", "no game 'mine'"),
        ("../mine", "{}", "is not made of letters"),
        ("", "{}", "is not made of letters"),
        ("mine", "{", "mine.toml: the text of the game is not valid JSON"),
        ("mine", "[" * 20_000, "mine.toml: the text of the game is not valid JSON"),
        ("mine", "[]", r"mine.toml: the text of the game is \[\], expected a table"),
        ("mine", "{}", "mine.toml: title is missing"),
        ("mine", '{"extends":"base.toml"}', "expected a game of the package or the path of a .toml file"),
        ("mine", " " * 40_000, "mine.toml: the text of the game has 40,000 characters, expected 30,000 at most"),
    ],
)
def test_a_kept_text_names_no_file_and_is_checked_as_a_file_is(name: str, text: str, message: str, here: Path) -> None:
    write_game(here)
    write_game(here, "base")
    with pytest.raises((RulesError, UnknownNameError), match=message):
        load_text(name, text)


def test_a_kept_text_with_a_mistake_is_refused(here: Path) -> None:
    text = load_game(write_game(here)).file_text
    for before, after, message in (
        ('"lines":["a1 b1 c1"', '"lines":["a1 b1 z9"', "mine.toml: board: lines[0] names 'z9'"),
        ('"version":1', '"version":NaN', "mine.toml: version is nan"),
    ):
        assert before in text
        with pytest.raises(RulesError, match=re.escape(message)):
            load_text("mine", text.replace(before, after))


BRAZILIAN = """
title = "Brazilian draughts"
version = 1
extends = "draughts_international"
board = "draughts_english"
sources = ["International draughts on the board of English draughts"]

[start]
south = "21 22 23 24 25 26 27 28 29 30 31 32"
north = "1 2 3 4 5 6 7 8 9 10 11 12"
"""


def test_a_game_that_others_have_counted_has_their_counts(here: Path) -> None:
    """Source: R. Halbersma, "Perft for all recognized draughts variants", damforum.nl, 2010."""
    (here / "brazilian.toml").write_text(BRAZILIAN, encoding="utf-8")
    game = load_game("brazilian.toml")

    assert [perft(game, depth, turns=True) for depth in range(1, 8)] == [7, 49, 302, 1469, 7473, 37628, 187302]
