"""Kernels as plain Python beside compiled ones: which are used when, and that both play alike."""

import copy
import os
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from alquerque_env import SelfPlayVectorEnv, load_bot, load_game
from alquerque_env.bots import GameBot
from alquerque_env.bots.levels import levels, spec_for_now
from alquerque_env.engine import compiled_parts, forms
from alquerque_env.engine.compiled_parts import BOTS, ENVIRONMENTS, is_compiled, mark_compiled
from alquerque_env.envs.aec import MatchEnv
from alquerque_env.game.game import Game, games
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.match.match import Match
from tests.option_values import marks_of

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")

# Rules that the vectors do not cover, that look back, and that are asked in the opening.
VARIANTS = [(name, {}) for name in games()] + [
    ("fetaix", {"repetition": "threefold_draw"}),
    ("alquerque", {"undo_scope": "never_revisit"}),
]


def plain(name: str) -> ModuleType:
    return import_module(f"alquerque_env.plain.{name}")


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine on which nothing has been compiled, and where no process is started that compiles."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    monkeypatch.delenv("ALQUERQUE_JIT", raising=False)
    monkeypatch.setattr(compiled_parts, "_compiled", set())
    monkeypatch.setattr(forms, "start_compiling", lambda: True)
    compiled_parts._note.cache_clear()
    yield folder
    compiled_parts._note.cache_clear()
    compiled_parts._start.cache_clear()


def note_environments(cache: Path) -> None:
    (cache / "kernels").mkdir(mode=0o700, exist_ok=True)
    mark_compiled(ENVIRONMENTS)


def start_anew() -> Callable[[], bool]:
    """`start_compiling` as in a process that has not called it."""
    compiled_parts._start.cache_clear()
    return START


START = compiled_parts.start_compiling


@pytest.fixture(params=[pytest.param(case, marks=marks_of(case[0]), id=str(case)) for case in VARIANTS])
def game(request: pytest.FixtureRequest) -> Game:
    name, options = request.param
    return load_game(name, **options)


@pytest.mark.usefixtures("empty_cache")
def test_matches_by_plain_rules_equal_those_by_compiled_ones(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Match(game)
    assert isinstance(slow.state, list)
    monkeypatch.setenv("ALQUERQUE_JIT", "1")
    fast = Match(game)
    assert isinstance(fast.state, np.ndarray)
    chance = random.Random(1)
    while not fast.is_over and len(fast.turns) < 60:
        assert slow.legal_steps == fast.legal_steps
        assert slow.state == fast.state.tolist()
        assert slow.keys(300) == fast.keys(300).tolist()
        step = chance.choice(fast.legal_steps)
        slow.push(step)
        fast.push(step)
    assert (slow.outcome, slow.position) == (fast.outcome, fast.position)
    assert Match.from_state(game, slow.state).position == fast.position


@pytest.mark.usefixtures("empty_cache")
def test_environments_that_begin_plain_and_end_compiled_equal_compiled_ones(
    game: Game, monkeypatch: pytest.MonkeyPatch, empty_cache: Path
) -> None:
    changing, single = SelfPlayVectorEnv(game, 10), MatchEnv(game, max_cycles=40)
    assert type(changing._games).__module__ == "alquerque_env.plain.batch.plain_batch"
    monkeypatch.setenv("ALQUERQUE_JIT", "1")
    compiled, other = SelfPlayVectorEnv(game, 10), MatchEnv(game, max_cycles=40)
    monkeypatch.delenv("ALQUERQUE_JIT")
    seen = [env.reset(seed=3) for env in (changing, compiled)]
    for number in range(30):
        if number == 15:
            assert changing._games.is_plain
            note_environments(empty_cache)
            assert not changing._games.is_plain
        for mine, theirs in zip(*[[found[0], *found[-1].values()] for found in seen], strict=True):
            np.testing.assert_array_equal(mine, theirs)
        actions = changing.sample_actions()
        np.testing.assert_array_equal(actions, compiled.sample_actions())
        seen = [env.step(actions) for env in (changing, compiled)]
        np.testing.assert_array_equal(seen[0][1], seen[1][1])
    single.reset()
    other.reset()
    assert single._play.play.__module__ == "alquerque_env.batch.single"


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize(
    "make", [copy.deepcopy, lambda match: pickle.loads(pickle.dumps(match))], ids=["copy", "pickle"]
)
def test_a_plain_match_is_copied_to_compiled_rules(make, empty_cache: Path) -> None:
    match = Match("fetaix")
    match.push("c2-c3")
    note_environments(empty_cache)
    twin = make(match)
    twin.push(twin.legal_steps[0])
    twin.pop()
    assert (twin.position, twin.legal_steps, twin.turns) == (match.position, match.legal_steps, match.turns)


def test_a_note_holds_for_one_state_of_the_source_code(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_compiled(ENVIRONMENTS)
    note_environments(empty_cache)
    assert is_compiled(ENVIRONMENTS)
    monkeypatch.setattr(compiled_parts, "_compiled", set())
    monkeypatch.setattr(compiled_parts, "source_digest", lambda _: "another")
    compiled_parts._note.cache_clear()
    assert not is_compiled(ENVIRONMENTS)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_note_in_a_folder_of_others_is_not_believed(empty_cache: Path) -> None:
    note_environments(empty_cache)
    (empty_cache / "kernels").chmod(0o777)
    assert not is_compiled(ENVIRONMENTS)


@pytest.mark.slow
@pytest.mark.parametrize(("variable", "form"), [("0", "plain"), ("1", "compiled"), (None, "plain")])
def test_the_environment_decides_the_form(
    variable: str | None, form: str, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALQUERQUE_JIT", raising=False)
    if variable:
        monkeypatch.setenv("ALQUERQUE_JIT", variable)
    source = "import sys\nfrom alquerque_env.engine import forms\nforms.start_compiling = lambda: True\n" + FIRST_STEP
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split() == [str(form == "compiled")]
    assert any(empty_cache.rglob("*.nbi")) == (form == "compiled")


# These print whether Numba was loaded.
FIRST_STEP = """
import alquerque_env as a
match = a.Match("fetaix")
match.push(match.legal_steps[0])
print("numba" in sys.modules)
"""
FIRST_STEPS = """
import alquerque_env as a
from alquerque_env.envs.aec import env as make
single = make("fetaix")
single.reset()
single.step(int(single.last()[0]["action_mask"].argmax()))
many = a.SelfPlayVectorEnv("fetaix", 64)
many.reset(seed=1)
many.step(many.sample_actions())
match = a.Match("fetaix")
match.push(match.legal_steps[0])
for spec in ("greedy", "alphabeta:1", "mcts:3", "fetaix-small"):
    match.push(a.load_bot(spec, match.game, seed=0).choose(match))
print("numba" in sys.modules)
"""


def test_kernels_are_compiled_here_where_no_folder_can_keep_them(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_cache / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(empty_cache / "file" / "folder"))
    monkeypatch.setattr(forms, "start_compiling", start_anew())
    assert forms.uses_compiled(ENVIRONMENTS)


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize(("program", "compiles_here"), [("raise SystemExit(3)", True), ("", False)])
def test_kernels_are_compiled_here_if_the_other_process_fails(
    program: str, compiles_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = start_anew()
    monkeypatch.setattr(compiled_parts, "_PROGRAM", program)
    monkeypatch.setattr(forms, "start_compiling", start)
    assert not forms.uses_compiled(ENVIRONMENTS)
    deadline = time.monotonic() + 60
    while start() and compiles_here and time.monotonic() < deadline:
        time.sleep(0.05)
    assert forms.uses_compiled(ENVIRONMENTS) == compiles_here


@pytest.mark.long
def test_a_process_compiles_behind_the_first_one_and_the_next_one_finds_the_kernels(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(empty_cache))
    run = [sys.executable, "-c", "import sys\n" + FIRST_STEPS]
    both = [subprocess.Popen(run, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0].split() for process in both] == [["False"], ["False"]]
    deadline = time.monotonic() + 900
    while len(list(empty_cache.glob("kernels/compiled-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    kept = set(empty_cache.rglob("*.nbc"))
    assert kept
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split() == ["True"]
    assert set(empty_cache.rglob("*.nbc")) == kept


SPECS = [
    "mcts:4",
    *(pytest.param(spec, marks=pytest.mark.slow) for spec in ("random", "greedy", "alphabeta:2", "fetaix-strong:4")),
]


def choices(bot: GameBot, match: Match, plies: int) -> list[str]:
    """The bot plays both sides."""
    chosen = []
    for _ in range(plies):
        if not match.is_over:
            step = bot.choose(match)
            chosen.append(str(step))
            match.push(step)
    return chosen


@pytest.mark.parametrize("spec", SPECS)
def test_a_bot_that_changes_its_form_in_the_middle_of_a_match_chooses_as_a_compiled_one(
    spec: str, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load_game("fetaix")
    waiting, match = load_bot(spec, game, seed=5), Match(game)
    assert type(waiting).__name__ == "WaitingBot"
    chosen = choices(waiting, match, 4)
    note_environments(empty_cache)
    match = Match(game, match.position)
    assert not isinstance(match.state, list)
    chosen += choices(waiting, match, 4)
    mark_compiled(BOTS)
    chosen += choices(waiting, match, 8)
    assert not type(waiting._bot).__module__.startswith("alquerque_env.plain")
    monkeypatch.setenv("ALQUERQUE_JIT", "1")
    compiled = load_bot(spec, game, seed=5)
    assert type(compiled).__name__ != "WaitingBot"
    assert chosen == choices(compiled, Match(game), 16)


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize(
    ("spec", "seconds", "waits"),
    [
        ("alphabeta:5", None, True),
        ("alphabeta:6", None, False),
        ("alphabeta:6", 1.0, True),
        ("mcts:100000", None, False),
        ("fetaix-strong", None, True),
        ("fetaix-strong:400", None, False),
        ("fetaix-strong:40", None, True),
    ],
)
def test_a_bot_that_would_take_longer_than_the_compiler_is_compiled(
    spec: str, seconds: float | None, waits: bool
) -> None:
    bot = load_bot(spec, "fetaix", time_limit=seconds)
    assert (type(bot).__name__ == "WaitingBot") == waits


@pytest.mark.usefixtures("empty_cache")
def test_plain_bots_analyse_as_compiled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match("alquerque_murray", "W:Wa1,b1,c2:Bd4,e5")
    plain_analysis = load_bot("alphabeta:2", match.game, seed=1).analyse(match, all_steps=True)
    monkeypatch.setenv("ALQUERQUE_JIT", "1")
    assert plain_analysis == load_bot("alphabeta:2", match.game, seed=1).analyse(match, all_steps=True)


def test_the_trained_level_searches_less_until_its_kernels_have_been_compiled(empty_cache: Path) -> None:
    game = load_game("alquerque")
    level = levels(game)[-1]
    assert spec_for_now(level.spec) == "alquerque-strong:16"
    assert level.about.endswith("with 16 until its kernels have been compiled.")
    note_environments(empty_cache)
    mark_compiled(BOTS)
    assert spec_for_now(level.spec) == level.spec == levels(game)[-1].spec == "alquerque-strong:400"
    assert levels(game)[-1].about.endswith("with 400 simulations per step.")
