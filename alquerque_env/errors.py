"""The errors of the package. All are `ValueError`, so `except ValueError` catches every one.

ValueError
└── AlquerqueError
    ├── UnknownNameError     a game, option, value or bot that does not exist
    ├── RulesError           a game or board file that is wrong, or options that contradict each other
    ├── PositionError        position text that is not a position of the game
    ├── NotationError        text of a step or turn that cannot be read
    ├── IllegalStepError     a step or action that the rules forbid here
    │   └── AmbiguousStepError   text that several legal steps or turns fit
    ├── RecordError          a match file that cannot be read or written, or breaks the rules
    ├── LinkError            a link to a match that is damaged, or of another version or of other rules
    ├── BotError             a bot that cannot be loaded or play this game
    ├── TableError           an endgame table that cannot be built, or is damaged or of another game
    └── BenchmarkError       a protocol, suite, ladder, agent or result that cannot be used

A missing optional package raises `MissingExtraError`, an `ImportError`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

__all__ = [
    "AlquerqueError",
    "AmbiguousStepError",
    "BenchmarkError",
    "BotError",
    "EndedBotError",
    "IllegalStepError",
    "IllegalTurnError",
    "LateBotError",
    "LinkError",
    "MissingExtraError",
    "NotationError",
    "PositionError",
    "RecordError",
    "RulesError",
    "TableError",
    "UnknownNameError",
]

LONGEST_NAME = 60
"""Characters that a message shows of a text from outside."""
LONGEST_PATH = 240
"""The same for a name that may be a path."""
MOST_NAMES, SOME_NAMES = 30, 10
"""The most known names that a message lists, and how many it lists of more than these."""

# The C0 and C1 controls and DEL; separators of lines and paragraphs; what changes the direction of the text after it;
# and surrogates, which are no characters.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_LAYOUT = "\n\t"


class AlquerqueError(ValueError):
    """Base of every error raised by this package for bad input."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By its message: what the classes are made from differs.
        return _remade, (type(self), self.args, self.__dict__)


class UnknownNameError(AlquerqueError):
    """An unknown name; the message lists the known ones, of very many only some or the nearest."""

    def __init__(self, kind: str, name: object, known: Iterable[object], *, of: str = "", near: str = "") -> None:
        listed = [str(value) for value in known]
        where = f" of {of}" if of else ""
        shown = repr(shorten(name, LONGEST_PATH) if isinstance(name, str) else name)
        hint = f"; did you mean {near!r}?" if near else did_you_mean(name, listed)
        more = len(listed) - SOME_NAMES if len(listed) > MOST_NAMES else 0
        names = f"{', '.join(listed[:SOME_NAMES])} and {more} more" if more else ", ".join(listed)
        choice = "; there are none" if not listed else "" if more and hint else f" (known: {names})"
        super().__init__(f"no {kind} {shown}{where}{hint}{choice}")


class RulesError(AlquerqueError):
    """A wrong game or board file, or options that contradict each other."""


class PositionError(AlquerqueError):
    """Position text that does not describe a position of the game."""


class NotationError(AlquerqueError):
    """Text of a step or turn that cannot be read."""


class IllegalStepError(AlquerqueError):
    """A step or action that is not legal in the position."""


class AmbiguousStepError(IllegalStepError):
    """Text that fits several legal steps or turns.

    Attributes:
      choices: The texts of these steps or turns.
    """

    def __init__(self, text: str, choices: Iterable[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(f"{shorten(text)!r} is ambiguous; say which: {', '.join(self.choices)}")


class RecordError(AlquerqueError):
    """A match file that cannot be read or written, or that breaks the rules."""


class LinkError(AlquerqueError):
    """A link to a match that cannot be read or written, or is of another version or of other rules."""


class BotError(AlquerqueError):
    """A bot that cannot be loaded or cannot play the game."""


class LateBotError(BotError):
    """A bot that did not answer in time."""


class EndedBotError(BotError):
    """A bot that lost its process."""


class IllegalTurnError(BotError):
    """A bot that answered with an illegal turn."""


class TableError(AlquerqueError):
    """An endgame table that cannot be built, read or used for this game."""


class BenchmarkError(AlquerqueError):
    """A protocol, suite, ladder, agent or result that cannot be used."""


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message names the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is missing: {install_command(extra)}", name=package)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.args, {**self.__dict__, "name": self.name})


def install_command(extra: str) -> str:
    """The pip command that adds an extra, from where the package was installed from: an index, a checkout or a URL.

    Args:
      extra: The extra; an empty text for the package alone.
    """
    import json  # what only this message needs is not loaded with the package
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(distribution("alquerque-env").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    extras, url = f"[{extra}]" if extra else "", origin.get("url", "")
    if origin.get("dir_info", {}).get("editable"):
        path = re.sub(r"^/(?=[A-Za-z]:)", "", unquote(urlsplit(url).path))  # of Windows, /C:/folder
        return f'pip install -e "{path}{extras}"'
    scheme = f"{origin['vcs_info']['vcs']}+" if "vcs_info" in origin else ""
    return f'pip install "alquerque-env{extras}{f" @ {scheme}{url}" if url else ""}"'


def _remade(kind: type[Exception], args: tuple[Any, ...], attributes: dict[str, Any]) -> Exception:
    """Makes an error from its pickle."""
    error = kind.__new__(kind, *args)
    error.args = args
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` if one of the known names is near; else nothing."""
    text = str(name)
    near = get_close_matches(text, known, n=1) if len(text) <= LONGEST_NAME else []
    return f"; did you mean {near[0]!r}?" if near else ""


def made_for_other_rules(what: str, found: object, now: object, remedy: str) -> str:
    """The sentence that refuses a file because its `table_hash` is not that of the game."""
    hashes = f"hash {one_line(shorten(str(found)))}, now {now}"
    return f"{what} was made for other rules, or by version 0.1.0 or older ({hashes}): {remedy}"


def shorten(text: str, most: int = LONGEST_NAME) -> str:
    """A text for a message, cut after `most` characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def control_character(text: str, *, lines: bool = False) -> str | None:
    """The first character of a text that could change what a terminal or a page shows around it; None without one.

    No text from outside that people see may have one.

    Args:
      text: The text.
      lines: Whether the text may have several lines: then line feeds and tabs are allowed.
    """
    return next((each for each in _CONTROL.findall(text) if not (lines and each in _LAYOUT)), None)


def plain_text(text: str) -> str:
    """A text for people without control characters other than line feeds and tabs."""
    return _CONTROL.sub(lambda found: found[0] if found[0] in _LAYOUT else "", text)


def one_line(text: str) -> str:
    """A text for people on one line, without control characters."""
    return plain_text(" ".join(text.split()))


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
