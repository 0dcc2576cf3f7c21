"""Typed schemas: dataclasses that say what a JSON or TOML file holds. Files are checked and documented from them.

The type of a field is `str`, `int`, `float`, `bool`, `Any`, `Literal[...]`, `X | Y`, `tuple[X, ...]`, `tuple[X, Y]`,
`dict[str, X]` or another dataclass. `Annotated[X, Key("meaning", low, high)]` adds a meaning and bounds. A field with a
default may be missing from the file.
"""

import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from ..errors import AlquerqueError, control_character, did_you_mean, shorten
from .regular import read_regular

T = TypeVar("T")

_NOUNS = {
    str: ("a string", "strings"),
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    bool: ("true or false", "true or false"),
    NoneType: ("null", "null"),
    Any: ("anything", "anything"),
}


@dataclass(frozen=True)
class Key:
    """What a key of a file means, and which values it takes."""

    meaning: str = ""  # one sentence for the documentation
    low: int | None = None  # least number, or least length of a string, list or table; None for no bounds
    high: int | None = None  # greatest number or length, None if `low` is the only bound

    def holds(self, value: Any) -> bool:
        """Whether a value lies within the bounds."""
        if self.low is None:
            return True
        size = value if isinstance(value, int | float) else len(value)
        return self.low <= size and (self.high is None or size <= self.high)

    def describe(self, noun: str, is_number: bool) -> str:
        """The noun with the bounds, such as `an integer from 1 to 10`."""
        if self.low is None:
            return noun
        if not is_number:
            return f"{noun}, not empty"
        return f"{noun} from {self.low}" + ("" if self.high is None else f" to {self.high}")


MOST_TOML = 1_000_000  # bytes of the largest TOML file that is read


def read_toml(file: Traversable, name: str, error: type[AlquerqueError]) -> dict[str, Any]:
    """Reads a TOML file, which errors call `name`, with the line of what is wrong there."""
    try:
        content = read_regular(file, MOST_TOML) if isinstance(file, Path) else file.read_bytes()
        return tomllib.loads(content.decode("utf-8-sig"))  # Windows editors begin a file with a byte order mark
    except OSError as cause:
        raise error(f"{name}: cannot be read: {cause.strerror or cause}") from None
    except UnicodeDecodeError as cause:
        line = cause.object[: cause.start].count(b"\n") + 1
        raise error(f"{name}: line {line} is not UTF-8 text: save the file as UTF-8") from None
    except (ValueError, RecursionError) as cause:
        raise error(f"{name}: not valid TOML: {cause}") from None


def parse(kind: type[T], content: Any, file: str, error: type[AlquerqueError] = AlquerqueError, path: str = "") -> T:
    """Makes an object of a type from what a file says.

    Args:
      kind: The type.
      content: What `tomllib` or `json` has read.
      file: What errors call the file.
      error: What is raised.
      path: The key in the file under which `content` stands.

    Raises:
      AlquerqueError: If a key is unknown or missing, a value has another type or lies outside its bounds, or a text has
        control characters. The error names the file, the key, the value and what is expected.
    """
    check_texts(content, file, error, path)
    return _Reader(file, error).read(kind, content, path)


def parse_present(
    kind: type, content: Mapping[str, Any], file: str, error: type[AlquerqueError] = AlquerqueError, path: str = ""
) -> dict[str, Any]:
    """Reads those fields of a dataclass that are in the file; others may be missing. See `parse`."""
    check_texts(content, file, error, path)
    return _Reader(file, error).fields(kind, content, path)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON, for `object_pairs_hook`; `ValueError` if a key is there twice, since readers would differ."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def check_texts(content: Any, file: str, error: type[AlquerqueError] = AlquerqueError, path: str = "") -> None:
    """Refuses texts, keys included, with control characters, which could change a terminal; see `parse`."""
    left = [(path, content)]  # no recursion, since a file may hold any number of tables in each other
    while left:
        path, each = left.pop()
        if isinstance(each, str):
            if control_character(each, lines=True) is not None:
                where = path or "the file"
                raise error(f"{file}: {where} is {show(each)}, which has a control character: expected printable text")
        elif isinstance(each, Mapping):
            for name, value in each.items():
                left += [(f"the key {_join(path, name)}", name), (_join(path, name), value)]
        elif isinstance(each, list | tuple):
            left += [(f"{path}[{place}]", value) for place, value in enumerate(each)]


class _Reader(NamedTuple):
    file: str
    error: type[AlquerqueError]

    def read(self, kind: Any, content: Any, path: str) -> Any:
        origin, inner = get_origin(kind), get_args(kind)
        if not _fits(kind, content):
            raise self.unexpected(kind, content, path)
        if origin is Annotated:
            return self.read(inner[0], content, path)
        if origin in (Union, UnionType):
            return self.read(next(choice for choice in inner if _fits(choice, content)), content, path)
        if origin is tuple:
            kinds = [inner[0]] * len(content) if inner[-1] is ... else inner
            if len(kinds) != len(content):
                raise self.unexpected(kind, content, path)
            return tuple(self.read(kinds[place], each, f"{path}[{place}]") for place, each in enumerate(content))
        if origin is dict:
            return {name: self.read(inner[1], value, _join(path, name)) for name, value in content.items()}
        if is_dataclass(kind):
            return self._object(kind, content, path)
        return content

    def _object(self, kind: Any, content: dict[str, Any], path: str) -> Any:
        found = self.fields(kind, content, path)
        for name, field in _fields(kind).items():
            if name not in found and _is_required(field):
                what = noun(_hints(kind)[name])
                raise self.error(f"{self.file}: {_join(path, name)} is missing, expected {what}")
        return kind(**found)

    def fields(self, kind: Any, content: Mapping[str, Any], path: str) -> dict[str, Any]:
        known, hints = _fields(kind), _hints(kind)
        for name in content:
            if name not in known:
                raise unknown_key(self.file, self.error, path, name, known)
        return {name: self.read(hints[name], value, _join(path, name)) for name, value in content.items()}

    def unexpected(self, kind: Any, content: Any, path: str) -> AlquerqueError:
        known = [value for value in literals(kind) if isinstance(value, str)]
        hint = did_you_mean(content, known) if isinstance(content, str) else ""
        where = path or "the file"
        return self.error(f"{self.file}: {where} is {show(content)}, expected {noun(kind)}{hint}")


def unknown_key(file: str, error: type[AlquerqueError], path: str, name: str, known: Iterable[str]) -> AlquerqueError:
    """The error for a key that a table of a file does not have."""
    known = list(known)
    where = f"{file}: {path} has an" if path else f"{file}:"
    listed = f" (known: {', '.join(known)})" if known else ", expected no keys here"
    return error(f"{where} unknown key {show(name)}{did_you_mean(name, known)}{listed}")


def show(value: object) -> str:
    """A value of a file on one line, shortened."""
    try:
        return shorten(repr(value))
    except ValueError:  # an integer of more digits than Python writes
        return "a number of thousands of digits"
    except RecursionError:
        return "a value of too many lists or tables in each other"


def _join(path: str, name: str) -> str:
    name = name if name.replace("_", "").isalnum() else json.dumps(shorten(name))
    return f"{path}.{name}" if path else name


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


@cache
def _fields(kind: Any) -> dict[str, Field[Any]]:
    return {field.name: field for field in fields(kind)}


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _fits(kind: Any, content: Any) -> bool:
    """Whether a value has the outer form of a type, and its bounds."""
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *keys = get_args(kind)
        return _fits(inner, content) and all(key.holds(content) for key in keys)
    if origin is Literal:
        return any(type(content) is type(value) and content == value for value in get_args(kind))
    if origin is tuple:
        return isinstance(content, list | tuple)
    if origin is dict or is_dataclass(kind):
        return isinstance(content, dict)
    if origin in (Union, UnionType):
        return any(_fits(choice, content) for choice in get_args(kind))
    if kind is float:
        return type(content) in (int, float) and abs(content) <= sys.float_info.max
    if kind in _NOUNS:
        return kind is Any or type(content) is kind
    return isinstance(content, kind)


def literals(kind: Any) -> list[Any]:
    """The values that a type lists."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    is_open = get_origin(kind) in (Union, UnionType, Annotated)
    return [value for inner in get_args(kind) for value in literals(inner)] if is_open else []


def noun(kind: Any, plural: bool = False) -> str:
    """A type in words, such as `a list of strings`."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        word = noun(inner[0], plural)
        is_number = inner[0] in (int, float)
        return inner[1].describe(word, is_number) if is_number or not plural else word
    if origin is Literal:
        texts = ", ".join(value if isinstance(value, str) else json.dumps(value) for value in inner)
        return f"one of: {texts}" if len(inner) > 1 else repr(inner[0])
    if origin in (Union, UnionType):
        return " or ".join(noun(choice, plural) for choice in inner)
    if origin is tuple:
        what = noun(inner[0], plural=True) if inner[-1] is ... else f"{len(inner)} values"
        return f"{'lists' if plural else 'a list'} of {what}"
    if origin is dict or is_dataclass(kind):
        return "tables" if plural else "a table"
    return _NOUNS[kind][plural] if kind in _NOUNS else str(kind)
