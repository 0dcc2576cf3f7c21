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
def test_a_notebook_that_was_downloaded_runs_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the cell that installs what is missing, and the checker that it carries."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)  # people's kernels import from the folder of the notebook
    notebook = nbformat.read(DOCS / "notebooks" / "mask_a_policy.ipynb", as_version=4)
    done = nbclient.NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}).execute()
    assert "Wrong: an illegal action has probability" in str(done.cells[-2].outputs)
    assert (tmp_path / "check_mask.py").read_bytes() == (DOCS / "course" / "check_mask.py").read_bytes()


@pytest.fixture
def solutions() -> ModuleType:
    pytest.importorskip("torch")
    return import_module("solutions")


def told(exercise: str, *answer: object) -> str:
    return import_module(f"check_{exercise}").check(*answer)


def test_the_checker_of_masks_finds_illegal_actions_and_ended_matches(solutions: ModuleType) -> None:
    masked = solutions.masked
    assert told("mask", masked).startswith("Right")
    assert "an illegal action has" in told("mask", lambda logits, mask: masked(logits, np.ones_like(mask)))
    assert "gives NaN" in told("mask", lambda logits, mask: masked(logits, mask) / mask.any(1, keepdims=True))


@pytest.mark.slow
def test_the_checkers_of_minimax_and_best_responses_find_signs_lines_and_figures(solutions: ModuleType) -> None:
    value, respond = solutions.value, solutions.respond
    rate = import_module("check_minimax").error_rate(value, 2)
    assert told("minimax", value, rate).startswith("Right")
    assert "its error rate at depth 2 is" in told("minimax", value, rate + 0.01)
    assert "Who is to move after a step of a chain?" in told("minimax", lambda match, depth: -value(match, depth), rate)
    assert "of 3 steps misses it" in told("minimax", lambda match, depth: 0, rate)
    assert told("best_response", respond).startswith("Right")
    assert "and your line says c2-c3" in told("best_response", lambda choose, seat: (-1, ["c2-c3"]))
    assert "gives it -1" in told("best_response", lambda choose, seat: (0, respond(choose, seat)[1]))


@pytest.mark.slow
def test_the_checkers_of_training_and_of_games_measure_and_solve(solutions: ModuleType, tmp_path: Path) -> None:
    assert told("training", solutions.trained()).startswith("Right")
    assert "less than 20% is asked for" in told("training", lambda observation, mask: mask.argmax(1))
    file, value = solutions.invented(tmp_path)
    assert told("game", file, value).startswith("Right")
    assert "and you say" in told("game", file, 0)
    file.write_text(solutions.GAME.replace('c4 b3"', 'c4 b2"'), encoding="utf-8")
    assert "b2" in told("game", file, value)
