"""Lists, sets and dictionaries: displays with `*`, a stable sort, and counters."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any


def list_of(*items: Any) -> list[Any]:
    """`[*a, b]` is `list_of(*a, b)`."""
    return list(items)


def tuple_of(*items: Any) -> tuple[Any, ...]:
    """`(*a, b)` is `tuple_of(*a, b)`."""
    return items


def set_of(*items: Any) -> set[Any]:
    """`{*a, b}` is `set_of(*a, b)`."""
    return set(items)


def dict_of(*parts: Any) -> Any:
    """`{**a, "b": 1}` is `dict_of(a, (("b", 1),))`."""
    made: Any = OrderedDict()
    for part in parts:
        made.update(part)
    return made


def sliced(items: Any, first: int | None, end: int | None, step: int) -> Any:
    """`items[first:end:step]`."""
    size = len(items)
    low, high = (0, size) if step > 0 else (-1, size - 1)
    bounds = []
    for bound, missing in ((first, low if step > 0 else high), (end, high if step > 0 else low)):
        place = missing if bound is None else max(low, min(high, bound + size if bound < 0 else bound))
        bounds.append(place)
    taken = [items[place] for place in range(bounds[0], bounds[1], step)]
    return "".join(taken) if isinstance(items, str) else tuple(taken) if isinstance(items, tuple) else taken


def keys_in_order(keys: Iterable[Any], value: Any = None) -> Any:
    """As `dict.fromkeys`."""
    return OrderedDict([(key, value) for key in keys])


def sorted_stably(items: Iterable[Any], key: Callable[[Any], Any] | None = None, reverse: bool = False) -> list[Any]:
    """As `sorted`: equal items keep their order."""
    listed = list(items)
    places = range(len(listed))
    keys = listed if key is None else [key(item) for item in listed]
    order = sorted([(keys[place], -place if reverse else place) for place in places])
    if reverse:
        order.reverse()
    return [listed[abs(place)] for _, place in order]


def sort_stably(items: list[Any], key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
    """As `list.sort`."""
    items[:] = sorted_stably(items, key, reverse)


class Counter:
    """As `collections.Counter`, without its arithmetic."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        # Its order matters to nobody, and a dictionary without order finds a key faster.
        self._counts: Any = _plain_dict()
        for item in items:
            self[item] += 1

    def __getitem__(self, key: Any) -> int:
        return self._counts.get(key, 0)

    def __setitem__(self, key: Any, count: int) -> None:
        self._counts[key] = count

    def copy(self) -> "Counter":
        """An independent copy."""
        twin = Counter()
        twin._counts = self._counts.copy()
        return twin


def _plain_dict() -> Any:
    return type(globals())()
