"""The check of engines passes ours and the sample in C, and names each rule that another one breaks."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.arena import Settings, play_arena
from tests.fake_engines import Fake
from tools.ugi_check import RULES, main

ROOT = Path(__file__).parents[2]


def check(*command: str, game: str = "pretwa", patience: float = 120) -> tuple[int, dict[str, str]]:
    """The exit status, and each rule with what the program did instead; empty for those that it kept."""
    result = CliRunner().invoke(main, ["--game", game, "--patience", str(patience), *command])
    lines = re.findall(r"^(?:pass|FAIL)  (.*)(?:\n      (.*))?", result.output, re.MULTILINE)
    return result.exit_code, dict(lines)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler of C")
def test_the_sample_in_c_is_built_keeps_every_rule_and_beats_random_play(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    build, tried, _ = re.search(r"<!-- sample -->\n```text\n(.*?)```", page, re.DOTALL)[1].splitlines()
    monkeypatch.chdir(tmp_path)
    words = [str(ROOT / word) if word.endswith(".c") else word for word in shlex.split(build)]
    subprocess.run([*words, "-std=c99", "-Wall", "-Wextra", "-Werror"], check=True, timeout=300)
    assert check(*shlex.split(tried)[5:]) == (0, dict.fromkeys(RULES, ""))

    bots = ["ugi:./pretwa_engine search 1", "ugi:./pretwa_engine random 1"]
    (pairing,) = play_arena(load_game("pretwa"), bots, Settings(games=20, seed=0, judge="random")).pairings
    assert pairing.total.points >= 17


@pytest.mark.slow
def test_our_engine_keeps_every_rule_also_with_chains_that_may_stop():
    command = [sys.executable, "-m", "alquerque_env", "engine", "alphabeta:1"]
    assert check(*command, game="alquerque_murray") == (0, dict.fromkeys(RULES, ""))


def test_a_program_that_breaks_rules_is_told_which(tmp_path):
    engine = Fake(tmp_path, at_go="print('bestmove b1-o0', flush=True)")
    status, found = check(*shlex.split(engine.spec.removeprefix("ugi:")), patience=1)
    broken = {rule: fault for rule, fault in found.items() if fault}
    assert status == 1
    assert list(found) == list(RULES)
    assert "no line begins with 'id author'" in broken.values()
    assert any("'b1-o0'" in fault and "not legal" in fault for fault in broken.values())
    assert "bestmove came before stop" in broken.values()
    assert "no response within 1 seconds after 'query gameover'" in broken.values()
    assert not found["quit ends the program"]


def test_a_program_that_does_not_speak_is_named():
    result = CliRunner().invoke(main, ["--patience", "1", sys.executable, "-c", "import time; time.sleep(60)"])
    assert result.exit_code == 1
    assert result.stderr == "Error: no rule can be tried: no ugiok within 1 seconds after 'ugi'\n"
