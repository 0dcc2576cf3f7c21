"""Files that were made for other rules, or by an older version, are refused with a sentence that says what to do."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from alquerque_env import Match, load_game, load_table
from alquerque_env.arena import Settings, play_arena
from alquerque_env.arena.openings import extend_list
from alquerque_env.benchmark.protocol import load_protocol, read_ladder, write_checked
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises import load_puzzles
from alquerque_env.solve.notes import read_notes
from alquerque_env.solve.proof.game_value import solve_position
from alquerque_env.solve.tables.build import build_table
from alquerque_env.solve.tables.table_file import WHOLE, TableFile

GAME = load_game("fetaix")
OLD = "0123456789abcdef"
MEMORY = 0.01  # GiB
SENTENCE = f"was made for other rules, or by version 0.1.0 or older (hash {OLD}, now {GAME.table_hash}): "


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(AlquerqueError) as caught:
        read()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def age(file: Path) -> None:
    """Gives a file the hash of an older version."""
    text = file.read_text(encoding="utf-8")
    assert text.count(GAME.table_hash) == 1
    file.write_text(text.replace(GAME.table_hash, OLD), encoding="utf-8")


def test_files_from_before_a_game_had_an_option_hold_for_its_default_alone() -> None:
    game = load_game("tiger_and_buffaloes")
    other = game.with_options(no_moves="pass")
    (table,) = WHOLE.glob(f"{game.name}-*")

    assert load_puzzles(game).options == TableFile(table).header.options
    assert "no_moves" not in load_puzzles(game).options
    TableFile(table).check_game(game)
    assert "was made for other rules" in refusal(lambda: TableFile(table).check_game(other))
    assert "was made for other rules" in refusal(lambda: load_puzzles(other))


def play(file: Path) -> None:
    settings = Settings(games=2, plies=2, judge="random", max_steps=10, resamples=10)
    play_arena(GAME, ["random", "greedy"], settings, output=file)


def extend(file: Path) -> None:
    extend_list(file, GAME, 1, judges=["random"])


@pytest.mark.parametrize(("what", "work"), [("an arena", play), ("a list of openings", extend)])
def test_a_file_of_work_that_goes_on(what: str, work: Callable[[Path], None], tmp_path: Path) -> None:
    file = tmp_path / "work.jsonl"
    work(file)
    age(file)

    assert refusal(lambda: work(file)) == f"{what} in {str(file)!r} {SENTENCE}choose another file, to start anew"


def test_a_ladder_of_the_benchmark(tmp_path: Path) -> None:
    folder, file, game = tmp_path / "v1", "ladders/alquerque_murray.json", load_game("alquerque_murray")
    shutil.copytree(load_protocol().folder, folder)
    protocol = replace(load_protocol(), folder=folder)
    text = (folder / file).read_text(encoding="utf-8")
    write_checked(folder, file, text.replace(game.table_hash, OLD))

    message = refusal(lambda: read_ladder(protocol, game))

    remedy = "make it again with: python benchmarks/make_protocol.py alquerque_murray"
    sentence = SENTENCE.replace(GAME.table_hash, game.table_hash)
    assert message == f"the ladder of alquerque_murray in benchmark v1 {sentence}{remedy}"


def test_the_notes_of_unfinished_work(tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    file.write_text(json.dumps({"game": "fetaix", "table_hash": OLD, "pieces": 2, "done": []}))
    identity = {"game": "fetaix", "table_hash": GAME.table_hash, "pieces": 2}

    message = refusal(lambda: read_notes(file, identity, dict))

    assert message == f"the unfinished work in {tmp_path} {SENTENCE}delete that folder to begin again"


def test_an_unfinished_proof(tmp_path: Path) -> None:
    game = load_game("alquerque")
    position = Match(game, "W:Wc3:Bd4,e5")
    solve_position(position, memory=MEMORY, folder=tmp_path)
    older = Match(replace(game, version=2), position.position)

    message = refusal(lambda: solve_position(older, memory=MEMORY, folder=tmp_path))

    assert message.startswith(f"the unfinished work in {tmp_path} was made for other rules, ")
    assert message.endswith(": delete that folder to begin again")


def test_an_endgame_table(tmp_path: Path) -> None:
    game = load_game("alquerque_murray", chain="single")
    file = build_table(replace(game, version=2), 2, tmp_path / "table.aqt", threads=1)

    message = refusal(lambda: load_table(game, file))

    hashes = f"hash {replace(game, version=2).table_hash}, now {game.table_hash}"
    command = f"alquerque solve alquerque_murray --option chain=single --pieces 2 -o {file}"
    assert message == (
        f"endgame table {file} was made for other rules, or by version 0.1.0 or older ({hashes}): "
        f"build it again with: {command}"
    )
