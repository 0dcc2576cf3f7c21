"""`alquerque doctor`: what is installed, what is compiled and what is missing, on one screen."""

import json
import os
import platform
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

import click

from ... import __version__
from ..console.capabilities import align
from ..main import FAILED
from ..parameters import takes_json

# Distribution, module, and the extra that brings it; None for the base.
_PACKAGES = (
    ("numpy", "numpy", None),
    ("gymnasium", "gymnasium", None),
    ("pettingzoo", "pettingzoo", None),
    ("click", "click", None),
    ("platformdirs", "platformdirs", None),
    ("rich", "rich", None),
    ("filelock", "filelock", None),
    ("safetensors", "safetensors", None),
    ("numba", "numba", "fast"),
    ("choix", "choix", "arena"),
    ("matplotlib", "matplotlib", "arena"),
    ("torch", "torch", "train"),
    ("pydantic", "pydantic", "web"),
    ("starlette", "starlette", "web"),
    ("uvicorn", "uvicorn", "web"),
    ("pygame-ce", "pygame", "render"),
    ("resvg-py", "resvg_py", "render"),
)


class Finding(NamedTuple):
    """One line of the report.

    Attributes:
      name: What was looked at.
      state: How it is.
      advice: What to do, empty if all is well or nothing need be done.
      is_broken: Whether the program cannot do without.
    """

    name: str
    state: str
    advice: str = ""
    is_broken: bool = False


@click.command()
@takes_json
def doctor(as_json: bool) -> None:
    """Show versions, whether the rules are compiled, and what is missing. Status 1 if something is broken."""
    findings = [
        Finding("alquerque-env", f"{__version__} in {Path(__file__).parents[2]}"),
        Finding("python", f"{platform.python_version()} ({sys.executable})"),
        Finding("system", f"{platform.platform()}, {os.cpu_count()} cores"),
        *(_package(*package) for package in _PACKAGES),
        _kernels(),
        _terminal(),
    ]
    if as_json:
        click.echo(json.dumps({"findings": [finding._asdict() for finding in findings]}, indent=2))
    else:
        said = ((finding.name, "; ".join(filter(None, finding[1:3]))) for finding in findings)
        click.echo("\n".join(align(said)))
    if any(finding.is_broken for finding in findings):
        sys.exit(FAILED)


def _package(distribution: str, module: str, extra: str | None) -> Finding:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    wanted = f"alquerque-env[{extra}]" if extra else "alquerque-env"
    advice = f'pip install "{wanted}"'
    try:
        import_module(module)
        return Finding(distribution, _version(distribution, module))
    except ModuleNotFoundError as error:
        if error.name == module:
            return Finding(distribution, "not installed", advice, is_broken=extra is None)
        return Finding(distribution, f"broken: {error}", advice, is_broken=True)
    except Exception as error:
        return Finding(distribution, f"broken: {' '.join(str(error).split())}", advice, is_broken=True)


def _version(distribution: str, module: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return str(getattr(import_module(module), "__version__", "unknown version"))


def _kernels() -> Finding:
    try:
        from ...engine.entry_points import legal_actions
        from ...game.kernel_arrays import JIT
    except Exception as error:
        return Finding("kernels", f"broken: {' '.join(str(error).split())}", "set NUMBA_CACHE_DIR", is_broken=True)
    if not JIT:
        return Finding("kernels", "plain Python, slow", 'for speed: pip install "alquerque-env[fast]"')
    folder = Path(legal_actions.stats.cache_path)
    if not os.access(folder, os.W_OK):
        return Finding("kernels", f"compiled anew each time, cannot write to {folder}", "set NUMBA_CACHE_DIR")
    if any(folder.glob("entry_points.legal_actions-*.nbc")):
        return Finding("kernels", f"compiled, kept in {folder}")
    return Finding("kernels", f"not yet compiled, will be kept in {folder}")


def _terminal() -> Finding:
    from ..console.capabilities import find_terminal

    terminal = find_terminal()
    shows = ["box drawing" if terminal.unicode else "plain characters", "colours" if terminal.color else "no colours"]
    return Finding("terminal", f"{', '.join(shows)}, encoding {sys.stdout.encoding}")
