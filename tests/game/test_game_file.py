"""Mistakes in game and board files: each is refused in one sentence with file, key, value and what is expected."""

import tomllib
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from alquerque_env import load_game
from alquerque_env.errors import RulesError
from alquerque_env.files.schema import literals, read_toml
from alquerque_env.game import game as game_module
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import make_game
from alquerque_env.game.game_file import find_game
from alquerque_env.game.options import RULE_NAMES, Rules, vocabulary

PACKAGE = Path(game_module.__file__).parent
FETAIX = PACKAGE / "games" / "fetaix.toml"
BOARD = PACKAGE / "boards" / "alquerque.toml"

MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))["mistake"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["error"][:40])
def test_a_mistake_is_refused_in_one_sentence(mistake: dict[str, Any], tmp_path: Path) -> None:
    shipped = (PACKAGE if "/" in mistake["file"] else Path(__file__).parent) / mistake["file"]
    file = tmp_path.resolve() / shipped.name
    text = shipped.read_text(encoding="utf-8")
    for before, after in mistake.get("changes") or [(mistake["before"], mistake["after"])]:
        assert before in text
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")

    with pytest.raises(RulesError) as caught:
        if shipped.parent.name == "boards":
            parse_board(read_toml(file, str(file), RulesError), str(file))
        else:
            find_game(file)

    expected, found = f"{file}: {mistake['error']}", str(caught.value)
    assert found.startswith(expected.removesuffix("...")) if expected.endswith("...") else found == expected
    assert "\n" not in found


def write(folder: Path, name: str, text: str) -> Path:
    file = folder.resolve() / name
    file.write_text(text, encoding="utf-8")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(RulesError) as caught:
        find_game(file)
    return str(caught.value)


def test_files_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    first = write(tmp_path, "a.toml", 'extends = "b.toml"')
    second = write(tmp_path, "b.toml", 'extends = "a.toml"')

    assert (
        refusal(first) == f"{second}: extends is 'a.toml', which leads back to it: a.toml extends b.toml extends a.toml"
    )


def test_a_long_chain_of_files_that_extend_each_other_is_refused(tmp_path: Path) -> None:
    for number in range(400):
        write(tmp_path, f"g{number}.toml", f'extends = "g{number + 1}.toml"')
    write(tmp_path, "g20.toml", 'extends = "fetaix"')
    first = tmp_path.resolve() / "g0.toml"

    assert refusal(first) == f"{first}: more than 20 files extend one another, expected 20 at most"
    assert make_game(find_game(tmp_path / "g2.toml")).title == "Fetaix"


@pytest.mark.parametrize(
    ("table", "lost"),
    [("[options.chain]\nvalues = ['compulsory']", "options"), ("[rules]\nman_steps = 'forward'", "rules")],
)
def test_an_answer_that_is_lost_with_a_table_of_the_extended_game_is_told_so(
    table: str, lost: str, tmp_path: Path
) -> None:
    file = write(
        tmp_path,
        "mine.toml",
        f"extends = 'fetaix'\n{table}\ndefault = 'compulsory'\nsource = 'a test'\n"
        if lost == "options"
        else f"extends = 'fetaix'\n{table}\n",
    )

    told = refusal(file)

    assert " is missing, and no option asks for it: expected " in told
    assert told.endswith(f"; the table {lost} here replaces that of the extended game, which has it")


@pytest.mark.parametrize("key", ["extends", "board"])
@pytest.mark.parametrize(
    ("name", "problem"),
    [("a\\u0000b.toml", "which has a control character"), ("x" * 5000 + ".toml", "but there is no file")],
)
def test_a_name_that_no_file_can_have_is_refused(key: str, name: str, problem: str, tmp_path: Path) -> None:
    text = FETAIX.read_text(encoding="utf-8").replace('board = "alquerque"', f'{key} = "{name}"')
    file = write(tmp_path, "game.toml", text)

    message = refusal(file)

    assert message.startswith(f"{file}: {key} is ")
    assert problem in message
    assert len(message) < 1000


def test_a_mistake_in_an_extended_file_names_that_file(tmp_path: Path) -> None:
    base = write(tmp_path, "base.toml", FETAIX.read_text(encoding="utf-8").replace("version = 1", "version = -1"))
    child = write(tmp_path, "child.toml", 'extends = "base.toml"')

    assert refusal(child) == f"{base}: version is -1, expected an integer from 1 to 1000000"


def test_a_mistake_in_the_board_of_a_game_names_the_file_of_the_board(tmp_path: Path) -> None:
    board = write(tmp_path, "small.toml", 'title = "small"\nrows = [[0, 1]]\nlines = ["a1 c1"]')
    text = FETAIX.read_text(encoding="utf-8").replace('board = "alquerque"', 'board = "small.toml"')

    assert refusal(write(tmp_path, "game.toml", text)).startswith(f"{board}: lines[0] names 'c1', which is no point")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"title = \xff", "line 1 is not UTF-8 text"),
        (b"[" * 10_000, "not valid TOML: "),
        (b"version = " + b"9" * 5000, "not valid TOML: "),
        (
            b"version = 0x" + b"f" * 5000,
            "version is a number of thousands of digits, expected an integer from 1 to 1000000",
        ),
        (b"title = " + b"[" * 400 + b"]" * 400, "title is "),
        (b"title.x" + b".x" * 12_000 + b" = 1", "title is a value of too many lists or tables in each other, expected"),
        (b"", "title is missing, expected a string, not empty"),
    ],
)
def test_a_file_that_is_no_game_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path.resolve() / "game.toml"
    file.write_bytes(content)

    assert refusal(file).startswith(f"{file}: {message}")


def test_a_game_may_extend_one_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    write(tmp_path / "base", "own.toml", BOARD.read_text(encoding="utf-8"))
    text = FETAIX.read_text(encoding="utf-8").replace('board = "alquerque"', 'board = "own.toml"')
    write(tmp_path / "base", "base.toml", text)
    child = write(tmp_path, "fetaix.toml", 'extends = "base/base.toml"')

    assert make_game(find_game(child)).table_hash == load_game("fetaix").table_hash


def test_defaults_of_an_extended_game_stay(tmp_path: Path) -> None:
    child = write(tmp_path, "c.toml", 'extends = "awithlaknannai_mosona_davis"\n[defaults]\nchain = "single"')

    game = make_game(find_game(child))

    assert game.options == load_game("awithlaknannai_mosona_davis", chain="single").options


def test_the_vocabulary_has_the_answers_of_every_rule() -> None:
    assert set(vocabulary()) == set(RULE_NAMES)
    for name, question in vocabulary().items():
        kind = get_type_hints(Rules)[name]
        if kind is not str:
            answers = {"true", "false"} if kind is bool else {*literals(kind), "N"}
            assert answers >= set(question.values), name
            assert answers - {"N"} <= set(question.sentences), name
