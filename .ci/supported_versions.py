"""Runs the tests with the oldest or the newest supported versions of the packages that the environments build on.

    python .ci/supported_versions.py oldest
    python .ci/supported_versions.py newest

It makes a fresh virtual environment of the Python that runs it, installs the package with all extras, runs pytest and
writes the result into the table of `docs/versions.md`. `oldest` takes the lower bounds of `pyproject.toml`, `newest`
what `constraints.txt` pins. Words after `--` go to pytest.
"""

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = Path("docs", "versions.md")
PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")


def lower_bounds(root: Path = ROOT) -> dict[str, str]:
    """The oldest version of each package that `pyproject.toml` allows."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = chain(project["dependencies"], *project["optional-dependencies"].values())
    found = (re.match(r"([\w-]+)>=([\d.]+)", requirement) for requirement in asked)
    bounds = {match[1]: match[2] for match in found if match and match[1] in PACKAGES}
    return {name: bounds[name] for name in PACKAGES}


def pinned(root: Path = ROOT) -> dict[str, str]:
    """The version of each package in `constraints.txt`."""
    text = (root / "constraints.txt").read_text(encoding="utf-8")
    return {name: re.search(rf"^{name}==(.*)$", text, re.MULTILINE)[1] for name in PACKAGES}


def constraints(which: str, root: Path = ROOT) -> str:
    """The constraints to install with: all pins for `newest`; for `oldest` the lower bounds and the pin of torch."""
    text = (root / "constraints.txt").read_text(encoding="utf-8")
    if which == "newest":
        return text
    torch = re.search(r"^torch==.*$", text, re.MULTILINE)[0]
    return "\n".join([torch, *(f"{name}=={version}" for name, version in lower_bounds(root).items()), ""])


def write_row(page: str, which: str, cells: list[str]) -> str:
    """The page with the row of the table that begins with `which` replaced."""
    row = f"| {' | '.join([which, *cells])} |"
    replaced, count = re.subn(rf"^\| {which} \|.*\|$", row, page, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{PAGE} has {count} rows that begin with {which!r}, expected 1")
    return replaced


def main() -> None:
    """Installs, tests, writes the result; exits with the status of pytest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["oldest", "newest"])
    parser.add_argument("pytest", nargs="*", help="arguments of pytest")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder, "constraints.txt")
        pins.write_text(constraints(arguments.which), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
        python = Path(folder, "venv", "Scripts" if os.name == "nt" else "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "-c", pins, ".[all,dev]"], cwd=ROOT, check=True)
        code = "from importlib.metadata import version; import sys; print(*map(version, sys.argv[1:]))"
        asked = subprocess.run([python, "-P", "-c", code, *PACKAGES], capture_output=True, text=True, check=True)
        # `-P` keeps the checkout off the path, so that the installed package is tested.
        command = [python, "-P", "-m", "pytest", "-n", "2", "--dist", "worksteal", *arguments.pytest]
        # Tests run the installed command too.
        environment = {**os.environ, "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]])}
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as tests:
            last = ""
            for line in tests.stdout:
                print(line, end="", flush=True)
                last = line.strip() or last
    result = re.sub(r" in .*", "", last)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    cells = [platform.python_version(), *asked.stdout.split(), result, today]
    page = ROOT / PAGE
    name = f"{arguments.which} on {sys.version_info.major}.{sys.version_info.minor}"
    page.write_text(write_row(page.read_text(encoding="utf-8"), name, cells), encoding="utf-8")
    print(f"wrote {PAGE}")
    sys.exit(tests.returncode)


if __name__ == "__main__":
    main()
