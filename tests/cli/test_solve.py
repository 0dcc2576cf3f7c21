"""`alquerque solve`, and `load_table` where there is no table yet."""

import json

import pytest
from click.testing import CliRunner

from alquerque_env import Match, load_game, load_table
from alquerque_env.cli.main import main
from alquerque_env.errors import TableError
from alquerque_env.solve.tables import table_file
from tests.sets import first_by_default

NAME = "alquerque_murray"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty folder in the place of the user's tables."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(table_file, "tables_folder", lambda: folder)
    monkeypatch.setattr(table_file, "FEW", folder)
    return folder


def run(*arguments):
    return CliRunner().invoke(main, ["solve", *map(str, arguments)])


def solved(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_table_is_built_at_a_path(tmp_path, cache):
    path = tmp_path / "murray.aqt"
    found = solved(NAME, "--pieces", 3, "-o", path)
    table = load_table(load_game(NAME), path)
    assert table.value(Match(table.game, "W:Wa1:Bb2")) == 1
    assert found["game"] == NAME
    assert found["options"] == dict(table.game.options)
    assert found["table_hash"] == table.game.table_hash
    assert found["pieces"] == table.pieces == 3
    assert found["path"] == str(path)
    assert found["bytes"] == path.stat().st_size
    assert found["verified"] is False
    assert found["seconds"] >= 0
    assert [part["name"] for part in found["slices"]] == ["1v1", "2v1", "1v2"]
    for part in found["slices"]:
        assert part["won"] + part["drawn"] + part["lost"] == part["positions"] > 0
    assert found["positions"] == sum(part["positions"] for part in found["slices"])
    assert not cache.exists()


def test_the_no_progress_limit_is_compared_with_the_longest_way(tmp_path):
    arguments = (NAME, "--pieces", 3, "-o", tmp_path / "table.aqt", "--option", "no_progress_limit=2")
    clock = solved(*arguments)["clock"]
    assert clock["limit"] == 2 < clock["longest_way"]
    assert clock["changed"] > 10
    sentence = (
        f"The longest way to a capture has {clock['longest_way']} plies. The no-progress limit of 2 plies, which the "
        f"table leaves out, would change the values of {clock['changed']:,} positions"
    )
    assert sentence in run(*arguments).output
    unlimited = ("alquerque", "--pieces", 2, "-o", tmp_path / "other.aqt")
    assert solved(*unlimited)["clock"] is None
    assert "longest way" not in run(*unlimited).output


def test_the_longest_way_leads_to_what_the_game_counts_as_progress(tmp_path):
    output = run("draughts_english", "--pieces", 2, "-o", tmp_path / "table.aqt").output

    assert "The longest way to a capture or a man's step has " in output


def test_a_table_can_be_verified_at_once_and_later(tmp_path):
    path = tmp_path / "table.aqt"
    assert solved(NAME, "--pieces", 3, "-o", path, "--verify")["verified"] is True
    result = run(NAME, "--verify", "-o", path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["slice", "positions", "won", "drawn", "lost", "longest"]
    assert [line.split()[0] for line in lines[1:4]] == ["1v1", "2v1", "1v2"]
    assert lines[-1].endswith(f"{path}; every value checked")


def test_a_table_that_is_there_is_not_built_again(tmp_path):
    path = tmp_path / "table.aqt"
    command = (NAME, "--pieces", 3, "-o", path, "--verify")
    first = run(*command)
    assert first.exit_code == 0
    assert "numbers, " in first.stderr
    assert "already" not in first.stderr
    made = path.stat()

    second = run(*command)
    assert second.exit_code == 0
    assert second.stderr == f"the table is there already: {path}; all that it says is checked now\n"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)
    assert second.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
    assert second.stdout.endswith("every value checked\n")
    assert run(*command[:-1]).stderr == f"the table is there already: {path}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["table.aqt"]


BAD_ARGUMENTS = [
    (NAME, "--pieces K"),
    (f"{NAME} --pieces 1", "has from 2 to 24 pieces, not 1"),
    (f"{NAME} --pieces 8 --memory 0.01", "more than the 0.01 allowed: take fewer pieces or allow more with --memory"),
    (f"{NAME} --pieces 2 --memory -1", "--memory"),
    (f"{NAME} --pieces 2 --threads 0", "--threads"),
    (f"{NAME} --pieces 2 -o README.md/table.aqt", "Not a directory"),
    (f"{NAME} --verify", f"there is no endgame table of {NAME} yet: build one with alquerque solve {NAME} --pieces 5"),
    (f"{NAME} --verify -o no_such_file.aqt", "cannot read table no_such_file.aqt: No such file or directory"),
    (
        "alquerque --pieces 2 --option undo_scope=never_revisit --option undo_cleared_by_jump=false",
        "too many for a table",
    ),
]


@pytest.mark.parametrize(("line", "message"), BAD_ARGUMENTS)
def test_bad_arguments_end_with_one_line(line, message, tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text("# Notes\n")
    monkeypatch.chdir(tmp_path)
    result = run(*line.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert message in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]


@first_by_default
@pytest.mark.parametrize(
    ("name", "options"),
    [
        (NAME, {}),
        ("fetaix", {"no_progress_limit": 30, "chain": "single"}),
        ("alquerque", {"undo_cleared_by_jump": False}),
        ("alquerque", {"last_rank_frozen": True, "capture": "optional"}),
    ],
    ids=str,
)
def test_without_a_table_the_command_that_builds_one_is_named(name, options):
    game = load_game(name, **options)
    with pytest.raises(TableError, match="there is no endgame table") as caught:
        load_table(game)
    command = str(caught.value).partition("build one with alquerque solve ")[2]
    arguments = command.replace("--pieces 5", "--pieces 2").split()
    assert arguments[-2:] == ["--pieces", "2"]
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert load_table(game).pieces == 2
