"""A package in a zip file says in one sentence that it must be unpacked."""

import os
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

from alquerque_env import start

ROOT = Path(start.__file__).parents[1]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An application whose first modules are those of the package; the others are not reached."""
    folder = tmp_path_factory.mktemp("application")
    (folder / "alquerque_env").mkdir()
    for name in ("__init__.py", "__main__.py", "start.py"):
        (folder / "alquerque_env" / name).write_bytes((ROOT / "alquerque_env" / name).read_bytes())
    (folder / "__main__.py").write_text("import alquerque_env.cli.main", encoding="utf-8")
    target = folder.with_suffix(".pyz")
    zipapp.create_archive(folder, target)
    return target


def run(archive: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(archive)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, cwd=archive.parent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments", [("-m", "alquerque_env", "games"), ("-m", "alquerque_env", "perft"), ("ARCHIVE",)]
)
def test_a_program_and_an_application_end_with_one_sentence(archive: Path, arguments: tuple[str, ...]) -> None:
    ended = run(archive, *(argument.replace("ARCHIVE", str(archive)) for argument in arguments))
    (sentence,) = ended.stderr.splitlines()
    assert sentence.endswith(
        f"alquerque_env cannot run from the archive {archive}: unpack it, and import the package from the folder"
    )
    assert (ended.returncode, ended.stdout) == (1, "")


def test_a_program_that_imports_it_gets_an_import_error(archive: Path) -> None:
    ended = run(archive, "-c", "import alquerque_env")
    assert ended.stderr.splitlines()[-1].startswith("ImportError: alquerque_env cannot run from the archive")


def test_a_package_in_a_folder_is_imported() -> None:
    start.check_unpacked(start.__file__)
    start.check_unpacked(str(ROOT / "no" / "such" / "folder" / "module.py"))
