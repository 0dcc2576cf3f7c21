"""The module `re`, by the regular expressions of JavaScript: those of MicroPython know no counts and no groups by name.

Texts of characters beyond the Basic Multilingual Plane count in JavaScript's units.
"""

from collections.abc import Callable, Iterator
from typing import Any

import js  # type: ignore[import-not-found]


def _in_javascript(pattern: str) -> str:
    """A pattern as JavaScript writes it."""
    for python, javascript in (("(?P<", "(?<"), ("(?P=", "\\k<"), ("\\A", "^"), ("\\Z", "$")):
        pattern = pattern.replace(python, javascript)
    return pattern


class Match:
    """As `re.Match`."""

    def __init__(self, found: Any) -> None:
        self._found = found
        self.pos = found.index

    def __getitem__(self, wanted: Any) -> Any:
        if isinstance(wanted, str):
            return _or_none(getattr(self._found.groups, wanted))
        return _or_none(self._found[wanted])

    def group(self, wanted: Any = 0) -> Any:
        """As `re.Match.group`, for one group."""
        return self[wanted]

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """As `re.Match.groups`."""
        groups = [self[place] for place in range(1, self._found.length)]
        return tuple([default if group is None else group for group in groups])

    def start(self, group: int = 0) -> int:
        """As `re.Match.start`."""
        return self.span(group)[0]

    def end(self, group: int = 0) -> int:
        """As `re.Match.end`."""
        return self.span(group)[1]

    def span(self, group: int = 0) -> tuple[int, int]:
        """As `re.Match.span`."""
        if group == 0:
            return self.pos, self.pos + len(self._found[0])
        place = self._found.indices[group]
        return (-1, -1) if _or_none(place) is None else (place[0], place[1])


def _or_none(value: Any) -> Any:
    return None if value is None or value is js.undefined else value


class Pattern:
    """As `re.Pattern`."""

    def __init__(self, pattern: str) -> None:
        source = _in_javascript(pattern)
        self._here = js.RegExp.new(source, "dy")
        self._ahead = js.RegExp.new(source, "dg")
        self._whole = js.RegExp.new("(?:" + source + ")$", "dy")

    def _find(self, expression: Any, text: str, place: int) -> Match | None:
        expression.lastIndex = place
        found = expression.exec(text)
        return None if _or_none(found) is None else Match(found)

    def match(self, text: str, pos: int = 0) -> Match | None:
        """As `re.Pattern.match`."""
        return self._find(self._here, text, pos)

    def fullmatch(self, text: str) -> Match | None:
        """As `re.Pattern.fullmatch`."""
        return self._find(self._whole, text, 0)

    def search(self, text: str, pos: int = 0) -> Match | None:
        """As `re.Pattern.search`."""
        return self._find(self._ahead, text, pos)

    def finditer(self, text: str) -> Iterator[Match]:
        """As `re.Pattern.finditer`."""
        pos = 0
        while pos <= len(text):
            found = self.search(text, pos)
            if found is None:
                return
            yield found
            pos = found.end() + (found.end() == found.start())

    def findall(self, text: str) -> list[Any]:
        """As `re.Pattern.findall`."""
        made = []
        for found in self.finditer(text):
            groups = found.groups("")
            made.append(found.group() if not groups else groups[0] if len(groups) == 1 else groups)
        return made

    def sub(self, by: str | Callable[[Match], str], text: str) -> str:
        r"""As `re.Pattern.sub`, for texts with the references `\1` and `\2` alone."""
        made, done = "", 0
        for found in self.finditer(text):
            new = by if isinstance(by, str) else by(found)
            for place, group in enumerate(found.groups(""), 1) if isinstance(by, str) else ():
                new = new.replace("\\" + str(place), group)
            made += text[done : found.start()] + new
            done = found.end()
        return made + text[done:]


_KNOWN: Any = {}


def compile(pattern: str) -> Pattern:  # noqa: A001
    """As `re.compile`, without flags."""
    if pattern not in _KNOWN:
        _KNOWN[pattern] = Pattern(pattern)
    return _KNOWN[pattern]


def findall(pattern: str, text: str) -> list[Any]:
    """As `re.findall`."""
    return compile(pattern).findall(text)
