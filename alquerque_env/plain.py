"""The modules of kernels a second time, as plain Python. It can be imported, but has no modules of its own.

`alquerque_env.plain.batch.single`, for example, is made of the same source as `alquerque_env.batch.single`, but its
kernels are not compiled. Modules without kernels are those of the package. `engine/forms.py` says when these are used.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0]
_FOLDER = Path(__file__).parent
_TWICE = ("game.kernel_arrays", "engine", "batch", "search", "bots", "solve.tables")
"""The modules, and the folders of modules, that are loaded a second time."""
_ONCE = (
    "batch.step_result",
    "search.scores",
    "bots.analysis",
    "bots.levels",
    "bots.shipped",
    "bots.trainer",
    "bots.external",
)
"""Modules of these folders that are not: they have types that others compare with."""

__path__: list[str] = []


class _PlainModules(MetaPathFinder, Loader):
    """Finds modules below `alquerque_env.plain`: new ones for kernels, and those of the package for the rest."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module below `alquerque_env.plain`; None for other modules."""
        if not fullname.startswith(f"{__name__}."):
            return None
        name = fullname.removeprefix(f"{__name__}.")
        if not _is_twice(name):
            return ModuleSpec(fullname, self)
        # Not by the spec of the package's own module, since that would import the folders above it.
        place = _FOLDER.joinpath(*name.split("."))
        if place.is_dir():
            return spec_from_file_location(fullname, place / "__init__.py", submodule_search_locations=[str(place)])
        return spec_from_file_location(fullname, place.with_suffix(".py"))

    def exec_module(self, module: ModuleType) -> None:
        """Puts the package's own module in the place of one that is not loaded a second time."""
        name = module.__name__
        sys.modules[name] = import_module(f"{_PACKAGE}.{name.removeprefix(f'{__name__}.')}")


def _is_twice(name: str) -> bool:
    """Whether a module is loaded a second time, or has modules that are."""
    if any(name == each or name.startswith(f"{each}.") for each in _ONCE):
        return False
    return any(name == each or name.startswith(f"{each}.") or each.startswith(f"{name}.") for each in _TWICE)


sys.meta_path.insert(0, _PlainModules())
