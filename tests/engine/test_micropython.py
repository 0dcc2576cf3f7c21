"""What the bundle rewrites for MicroPython means the same, under CPython and in MicroPython itself."""

import ast

import pytest

from alquerque_env.engine.bundle.bundler import BundleError, Origin
from alquerque_env.engine.bundle.micropython import STANDINS, for_micropython
from tests.engine.micropython_constructs import CONSTRUCTS, meant

IN_PYTHON = [name for name in CONSTRUCTS if name != "regular expressions"]  # those are JavaScript's


class _WithStandins(ast.NodeTransformer):
    """Imports what stands in for the library, as the bundler does."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        made = []
        for alias in node.names:
            whole = STANDINS.get(Origin(node.module, ""), Origin(node.module, ""))
            found = STANDINS.get(Origin(node.module, alias.name), Origin(whole.module, alias.name))
            made.append(ast.ImportFrom(found.module, [ast.alias(found.name, alias.asname or alias.name)], 0))
        return made

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            found = STANDINS.get(Origin(alias.name, ""))
            if found is not None:
                alias.name, alias.asname = found.module, alias.name
        return node


def rewritten(source: str) -> str:
    return ast.unparse(
        ast.fix_missing_locations(_WithStandins().visit(for_micropython(ast.parse(source), "construct")))
    )


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_rewritten_construct_means_the_same(name: str) -> None:
    assert meant(rewritten(CONSTRUCTS[name])) == meant(CONSTRUCTS[name])


def test_a_module_may_use_the_names_of_stand_ins() -> None:
    source = "from dataclasses import dataclass\n\nclass Record:\n    pass\n\n@dataclass\nclass Pair:\n    one: int\n"
    names: dict[str, type] = {}
    exec(rewritten(source), names)
    assert names["Pair"](1) == names["Pair"](1)
    assert not issubclass(names["Pair"], names["Record"])


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_nothing_is_left_that_micropython_does_not_read(name: str) -> None:
    tree = ast.parse(rewritten(CONSTRUCTS[name]))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Dict | ast.DictComp | ast.JoinedStr | ast.Match), ast.unparse(node)
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            assert not any(isinstance(item, ast.Starred) for item in node.elts), ast.unparse(node)
        if isinstance(node, ast.Raise):
            assert node.cause is None
        if isinstance(node, ast.arguments):
            assert node.posonlyargs == []
        if isinstance(node, ast.Slice):
            assert node.step is None


def test_a_match_statement_is_refused() -> None:
    with pytest.raises(BundleError, match="construct: line 2 has a match statement"):
        rewritten("x = 1\nmatch x:\n    case 1: pass")
