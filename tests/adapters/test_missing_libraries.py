"""Without its library, or with one that cannot work, an adapter names the pip command that installs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_extras import run_without

pytest.importorskip("torch")  # which some adapters import before the library

REQUIREMENTS = {
    "openspiel": ("pyspiel", "open_spiel>=1.6.13"),
    "rllib": ("ray", "ray[rllib]>=2.40"),
    "sb3": ("stable_baselines3", "sb3-contrib>=2.4"),
    "tianshou": ("tianshou", "tianshou>=2.0"),
    "torchrl": ("tensordict", "torchrl>=0.6"),
}
# Imports an adapter with folders before all others on the path; prints its error.
SCRIPT = """
import importlib, json, sys

folders, adapter = json.loads(sys.argv[1])
sys.path[:0] = folders
try:
    importlib.import_module(f"alquerque_env.adapters.{adapter}")
except ImportError as error:
    print(f"{type(error).__name__}: {error}")
"""


def error_of(adapter: str, folder: Path) -> str:
    """The error of an adapter where a folder comes first on the path."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, json.dumps([[str(folder)], adapter])]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout.strip()


def install(folder: Path, distribution: str, version: str, package: str, source: str) -> None:
    """Writes a package and what pip notes of it."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text(source, encoding="utf-8")
    notes = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    notes.mkdir()
    text = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    (notes / "METADATA").write_text(text, encoding="utf-8")


def test_every_adapter_to_a_library_is_tested() -> None:
    folder = Path(__file__).parents[2] / "alquerque_env" / "adapters"
    assert {file.stem for file in folder.glob("*.py")} == {*REQUIREMENTS, "__init__", "bots"}


@pytest.mark.slow
def test_a_missing_library_is_named_with_its_pip_command() -> None:
    missing = [package for package, _ in REQUIREMENTS.values()]
    lines = [f"import alquerque_env.adapters.{adapter}" for adapter in REQUIREMENTS]
    found = [status for status, *_ in run_without(missing, lines)]
    expected = [
        f'MissingLibraryError: {package} is not installed: pip install "{requirement}"'
        for package, requirement in REQUIREMENTS.values()
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("adapter", "distribution", "version", "oldest"),
    [
        ("openspiel", "open_spiel", "1.5", "1.6.13"),
        ("rllib", "ray", "2.9.3", "2.40"),
        ("sb3", "sb3-contrib", "2.3.0", "2.4"),
        ("tianshou", "tianshou", "1.2.0", "2.0"),
        ("torchrl", "torchrl", "0.5.0rc1", "0.6"),
    ],
)
@pytest.mark.slow
def test_a_library_that_is_too_old_is_named(
    adapter: str, distribution: str, version: str, oldest: str, tmp_path: Path
) -> None:
    package, requirement = REQUIREMENTS[adapter]
    install(tmp_path, distribution, version, package, "")
    error = f'MissingLibraryError: {distribution} {version} is older than {oldest}: pip install "{requirement}"'
    assert error_of(adapter, tmp_path) == error


def test_a_library_that_cannot_be_imported_says_why(tmp_path: Path) -> None:
    install(tmp_path, "open_spiel", "9.9", "pyspiel", "import numpy\nnumpy.no_such_name")
    error = error_of("openspiel", tmp_path)
    assert error.startswith("MissingLibraryError: pyspiel cannot be imported (module 'numpy' has no attribute")
    assert error.endswith('pip install "open_spiel>=1.6.13"')
