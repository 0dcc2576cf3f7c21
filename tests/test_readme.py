"""The first screen of the README, which is what most people read."""

import re
from pathlib import Path

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
