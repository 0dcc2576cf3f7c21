"""What the README says is so."""

import doctest
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.game.planes import planes
from alquerque_env.render import draw_svg

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def shell_commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    return [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]


def test_the_examples_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    printed: list[str] = []
    test = parser.get_doctest(blocks, {}, "README", "README.md", 0)
    assert len(test.examples) >= 20
    runner.run(test, out=printed.append)
    assert runner.failures == 0, "".join(printed)


def test_the_table_of_games_is_that_of_the_package() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) \|$", README, re.MULTILINE)
    told = {name: (int(actions), int(shown)) for name, actions, shown in rows}
    assert told == {name: (load_game(name).num_actions, len(planes(load_game(name)))) for name in games()}


def test_there_are_two_commands_on_the_first_screen_and_they_use_the_constraints() -> None:
    first = README.partition("Ten lines")[0]
    commands = re.findall(r"```sh\n(.*?)\n```", first, re.DOTALL)
    assert len(commands) == 2
    assert all(command.startswith("pip install -c constraints.txt ") for command in commands)


def test_ci_runs_the_second_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- command: test -->" in script
    assert "<!-- command: test -->" in README


@pytest.mark.parametrize("command", [c for c in shell_commands() if c.startswith(("alquerque ", "python3 -I"))])
def test_commands_exist_with_these_options(command: str, tmp_path: Path) -> None:
    words = shlex.split(command)
    if words[0] == "python3":
        assert words[:3] == ["python3", "-I", "-S"]
        return
    shown = subprocess.run(
        [sys.executable, "-m", "alquerque_env", words[1], "--help"], capture_output=True, text=True, timeout=120
    )
    assert shown.returncode == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in shown.stdout


def test_the_picture_is_drawn_by_the_package() -> None:
    match = Match(load_game("fetaix", man_capture_dirs="all"))
    for turn in PICTURED.split():
        match.push(turn)
    drawn = draw_svg(match.picture(targets=tuple(step.target for step in match.legal_steps)), size=480)
    assert (ROOT / ".github" / "alquerque.svg").read_text(encoding="utf-8") == drawn


PICTURED = "c2-c3 c4xc2 c1xc3 a3xc1 c3xa3 b4-b3 a3xc3 c1xc4 d3-c3 d4xb2 a1xc3 c4xc1 c1xa1"


def test_the_learner_of_the_readme_trains(tmp_path: Path) -> None:
    source = re.search(r"<!-- file: reinforce.py -->\n```python\n(.*?)```", README, re.DOTALL)[1]
    (tmp_path / "reinforce.py").write_text(source)
    settings = [
        "run.algorithm=reinforce:make",
        "run.total_steps=8192",
        f"run.directory={tmp_path}",
        "self_play.num_games=64",
        "self_play.rollout_steps=64",
        "ppo.minibatch_size=4096",
        "evaluation.games_per_seat=2",
    ]
    command = [sys.executable, "-m", "alquerque_env", "train", "quickstart", *settings]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    assert "policy alone" in run.stdout
    folder = tmp_path / "quickstart-1"
    first, second = (json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines())
    assert [line["steps"] for line in (first, second)] == [4096, 8192]
    assert all(0 < line["decided"] < 1 for line in (first, second))
    assert all(line["games"] > 0 for line in (first, second))
    # As fast as the clock of the run says, which also counts the measurements of the last iteration.
    assert first["steps_per_second"] == pytest.approx(4096 / first["seconds"], rel=0.1)
    assert second["steps_per_second"] >= 0.9 * 4096 / (second["seconds"] - first["seconds"])
    declared = json.loads((folder / "metrics.json").read_text())
    assert [metric["name"] for metric in declared] == ["policy_loss", "decided"]


def test_the_table_of_bots_is_what_their_cards_say() -> None:
    opponents = ("alphabeta:3", "alphabeta:5", "mcts:1000")
    told = {
        row[0]: row[1:]
        for row in re.findall(r"^\| `([\w-]+):64` \| (.*) \| (.*) \| (.*) \| (.*) \| (.*) \| (.*) \|$", README, re.M)
    }
    cards = {}
    for file in sorted((ROOT / "checkpoints").glob("*/*/meta.json")):
        card = json.loads(file.read_text(encoding="utf-8"))
        network, scores = card["network"], {}
        turns = f", turns {network['turns']}" if network.get("turns") else ""
        for entry in card["strength"]:
            if entry.get("simulations") == 64:
                low, high = (round(100 * entry[end]) for end in ("low", "high"))
                scores[entry["opponent"]] = f"{round(100 * entry['score'])} % ({low}–{high})"
        cards[f"{file.parts[-3]}-{file.parts[-2]}"] = (
            f"{network['kind']} {network['width']}x{network['blocks']}{turns}",
            f"{card['steps'] / 1e6:.1f} M decisions, {round(card['wall_time'] / 60)} min",
            *(scores[opponent] for opponent in opponents),
            "{value:+.0f} ({low:+.0f} to {high:+.0f})".format(**card["rating"]),
        )
    assert told == cards
