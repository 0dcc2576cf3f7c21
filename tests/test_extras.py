"""Without the packages of an extra or the library of an adapter, commands work, or one line names the pip command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from alquerque_env.errors import install_command

# The packages of each extra, and what needs it: a command that fails, another that is wrong, or code.
EXTRAS: dict[str, tuple[list[str], list[str]]] = {
    "fast": (["numba", "llvmlite"], ["alquerque compile"]),
    "arena": (
        ["choix", "matplotlib"],
        [
            "alquerque arena fetaix random greedy --games 2",
            "alquerque arena fetaix random greedy --games 2 --picture cross.png",
            "alquerque benchmark run random fetaix --quick",
        ],
    ),
    "train": (
        ["torch", "pydantic", "annotated_types"],
        [
            "alquerque train quickstart",
            "alquerque train quickstart --print-config",
            "alquerque plot run",
            "alquerque export fetaix-small -o never-written.py",
        ],
    ),
    "onnx": (["onnx", "onnxscript", "onnxruntime"], ["alquerque export fetaix-small --onnx never-written.onnx"]),
    "web": (["pydantic", "starlette", "uvicorn"], ["alquerque web --no-browser", "import alquerque_env.web.app"]),
    "render": (
        ["pygame", "resvg_py"],
        [
            "alquerque_env.env('fetaix', render_mode='human').reset()",
            "env = alquerque_env.env('fetaix', render_mode='rgb_array'); env.reset(); env.render()",
        ],
    ),
    "ray": (
        ["ray"],
        [
            "import alquerque_env.adapters.ray",
            "alquerque arena fetaix random greedy --games 2 --ray",
            "alquerque openings fetaix --count 1 -o never-written.jsonl --ray",
            "alquerque benchmark run random fetaix --quick --ray",
            "alquerque train quickstart --ray",
        ],
    ),
    "mcp": (["mcp"], ["alquerque mcp"]),
    "data": (["pyarrow"], ["alquerque dataset felli_simplified -o never-written.parquet"]),
    "log": (["tensorboard", "wandb"], ["alquerque train quickstart --track wandb"]),
}
# Hides packages, then runs commands and evaluates expressions in one process; prints their statuses and outputs.
SCRIPT = """
import contextlib, io, json, sys

hidden, lines = json.loads(sys.argv[1])

class Hider:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Hider, sys.meta_path)
import alquerque_env
import gymnasium
from alquerque_env.cli.main import main

found = []
for line in lines:
    status, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            if line.startswith("alquerque "):
                main(line.split()[1:], "alquerque")
            else:
                exec(line)
        except SystemExit as end:
            status = end.code
        except ImportError as error:
            status = f"{type(error).__name__}: {error}"
    found.append([status, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""


def run_without(packages: list[str], lines: list[str], *folders: Path) -> list[tuple[int | str, str, str]]:
    """Runs commands and Python code in a process without some packages; returns status, output and errors of each.

    Folders come before all others on the path.
    """
    path = {"PYTHONPATH": os.pathsep.join(map(str, folders))} if folders else {}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, json.dumps([packages, lines])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"ALQUERQUE_JIT": "0"} | path,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(found) for found in json.loads(done.stdout)]


@pytest.mark.parametrize(
    "extra", [pytest.param(extra, marks=() if extra in ("arena", "log") else pytest.mark.slow) for extra in EXTRAS]
)
def test_a_missing_extra_is_named_with_its_pip_command(extra: str) -> None:
    """An option that needs it is a wrong argument."""
    packages, lines = EXTRAS[extra]
    for line, (status, output, error) in zip(lines, run_without(packages, lines), strict=True):
        option = next((option for option in ("--ray", "--track wandb") if option in line), "")
        if line.startswith("alquerque "):
            assert (status, output) == (2 if option else 1, ""), (line, error)
            assert error.startswith(f"alquerque: {option}"), line
            assert error.endswith(f" is missing: {install_command(extra)}\n"), line
            assert error.count("\n") == 1, line
        else:
            assert str(status).startswith("MissingExtraError: "), line
            assert str(status).endswith(f" is missing: {install_command(extra)}"), line


@pytest.mark.slow
def test_without_extras_everything_else_works(tmp_path) -> None:
    table = tmp_path / "murray.aqt"
    lines = [
        "alquerque --help",
        "alquerque games",
        "alquerque describe fetaix",
        "alquerque perft fetaix --depth 3",
        "alquerque rollouts fetaix --matches 2",
        "alquerque play fetaix --opponent greedy",
        "alquerque play fetaix --opponent fetaix-small",
        f"alquerque openings fetaix --count 1 --judge greedy -o {tmp_path / 'openings.jsonl'}",
        f"alquerque solve alquerque_murray --pieces 2 -o {table}",
        f"alquerque_env.load_table(alquerque_env.load_game('alquerque_murray'), {str(table)!r})",
        "alquerque doctor",
        "from alquerque_env import *",
        "gymnasium.make('alquerque/Fetaix-v0', opponent='greedy').reset(seed=0)",
        "gymnasium.make_vec('alquerque/Fetaix-v0', 2, opponent='greedy').reset(seed=0)",
        "env = alquerque_env.env('fetaix', render_mode='svg'); env.reset(); assert env.render().startswith('<svg')",
        "env = alquerque_env.env('fetaix', render_mode='ansi'); env.reset(); assert 'a' in env.render()",
        "alquerque_env.SelfPlayVectorEnv('fetaix', 2).reset(seed=0)",
        "alquerque_env.load_bot('fetaix-strong', 'fetaix')",
        "import alquerque_env.arena, alquerque_env.benchmark, alquerque_env.solve.tables, alquerque_training",
    ]
    hidden = sorted({package for packages, _ in EXTRAS.values() for package in packages})

    for line, (status, _, error) in zip(lines, run_without(hidden, lines), strict=True):
        assert status == 0, (line, status, error)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, 'pip install "alquerque-env[web]"'),
        (
            {"url": "file:///home/me/my%20games", "dir_info": {}},
            'pip install "alquerque-env[web] @ file:///home/me/my%20games"',
        ),
        (
            {"url": "file:///home/me/my%20games", "dir_info": {"editable": True}},
            'pip install -e "/home/me/my games[web]"',
        ),
        ({"url": "file:///C:/games", "dir_info": {"editable": True}}, 'pip install -e "C:/games[web]"'),
        (
            {"url": "https://example.org/games.git", "vcs_info": {"vcs": "git"}},
            'pip install "alquerque-env[web] @ git+https://example.org/games.git"',
        ),
    ],
)
def test_an_extra_is_installed_from_where_the_package_came_from(origin, command, monkeypatch) -> None:
    class Installed:
        def read_text(self, _name: str) -> str | None:
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr("importlib.metadata.distribution", lambda _name: Installed())
    assert install_command("web") == command


@pytest.mark.slow
def test_the_static_page_needs_no_extra(tmp_path: Path) -> None:
    extras = ["numba", "torch", "pydantic", "starlette", "uvicorn", "alquerque_training"]
    ((status, _, errors),) = run_without(extras, [f"alquerque site {tmp_path / 'site'} --game pretwa"])

    assert status == 0, errors
    assert (tmp_path / "site" / "index.html").is_file()


# Libraries of adapters, which no extra brings.

REQUIREMENTS = {
    "openspiel": ("pyspiel", "open_spiel>=1.6.13"),
    "rllib": ("ray", "ray[rllib]>=2.40"),
    "sb3": ("stable_baselines3", "sb3-contrib>=2.4"),
    "tianshou": ("tianshou", "tianshou>=2.0"),
    "torchrl": ("tensordict", "torchrl>=0.6"),
}


def error_of(adapter: str, folder: Path) -> str:
    """The error of an adapter where a folder comes first on the path."""
    ((status, _, _),) = run_without([], [f"import alquerque_env.adapters.{adapter}"], folder)
    return str(status)


def install(folder: Path, distribution: str, version: str, package: str, source: str) -> None:
    """Writes a package and what pip notes of it."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text(source, encoding="utf-8")
    notes = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    notes.mkdir()
    text = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    (notes / "METADATA").write_text(text, encoding="utf-8")


def test_every_adapter_to_a_library_is_tested() -> None:
    folder = Path(__file__).parents[1] / "alquerque_env" / "adapters"
    assert {file.stem for file in folder.glob("*.py")} == {*REQUIREMENTS, "__init__", "bots"}


@pytest.mark.slow
def test_a_missing_library_is_named_with_its_pip_command() -> None:
    pytest.importorskip("torch")  # which some adapters import before the library
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
    pytest.importorskip("torch")
    package, requirement = REQUIREMENTS[adapter]
    install(tmp_path, distribution, version, package, "")
    error = f'MissingLibraryError: {distribution} {version} is older than {oldest}: pip install "{requirement}"'
    assert error_of(adapter, tmp_path) == error


def test_a_library_that_cannot_be_imported_says_why(tmp_path: Path) -> None:
    install(tmp_path, "open_spiel", "9.9", "pyspiel", "import numpy\nnumpy.no_such_name")
    error = error_of("openspiel", tmp_path)
    assert error.startswith("MissingLibraryError: pyspiel cannot be imported (module 'numpy' has no attribute")
    assert error.endswith('pip install "open_spiel>=1.6.13"')
