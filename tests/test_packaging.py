"""What is installed: the files of the wheel, the metadata, and that these tests run the installed package."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from itertools import chain
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

import alquerque_env
from alquerque_env.files.release import PARTS
from alquerque_env.game import kernel_arrays

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = {"alquerque_env": ROOT / "alquerque_env", "alquerque_training": ROOT / "training" / "alquerque_training"}


def read(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def names(requirements: list[str]) -> set[str]:
    """Distributions that a list of requirements asks for, other than this one."""
    found = {re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-") for requirement in requirements}
    return found - {"alquerque-env"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this checkout."""
    if any(importlib.util.find_spec(name) is None for name in ("hatchling", "hatch_fancy_pypi_readme")):
        pytest.skip("needs what builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_the_wheel_holds_both_packages_with_all_their_files_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    expected = {
        f"{target}/{name}": data
        for target, folder in {
            **PACKAGES,
            "alquerque_env/checkpoints": ROOT / "checkpoints",
            "alquerque_training/configs": ROOT / "configs",
        }.items()
        for name, data in files_of(folder).items()
    }
    for path in chain.from_iterable(part["files"] for part in PARTS.values()):
        expected.pop(path if path.startswith("alquerque_env/") else f"alquerque_env/{path}")
    for card in ROOT.glob("checkpoints/*/README.md"):
        expected.pop(f"alquerque_env/checkpoints/{card.parent.name}/README.md")
    installed = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info" not in name}

    assert {PurePosixPath(name).parts[0] for name in installed} == set(PACKAGES)
    assert set(installed) == set(expected)
    assert installed == expected
    assert {"alquerque_env/py.typed", "alquerque_training/py.typed"} <= set(installed)


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))

    assert f"\nVersion: {alquerque_env.__version__}\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata
    assert "\nDescription-Content-Type: text/markdown\n" in metadata
    # Links and pictures of the README lead to the same places from a package index.
    links = re.compile(r"(?<=\]\()[^)\s]+|(?<=src=\")[^\"]+")
    source, site = PROJECT["urls"]["Source"], PROJECT["urls"]["Documentation"]
    for path, shown in zip(links.findall(read("README.md")), links.findall(metadata), strict=True):
        if path.startswith("docs/images/"):
            assert shown == f"{source.replace('github', 'raw.githubusercontent')}/main/{path}"
        elif path.startswith("docs/"):
            assert shown == site + path.removeprefix("docs/").replace(".md", ".html")
        else:
            assert shown == f"{source}/blob/main/{path}"


@pytest.mark.skipif("PYTHONPATH" in os.environ, reason="PYTHONPATH says which package is tested")
def test_the_installed_package_is_tested() -> None:
    """Where it is not editable it is not the one of the checkout: run `pytest`, not `python -m pytest`."""
    installed = distribution("alquerque-env")
    direct = json.loads(installed.read_text("direct_url.json") or "{}")
    if direct.get("dir_info", {}).get("editable"):
        checkout = Path(url2pathname(urlsplit(direct["url"]).path))
        expected = [checkout / "alquerque_env", checkout / "training" / "alquerque_training"]
    else:
        expected = [Path(str(installed.locate_file(package))) for package in PACKAGES]

    assert [Path(importlib.util.find_spec(package).origin).parent for package in PACKAGES] == expected


def test_processes_that_tests_start_import_the_same_package() -> None:
    code = "import sys; from importlib.util import find_spec; print(*(find_spec(name).origin for name in sys.argv[1:]))"
    command = [sys.executable, "-c", code, *PACKAGES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == " ".join(importlib.util.find_spec(package).origin for package in PACKAGES)


def test_constraints_pin_every_package_that_is_asked_for() -> None:
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in read("constraints.txt").splitlines()[1:]}
    extras = PROJECT["optional-dependencies"]

    assert names([*PROJECT["dependencies"], *chain.from_iterable(extras.values())]) <= pinned
    assert {"fast", "train", "web", "render", "dev", "all"} <= set(extras)


def test_classifiers_and_workflows_name_the_same_versions_of_python() -> None:
    classified = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    (matrix,) = re.findall(r"python: \[(.*)\]", read(".github/workflows/tests.yml"))

    assert re.findall(r'"([\d.]+)"', matrix) == classified
    assert PROJECT["requires-python"] == f">={classified[0]}"


def test_pre_commit_runs_the_ruff_of_the_constraints() -> None:
    (ruff,) = re.findall(r"^ruff==(.*)$", read("constraints.txt"), re.MULTILINE)

    assert f"rev: v{ruff}\n" in read(".pre-commit-config.yaml")


def script(name: str):
    """A script of `.ci`, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_tested_versions_has_the_versions_that_are_supported() -> None:
    versions = script("supported_versions")
    rows = {
        row[0]: row[2:6]
        for line in read("docs/versions.md").splitlines()
        if len(row := [cell.strip() for cell in line.strip("|").split("|")]) == 8
    }

    assert rows["oldest on 3.11"] == list(versions.lower_bounds().values())
    for tried in filter(any, (rows[f"newest on 3.{minor}"] for minor in (11, 12, 13))):
        assert tried == list(versions.pinned().values())


def test_the_oldest_versions_are_installed_with_the_tested_torch() -> None:
    versions = script("supported_versions")
    oldest = versions.constraints("oldest").split()

    assert oldest == ["torch==2.13.0", *(f"{name}=={version}" for name, version in versions.lower_bounds().items())]
    assert versions.constraints("newest") == read("constraints.txt")


def test_a_result_replaces_its_own_row_only() -> None:
    write_row = script("supported_versions").write_row
    page = "| versions | tests |\n|---|---|\n| oldest | 1 |\n| newest | 2 |\n"

    assert write_row(page, "newest", ["3"]) == page.replace("| newest | 2 |", "| newest | 3 |")
    with pytest.raises(SystemExit, match="0 rows that begin with 'other'"):
        write_row(page, "other", ["3"])


def test_the_tested_range_of_numba_is_that_of_the_requirement_and_ends_with_the_pinned_version() -> None:
    (found,) = re.findall(r"numba>=(\d+)\.(\d+)[\d.]*,<(\d+)\.(\d+)", str(PROJECT["optional-dependencies"]["fast"]))
    first, beyond = (int(found[0]), int(found[1])), (int(found[2]), int(found[3]))
    assert (first, (beyond[0], beyond[1] - 1)) == kernel_arrays.TESTED
    (pinned,) = re.findall(r"^numba==(\d+)\.(\d+)", read("constraints.txt"), re.MULTILINE)
    assert kernel_arrays.TESTED[1] == tuple(map(int, pinned))
    for major, minor in kernel_arrays.TESTED:
        assert kernel_arrays.is_tested(f"{major}.{minor}.1")
    assert not kernel_arrays.is_tested(f"{beyond[0]}.{beyond[1]}.0rc1")
    assert not kernel_arrays.is_tested(f"{first[0]}.{first[1] - 1}.9")


def test_an_untested_numba_leaves_plain_python_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_arrays, "version", lambda _: "9.9.9")
    with pytest.warns(RuntimeWarning, match="Numba 9.9.9 has not been tested") as told:
        assert not kernel_arrays._numba_compiles()
    assert len(told) == 1


def test_only_one_module_imports_what_is_not_public_in_numba() -> None:
    private = re.compile(r"(from|import) numba\.(?!extending\b)|\._cache\b")
    files = (ROOT / "alquerque_env").rglob("*.py")
    assert [file.name for file in files if private.search(file.read_text(encoding="utf-8"))] == ["numba_parts.py"]


@pytest.fixture
def faults():
    return script("check_release").faults


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A checkout in which version 1.2.3 is ready to be released."""
    (tmp_path / "alquerque_env").mkdir()
    for file, text in {
        "alquerque_env/__init__.py": '"""Games."""\n\n__version__ = "1.2.3"\n',
        "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
        "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-11-26\n\n- All.\n\n## 1.2.2 - 2026-11-25\n",
        "pyproject.toml": '[project.urls]\nSource = "https://github.com/a/b"\n',
    }.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_version_that_all_files_name_may_be_released(faults, release: Path) -> None:
    assert faults("v1.2.3", release, "a/b") == []


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("alquerque_env/__init__.py", "1.2.3", "1.2.4", "alquerque_env/__init__.py says 1.2.4"),
        ("CITATION.cff", "version: 1.2.3", "version: 1.2.2", "CITATION.cff says 1.2.2"),
        ("CHANGELOG.md", "## 1.2.3", "## 1.2.4", "the newest section of CHANGELOG.md says 1.2.4"),
        ("CHANGELOG.md", "## 1.2.3 - 2026-11-26", "- More.", "the newest section of CHANGELOG.md says Unreleased"),
        ("pyproject.toml", "a/b", "a/c", "pyproject.toml names https://github.com/a/c"),
    ],
)
def test_a_release_is_refused_where_a_file_says_otherwise(
    faults, release: Path, file: str, old: str, new: str, fault: str
) -> None:
    text = (release / file).read_text(encoding="utf-8")
    (release / file).write_text(text.replace(old, new), encoding="utf-8")

    (found,) = faults("v1.2.3", release, "a/b")

    assert fault in found


def test_the_citation_and_the_changelog_name_the_version_of_the_package() -> None:
    assert f"\nversion: {alquerque_env.__version__}\n" in read("CITATION.cff")
    assert f"\n  version = {{{alquerque_env.__version__}}}\n" in read("docs/cite.md")
    assert re.search(
        rf"^## {re.escape(alquerque_env.__version__)} - \d{{4}}-\d\d-\d\d$", read("CHANGELOG.md"), re.MULTILINE
    )
