"""Table files with other contents than those that were solved, and the right checksums; work that is stopped."""

import hashlib
import json
from dataclasses import asdict

import numpy as np

from alquerque_env.solve.tables import build, build_table, load_table
from alquerque_env.solve.tables.table_file import MAGIC, TableFile


def parts_of(path):
    """Where a file's second line begins, and its blocks."""
    data = path.read_bytes()
    header = data.index(b"\n") + 1
    return header, data.index(b"\n", header) + 1, len(data)


def rewrite(path, target, **fields):
    """Writes a file with other fields in its header, and the right checksum."""
    text = json.dumps({**asdict(TableFile(path).header), **fields}).encode()
    checksum = hashlib.sha256(text).hexdigest().encode()
    target.write_bytes(MAGIC + checksum + b" " + text + b"\n" + path.read_bytes()[parts_of(path)[1] :])
    return target


def build_with(monkeypatch, path, game, pieces, change):
    """Builds a table file whose values have been changed between solving and writing."""
    solve = build.solve

    def changing(work, each):
        values = np.array(solve(work, each))
        change(values)
        return values

    with monkeypatch.context() as patch:
        patch.setattr(build, "solve", changing)
        return load_table(game, build_table(game, pieces, path))


class StoppedError(Exception):
    """Ends work as Ctrl-C does."""


def run_until(reports, work):
    """Does work until so many reports have come; returns their slices and stages, and whether it came to its end."""
    seen = []

    def watch(progress):
        assert 0 <= progress.done <= progress.count
        if len(seen) == reports:
            raise StoppedError
        seen.append((progress.about, progress.what))

    try:
        work(watch)
    except StoppedError:
        return seen, False
    return seen, True
