"""Endgame tables and proofs of games from files."""

import json
from pathlib import Path

import pytest

from alquerque_env import Match, load_game, load_table
from alquerque_env.errors import TableError
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.solutions import known_solution
from alquerque_env.solve.tables import build_table
from alquerque_env.solve.tables.table_file import proof_folder, table_path
from tests.own_games import write_game
from tools import check_certificate


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path / "tables"))


def test_a_table_is_used_for_no_other_file_of_the_name(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path))
    changed = load_game(write_game(tmp_path, at_limit="majority"))
    path = build_table(game, 2)

    assert load_table(game).pieces == 2
    assert path == table_path(game, 2)
    assert len({table_path(each, 2) for each in (game, changed)}) == 2
    assert proof_folder(Match(game), 2) != proof_folder(Match(changed), 2)
    with pytest.raises(TableError, match=r"no endgame table of mine yet: .*alquerque solve \S*mine\.toml --pieces 5"):
        load_table(changed)
    with pytest.raises(TableError, match="was made for other rules"):
        load_table(changed, path)
    with pytest.raises(TableError, match="is a table of mine"):
        load_table("fetaix", path)
    assert load_table(load_game(write_game(tmp_path)), path).value(Match(game, "W:Wa1:Bc2")) is not None


def test_a_certificate_holds_the_game(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    game = load_game(file)
    file.unlink()
    path = tmp_path / "proof.txt"

    solution = solve_position(Match(game), None, folder=tmp_path / "proof", certificate=path)

    assert solution.winner is not None
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[1])
    assert (header["game"], header["game_file"]) == ("mine", game.file_text)
    assert check_certificate.main([str(path)]) == 0


def test_a_known_solution_is_that_of_the_package_alone(tmp_path: Path) -> None:
    for name in ("alquerque", "fetaix", "awithlaknannai_mosona"):
        assert known_solution(load_game(name)) is not None
        assert known_solution(load_game(write_game(tmp_path, name))) is None
