"""Modules bundled into one file: names that clash, that are hidden, and that are not there."""

from pathlib import Path
from typing import Any

import pytest

from alquerque_env.engine.bundle.bundler import BundleError, Origin, Recipe, bundle


def bundled(folder: Path, **modules: str) -> Any:
    """The function `start` of the module `one`, from its bundle with the others."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    namespace: dict[str, Any] = {}
    exec(bundle(Recipe(packages=dict.fromkeys(modules, folder)), [Origin("one", "start")]), namespace)
    return namespace["start"]


def test_names_that_clash_or_would_be_hidden_are_told_apart(tmp_path: Path) -> None:
    one = (
        "import two\nfrom two import double\nLIMIT: int = 1\n\n"
        "def start(given=LIMIT):\n"
        "    size = [LIMIT for LIMIT in (7, 8)]\n"
        "    return given, LIMIT, double(10), two.size, size, [two.LIMIT for _ in size]\n"
    )
    two = "LIMIT = 2\nsize = 5\n\ndef double(x: int) -> int:\n    return LIMIT * x\n"

    assert bundled(tmp_path, one=one, two=two)() == (1, 1, 20, 5, [7, 8], [2, 2])


def test_a_local_name_is_not_taken_for_a_name_of_its_module(tmp_path: Path) -> None:
    def module(name: str, function: str, more: str = "") -> str:
        return (
            f"TEXTS = [name + '{name}' for name in 'ab']\nsize = lambda text: len(text)\n\n"
            f"def {function}(name, text='{name}'):\n    return name, size(text), TEXTS{more}\n"
        )

    one = "from two import second\n" + module("one", "start", ", second(name)")

    start = bundled(tmp_path, one=one, two=module("two", "second"))

    assert start("c") == ("c", 3, ["aone", "bone"], ("c", 3, ["atwo", "btwo"]))


@pytest.mark.parametrize(
    ("one", "message"),
    [
        ("def start():\n    return missing()\n", "one: missing is not defined"),
        (
            "from two import LIMIT as most\n\ndef start(most=most):\n    return most\n",
            "one: most is the name of a local variable too",
        ),
    ],
)
def test_a_name_that_is_not_there_and_a_local_one_that_hides_another_are_refused(
    tmp_path: Path, one: str, message: str
) -> None:
    with pytest.raises(BundleError, match=message):
        bundled(tmp_path, one=one, two="LIMIT = 2\n")
