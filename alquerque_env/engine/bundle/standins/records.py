"""The methods of dataclasses and named tuples, for classes with `_fields`; and other objects with attributes."""

from collections import OrderedDict
from typing import Any


def same_record(one: Any, other: Any) -> bool:
    """`__eq__`."""
    if one is other:
        return True
    if isinstance(other, tuple):
        return tuple(record_items(one)) == other
    return type(one) is type(other) and all(getattr(one, name) == getattr(other, name) for name in one._fields)


def hash_record(record: Any) -> int:
    """`__hash__`."""
    return hash(tuple(record_items(record)))


def show_record(record: Any) -> str:
    """`__repr__`."""
    return f"{type(record).__name__}({', '.join([f'{name}={getattr(record, name)!r}' for name in record._fields])})"


def record_items(record: Any) -> Any:
    """`__iter__` of a named tuple."""
    return iter([getattr(record, name) for name in record._fields])


def record_length(record: Any) -> int:
    """`__len__` of a named tuple."""
    return len(record._fields)


def record_item(record: Any, place: Any) -> Any:
    """`__getitem__` of a named tuple."""
    return tuple(record_items(record))[place]


def record_is_less(one: Any, other: Any) -> bool:
    """`__lt__` of a named tuple."""
    return tuple(record_items(one)) < tuple(record_items(other))


def record_dict(record: Any) -> Any:
    """`_asdict` of a named tuple."""
    return OrderedDict([(name, getattr(record, name)) for name in record._fields])


def changed_record(record: Any, **changes: Any) -> Any:
    """`_replace` of a named tuple, and `dataclasses.replace`."""
    return type(record)(**{name: changes.get(name, getattr(record, name)) for name in record._fields})


replace = changed_record


class SimpleNamespace:
    """As `types.SimpleNamespace`."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)
