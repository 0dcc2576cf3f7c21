"""Clear words where an optional package is missing."""

import os
from importlib import import_module


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message names the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f'{package} is missing: pip install "alquerque-env[{extra}]"', name=package)


def require(package: str, extra: str) -> None:
    """Imports a package of an extra.

    Args:
      package: Name to import.
      extra: The extra of the distribution that brings the package.

    Raises:
      MissingExtraError: If the package is not installed.
    """
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingExtraError(package, extra) from None


def require_pygame() -> None:
    """Imports pygame without the greeting that it prints, which would spoil output that programs read.

    Raises:
      MissingExtraError: If pygame is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    require("pygame", "render")
