"""Classes that dataclasses and named tuples derive from, which have `_fields`; and other objects with attributes."""

from collections import OrderedDict
from typing import Any


class Record:
    """The methods of a dataclass."""

    _fields: Any = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, tuple):
            return self._as_tuple() == other
        return type(self) is type(other) and all(getattr(self, name) == getattr(other, name) for name in self._fields)

    def __hash__(self) -> int:
        return hash(self._as_tuple())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([f'{name}={getattr(self, name)!r}' for name in self._fields])})"

    def _as_tuple(self) -> Any:
        return tuple([getattr(self, name) for name in self._fields])

    def _replace(self, **changes: Any) -> Any:
        return type(self)(**{name: changes.get(name, getattr(self, name)) for name in self._fields})


class TupleRecord(Record):
    """The methods of a named tuple."""

    def __iter__(self) -> Any:
        return iter(self._as_tuple())

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, place: Any) -> Any:
        return self._as_tuple()[place]

    def __lt__(self, other: Any) -> Any:
        return self._as_tuple() < tuple(other)

    def _asdict(self) -> Any:
        return OrderedDict([(name, getattr(self, name)) for name in self._fields])


def replace(record: Any, **changes: Any) -> Any:
    """As `dataclasses.replace`."""
    return record._replace(**changes)


class SimpleNamespace:
    """As `types.SimpleNamespace`."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)
