"""The tables of few pieces that come with the package, and what they are not used for."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import Match, load_bot, load_game, load_table, measure_errors
from alquerque_env.cli.main import main
from alquerque_env.errors import TableError
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.tables import build_table, present_table, table_file
from alquerque_env.solve.tables.table_file import (
    FEW,
    SUFFIX,
    TableFile,
    find_table,
    pieces_of,
    table_name,
    table_path,
)
from alquerque_env.solve.tables.whole import has_whole_table, present_large_table, whole_pieces, whole_table

FILES = sorted(FEW.glob(f"*{SUFFIX}"))
NAME = "fetaix"
WON = "W:Wb2,Kc1:BKd5"
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


@pytest.fixture(scope="module", autouse=True)
def no_tables_of_the_user(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALQUERQUE_TABLES", str(tmp_path_factory.mktemp("tables")))
        yield


def builder():
    path = Path(__file__).parents[2] / "benchmarks" / "few_pieces.py"
    spec = spec_from_file_location("few_pieces", path)
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition("-")[0])
def test_a_table_is_whole_and_of_the_rules_of_its_game(path):
    file, game = TableFile(path), load_game(path.name.partition("-")[0])
    file.check_blocks()
    file.check_game(game)
    assert path.name == table_name(game, file.header.pieces)
    assert file.header.pieces < whole_pieces(game)
    assert path.stat().st_size <= builder().LARGEST


def test_they_are_small_together():
    assert len(FILES) >= 10
    assert sum(path.stat().st_size for path in FILES) <= 3_500_000
    assert len({path.name.partition("-")[0] for path in FILES}) == len(FILES)


def test_one_command_makes_them(tmp_path, monkeypatch):
    script = builder()
    monkeypatch.setattr(script, "FEW", tmp_path)
    monkeypatch.setattr(script, "MOST_POSITIONS", 200_000)
    game = load_game("high_jump")
    done = CliRunner().invoke(script.main, ["high_jump", "tiger_and_buffaloes"])
    (made,) = tmp_path.iterdir()
    assert made.name == table_name(game, 4)  # the next one has 293,696 numbers
    assert done.output.splitlines()[1] == "tiger_and_buffaloes: its whole table comes with the package"
    assert TableFile(made).header.slices == TableFile(build_table(game, 4)).header.slices
    table_path(game, 4).unlink()


def test_it_is_opened_when_asked_for():
    game = load_game(NAME)
    (path,) = FEW.glob(f"{NAME}-*{SUFFIX}")
    assert load_table(NAME).pieces == pieces_of(path) == 4
    assert present_table(game, shipped=True) is load_bot("perfect", game, seed=0).table
    assert load_table(NAME).value(Match(NAME, WON)) == 1


def test_describe_names_the_values_of_steps():
    done = CliRunner().invoke(main, ["describe", NAME, "--position", WON])
    assert done.exit_code == 0, done.output
    assert "South wins under best play in 5 turns" in done.output


def test_perfect_plays_by_it():
    match, bot = Match(NAME, WON), load_bot("perfect", NAME, seed=0)
    assert bot.choose(match).text == "c1-a1"
    assert bot.note == "exact: wins in 5 turns"


def test_other_bots_do_not_use_it():
    assert present_table(load_game(NAME)) is None
    values = [
        load_bot("alphabeta:2", NAME, seed=1, tables=each).analyse(Match(NAME, WON)).value for each in (True, False)
    ]
    assert values[0] == values[1]


def test_it_is_no_table_of_the_whole_game():
    game = load_game(NAME)
    assert whole_table(game) is None
    assert not has_whole_table(game)
    assert present_large_table(game) is None
    with pytest.raises(TableError, match="there is no endgame table of fetaix yet: build one with"):
        measure_errors("greedy", NAME, positions=10)


def test_a_larger_table_of_the_user_is_preferred_and_a_smaller_one_is_not(tmp_path, monkeypatch):
    game = load_game(NAME)
    monkeypatch.setattr(table_file, "FEW", tmp_path)
    build_table(game, 2).rename(tmp_path / table_name(game, 3))
    built = build_table(game, 2)
    assert find_table(game, shipped=True).parent == tmp_path
    assert find_table(game) == built
    built.rename(table_path(game, 4))
    assert find_table(game, shipped=True) == table_path(game, 4)
    table_path(game, 4).unlink()
