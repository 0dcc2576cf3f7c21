"""The folders of a user, also of one who has no home folder: nothing is kept then, and nothing else fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest
from click.testing import CliRunner

from alquerque_env import Match, Record, load_game
from alquerque_env.bots.patterns.pattern_file import find_pattern_file
from alquerque_env.cli.main import main
from alquerque_env.cli.terminal_match.match_file import MatchSaver
from alquerque_env.cli.terminal_match.puzzle_session import PuzzleRecord, read_record
from alquerque_env.engine.kernel_cache import cache_root, delete_unused
from alquerque_env.errors import TableError
from alquerque_env.files.user_folders import user_cache_folder, user_state_folder
from alquerque_env.solve.proved_steps import has_proof
from alquerque_env.solve.tables.table_file import find_table

pwd = pytest.importorskip("pwd", reason="on Windows every user has a home folder")

SETTINGS = ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "ALQUERQUE_TABLES")


@pytest.fixture
def homeless(monkeypatch, tmp_path):
    """A user who has no home folder, in an empty working folder."""

    def unknown(_uid):
        raise KeyError

    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_are_those_of_the_system(monkeypatch, tmp_path):
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(tmp_path / "cache" / name))
    monkeypatch.setattr(platformdirs, "user_state_dir", lambda name: str(tmp_path / "state" / name))
    assert user_cache_folder() == tmp_path / "cache" / "alquerque-env"
    assert user_state_folder() == tmp_path / "state" / "alquerque-env"


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("folder", [user_cache_folder, user_state_folder])
def test_without_a_home_there_is_no_folder_and_it_cannot_be_made(monkeypatch, folder, older):
    if older:  # platformdirs returned the path as it is
        for name in ("user_cache_dir", "user_state_dir"):
            monkeypatch.setattr(platformdirs, name, lambda app: os.path.expanduser(f"~/.kept/{app}"))
    assert folder().is_absolute()
    assert "no-home-folder" in str(folder())
    assert not folder().exists()
    assert not list(folder().glob("*"))
    with pytest.raises(OSError, match="no-home-folder"):
        folder().mkdir(parents=True, exist_ok=True)
    assert not list(Path().iterdir())


@pytest.mark.usefixtures("homeless")
def test_without_a_home_nothing_is_found_where_files_of_the_user_are_looked_for(monkeypatch):
    game = load_game("felli")
    with pytest.raises(TableError, match="there is no endgame table of felli yet"):
        find_table(game)
    assert find_pattern_file(load_game("tukvnanawopi")) is None
    assert not has_proof(game)
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert not cache_root().exists()
    assert delete_unused() == 0
    assert read_record() == PuzzleRecord()


@pytest.mark.usefixtures("homeless")
def test_without_a_home_a_match_is_not_saved_and_one_line_says_so():
    path, notes = MatchSaver().save_at_end(Record(Match("felli")), is_unfinished=True)
    assert path is None
    assert len(notes) == 1
    assert notes[0].startswith("The match is not saved: cannot make the folder ")


@pytest.mark.usefixtures("homeless")
def test_without_a_home_a_command_that_must_write_names_the_folder():
    result = CliRunner().invoke(main, ["solve", "felli", "--pieces", "2"])
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(f"alquerque: cannot write {user_cache_folder() / 'tables'}")


WORK = """
doctor
describe felli
perft felli --depth 2
rollouts felli --matches 2
arena felli random greedy --games 2
puzzles pretwa
play felli --opponent random
engine random
solve felli --pieces 2 -o table.aqt
dataset felli_simplified -o values.npz --positions 4
"""
FAIL = """
compile
mcp
solve felli --pieces 2
"""
PROGRAM = """
import json, pwd, sys

lines, is_known = json.loads(sys.argv[1])
if is_known:  # one who runs the tests and has a home folder
    pwd.getpwuid = {}.__getitem__

from alquerque_env.cli.main import main

statuses = {}
for line in lines:
    try:
        main(line.split(), "alquerque")
    except SystemExit as end:
        statuses[line] = end.code or 0
print()
print(json.dumps(statuses))
"""


@pytest.mark.slow
@pytest.mark.parametrize("user", [None, 54_321])
def test_commands_work_for_a_user_without_a_home(tmp_path, user):
    work, fail = WORK.strip().splitlines(), FAIL.strip().splitlines()
    unset = (*SETTINGS, "NUMBA_CACHE_DIR", "TMPDIR", "TEMP", "TMP")
    env = {name: value for name, value in os.environ.items() if name not in unset} | {"ALQUERQUE_JIT": "0"}
    other = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    if user is not None:  # pytest's folders are those of one user
        for folder in (tmp_path, *tmp_path.parents)[:-2]:
            folder.chmod(0o777)
    program = [sys.executable, "-c", PROGRAM, json.dumps([work + fail, user is None])]
    pipes = {"input": "1\n1\n", "capture_output": True, "text": True}
    try:
        done = subprocess.run(program, **other, **pipes, env=env, cwd=tmp_path, check=True)
    except PermissionError:
        pytest.skip("only root may start a process of another user, who must be able to read Python's files")
    assert "Traceback" not in done.stderr
    statuses = json.loads(done.stdout.splitlines()[-1])
    assert [line for line in work if statuses[line] != 0] == [], done.stderr
    assert [line for line in fail if statuses[line] == 0] == [], done.stderr
