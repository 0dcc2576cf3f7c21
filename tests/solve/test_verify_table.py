"""Verification of tables: everything that a file says of its positions, changed with mended checksums, is refused."""

import json
import shutil
import time
from dataclasses import asdict
from functools import partial
from itertools import product

import numpy as np
import pytest

from alquerque_env.errors import TableError
from alquerque_env.solve.tables import build, build_table, load_table
from alquerque_env.solve.tables.table_file import TableFile
from alquerque_env.solve.tables.value_codes import DRAWN, ENDLESS
from alquerque_env.solve.tables.verify_table import verify_table
from tests.sets import first_by_default
from tests.small_games import small_game
from tests.solve.rewritten_tables import build_with, rewrite, run_until

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
SHORTER = ("alquerque_murray", "wedge", "a1 b1", "b3 a2"), 4, {"no_progress_limit": 2}  # in several groups
# The board shrinks, and steps capture by flanking.
FLANKING = {"captures": "custodial", "capture": "optional", "chain": "optional"}
SHRINKING = ("alquerque_alfonso_x", "ladder", "a1 b1", "a3 b3"), 3, {"shrink": "ranks", **FLANKING}


def is_endless(values):
    return np.abs(values.astype(np.int32)) == ENDLESS


def draw_all(values, _part):
    """All of them at once: each value then agrees with the values after it."""
    values[is_endless(values)] = DRAWN


def turn_all(values, _part):
    values[is_endless(values)] *= -1


def win_draws(values, part, winner):
    signs = {"first": 1 - 2 * part.player, "second": 2 * part.player - 1, "ahead": 1, "behind": -1}
    sign = signs[winner] * (1 if winner in ("first", "second") or part.lead > 0 else -1)
    values[values == DRAWN] = sign * ENDLESS


@first_by_default
@pytest.mark.parametrize(
    ("case", "change"),
    [
        *product(MAJORITY, (draw_all, turn_all)),
        *product(
            [*DRAWN_BY_REPETITION, MAJORITY[0]],
            [partial(win_draws, winner=winner) for winner in ("first", "second", "ahead", "behind")],
        ),
    ],
    ids=lambda value: getattr(value, "__name__", str(getattr(value, "keywords", value))),
)
def test_wrong_values_of_endless_play_are_found(tmp_path, monkeypatch, case, change):
    base, pieces, rules = case
    game = small_game(*base, **rules)

    def change_all(values):
        before = values.copy()
        for part in build.plan(game, pieces, memory=1).slices:
            change(values[part.base : part.base + part.size], part)
        assert (values != before).any()

    table = build_with(monkeypatch, tmp_path / "wrong.aqt", game, pieces, change_all)
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


def verify_until(path, game, folder, reports=10**6):
    """Verifies until so many reports have come; returns the slices and stages, and the verified codes, if any."""
    table = load_table(game, path)
    seen, is_done = run_until(reports, lambda watch: verify_table(table, 1, watch, folder=folder))
    return seen, table.codes if is_done else None


def verified_groups(table, folder):
    """The groups of slices that are verified."""
    return table.index.groups[: len(json.loads((folder / "progress.json").read_text())["done"])]


@first_by_default
@pytest.mark.parametrize(
    ("base", "pieces", "rules"),
    [SHORTER, SHRINKING, MAJORITY[0], DRAWN_BY_REPETITION[0], (("alquerque", "wedge", "a1 b1", "b3"), 3, {})],
    ids=str,
)
def test_a_stopped_verification_goes_on_to_the_same_result(tmp_path, base, pieces, rules):
    game = small_game(*base, **rules)
    path, folder = build_table(game, pieces, tmp_path / "table.aqt"), tmp_path / "table.aqt.verify"
    stages, codes = verify_until(path, game, None)
    table = load_table(game, path)
    most = 0
    for reports in range(0, len(stages), max(1, len(stages) // 12)):
        assert verify_until(path, game, folder, reports)[1] is None
        done = verified_groups(table, folder)
        most = max(most, len(done))
        seen, resumed = verify_until(path, game, folder)
        assert not {part.name for group in done for part in group} & {name for name, _ in seen}
        assert (resumed == codes).all()
        assert not folder.exists()
    assert most > 0


def test_a_verification_in_a_folder_finds_what_is_wrong_after_it_was_stopped(tmp_path):
    base, pieces, rules = SHORTER
    game = small_game(*base, **rules)
    path, folder = build_table(game, pieces, tmp_path / "table.aqt"), tmp_path / "table.aqt.verify"
    groups = TableFile(path).header.groups
    last = {**groups[-1], "changed": groups[-1]["changed"] + 1}
    wrong = rewrite(path, tmp_path / "wrong.aqt", groups=[*groups[:-1], last])
    stages, _ = verify_until(path, game, None)
    verify_until(wrong, game, folder, len(stages) - 2)
    assert verified_groups(load_table(game, path), folder)

    for _ in range(2):
        with pytest.raises(TableError, match="the notes on the no-progress limit"):
            verify_table(load_table(game, wrong), folder=folder)


def test_what_is_verified_counts_for_the_same_file_alone(tmp_path):
    base, pieces, rules = SHORTER
    game = small_game(*base, **rules)
    path, folder = build_table(game, pieces, tmp_path / "table.aqt"), tmp_path / "table.aqt.verify"
    stages, codes = verify_until(path, game, None)
    verify_until(path, game, folder, len(stages) - 2)
    other = rewrite(path, tmp_path / "other.aqt", seconds=1.5)
    with pytest.raises(TableError, match=r"holds the work on .*; delete it"):
        verify_table(load_table(game, other), folder=folder)
    for name in ("values.int16", "limited.int16"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(bytes([data[0] ^ 1]) + data[1:])
        with pytest.raises(TableError, match=r"is damaged: delete .*\.verify to begin again"):
            verify_table(load_table(game, path), folder=folder)
        (folder / name).write_bytes(data)
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    assert (verify_until(path, game, kept)[1] == codes).all()

    path.write_bytes(b"no table")
    build_table(game, pieces, path)
    assert not folder.exists()


def test_the_time_of_a_verification_counts_that_of_earlier_work(tmp_path):
    base, pieces, rules = MAJORITY[0]
    game = small_game(*base, **rules)
    path, folder = build_table(game, pieces, tmp_path / "table.aqt"), tmp_path / "table.aqt.verify"
    stages, _ = verify_until(path, game, None)
    verify_until(path, game, folder, len(stages) - 1)
    before = sum(group["seconds"] for group in json.loads((folder / "progress.json").read_text())["done"])
    assert before > 0
    table = load_table(game, path)
    clock = time.process_time()
    found = verify_table(table, folder=folder)
    assert before <= found.seconds <= before + time.process_time() - clock
