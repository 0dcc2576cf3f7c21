"""The public names: what `import alquerque_env` offers, and all other names that are promised."""

import ast
import doctest
import inspect
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType

import pytest

import alquerque_env
from alquerque_env import games

ROOT = Path(__file__).parent.parent
PROMISED = re.findall(
    r"^\| `(alquerque_\w+(?:\.\w+)*)` \|", (ROOT / "docs" / "promises.md").read_text(encoding="utf-8"), re.MULTILINE
)
"""The public modules. Some import a library that may be missing."""


def test_everything_that_is_exported_can_be_imported_and_is_listed():
    for name in alquerque_env.__all__:
        assert getattr(alquerque_env, name) is not None
        assert name in dir(alquerque_env)


def test_every_game_has_its_module():
    for game in games():
        assert f"{game}_v0" in dir(alquerque_env)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'alquerque_env' has no attribute 'nothing'"):
        alquerque_env.nothing  # noqa: B018


def names_in_source(module: str) -> set[str]:
    """`__all__` of a module, without importing it: adapters need their library."""
    folder = ROOT / ("training" if module.startswith("alquerque_training") else "")
    path = folder.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{module} has no __all__")


def imports_in(text: str) -> set[tuple[str, str]]:
    """Modules of the packages and names that are imported from them; the name of a whole module is empty."""
    found = set()
    for statement in re.findall(r"^(?:>>> |\.\.\. )?((?:from|import) alquerque_\w.*)$", text, re.MULTILINE):
        for node in ast.walk(ast.parse(statement)):
            if isinstance(node, ast.Import):
                found |= {(alias.name, "") for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found |= {(node.module, alias.name) for alias in node.names}
    return found


PUBLIC = {(module, name) for module in PROMISED for name in names_in_source(module)} | {
    ("alquerque_env", f"{game}_v0") for game in games()
}
MODULES = {(module, "") for module in PROMISED} | {tuple(module.rsplit(".", 1)) for module in PROMISED if "." in module}


def test_documentation_and_examples_import_public_names_only():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")]
    imported = {page.name: imports_in(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: rest for name, found in imported.items() if (rest := found - PUBLIC - MODULES)} == {}
    assert imports_in(">>> from alquerque_env.x import y\nimport alquerque_env.z\n") == {
        ("alquerque_env.x", "y"),
        ("alquerque_env.z", ""),
    }


def test_every_public_name_is_in_the_api_reference():
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    shown = set(re.findall(r"\.\. auto\w+:: ([\w.]+)", text))
    shown_names = {path.rpartition(".")[2] for path in shown}
    assert {f"{module}.{name}" for module, name in PUBLIC if name not in shown_names} == {
        f"alquerque_env.{name}" for name in ["__version__", *(f"{game}_v0" for game in games())]
    }


def test_the_index_gives_names_as_they_are_imported():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    (api,) = re.findall(r"^## API$(.*?)^## ", index, re.MULTILINE | re.DOTALL)
    names = re.findall(r"`((?:\w+\.)*)(\w+)`[,;\n]", api)
    assert ("alquerque_env.arena.", "play_arena") in names
    for module, name in names:
        if not module.startswith("alquerque_training") or find_spec("torch"):
            assert hasattr(import_module(module.rstrip(".") or "alquerque_env"), name), f"{module}{name}"


def functions_of(value: object) -> list[FunctionType]:
    """A function, or the public methods of a class."""
    members = vars(value).items() if inspect.isclass(value) else [("", value)]
    found = [inspect.unwrap(getattr(member, "__func__", member)) for name, member in members if name[:1] != "_"]
    return [each for each in found if isinstance(each, FunctionType)]


@pytest.mark.parametrize("module", PROMISED)
def test_public_names_have_docstrings_and_those_of_functions_say_what_they_return(module):
    """In a section, or from its first word on where the sentence is enough."""
    try:
        imported = import_module(module)
    except ImportError:
        pytest.skip("needs another library")
    public = [getattr(imported, name) for name in names_in_source(module)]
    own = [value for each in public if inspect.isclass(each) for name, value in vars(each).items() if name[0] != "_"]
    members = [value for value in own if callable(value) or isinstance(value, property)]
    shown = [each for each in public if inspect.isclass(each) or inspect.isroutine(each)]
    assert all(inspect.getdoc(each) for each in [*shown, *(members if module == "alquerque_env" else [])])
    silent = [
        function.__qualname__
        for each in public
        for function in functions_of(each)
        if function.__annotations__.get("return") not in (None, "None")
        and not re.search(r"^(Returns|Yields)\b", inspect.getdoc(function), re.MULTILINE)
    ]
    assert silent == []


QUICK = ("__init__.py", "match/match.py", "envs/aec.py", "envs/self_play_vector.py")
PACKAGE = ROOT / "alquerque_env"


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for file in sorted(PACKAGE.rglob("*.py"))
        if ">>> " in file.read_text(encoding="utf-8")
        for name in [file.relative_to(PACKAGE).as_posix()]
    ],
)
def test_the_examples_of_the_docstrings_run(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ".".join(["alquerque_env", *file.removesuffix(".py").removesuffix("__init__").split("/")]).rstrip(".")
    found = doctest.testmod(import_module(module))

    assert found.attempted > 0
    assert found.failed == 0
