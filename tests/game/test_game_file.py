"""Mistakes in game and board files: each is refused in one sentence with file, key, value and what is expected."""

import copy
import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from alquerque_env import Match, games, load_game
from alquerque_env.errors import RulesError
from alquerque_env.game import game as game_module
from alquerque_env.game.board import Board
from alquerque_env.game.board_file import parse_board, read_board
from alquerque_env.game.game import Game, make_game
from alquerque_env.game.game_file import define_game, read_game_file
from alquerque_env.game.options import RULE_NAMES, vocabulary
from alquerque_env.game.rules_text import rule_sentences

T = TypeVar("T")

PACKAGE = Path(game_module.__file__).parent
FETAIX, DAVIS = PACKAGE / "games" / "fetaix.toml", PACKAGE / "games" / "awithlaknannai_mosona_davis.toml"
MOSONA = PACKAGE / "games" / "awithlaknannai_mosona.toml"
BOARD, CULIN, ZIGZAG = (PACKAGE / "boards" / f"{name}.toml" for name in ("alquerque", "mosona_culin", "mosona_zigzag"))

MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))["mistake"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["error"][:40])
def test_a_mistake_is_refused_in_one_sentence(mistake: dict[str, str], tmp_path: Path) -> None:
    shipped = PACKAGE / mistake["file"]
    file = tmp_path.resolve() / shipped.name
    text = shipped.read_text(encoding="utf-8")
    assert mistake["before"] in text
    file.write_text(text.replace(mistake["before"], mistake["after"]), encoding="utf-8")

    with pytest.raises(RulesError) as caught:
        read_board(file, str(file)) if shipped.parent.name == "boards" else read_game_file(file)

    expected, found = f"{file}: {mistake['error']}", str(caught.value)
    assert found.startswith(expected.removesuffix("...")) if expected.endswith("...") else found == expected
    assert "\n" not in found


def write(folder: Path, name: str, text: str) -> Path:
    file = folder.resolve() / name
    file.write_text(text, encoding="utf-8")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(RulesError) as caught:
        read_game_file(file)
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
    assert make_game(read_game_file(tmp_path / "g2.toml")).title == "Fetaix"


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
        (b"title.x" + b".x" * 5000 + b" = 1", "title is a value of too many lists or tables in each other, expected"),
        (b"", "title is missing, expected a string, not empty"),
    ],
)
def test_a_file_that_is_no_game_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path.resolve() / "game.toml"
    file.write_bytes(content)

    assert refusal(file).startswith(f"{file}: {message}")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    missing = tmp_path.resolve() / "missing.toml"

    assert refusal(missing) == f"{missing}: cannot be read: No such file or directory"
    assert refusal(tmp_path).startswith(f"{tmp_path.resolve()}: cannot be read: ")


def test_a_game_file_may_name_files_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "own.toml", BOARD.read_text(encoding="utf-8"))
    text = FETAIX.read_text(encoding="utf-8").replace('board = "alquerque"', 'board = "own.toml"')
    write(tmp_path, "base.toml", text)
    child = write(tmp_path, "fetaix.toml", 'extends = "base.toml"\n[defaults]\nchain = "optional"')

    game = make_game(read_game_file(child))

    assert game.options == load_game("fetaix", chain="optional").options
    assert game.table_hash == load_game("fetaix", chain="optional").table_hash


def test_a_game_may_extend_one_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    write(tmp_path / "base", "own.toml", BOARD.read_text(encoding="utf-8"))
    text = FETAIX.read_text(encoding="utf-8").replace('board = "alquerque"', 'board = "own.toml"')
    write(tmp_path / "base", "base.toml", text)
    child = write(tmp_path, "fetaix.toml", 'extends = "base/base.toml"')

    assert make_game(read_game_file(child)).table_hash == load_game("fetaix").table_hash


def test_defaults_of_an_extended_game_stay(tmp_path: Path) -> None:
    child = write(tmp_path, "c.toml", 'extends = "awithlaknannai_mosona_davis"\n[defaults]\nchain = "single"')

    game = make_game(read_game_file(child))

    assert game.options == load_game("awithlaknannai_mosona_davis", chain="single").options


def test_the_vocabulary_has_the_answers_of_every_rule() -> None:
    assert set(vocabulary()) == set(RULE_NAMES)
    # Answers that contradict no other answer of any rule.
    agreeing = {"repetition": "threefold_draw", "mullah_captures": "next_point"}
    rules = load_game("fetaix").rules
    for name, question in vocabulary().items():
        default = getattr(rules, name)
        for answer in question.values:
            if name not in ("board", "opening") and answer != "N":
                changed = {name: answer == "true" if isinstance(default, bool) else answer}
                assert getattr(replace(rules, **agreeing | changed), name) == changed[name]


@pytest.mark.parametrize("name", ["alquerque", "mosona_culin", "mosona_murray", "mosona_zigzag"])
def test_every_board_can_be_played_on_with_the_rules_of_other_games(name: str) -> None:
    """On the zigzag board no step can be taken back, so that there is nothing to remember."""
    file = PACKAGE / "boards" / f"{name}.toml"
    play_on(read_board(file, file.name))


# Random mistakes.


TABLES = {name: tomllib.loads((PACKAGE / "games" / f"{name}.toml").read_text(encoding="utf-8")) for name in games()}
BOARD_TABLES = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in (BOARD, CULIN, ZIGZAG)}
WORDS = ["a1", "c3", "i2", "z9", "*", "any", "off", "N", "optional", "single", "alquerque", "mosona_culin", "", "chain"]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 100),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=5),
    st.lists(st.sampled_from(["a1 b1", "a1 b2 c3", "c3", 1]), max_size=3),
    st.dictionaries(st.sampled_from(WORDS), st.sampled_from(WORDS), max_size=2),
)


def places(tables: Any) -> list[tuple[Any, Any]]:
    """Every container and key in nested tables and lists."""
    keys = list(tables) if isinstance(tables, dict) else range(len(tables)) if isinstance(tables, list) else []
    return [place for key in keys for place in ((tables, key), *places(tables[key]))]


@st.composite
def mutants(draw: st.DrawFn, shipped: dict[str, Any]) -> dict[str, Any]:
    """The tables of a file with a few random changes."""
    tables = copy.deepcopy(shipped)
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(tables) or [(tables, "title")]))
        value = container.get(key) if isinstance(container, dict) else container[key]
        match draw(st.sampled_from(["drop", "replace", "edit", "edit", "edit"])):
            case "drop":
                if isinstance(container, list) or key in container:
                    del container[key]
            case "replace":
                container[key] = draw(VALUES)
            case "edit" if isinstance(value, str):
                words = value.split(" ")
                words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from([*WORDS, *words]))
                container[key] = " ".join(draw(st.permutations(words)) if draw(st.booleans()) else words)
            case "edit" if isinstance(value, bool):
                container[key] = not value
            case "edit" if isinstance(value, int):
                container[key] = value + draw(st.integers(-2, 2))
            case "edit" if isinstance(value, list):
                container[key] = value + value[: draw(st.integers(0, 2))]
            case "edit" if isinstance(value, dict):
                value[draw(st.sampled_from([*WORDS, *RULE_NAMES]))] = draw(VALUES)
    return tables


def play(game: Game) -> None:
    """A game that is sound can be compiled, described and played."""
    assert rule_sentences(game)
    assert game.symmetries
    match = Match(game)
    assert Match(game, match.position).position == match.position
    for number in range(30):
        if match.is_over:
            break
        match.push(match.legal_steps[number * 7 % len(match.legal_steps)])


def refused_or(read: Callable[[], T]) -> T | None:
    """What is read, None if it is refused in one line that names the file."""
    reason = ""
    try:
        return read()
    except RulesError as error:
        reason = str(error)
    assert re.fullmatch(r"mutant\.toml: .+", reason)
    return None


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_changed_game_file_is_refused_or_gives_a_game(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(games()))
    tables = data.draw(mutants(TABLES[name]))
    game = refused_or(lambda: make_game(define_game(tables, "mutant.toml")))
    if game is not None:
        assert Match(game).legal_steps
        play(game)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_changed_board_file_is_refused_or_gives_a_board(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(BOARD_TABLES)))
    tables = data.draw(mutants(BOARD_TABLES[name]))
    board = refused_or(lambda: parse_board(tables, "mutant.toml"))
    if board is not None:
        play_on(board)


def play_on(board: Board) -> None:
    start = frozenset({0}), frozenset({len(board.points) - 1})
    for name, leap in product(("fetaix", "alquerque"), ("straight", "drawn_line", "pattern")):
        given = load_game(name)
        with suppress(RulesError):  # memory of steps in more than eight directions
            game = replace(given, board=board, start=start, rules=replace(given.rules, leap=leap))
            play(game)
