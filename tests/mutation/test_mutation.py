"""The list of equivalent mutants fits the source, and a sample of the other mutants is killed."""

import subprocess
import sys
from pathlib import Path

import mutate
import pytest


def test_every_listed_mutant_is_one_of_the_source_and_has_a_reason():
    places = mutate.mutants()
    for entry in mutate.listed():
        assert [mutant.name for mutant in places if mutate.is_listed(mutant, entry)], entry
        assert len(entry["reason"].split()) > 5, entry


def test_mutants_differ_from_the_source_and_from_each_other():
    names = [mutant.name for mutant in mutate.mutants()]
    assert len(names) > 500
    assert len(set(names)) == len(names)
    assert all(mutant.before != mutant.after for mutant in mutate.mutants())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="mutants run in forked processes")
def test_a_sample_of_the_mutants_is_killed():
    command = [sys.executable, str(Path(mutate.__file__)), "--sample", "40", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
