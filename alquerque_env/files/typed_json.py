"""What JSON or TOML says, as objects of typed classes."""

from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints


def build(kind: Any, content: Any) -> Any:
    """Makes an object of a type.

    Args:
      kind: A dataclass, `tuple[X, ...]`, `dict[str, X]` or `X | None` of such, or anything that is taken as it is.
      content: What the file says. What a dataclass has a default for may be missing, and what it lacks is left out.

    Raises:
      KeyError, TypeError, AttributeError: If something is missing, or of another shape.
    """
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        named = [field.name for field in fields(kind) if field.default is MISSING or field.name in content]
        return kind(**{name: build(hints[name], content[name]) for name in named})
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return tuple(build(inner[0], entry) for entry in content)
    if get_origin(kind) is dict:
        return {name: build(inner[1], entry) for name, entry in content.items()}
    if get_origin(kind) is UnionType:
        return None if content is None else build(inner[0], content)
    return content
