"""Code of a user's own that a setting names as `module:name`: a learner, a search of self-play, or a network."""

import os
import sys
from importlib import import_module
from typing import Any

from alquerque_training.config.settings import ConfigError


def load_own(setting: str, given: str) -> Any:
    """Imports what `module:name` names, also from the working folder; `ConfigError` if it cannot be imported."""
    module, _, name = given.partition(":")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)  # to stay: processes that play import the module too
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
        advice = "; for a module of training/research run the command with PYTHONPATH=training/research" * missing
        raise ConfigError(f"{setting} is {given!r}, which cannot be imported: {error}{advice}") from None
