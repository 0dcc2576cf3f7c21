"""Which levels are offered for a game."""

from pathlib import Path

import pytest

from alquerque_env import Match, load_bot, load_game, load_table
from alquerque_env.bots.levels import levels
from alquerque_env.solve.proof.certificate import open_proof_file
from alquerque_env.solve.tables.table_file import table_path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of tables and proofs."""
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    return tmp_path


def names(game: str, **options: str | int) -> list[str]:
    return [level.name for level in levels(load_game(game, **options))]


def test_perfect_is_the_last_level_where_a_whole_table_or_a_proof_comes_with_the_package() -> None:
    for game in ("felli_simplified", "pretwa", "awithlaknannai_mosona", "alquerque"):
        assert names(game)[-1] == "Perfect"
        assert load_bot(levels(load_game(game))[-1].spec, game).name == "perfect"
    for game in ("fetaix", "felli", "bagh_chal"):
        assert "Perfect" not in names(game)


def test_changed_rules_have_a_perfect_level_only_with_a_table_or_proof_of_their_own() -> None:
    assert names("felli_simplified", capture="optional")[-1] == "Perfect"
    assert "Perfect" not in names("awithlaknannai_mosona", capture="optional")


def test_a_table_in_the_cache_directory_counts_if_it_is_of_the_whole_game(folder: Path) -> None:
    game = load_game("felli")
    table_path(game, 11).touch()
    assert "Perfect" not in names("felli")
    table_path(game, 12).touch()
    assert names("felli")[-1] == "Perfect"


def test_a_proof_in_the_cache_directory_counts_if_it_is_of_the_start(folder: Path) -> None:
    game = load_game("fetaix")
    for position, is_offered in ((Match(game).position, True), ("W:Wb1,d1:Bd3", False)):
        with open_proof_file(folder / "fetaix.steps", Match(game, position), 0) as file:
            file.begin_section(0, True)
        assert ("Perfect" in names("fetaix")) == is_offered
        assert "Perfect" not in names("fetaix", man_capture_dirs="all")
    (folder / "fetaix.steps").write_bytes(b"damaged")
    assert "Perfect" not in names("fetaix")


def test_master_stands_beside_trained_where_a_game_has_patterns() -> None:
    """Below it, or above it where it has won their matches."""
    for game, order in (("alquerque", ["Expert", "Master", "Trained"]), ("fetaix", ["Expert", "Trained", "Master"])):
        assert [level for level in names(game) if level in order] == order
        assert load_bot(levels(load_game(game))[names(game).index("Master")].spec, game, time_limit=0.1).can_analyse
    assert "Master" not in names("bagh_chal")
    assert "Master" not in names("fetaix", man_capture_dirs="all")


def test_levels_below_perfect_use_no_table_of_the_package() -> None:
    match = Match("felli_simplified", "W:Wa1,e1,c2:Be5")
    assert load_table(match.game).value(match) == 1
    sure = {
        level.name
        for level in levels(match.game)
        if level.name in ("Medium", "Hard", "Perfect")
        and load_bot(level.spec, match.game, seed=0).analyse(match).value == 1
    }
    assert sure == {"Perfect"}
