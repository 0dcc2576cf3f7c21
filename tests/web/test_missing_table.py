"""What the page says where no table has a position."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import Match, games, load_game
from alquerque_env.cli.main import main
from alquerque_env.solve.tables import present_table, table_file
from alquerque_env.web.server_host import missing_table


def test_the_command_that_is_named_builds_a_table_with_the_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    monkeypatch.setattr(table_file, "FEW", tmp_path / "none")
    match = Match(load_game("felli", no_moves="pass"), "W:Wa1:Be5,d4")
    assert present_table(match.game) is None
    said, _, command = missing_table(match).rpartition(": ")
    assert said.startswith(
        "This command builds a table with this position, in about 1 s on one core and 1 MB of memory"
    )
    assert command == "alquerque solve felli --option no_moves=pass --pieces 3"
    assert CliRunner().invoke(main, shlex.split(command)[1:]).exit_code == 0
    table = present_table(match.game)
    assert table is not None
    assert table.clockless(match) is not None


def test_what_no_table_can_have_or_is_too_large_is_told() -> None:
    assert missing_table(Match("bagh_chal")) == "Tables have no positions with pieces in hand."
    assert "This command builds the largest table for two hours and 4 GB, of 5 pieces" in missing_table(
        Match("draughts_english")
    )


@pytest.mark.slow
def test_every_game_has_a_command_or_a_reason() -> None:
    for name in games():
        assert missing_table(Match(name)), name
