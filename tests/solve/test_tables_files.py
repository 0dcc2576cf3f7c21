"""Table files: what is damaged or foreign is refused, and building goes on where it was stopped."""

import hashlib
import json
import random
import re
import shutil
import time
from dataclasses import asdict, replace

import numpy as np
import platformdirs
import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import TableError
from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.kernel_arrays import words
from alquerque_env.match.position_text import format_position, unpromoted_men
from alquerque_env.solve.notes import write_notes
from alquerque_env.solve.tables import build, build_table, load_table, table_file
from alquerque_env.solve.tables.numbering import set_up
from alquerque_env.solve.tables.table_file import MAGIC, TableFile
from alquerque_env.solve.tables.value_codes import DRAWN, ENDLESS, LOST, UNKNOWN, WON
from alquerque_env.solve.tables.verify_table import verify_table
from tests.sets import first_by_default
from tests.small_games import small_game
from tests.solve.rewritten_tables import build_with, parts_of, rewrite, run_until
from tools.faults.changed_files import pack, write_table_file

MURRAY = load_game("alquerque_murray")
FETAIX = small_game("fetaix", "wedge", "a1 b1", "b3", no_progress_result="majority")


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """A table of two slices of three pieces and one of two."""
    return build_table(MURRAY, 3, tmp_path_factory.mktemp("whole") / "murray.aqt")


@pytest.fixture(scope="session")
def mullahs(tmp_path_factory):
    """A table of many small slices."""
    return build_table(FETAIX, 3, tmp_path_factory.mktemp("mullahs") / "fetaix.aqt")


def content(path):
    """Everything that a file says, but for how long it took."""
    file = TableFile(path)
    return replace(file.header, seconds=0), path.read_bytes().split(b"\n", 2)[2]


def changed(path, folder, place):
    """A copy of a file with one bit of one byte flipped."""
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    copy = folder / "changed.aqt"
    copy.write_bytes(data)
    return copy


def refused(game, path, message):
    with pytest.raises(TableError, match=message) as caught:
        load_table(game, path).load()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_written_table_can_be_read(whole):
    table = load_table(MURRAY, str(whole))
    assert table.pieces == 3
    assert table.game is MURRAY
    assert table.header.options == dict(MURRAY.options)
    assert table.value(Match(MURRAY, "W:Wa1:Bb2")) == 1
    assert verify_table(table).positions == sum(part.positions for part in table.header.slices)


def test_files_that_are_not_tables_are_refused(tmp_path, whole):
    refused(MURRAY, tmp_path / "missing.aqt", "cannot read table .*No such file")
    refused(MURRAY, tmp_path, "cannot read table .*Is a directory")
    for number, data in enumerate((b"", b"\n", b"alquerque", b"PNG\0" * 100, MAGIC[:-1], MAGIC.replace(b"1", b"2"))):
        path = tmp_path / f"{number}.aqt"
        path.write_bytes(data)
        refused(MURRAY, path, "not an endgame table of this version")


def test_a_file_that_is_cut_short_or_too_long_is_refused(tmp_path, whole):
    data = whole.read_bytes()
    header, blocks, size = parts_of(whole)
    path = tmp_path / "cut.aqt"
    for length in (header, header + 10, header + 64, header + 65, blocks - 2):
        path.write_bytes(data[:length])
        refused(MURRAY, path, "the header of .* is damaged")
    for length in (blocks, blocks + 1, size - 1):
        path.write_bytes(data[:length])
        refused(MURRAY, path, f"is damaged: it has {length} bytes, expected {size}")
    path.write_bytes(data + b"\0")
    refused(MURRAY, path, "is damaged")


def test_a_changed_byte_is_detected_anywhere(tmp_path, whole):
    header, blocks, size = parts_of(whole)
    rng = random.Random(4)
    for place in (0, header - 1):
        refused(MURRAY, changed(whole, tmp_path, place), "is not an endgame table")
    for place in (header, header + 63, header + 64, header + 65, blocks - 2, *rng.sample(range(header, blocks), 40)):
        refused(MURRAY, changed(whole, tmp_path, place), "the header of .* is damaged")
    refused(MURRAY, changed(whole, tmp_path, blocks - 1), "damaged")
    for place in (blocks, size - 1, *rng.sample(range(blocks, size), 40)):
        refused(MURRAY, changed(whole, tmp_path, place), "is damaged in slice [12]v[12]; solve the game again")


def test_damage_in_one_slice_leaves_the_others_readable(tmp_path, whole):
    table = load_table(MURRAY, changed(whole, tmp_path, parts_of(whole)[1]))
    first = table.index.slices[0]
    assert first.name == "1v1"
    assert table.value(Match(MURRAY, "W:Wa1,b1:Be5")) is not None
    with pytest.raises(TableError, match="is damaged in slice 1v1"):
        table.value(Match(MURRAY, "W:Wa1:Be5"))


def test_a_table_of_another_game_is_refused(tmp_path, whole, mullahs):
    for game in (load_game("alquerque_alfonso_x"), load_game("fetaix"), load_game("alquerque_murray", no_moves="pass")):
        refused(game, whole, f"is a table of alquerque_murray with .*, not of {game.name} with ")
    refused(MURRAY, mullahs, "is a table of wedge_fetaix")


def test_a_header_of_another_version_is_refused(tmp_path, whole):
    refused(MURRAY, rewrite(whole, tmp_path / "field.aqt", colour="green"), "made by another version")
    slices = [asdict(part) | {"size": part.size + 1} for part in TableFile(whole).header.slices]
    refused(MURRAY, rewrite(whole, tmp_path / "size.aqt", slices=slices), "made by another version")
    first, *groups = TableFile(whole).header.groups
    for notes in ({}, {"longest_way": 1}, {"changed": 0}, {**first, "colour": 1}):
        refused(MURRAY, rewrite(whole, tmp_path / "notes.aqt", groups=[notes, *groups]), "made by another version")
    assert load_table(MURRAY, rewrite(whole, tmp_path / "same.aqt")).pieces == 3


def test_more_pieces_than_the_file_can_hold_are_refused_before_they_are_counted(tmp_path, whole):
    """The index of a table of 24 pieces would take gigabytes."""
    refused(MURRAY, rewrite(whole, tmp_path / "many.aqt", pieces=24), "made by another version")
    refused(MURRAY, rewrite(whole, tmp_path / "more.aqt", pieces=25), "is a table of 25 pieces, .* has from 2 to 24")


def test_a_block_unpacks_to_no_more_than_its_slice_has(tmp_path, whole):
    header = asdict(TableFile(whole).header)
    block = pack(bytes(10**7))
    old = [length for part in header["slices"] for length, _ in part["blocks"]]
    rest = whole.read_bytes()[-sum(old) :][old[0] :]
    header["slices"][0]["blocks"] = [(len(block), hashlib.sha256(block).hexdigest())]
    path = tmp_path / "bomb.aqt"
    write_table_file(path, header, [block, rest])
    refused(MURRAY, path, "is damaged in slice 1v1")


def build_until(path, pieces, reports, game=FETAIX):
    """Builds until so many reports have come; returns the names of the slices in all of them."""
    return run_until(reports, lambda watch: build_table(game, pieces, path, watch=watch, threads=1))[0]


@pytest.mark.slow
@pytest.mark.parametrize("game", [FETAIX, small_game("alquerque", "wedge", "a1 b1", "b3")], ids=lambda game: game.name)
def test_a_stopped_build_is_resumed(tmp_path, game):
    """From above and bottom-up."""
    total = len(build_until(tmp_path / "whole.aqt", 3, 10**6, game))
    for reports in sorted({0, 1, 2, 3, 5, 8, *range(0, total, max(1, total // 15))} & {*range(total)}):
        path = tmp_path / f"{reports}.aqt"
        build_until(path, 3, reports, game)
        assert not path.exists()
        notes = tmp_path / f"{reports}.aqt.work" / "progress.json"
        done = len(json.loads(notes.read_text())["done"])
        seen = [name for name, stage in build_until(path, 3, 10**6, game) if stage not in ("compressing", "counting")]
        groups = load_table(game, path).index.groups
        assert not set(seen) & {part.name for group in groups[:done] for part in group}
        assert content(path) == content(tmp_path / "whole.aqt")
        assert not notes.parent.exists()


def test_an_undamaged_table_is_not_built_again(tmp_path, whole):
    path = tmp_path / "table.aqt"
    shutil.copy(whole, path)
    left = tmp_path / "table.aqt.work"
    left.mkdir()
    stages = []
    assert build_table(MURRAY, 3, path, watch=stages.append) == path
    assert stages == []
    assert not left.exists()
    assert path.read_bytes() == whole.read_bytes()
    for broken in (changed(path, tmp_path, path.stat().st_size - 1).read_bytes(), path.read_bytes()[:-1], b"nothing"):
        path.write_bytes(broken)
        build_table(MURRAY, 3, path)
        assert content(path) == content(whole)
    build_table(MURRAY, 2, path)
    assert load_table(MURRAY, path).pieces == 2


def stopped_work(path):
    """Work of a build that was stopped when some groups were done."""
    build_until(path, 3, 200)
    folder = path.with_name(path.name + ".work")
    assert len(json.loads((folder / "progress.json").read_text())["done"]) > 1
    return folder


def test_the_time_of_a_table_counts_that_of_earlier_work(tmp_path):
    path = tmp_path / "table.aqt"
    notes = json.loads((stopped_work(path) / "progress.json").read_text())
    before = sum(group["seconds"] for group in notes["done"])
    assert before > 0
    clock = time.process_time()
    build_table(FETAIX, 3, path)
    resumed = time.process_time() - clock
    seconds = TableFile(path).header.seconds  # in tenths
    assert before - 0.1 <= seconds <= before + resumed + 0.1
    clock = time.process_time()
    build_table(FETAIX, 3, tmp_path / "whole.aqt")
    assert TableFile(tmp_path / "whole.aqt").header.seconds <= time.process_time() - clock + 0.1


def test_work_on_something_else_is_refused(tmp_path):
    path = tmp_path / "table.aqt"
    folder = stopped_work(path)
    other = small_game("fetaix", "wedge", "a1 b1", "b3", no_progress_result="majority", no_moves="pass")
    for game, pieces, message in [
        (MURRAY, 3, r"table\.aqt\.work holds the work on .*, not on "),
        (FETAIX, 2, r"table\.aqt\.work holds the work on .*, not on "),
        (other, 3, r"table\.aqt\.work was made for other rules, .*: delete that folder to begin again"),
    ]:
        with pytest.raises(TableError, match=message) as caught:
            build_table(game, pieces, path)
        assert str(folder) in str(caught.value)
        assert not path.exists()


DAMAGED = r"\.work/.* is damaged: delete .*\.work to begin again"


def test_damaged_notes_are_refused(tmp_path):
    path = tmp_path / "table.aqt"
    file = stopped_work(path) / "progress.json"
    kept = file.read_text()
    notes = json.loads(kept)
    for text in (
        *("", "{", "[]", "3", "null", "[" * 100_000, kept[:-3], kept.replace('"sums"', '"sum"')),
        json.dumps({**notes, "done": notes["done"][:-1]}),
        json.dumps({**notes, "done": notes["done"][::-1]}),
        kept.replace('"changed": 0', '"changed": 1', 1),
    ):
        file.write_text(text)
        with pytest.raises(TableError, match=DAMAGED):
            build_table(FETAIX, 3, path)
    identity = {name: value for name, value in notes.items() if name not in ("done", "sha256")}
    for wrong in ({}, {"longest_way": 1}, {**notes["done"][0]["notes"], "colour": 1}):
        write_notes(file, identity, {"done": [{**each, "notes": wrong} for each in notes["done"]]})
        with pytest.raises(TableError, match=DAMAGED):
            build_table(FETAIX, 3, path)
    file.write_text(json.dumps({name: value for name, value in notes.items() if name != "code"}))
    with pytest.raises(TableError, match=r"is from another version of the package: delete that folder to begin again"):
        build_table(FETAIX, 3, path)
    assert not path.exists()


def test_values_are_checked_before_they_are_used_again(tmp_path, mullahs):
    """Whatever has happened to the values of a finished group: the values of the others follow from them."""
    path = tmp_path / "table.aqt"
    values = stopped_work(path) / "values.int16"
    data = values.read_bytes()
    done = len(json.loads((values.parent / "progress.json").read_text())["done"])
    part = load_table(FETAIX, mullahs).index.groups[done - 1][-1]
    end = 2 * (part.base + part.size)
    rng = random.Random(1)
    for place in (0, end - 1, *rng.sample(range(end), 10)):
        values.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(TableError, match=DAMAGED):
            build_table(FETAIX, 3, path)
    for wrong in (bytes(len(data)), data[:-2], data + b"\0\0", data[2:] + data[:2], b""):
        values.write_bytes(wrong)
        with pytest.raises(TableError, match=DAMAGED):
            build_table(FETAIX, 3, path)
    values.unlink()
    with pytest.raises(TableError, match=DAMAGED):
        build_table(FETAIX, 3, path)
    assert not path.exists()
    values.write_bytes(data[:end] + b"\7" * (len(data) - end))  # groups that are not finished are solved again
    build_table(FETAIX, 3, path)
    assert content(path) == content(mullahs)


def test_values_under_the_limit_are_checked_too(tmp_path):
    game = load_game("alquerque_murray", no_progress_limit=2)
    path = tmp_path / "table.aqt"
    build_until(path, 4, 110, game)
    limited = path.with_name("table.aqt.work") / "limited.int16"
    data = limited.read_bytes()
    limited.write_bytes(bytes([data[0] ^ 1]) + data[1:])

    with pytest.raises(TableError, match=r"limited\.int16 is damaged: delete .*\.work to begin again"):
        build_table(game, 4, path)
    limited.write_bytes(data)
    assert content(build_table(game, 4, path)) == content(build_table(game, 4, tmp_path / "whole.aqt"))


@pytest.mark.slow
def test_the_number_of_threads_does_not_matter(tmp_path, whole, mullahs):
    for threads in (1, 3):
        assert content(build_table(MURRAY, 3, tmp_path / f"m{threads}.aqt", threads=threads)) == content(whole)
        assert content(build_table(FETAIX, 3, tmp_path / f"f{threads}.aqt", threads=threads)) == content(mullahs)


@pytest.mark.slow
def test_too_little_memory_is_refused_with_the_memory_needed(tmp_path):
    with pytest.raises(TableError, match="allow more with --memory") as caught:
        build_table(MURRAY, 8, tmp_path / "table.aqt", memory=0.01)
    needed = float(re.search(r"needs ([0-9.]+) GiB, more than the 0.01 allowed", str(caught.value))[1])
    assert 0.05 < needed < 1
    assert "8 pieces" in str(caught.value)
    assert build.plan(MURRAY, 8, needed + 0.05).size > 40_000_000
    assert not list(tmp_path.iterdir())


def test_a_target_that_cannot_be_written_is_refused(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(TableError, match=r"cannot write .*file/table\.aqt: (Not a directory|File exists)"):
        build_table(MURRAY, 2, file / "table.aqt")
    (tmp_path / "folder").mkdir()
    with pytest.raises(TableError, match=r"cannot write .*folder: Is a directory"):
        build_table(MURRAY, 2, tmp_path / "folder")


def test_tables_are_found_in_the_cache_directory(tmp_path, monkeypatch, whole):
    monkeypatch.delenv("ALQUERQUE_TABLES", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr(table_file, "FEW", tmp_path / "none")
    with pytest.raises(TableError, match="there is no endgame table of alquerque_murray yet"):
        load_table(MURRAY)
    paths = [build_table(MURRAY, pieces) for pieces in (3, 2)]
    assert all(path.parent == tmp_path / "alquerque-env" / "tables" for path in paths)
    assert sorted(paths) == sorted(paths[0].parent.iterdir())
    assert load_table(MURRAY).pieces == 3
    assert content(paths[0]) == content(whole)
    with pytest.raises(TableError, match="there is no endgame table"):
        load_table(load_game("alquerque_murray", no_moves="pass"))
    (paths[0].parent / paths[0].name.replace("-3.aqt", "-x.aqt")).touch()
    assert load_table(MURRAY).pieces == 3


def kept_numbers(table):
    """The numbers of positions whose values a file keeps: those whose player need not capture."""
    t = table.game.table.words
    state = words(t, t[TABLE.STATE_SIZE])
    for part in table.index.slices:
        for number in range(part.size):
            if set_up(t, table.index.words, part.row, number, state) and not unpromoted_men(t, state):
                match = Match(table.game, format_position(t, table.game.board.labels, [int(word) for word in state]))
                if match.is_over or not all(step.captured for step in match.legal_steps):
                    yield part.base + number


WRONG = [
    lambda code: code - 2 * np.sign(code),
    lambda code: code + 2 * np.sign(code),
    lambda code: -code,
    lambda code: DRAWN,
    lambda code: ENDLESS * np.sign(code),
]


@first_by_default
@pytest.mark.parametrize(
    ("game", "pieces"), [(FETAIX, 3), (small_game("alquerque", "wedge", "a1 b1", "b3"), 3), (MURRAY, 2)], ids=str
)
def test_verifying_finds_every_wrong_value(tmp_path, monkeypatch, game, pieces):
    """Decided values that are changed a little or to another kind, and draws that are called wins or losses."""
    right = load_table(game, build_table(game, pieces, tmp_path / "right.aqt"))
    right.load()
    assert verify_table(right)
    rng, kept = random.Random(game.name), list(kept_numbers(right))
    decided = [number for number in kept if WON + 2 < abs(int(right.codes[number])) < ENDLESS]
    drawn = [number for number in kept if right.codes[number] == DRAWN]
    changes = [(number, change) for change in WRONG for number in rng.sample(decided, min(3, len(decided)))]
    wrong_draws = [WON + 1, LOST - 2, ENDLESS, -ENDLESS, WON + 30]
    changes += [(number, lambda _, code=code: code) for number, code in zip(drawn[::9], wrong_draws, strict=False)]
    assert changes
    for number, change in changes:

        def alter(values, number=number, change=change):
            values[number] = change(values[number])

        table = build_with(monkeypatch, tmp_path / "wrong.aqt", game, pieces, alter)
        with pytest.raises(TableError, match=r"the value of number \d+ of slice \S+( North)? is wrong"):
            verify_table(table)


@pytest.mark.parametrize("kinds", [3, 255, 256, 257, 900])
@pytest.mark.slow
def test_a_file_holds_any_number_of_different_values(tmp_path, monkeypatch, kinds):
    """More than 256 take two bytes each."""
    written = []

    def scatter(values):
        codes = np.random.default_rng(kinds).integers(WON, WON + kinds, len(values))
        values[values != UNKNOWN] = codes[values != UNKNOWN]
        written.append(values)

    table = build_with(monkeypatch, tmp_path / "table.aqt", MURRAY, 3, scatter)
    table.load()
    kept = list(kept_numbers(table))
    assert len(kept) > 1500
    assert (table.codes[kept] == written[0][kept]).all()
    assert len(table.header.codes) > min(kinds, 250) * 0.9


def test_slices_may_have_many_blocks(tmp_path, monkeypatch, whole):
    one = load_table(MURRAY, whole)
    one.load()
    for module in (build, table_file):
        monkeypatch.setattr(module, "BLOCK", 100)
    table = load_table(MURRAY, build_table(MURRAY, 3, tmp_path / "table.aqt"))
    assert max(len(part.blocks) for part in table.header.slices) > 10
    table.load()
    kept = list(kept_numbers(one))
    assert (table.codes[kept] == one.codes[kept]).all()
    assert verify_table(table).positions == verify_table(one).positions
