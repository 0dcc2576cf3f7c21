"""Verification of tables: everything that a file says of its positions, changed with mended checksums, is refused."""

from dataclasses import asdict

import numpy as np
import pytest
from sets import first_by_default
from small_games import small_game
from test_tables_files import build_with, rewrite

from alquerque_env.errors import TableError
from alquerque_env.solve.tables import build, build_table, load_table
from alquerque_env.solve.tables.table_file import TableFile
from alquerque_env.solve.tables.value_codes import DRAWN, ENDLESS
from alquerque_env.solve.tables.verify_table import verify_table

# The side with more pieces wins endless play.
MAJORITY = [
    (("awithlaknannai_mosona", "snake", "b1 d1", "b3 d3"), 4, {"leap": "straight"}),
    (("fetaix", "wedge", "a1 b1", "b3"), 3, {"no_progress_result": "majority"}),
    (("fetaix", "wedge", "a1 b1", "b3"), 3, {"no_progress_result": "majority", "no_moves": "draw"}),
    (("alquerque_alfonso_x", "square", "a1 b1", "c3 b3"), 3, {"no_progress_result": "majority"}),
]
# Endless play is a draw.
DRAWN_BY_REPETITION = [
    (("alquerque_murray", "wedge", "a1 b1", "b3 a2"), 4, {}),
    (("fetaix", "hook", "a1 b1", "b3"), 3, {"repetition": "threefold_draw", "no_progress_limit": "off"}),
]
# The limit changes values.
SHORT = [
    (("alquerque_murray", "wedge", "a1 b1", "b3"), 3, {"no_progress_limit": 1, "no_progress_result": "majority"}),
    (("awithlaknannai_mosona", "wedge", "a1 b1", "b3"), 3, {"no_progress_limit": 2}),
    (("fetaix", "hook", "a1 b1", "b3"), 3, {"no_progress_limit": 3, "no_moves": "draw"}),
]
# The board shrinks, and steps capture by flanking.
FLANKING = {"captures": "custodial", "capture": "optional", "chain": "optional"}
SHRINKING = [(("alquerque_alfonso_x", "ladder", "a1 b1", "a3 b3"), 3, {"shrink": "ranks", **FLANKING})]


def is_endless(values):
    return np.abs(values.astype(np.int32)) == ENDLESS


@first_by_default
@pytest.mark.parametrize(("base", "pieces", "rules"), [*MAJORITY, *DRAWN_BY_REPETITION, *SHORT, *SHRINKING], ids=str)
def test_honest_tables_pass(tmp_path, base, pieces, rules):
    game = small_game(*base, **rules)
    table = load_table(game, build_table(game, pieces, tmp_path / "table.aqt"))

    assert verify_table(table) == sum(part.positions for part in table.header.slices)


@first_by_default
@pytest.mark.parametrize(("base", "pieces", "rules"), MAJORITY, ids=str)
def test_endless_wins_that_became_draws_are_found(tmp_path, monkeypatch, base, pieces, rules):
    """All of them at once: each value then agrees with the values after it."""

    def change(values):
        assert is_endless(values).any()
        values[is_endless(values)] = DRAWN

    table = build_with(monkeypatch, tmp_path / "wrong.aqt", small_game(*base, **rules), pieces, change)
    with pytest.raises(TableError, match=r"the value of number \d+ of slice \S+( North)? is wrong"):
        verify_table(table)


@first_by_default
@pytest.mark.parametrize(("base", "pieces", "rules"), MAJORITY, ids=str)
def test_endless_wins_of_the_wrong_side_are_found(tmp_path, monkeypatch, base, pieces, rules):
    def change(values):
        values[is_endless(values)] *= -1

    table = build_with(monkeypatch, tmp_path / "wrong.aqt", small_game(*base, **rules), pieces, change)
    with pytest.raises(TableError, match=r"the value of number \d+ of slice \S+( North)? is wrong"):
        verify_table(table)


@first_by_default
@pytest.mark.parametrize(("base", "pieces", "rules"), [*DRAWN_BY_REPETITION, MAJORITY[0]], ids=str)
@pytest.mark.parametrize("winner", ["first", "second", "ahead", "behind"])
def test_draws_that_became_endless_wins_are_found(tmp_path, monkeypatch, base, pieces, rules, winner):
    game = small_game(*base, **rules)

    def change(values):
        for part in build.plan(game, pieces, memory=1).slices:
            signs = {"first": 1 - 2 * part.player, "second": 2 * part.player - 1, "ahead": 1, "behind": -1}
            sign = signs[winner] * (1 if winner in ("first", "second") or part.lead > 0 else -1)
            codes = values[part.base : part.base + part.size]
            codes[codes == DRAWN] = sign * ENDLESS

    table = build_with(monkeypatch, tmp_path / "wrong.aqt", game, pieces, change)
    with pytest.raises(TableError, match=r"the value of number \d+ of slice \S+( North)? is wrong"):
        verify_table(table)


@first_by_default
@pytest.mark.parametrize(("base", "pieces", "rules"), [MAJORITY[0], DRAWN_BY_REPETITION[0], *SHORT], ids=str)
def test_wrong_notes_on_the_clock_are_found(tmp_path, base, pieces, rules):
    game = small_game(*base, **rules)
    path = build_table(game, pieces, tmp_path / "table.aqt")
    groups = TableFile(path).header.groups
    assert all(set(notes) == {"longest_way", "changed"} for notes in groups)
    assert any(notes["changed"] for notes in groups) == ((base, pieces, rules) in SHORT)
    for place, notes in enumerate(groups):
        wrong = [{**notes, name: notes[name] + by} for name in notes for by in (-1, 1)]
        wrong += [{}, {**notes, "changed": 0}, {**notes, "longest_way": 0}, {**notes, "more": 1}]
        for changed in wrong:
            if changed == notes:
                continue
            others = [*groups[:place], changed, *groups[place + 1 :]]
            with pytest.raises(TableError, match=r"the notes on the no-progress limit of slice \S+|another version"):
                verify_table(load_table(game, rewrite(path, tmp_path / "wrong.aqt", groups=others)))


def test_wrong_statistics_are_found(tmp_path):
    base, pieces, rules = MAJORITY[0]
    game = small_game(*base, **rules)
    path = build_table(game, pieces, tmp_path / "table.aqt")
    parts = [asdict(part) for part in TableFile(path).header.slices]
    for place, part in enumerate(parts):
        for name in ("positions", "won", "drawn", "lost", "endless", "longest"):
            others = [*parts[:place], {**part, name: part[name] + 1}, *parts[place + 1 :]]
            wrong = load_table(game, rewrite(path, tmp_path / "wrong.aqt", slices=others))
            with pytest.raises(TableError, match=f"the statistics of slice {part['name']} are wrong"):
                verify_table(wrong)
