"""The cache of compiled kernels changes with every file from which a kernel takes something."""

import ast
from pathlib import Path

import alquerque_env
from alquerque_env.engine.compiler import kernel_sources

PACKAGE = Path(alquerque_env.__file__).parent
DECORATORS = ("kernel", "inlined")


def imports(file: Path, tree: ast.Module) -> list[tuple[Path, str, str]]:
    """The project's names that a module imports: the file, the name there (`*` for all) and the name here."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                module = (base / alias.name).with_suffix(".py")
                if module.is_file():
                    found.append((module, "*", alias.asname or alias.name))
                elif base.with_suffix(".py").is_file():
                    found.append((base.with_suffix(".py"), alias.name, alias.asname or alias.name))
    return found


def names_in_kernels(tree: ast.Module) -> set[str]:
    kernels = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id in DECORATORS for mark in node.decorator_list)
    ]
    statements = [statement for kernel in kernels for statement in kernel.body]
    return {node.id for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name)}


def test_the_cache_key_covers_every_file_that_kernels_take_names_from():
    sources = set(kernel_sources())
    missing = set()
    for file in sources:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        used = names_in_kernels(tree)
        for module, there, here in imports(file, tree):
            if used and here in (*used, "*") and module not in sources:
                missing.add(f"{module.relative_to(PACKAGE)}: {there}, used in {file.relative_to(PACKAGE)}")
    assert len(sources) > 20
    assert not missing
