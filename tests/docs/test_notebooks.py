"""The notebooks are those of their pages, and the checkers of the course tell right answers from wrong ones."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(autouse=True)
def folders_of_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (DOCS, DOCS / "course", ROOT / "examples"):
        monkeypatch.syspath_prepend(folder)


def test_every_page_of_the_tutorials_and_the_course_has_its_notebook() -> None:
    pytest.importorskip("myst_nb")
    make = import_module("make_notebooks")
    made = {f"{page.stem}.ipynb": make.notebook(page) for page in make.PAGES}
    kept = {file.name: file.read_text(encoding="utf-8") for file in make.NOTEBOOKS.iterdir()}
    assert kept == made, "run python docs/make_notebooks.py"


@pytest.mark.slow
def test_a_notebook_that_was_downloaded_runs_by_itself(tmp_path: Path) -> None:
    """With the cell that installs what is missing, and the checker that it carries."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(DOCS / "notebooks" / "mask_a_policy.ipynb", as_version=4)
    done = nbclient.NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}).execute()
    assert "Wrong: an illegal action has probability" in str(done.cells[-2].outputs)
    assert (tmp_path / "check_mask.py").read_bytes() == (DOCS / "course" / "check_mask.py").read_bytes()


def softmax(logits: np.ndarray, _mask: object) -> np.ndarray:
    return np.exp(logits) / np.exp(logits).sum(1, keepdims=True)


def alternating(match, depth: int) -> int:
    """Minimax that takes the other player to move after each step, also in a chain."""
    if match.outcome is not None:
        return 0 if match.outcome.winner is None else 1 if match.outcome.winner == match.player else -1
    values = [0] if depth == 0 else []
    for step in match.legal_steps if depth else ():
        match.push(step)
        values.append(-alternating(match, depth - 1))
        match.pop()
    return max(values)


@pytest.fixture
def solutions() -> ModuleType:
    pytest.importorskip("torch")
    return import_module("solutions")


def told(exercise: str, *answer: object) -> str:
    return import_module(f"check_{exercise}").check(*answer)


def test_the_checker_of_masks_finds_illegal_actions_and_ended_matches(solutions: ModuleType) -> None:
    assert told("mask", solutions.masked).startswith("Right")
    assert "an illegal action has probability" in told("mask", softmax)
    assert "gives NaN" in told("mask", lambda logits, mask: softmax(np.where(mask, logits, -np.inf), mask))


@pytest.mark.slow
def test_the_checker_of_minimax_finds_wrong_signs_wins_that_are_missed_and_a_wrong_rate(solutions: ModuleType) -> None:
    rate = import_module("check_minimax").error_rate(solutions.value, 2)
    assert told("minimax", solutions.value, rate).startswith("Right")
    assert "its error rate at depth 2 is" in told("minimax", solutions.value, rate + 0.01)
    assert "Who is to move after a step of a chain?" in told("minimax", alternating, rate)
    assert "of 3 steps misses it" in told("minimax", lambda match, depth: 0, rate)


@pytest.mark.slow
def test_the_checker_of_best_responses_plays_the_line(solutions: ModuleType) -> None:
    assert told("best_response", solutions.respond).startswith("Right")
    assert "and your line says c2-c3" in told("best_response", lambda choose, seat: (-1, ["c2-c3"]))
    assert "the match is not over" in told("best_response", lambda choose, seat: (-1, []))
    draw = lambda choose, seat: (0, solutions.respond(choose, seat)[1])  # noqa: E731
    assert "your line gives it -1" in told("best_response", draw)


@pytest.mark.slow
def test_the_checker_of_training_measures_the_policy(solutions: ModuleType) -> None:
    assert told("training", solutions.trained()).startswith("Right")
    assert "less than 20% is asked for" in told("training", lambda observation, mask: mask.argmax(1))


@pytest.mark.slow
def test_the_checker_of_games_solves_them(solutions: ModuleType, tmp_path: Path) -> None:
    file, value = solutions.invented(tmp_path)
    assert told("game", file, value).startswith("Right")
    assert "and you say" in told("game", file, 0)
    file.write_text(solutions.GAME.replace('b3"', 'b3 b2"'), encoding="utf-8")
    assert told("game", file, value).startswith("Wrong: ")
