"""Adapters to other reinforcement-learning libraries, one module per library.

| module | library |
|---|---|
| `bots` | none: a function from observation and action mask plays as a bot |
| `openspiel` | OpenSpiel |
| `ray` | Ray: work spread over the machines of a cluster |
| `rllib` | RLlib |
| `sb3` | Stable-Baselines3 and sb3-contrib |
| `tianshou` | Tianshou |
| `torchrl` | TorchRL |

A module imports its library. If it is missing or too old, the error names the command that installs it.
"""

import re
from importlib import import_module, metadata
from typing import Any

from ..errors import AlquerqueError, one_line


class MissingLibraryError(AlquerqueError, ImportError):
    """A library that an adapter is for is not installed, or its version cannot work."""


def import_library(name: str, requirement: str) -> Any:
    """Imports a module; `MissingLibraryError` unless a requirement such as "sb3-contrib>=2.4" is met."""
    package, advice = name.partition(".")[0], f'pip install "{requirement}"'
    distribution, oldest = _parts(requirement)
    try:
        installed = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        installed = oldest  # the module may come from elsewhere
    if _numbers(installed) < _numbers(oldest):
        raise MissingLibraryError(f"{distribution} {installed} is older than {oldest}: {advice}")
    try:
        return import_module(name)
    except Exception as error:  # two libraries whose versions do not fit can raise anything
        is_missing = isinstance(error, ImportError) and error.name == package
        problem = "is not installed" if is_missing else f"cannot be imported ({one_line(str(error))})"
        raise MissingLibraryError(f"{package} {problem}: {advice}") from None


def _parts(requirement: str) -> tuple[str, str]:
    """The distribution without its extras, and the oldest version."""
    name, _, version = requirement.partition(">=")
    return name.partition("[")[0], version


def _numbers(version: str) -> list[int]:
    """The numbers of a release, such as `[2, 0, 1]` of "2.0.1rc1"."""
    release = re.match(r"[\d.]*", version)
    return [int(number) for number in re.findall(r"\d+", release[0] if release else "")]
