"""The data set of matches: stopped, resumed, and read again match by match."""

import os
import signal
import subprocess
import sys
from collections import Counter

import mlcroissant
import pytest
from click.testing import CliRunner
from pyarrow.parquet import read_table

from alquerque_env import Match
from tests.fake_engines import wait_for
from tools import match_data


@pytest.mark.filterwarnings("default")  # what mlcroissant uses warns
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl-C")
def test_matches_are_kept_when_it_is_stopped_and_are_those_that_were_played(tmp_path, monkeypatch):
    root = match_data.__file__.rpartition("/tools/")[0]
    small = f"import sys; sys.path.append({root!r}); from tools import match_data as m; m.GAMES = ('pretwa',)"
    small += "; m.BOTS = ('random', 'greedy', 'alphabeta:1'); m.OF_PAIR, m.OF_ARENA = 128, 384; m.main()"
    words = [sys.executable, "-c", small, str(tmp_path), "--matches", "700"]
    program = subprocess.Popen(words, stderr=subprocess.PIPE, cwd=root)
    files = [tmp_path / "arenas" / f"pretwa-{seed}.jsonl" for seed in (0, 1)]
    wait_for(lambda: sum(map(match_data.count_matches, files)) > 0)
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=60)
    assert not (tmp_path / "matches.parquet").exists()
    kept = [file.read_bytes() for file in files if file.exists()]

    monkeypatch.setattr(match_data, "GAMES", ("pretwa",))
    monkeypatch.setattr(match_data, "BOTS", ("random", "greedy", "alphabeta:1"))
    monkeypatch.setattr(match_data, "OF_PAIR", 128)
    monkeypatch.setattr(match_data, "OF_ARENA", 384)
    result = CliRunner().invoke(match_data.main, [str(tmp_path), "--matches", "700"])
    assert f"wrote 768 matches: {tmp_path / 'matches.parquet'}" in result.output
    assert all(
        file.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
        for file, before in zip(files, kept, strict=False)
    )

    rows = read_table(tmp_path / "matches.parquet").to_pylist()
    assert len(rows) == 768
    won = Counter((row["south"], row["north"]) for row in rows if row["winner"] == 0)
    for row in rows[::8]:
        match = Match(row["game"])
        for turn in row["turns"].split():
            match.push_turn(turn)
        winner = -1 if match.outcome.winner is None else match.outcome.winner
        assert (winner, match.outcome.reason, len(match.steps)) == (row["winner"], row["reason"], row["steps"])
    assert won["alphabeta:1", "random"] > 50 > 14 > won["random", "alphabeta:1"]
    described = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")
    assert described.metadata.issues.report() == ""
