"""Paths that lead nowhere: one sentence and exit status 2 from every command, and nothing written."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env.cli.main import main
from alquerque_env.errors import RulesError
from alquerque_env.game.game import load_game
from tests.own_games import game_text
from tests.sets import first_by_default


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with links that lead in a circle."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path / "tables"))
    for ending in (".toml", ".py", ".pdn", ".json", ".jsonl", ".table", ".npz", ""):
        try:
            os.symlink(f"other{ending}", f"circle{ending}")
            os.symlink(f"circle{ending}", f"other{ending}")
        except (OSError, NotImplementedError):
            pytest.skip("this system lets nobody make links")
    (tmp_path / "file.txt").write_text("a file")
    return tmp_path


def refuse(arguments: list[str]) -> str:
    """Runs a command that must fail; returns its error."""
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), (result.output, result.exception)
    assert "Traceback" not in result.output
    return result.stderr


@first_by_default
@pytest.mark.parametrize(
    "command",
    [
        "perft circle.toml --depth 1",
        "describe circle.toml",
        "rollouts circle.toml",
        "play circle.toml",
        "engine random --game circle.toml",
        "web --no-browser --game circle.toml",
        "arena circle.toml random greedy",
        "solve circle.toml --pieces 2",
        "train quickstart run.game=circle.toml",
    ],
)
def test_a_game_file_that_is_a_circle_of_links_is_refused_in_a_sentence(command: str, here: Path) -> None:
    pytest.importorskip("uvicorn" if command.startswith("web") else "torch" if command.startswith("train") else "click")
    before = sorted(here.iterdir())
    assert "circle.toml: cannot be read" in refuse(command.split())
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("key", ['extends = "circle.toml"\n', 'board = "circle.toml"\n'])
def test_a_circle_of_links_that_a_game_file_names_is_refused_in_a_sentence(key: str, here: Path) -> None:
    board = "[board]" if key.startswith("extends") else ""
    text = game_text(board=board) if key.startswith("board") else game_text()
    (here / "mine.toml").write_text(key + text, encoding="utf-8")
    with pytest.raises(RulesError, match="but there is no file"):
        load_game("mine.toml")


TOO_LONG = "n" * 5000


@pytest.mark.parametrize("path", ["circle{}", TOO_LONG, "file.txt/x{}", ""])
@pytest.mark.parametrize(
    "command",
    [
        "train quickstart --resume {}",
        "plot {}",
        "export {} -o player.py",
        "export fetaix-small -o {.py}",
        "solve alquerque --pieces 2 -o {.table}",
        "solve alquerque --verify --table {.table}",
        "dataset alquerque --table {.table} -o data.npz",
        "dataset alquerque -o {.npz} --positions 10",
        "arena alquerque random greedy --games 2 -o {.jsonl}",
        "openings alquerque --count 1 --judge random -o {.jsonl}",
        "benchmark run random fetaix --quick --output {.json}",
        "benchmark curve {}",
        "benchmark run {.py} fetaix --quick",
        "play alquerque --load {.pdn}",
        "play alquerque --opponent {.py}",
        "engine {.py}",
    ],
)
def test_a_path_that_no_file_can_have_is_refused_in_a_sentence(command: str, path: str, here: Path) -> None:
    pytest.importorskip("torch" if command.split()[0] in ("train", "export") else "click")
    before = sorted(here.iterdir())
    ending = command.partition("{")[2].partition("}")[0]
    arguments = [part.replace(f"{{{ending}}}", path.format(ending)) for part in command.split()]
    assert len(refuse(arguments)) < 2000
    assert [file for file in sorted(here.iterdir()) if file.name != "tables"] == before


def test_a_link_to_a_place_in_a_missing_folder_is_no_place_for_a_result(here: Path) -> None:
    os.symlink("missing/result.jsonl", "link.jsonl")
    told = refuse(["arena", "alquerque", "random", "greedy", "--games", "2", "-o", "link.jsonl"])
    assert f"folder {str(here / 'missing')!r} does not exist" in told
