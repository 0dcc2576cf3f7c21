"""The first screen of the README, which is what most people read."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST_SCREEN = README.partition("\n## ")[0]

MOST_LINES = 150
LINES_OF_FIRST_SCREEN = 50


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    assert len(FIRST_SCREEN.splitlines()) <= LINES_OF_FIRST_SCREEN


def test_the_first_screen_has_two_commands_with_the_constraints() -> None:
    commands = re.findall(r"<!-- command: (\w+) -->\n```sh\n(.*?)\n```", FIRST_SCREEN, re.DOTALL)
    assert [name for name, _ in commands] == ["train", "test"]
    assert all(command.startswith("pip install -c constraints.txt ") for _, command in commands)


def test_the_first_screen_has_ten_lines_of_code_and_a_moving_picture() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", FIRST_SCREEN, re.DOTALL)
    assert len(code.splitlines()) <= 11
    assert 'src="docs/images/match.gif"' in FIRST_SCREEN


def test_ci_runs_the_second_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- command: test -->" in script


LOADED = """
import sys, alquerque_env
alquerque_env.env("fetaix").reset()
files = (getattr(module, "__file__", None) or "" for module in sys.modules.values())
print(*(file for file in files if "alquerque_env" in file), sep="\\n")
"""


@pytest.mark.slow
def test_the_readme_says_how_large_the_package_is_and_which_files_are_an_environment() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=120, check=True)
    loaded = [Path(line) for line in done.stdout.splitlines()]
    package = next(file for file in loaded if file.parent.name == "alquerque_env").parent
    told = re.search(r"package's (\d+),000 lines .* loads (\d+),000\. .* six files: (.*)\.$", README, re.M | re.S)
    for said, files in ((told[1], package.rglob("*.py")), (told[2], loaded)):
        assert sum(len(file.read_bytes().splitlines()) for file in files) == pytest.approx(1000 * int(said), abs=1000)
    named = re.findall(r"`(.*?\.py)`", told[3].partition(".\n")[0])
    assert len(named) == 6
    assert all((package / name).exists() for name in named)
