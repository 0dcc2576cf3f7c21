"""Kernels run as plain Python until they have been compiled, and then compiled, on the same arrays."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, load_bot, load_game
from alquerque_env.engine import forms
from alquerque_env.engine.compiler import EntryKernel, entry_kernel, long_kernel
from alquerque_env.engine.forms import BOTS, ENVIRONMENTS, is_compiled, mark_compiled
from alquerque_env.game.kernel_arrays import JIT
from tests.all_forms import plain_kernels

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")

START = forms.start_compiling


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine on which nothing has been compiled, and where no process is started that compiles."""
    folder = tmp_path / "cache"
    (folder / "kernels").mkdir(mode=0o700, parents=True)
    folder.chmod(0o700)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    monkeypatch.delenv("ALQUERQUE_JIT", raising=False)
    monkeypatch.setattr(forms, "_compiled", set())
    monkeypatch.setattr(forms, "_next_look", {})
    monkeypatch.setattr(forms, "PAUSE", 0.0)
    monkeypatch.setattr(forms, "start_compiling", lambda: True)
    forms._note.cache_clear()
    forms._start.cache_clear()
    yield folder
    forms._note.cache_clear()
    forms._start.cache_clear()


@pytest.mark.parametrize("make", [entry_kernel, long_kernel])
@pytest.mark.usefixtures("empty_cache")
def test_a_kernel_runs_plain_until_it_is_compiled_unless_its_work_is_long(make) -> None:
    def count(numbers):
        numbers[0] += 1

    kernel, numbers = make(count), np.zeros(1, np.int64)
    kernel._part = kernel._part and BOTS
    kernel(numbers)
    assert (kernel._compiled is None) == (make is entry_kernel)
    mark_compiled(BOTS)
    kernel(numbers)
    assert kernel._compiled is not None
    kernel([7])  # of a board with more points than a word has bits
    assert numbers.tolist() == [2]


@pytest.mark.usefixtures("empty_cache")
def test_a_numba_that_compiles_nothing_is_left_alone_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALQUERQUE_JIT", "1")
    monkeypatch.setattr(EntryKernel, "has_compiled", False)
    monkeypatch.setattr(EntryKernel, "is_broken", False)
    monkeypatch.setitem(sys.modules, "alquerque_env.engine.compiled_kernels", None)
    kernels = [entry_kernel(lambda numbers: int(numbers[0])) for _ in range(2)]
    chosen_before = kernels[0].form_for(np.array([7]))
    with pytest.warns(RuntimeWarning, match="Numba cannot compile them .*: install another version of Numba") as told:
        assert [kernel(np.array([7])) for kernel in (*kernels, chosen_before, chosen_before)] == [7] * 4
    assert len(told) == 1


@pytest.mark.parametrize("spec", ["mcts:4", *(pytest.param(each, marks=pytest.mark.slow) for each in (
    "greedy", "alphabeta:2", "fetaix-strong:4"
))])  # fmt: skip
def test_a_bot_whose_kernels_are_compiled_in_the_middle_of_a_match_chooses_as_before(spec: str) -> None:
    game = load_game("fetaix")
    played = []
    for plain_plies in (0, 4, 8):
        match, bot = Match(game), load_bot(spec, game, seed=5)
        with plain_kernels():
            while len(match.steps) < plain_plies:
                match.push(bot.choose(match))
        while len(match.steps) < 8:
            match.push(bot.choose(match))
        played.append((match.turns, bot.analyse(match) if bot.can_analyse else None))
    assert played[0] == played[1] == played[2]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_note_in_a_folder_of_others_is_not_believed(empty_cache: Path) -> None:
    mark_compiled(ENVIRONMENTS)
    (empty_cache / "kernels").chmod(0o777)
    assert not is_compiled(ENVIRONMENTS)


def test_kernels_are_compiled_here_where_no_folder_can_keep_them(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_cache / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(empty_cache / "file" / "folder"))
    monkeypatch.setattr(forms, "start_compiling", START)
    assert forms.uses_compiled(ENVIRONMENTS)


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize(("program", "compiles_here"), [("raise SystemExit(3)", True), ("", False)])
def test_kernels_are_compiled_here_if_the_other_process_fails(
    program: str, compiles_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "_PROGRAM", program)
    monkeypatch.setattr(forms, "start_compiling", START)
    assert not forms.uses_compiled(ENVIRONMENTS)
    deadline = time.monotonic() + 60
    while START() and compiles_here and time.monotonic() < deadline:
        time.sleep(0.05)
    assert forms.uses_compiled(ENVIRONMENTS) == compiles_here


# It prints whether Numba was loaded by a match, and by the rest.
FIRST_STEPS = """
import sys
import alquerque_env as a
match = a.Match("fetaix")
match.push(match.legal_steps[0])
found = ["numba" in sys.modules]
many = a.SelfPlayVectorEnv("fetaix", 64)
many.reset(seed=1)
many.step(many.sample_actions())
for spec in ("greedy", "alphabeta:1", "mcts:3", "fetaix-small"):
    match.push(a.load_bot(spec, match.game, seed=0).choose(match))
print(*found, "numba" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("empty_cache")
def test_without_compilation_numba_is_not_imported() -> None:
    env = {**os.environ, "ALQUERQUE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", FIRST_STEPS], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.long
def test_a_process_compiles_behind_the_first_one_and_the_next_one_finds_the_kernels(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(empty_cache))
    run = [sys.executable, "-c", FIRST_STEPS]
    both = [subprocess.Popen(run, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0].split() for process in both] == [["False", "False"]] * 2
    deadline = time.monotonic() + 900
    while len(list(empty_cache.glob("kernels/compiled-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    kept = set(empty_cache.rglob("*.nbc"))
    assert kept
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split() == ["False", "True"]
    assert set(empty_cache.rglob("*.nbc")) == kept
