"""Adapters to other reinforcement-learning libraries, one module a library.

| module | library |
|---|---|
| `bots` | none: a function from observation and action mask plays as a bot |
| `openspiel` | OpenSpiel |
| `ray` | Ray: work spread over the machines of a cluster |
| `rllib` | RLlib |
| `sb3` | Stable-Baselines3 and sb3-contrib |
| `tianshou` | Tianshou |
| `torchrl` | TorchRL |

A module imports its library. If it is missing, the error names the command that installs it.
"""

from importlib import import_module
from typing import Any

from ..errors import AlquerqueError


class MissingLibraryError(AlquerqueError, ImportError):
    """A library that an adapter is for is not installed, or its version cannot work."""


def import_library(name: str, requirement: str) -> Any:
    """Imports a module of another library.

    Args:
      name: The module.
      requirement: What pip installs it by, such as "sb3-contrib>=2.3".

    Raises:
      MissingLibraryError: If it cannot be imported.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        problem = "is not installed" if error.name == package else f"cannot be imported ({error})"
        raise MissingLibraryError(f'{package} {problem}: pip install "{requirement}"') from None
