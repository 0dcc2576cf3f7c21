"""The tables and values that come with the package, of whole games and of few pieces, and who uses them."""

import json

import few_pieces
import pytest
from click.testing import CliRunner

from alquerque_env import Match, load_bot, load_game, load_table, measure_errors
from alquerque_env.cli.main import main
from alquerque_env.errors import TableError
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.solutions import known_solution
from alquerque_env.solve.tables import build_table, present_table, table_file
from alquerque_env.solve.tables.index import Index
from alquerque_env.solve.tables.table_file import (
    FEW,
    SUFFIX,
    WHOLE,
    TableFile,
    find_table,
    pieces_of,
    table_name,
    table_path,
)
from alquerque_env.solve.tables.whole import (
    count_values,
    has_whole_table,
    present_large_table,
    seconds_needed,
    value_of_start,
    whole_pieces,
    whole_table,
)

FELLI, FETAIX = "felli_simplified", "fetaix"
GAMES = sorted(file.stem for file in WHOLE.glob("*.json"))
FILES = sorted(FEW.glob(f"*{SUFFIX}"))
WON = "W:Wb2,Kc1:BKd5"
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


@pytest.fixture(scope="module", autouse=True)
def no_tables_of_the_user(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALQUERQUE_TABLES", str(tmp_path_factory.mktemp("tables")))
        yield


@pytest.mark.parametrize("name", GAMES)
def test_a_shipped_table_says_what_the_values_in_the_package_say(name):
    game = load_game(name)
    known = known_solution(game)
    if not any(file.name.startswith(f"{name}-{game.table_hash}") for file in WHOLE.glob("*.aqt")):
        pytest.skip("the table is too large to come with the package")
    table = load_table(game)
    assert table.pieces == whole_pieces(game)
    assert table.digest == known.whole.digest
    counts = count_values(table)
    assert counts == {field: getattr(known.whole, field) for field in counts}
    if not game.schedule:
        start = value_of_start(table)
        assert (start.winner, start.plies, start.steps) == (known.winner, known.whole.plies, known.whole.steps)


@pytest.mark.parametrize("name", GAMES)
def test_the_time_that_is_told_before_is_about_that_of_the_table(name):
    for entry in json.loads((WHOLE / f"{name}.json").read_text(encoding="utf-8")):
        game, measured = load_game(name, **entry["options"]), entry["processor_seconds"] or 0
        if measured > 60 and not game.schedule:  # a schedule is searched besides
            told = seconds_needed(Index(game, whole_pieces(game)), verified=True)
            assert measured / 5 < told < 5 * measured, entry["command"]


def test_the_line_of_best_play_is_as_long_as_the_table_says():
    known = known_solution(load_game(FELLI))
    match = Match(FELLI)
    for turn in known.line:
        match.push(turn)
    assert match.outcome.winner == known.winner
    assert len(match.history) == known.whole.plies


@pytest.mark.slow
def test_a_game_is_solved_by_one_command(tmp_path):
    done = CliRunner().invoke(main, ["solve", FELLI, "--whole", "--json", "-o", str(tmp_path / "t.aqt")])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    entry = json.loads((WHOLE / f"{FELLI}.json").read_text(encoding="utf-8"))[0]
    assert found["verified"] is True
    assert {key: value for key, value in found["whole"].items() if key != "processor_seconds"} == {
        key: value for key, value in entry.items() if key not in ("processor_seconds", "bytes")
    }


@pytest.mark.slow
def test_a_program_of_its_own_finds_every_value_and_distance_of_the_table():
    from tools.solve_again import compare

    counts = compare(FELLI)
    assert counts["differences"] == counts["changed_by_limit"] == 0
    whole = known_solution(load_game(FELLI)).whole
    assert {field: counts[field] for field in ("positions", "won", "drawn", "lost")} == {
        field: getattr(whole, field) for field in ("positions", "won", "drawn", "lost")
    }


@pytest.mark.parametrize("opponent", ["greedy", "alphabeta:3"])
def test_the_perfect_bot_wins_a_won_game_and_no_slower_than_the_table_says(opponent):
    bot, other = load_bot("perfect", FELLI, seed=0), load_bot(opponent, FELLI, seed=1)
    match = Match(FELLI)
    left = known_solution(load_game(FELLI)).whole.plies
    while not match.is_over:
        match.push((bot if match.player == 0 else other).choose(match))
    assert match.outcome.winner == 0
    assert len(match.history) <= left


# Tables of few pieces


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition("-")[0])
def test_a_table_of_few_pieces_is_whole_and_of_the_rules_of_its_game(path):
    file, game = TableFile(path), load_game(path.name.partition("-")[0])
    file.check_blocks()
    file.check_game(game)
    assert path.name == table_name(game, file.header.pieces)
    assert file.header.pieces < whole_pieces(game)
    assert path.stat().st_size <= few_pieces.LARGEST


def test_tables_of_few_pieces_are_small_together():
    assert len(FILES) >= 10
    assert sum(path.stat().st_size for path in FILES) <= 3_500_000
    assert len({path.name.partition("-")[0] for path in FILES}) == len(FILES)


def test_one_command_makes_tables_of_few_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(few_pieces, "FEW", tmp_path)
    monkeypatch.setattr(few_pieces, "MOST_POSITIONS", 200_000)
    game = load_game("high_jump")
    done = CliRunner().invoke(few_pieces.main, ["high_jump", "tiger_and_buffaloes"])
    (made,) = tmp_path.iterdir()
    assert made.name == table_name(game, 4)  # the next one has 293,696 numbers
    assert done.output.splitlines()[1] == "tiger_and_buffaloes: its whole table comes with the package"
    assert TableFile(made).header.slices == TableFile(build_table(game, 4)).header.slices
    table_path(game, 4).unlink()


def test_a_table_of_few_pieces_is_opened_when_asked_for():
    game = load_game(FETAIX)
    (path,) = FEW.glob(f"{FETAIX}-*{SUFFIX}")
    assert load_table(FETAIX).pieces == pieces_of(path) == 4
    assert present_table(game, shipped=True) is load_bot("perfect", game, seed=0).table
    assert load_table(FETAIX).value(Match(FETAIX, WON)) == 1


def test_perfect_plays_by_a_table_of_few_pieces():
    match, bot = Match(FETAIX, WON), load_bot("perfect", FETAIX, seed=0)
    assert bot.choose(match).text == "c1-a1"
    assert bot.note == "exact: wins in 5 turns"


def test_other_bots_do_not_use_a_table_of_few_pieces():
    assert present_table(load_game(FETAIX)) is None
    values = [
        load_bot("alphabeta:2", FETAIX, seed=1, tables=each).analyse(Match(FETAIX, WON)).value for each in (True, False)
    ]
    assert values[0] == values[1]


def test_a_table_of_few_pieces_is_none_of_the_whole_game():
    game = load_game(FETAIX)
    assert whole_table(game) is None
    assert not has_whole_table(game)
    assert present_large_table(game) is None
    with pytest.raises(TableError, match="there is no endgame table of fetaix yet: build one with"):
        measure_errors("greedy", FETAIX, positions=10)


def test_a_larger_table_of_the_user_is_preferred_and_a_smaller_one_is_not(tmp_path, monkeypatch):
    game = load_game(FETAIX)
    monkeypatch.setattr(table_file, "FEW", tmp_path)
    build_table(game, 2).rename(tmp_path / table_name(game, 3))
    built = build_table(game, 2)
    assert find_table(game, shipped=True).parent == tmp_path
    assert find_table(game) == built
    built.rename(table_path(game, 4))
    assert find_table(game, shipped=True) == table_path(game, 4)
    table_path(game, 4).unlink()
