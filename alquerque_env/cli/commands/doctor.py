"""`alquerque doctor`: what is installed, what is compiled and what is missing, on one screen."""

import os
import platform
import sys
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click

from ... import __version__
from ...errors import install_command
from ...processors import count_processors
from ..command import TEXTS, HelpfulCommand, print_report
from ..console.capabilities import align, find_terminal
from ..main import FAILED
from ..parameters import json_option

# Distribution, module, and the extra that installs it; None for the base.
PACKAGES = [
    (distribution, module, None if extra == "base" else extra)
    for extra, packages in TEXTS["packages"].items()
    for distribution, module in packages.items()
]


class Finding(NamedTuple):
    """One line of the report: what was checked, the result, and what to do if something is wrong."""

    name: str
    state: str
    advice: str = ""
    is_broken: bool = False


@click.command(cls=HelpfulCommand)
@json_option
def doctor(as_json: bool) -> None:
    """Show versions, compiled kernels and missing packages.

    Exits with status 1 if something is broken. Missing packages of extras are not.
    """
    terminal = find_terminal()
    shapes = "box drawing" if terminal.unicode else "plain characters"
    colours = "colours" if terminal.color else "no colours"
    findings = [
        Finding("alquerque-env", f"{__version__} in {Path(__file__).parents[2]}"),
        Finding("python", f"{platform.python_version()} ({sys.executable})"),
        Finding("system", f"{platform.platform()}, {_processors()}"),
        *(_package(*package) for package in PACKAGES),
        _kernels(),
        Finding("terminal", f"{shapes}, {colours}, encoding {sys.stdout.encoding}"),
    ]
    lines = align((each.name, "; ".join(filter(None, each[1:3]))) for each in findings)
    print_report({"findings": [finding._asdict() for finding in findings]}, lines, as_json=as_json)
    if any(finding.is_broken for finding in findings):
        sys.exit(FAILED)


def _processors() -> str:
    own, all_of_machine = count_processors(), os.cpu_count() or 1
    return f"{own} of {all_of_machine} cores" if own < all_of_machine else f"{own} cores"


def _package(distribution: str, module: str, extra: str | None) -> Finding:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    advice = install_command(extra or "")
    try:
        found = import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            return Finding(distribution, "not installed", advice, is_broken=extra is None)
        return Finding(distribution, f"broken: {' '.join(str(error).split())}", advice, is_broken=True)
    try:
        return Finding(distribution, metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return Finding(distribution, str(getattr(found, "__version__", "unknown version")))


def _kernels() -> Finding:
    from ...game.kernel_arrays import JIT

    if not JIT and find_spec("numba") is not None:
        advice = "for speed: remove the setting from ALQUERQUE_JIT, NUMBA_DISABLE_JIT or .numba_config.yaml"
        return Finding("kernels", "plain Python, slow: compilation is switched off", advice)
    if not JIT:
        return Finding("kernels", "plain Python, slow", f"for speed: {install_command('fast')}")
    try:
        from ...engine.compiled_kernels import compile_entry
        from ...engine.entry_points import legal_actions
        from ...engine.kernel_cache import cache_root

        cached = compile_entry(legal_actions.function).stats.cache_path
    except Exception as error:
        return Finding("kernels", f"broken: {' '.join(str(error).split())}", "set NUMBA_CACHE_DIR", is_broken=True)
    if cached is None:
        problem = f"compiled in every process: {cache_root()} cannot be written, or other users could write there"
        return Finding("kernels", problem, "set NUMBA_CACHE_DIR to a folder of your own")
    folder = Path(cached)
    if any(folder.glob("*.legal_actions.entry-*.nbc")):
        return Finding("kernels", f"compiled, cached in {folder}")
    return Finding("kernels", f"not compiled yet, cache folder {folder}", "to compile all at once: alquerque compile")
