"""Specs are taken apart."""

import os

import pytest

from alquerque_env.bots.spec import CHECKPOINT, EXPORTED, FUNCTION, UNKNOWN, parse_spec


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a checkpoint, with an exported player, and with names that have colons."""
    for name in ("runs/a", "train", "odd.py"):
        (tmp_path / name).mkdir(parents=True)
    names = ["runs/a/meta.json", "runs/a/weights.safetensors", "player.py", "notes.txt"]
    if os.name != "nt":
        names.append("play:5")
    for name in names:
        (tmp_path / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "kind", "name", "number"),
    [
        ("alphabeta:3", "alphabeta", "alphabeta", 3),
        ("alphabeta:+3", "alphabeta", "alphabeta", None),
        ("mcts:" + "9" * 20, "mcts", "mcts", None),
        ("ugi:engine --level 3", "ugi", "ugi", None),
        ("fetaix-small:64", CHECKPOINT, "fetaix-small", 64),
        ("runs/a:0", CHECKPOINT, "runs/a", 0),
        ("odd.py:8", CHECKPOINT, "odd.py", 8),
        ("train:8", CHECKPOINT, "train", 8),
        ("player.py:40", EXPORTED, "player.py", 40),
        ("player.py:many", EXPORTED, "player.py", None),
        ("gone.py:40", EXPORTED, "gone.py:40", None),
        ("package.module:choose", FUNCTION, "package.module:choose", None),
        ("train:choose", FUNCTION, "train", None),
        ("notes.txt:5", UNKNOWN, "notes.txt", 5),
        ("play:5", UNKNOWN, "play:5", None),
        (":5", UNKNOWN, ":5", None),
        ("a\0b", UNKNOWN, "a\0b", None),
    ],
)
def test_a_spec_has_a_kind_a_name_and_a_number(folder, text, kind, name, number):
    spec = parse_spec(text)
    assert (spec.text, spec.kind, spec.name, spec.number) == (text, kind, name, number)
    assert spec.starts_program == (kind in ("ugi", EXPORTED))


def test_the_files_of_a_bot_are_those_that_exist(folder):
    files = {text: [file.as_posix() for file in parse_spec(text).files] for text in ("runs/a:5", "train", "player.py")}
    assert files == {
        "runs/a:5": ["runs/a/meta.json", "runs/a/weights.safetensors"],
        "train": [],
        "player.py": ["player.py"],
    }
    assert parse_spec("alphabeta:3").files == parse_spec("gone.py").files == ()
