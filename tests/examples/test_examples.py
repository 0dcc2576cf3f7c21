"""The examples are short, documented and name what they need; two of them are run."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.py"))
every_example = pytest.mark.parametrize("name", NAMES)

IMPORTED_AS = {"dm-tree": "tree", "open_spiel": "open_spiel", "ray": "ray", "sb3-contrib": "sb3_contrib"}
"""What a distribution is imported as, if that is not its name."""

LONGEST = {"alphazero_in_one_file": 400, "conv_network": 150, "ppo_in_one_file": 250}
"""Lines, where an example may have more than 91: these do without the library that the others show."""


def source(name: str) -> str:
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")


def requirements(name: str) -> dict[str, str]:
    """The versions of distributions in a requirements file."""
    lines = (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {re.sub(r"\[.*\]", "", line.partition("==")[0]): line.partition("==")[2] for line in lines}


def imports(name: str) -> set[str]:
    """The top-level packages that an example imports."""
    found = set()
    for node in ast.walk(ast.parse(source(name))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(node.module.partition(".")[0])
    return found


@every_example
def test_an_example_is_short_and_says_where_it_is_from(name: str) -> None:
    text = source(name)
    assert len(text.splitlines()) <= LONGEST.get(name, 91)
    assert re.search(r"^Sources?: https://", ast.get_docstring(ast.parse(text)), re.MULTILINE)


@every_example
def test_an_example_has_a_file_of_requirements_with_one_version_each(name: str) -> None:
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in requirements(name).values())
    known = {"alquerque_env", "alquerque_training", "gymnasium", "numpy", "pettingzoo", *sys.stdlib_module_names}
    brought = {IMPORTED_AS.get(each, each) for each in requirements(name)}
    # OpenSpiel brings pyspiel, and sb3-contrib Stable-Baselines3.
    brought |= {"pyspiel"} if "open_spiel" in brought else set()
    brought |= {"stable_baselines3"} if "sb3_contrib" in brought else set()
    assert imports(name) <= known | brought


def test_every_file_of_requirements_is_that_of_an_example() -> None:
    assert sorted(file.stem for file in EXAMPLES.glob("*.txt")) == NAMES


@every_example
def test_an_example_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE


@every_example
def test_no_example_hides_a_package_that_an_example_imports(name: str) -> None:
    # The folder of a script comes first on the path: a file named like a package is imported in its place.
    everything = set().union(*map(imports, NAMES), *map(requirements, NAMES), IMPORTED_AS.values())
    assert name not in {each.lower().replace("-", "_") for each in everything}


@every_example
def test_examples_of_libraries_that_fit_the_pins_use_the_pinned_versions(name: str) -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in constraints if not line.startswith("#"))
    assert all(pinned.get(each, version) == version for each, version in requirements(name).items())


@pytest.mark.parametrize(
    ("name", "library", "arguments", "least"),
    [
        ("maskable_ppo_opponent", "sb3_contrib", ["--steps", "10000"], 140),
        ("openspiel_mcts", "pyspiel", ["--simulations", "8"], 140),
    ],
)
@pytest.mark.slow
def test_a_short_run_beats_random_play(name: str, library: str, arguments: list[str], least: int) -> None:
    pytest.importorskip(library)
    command = [sys.executable, EXAMPLES / f"{name}.py", "fetaix", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    found = re.search(r"^fetaix: won (\d+) of 200", done.stdout, re.MULTILINE)
    assert found, done.stdout
    assert int(found[1]) >= least, done.stdout
