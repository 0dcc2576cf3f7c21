"""Functions of `functools`, `itertools`, `operator` and `contextlib`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def cache(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `functools.cache`, for arguments by place."""
    known: Any = type(globals())()

    def remembered(*arguments: Any) -> Any:
        if arguments not in known:
            known[arguments] = function(*arguments)
        return known[arguments]

    return remembered


def lru_cache(maxsize: int | None = None) -> Callable[..., Any]:  # noqa: ARG001
    """As `functools.lru_cache`, without a limit."""
    return cache


class cached_property:  # noqa: N801
    """As `functools.cached_property`."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, item: Any, owner: Any = None) -> Any:
        value = self._function(item)
        setattr(item, self._name, value)
        return value


def pairwise(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """As `itertools.pairwise`."""
    before: Any = None
    for number, item in enumerate(items):
        if number:
            yield before, item
        before = item


def index(number: Any) -> int:
    """As `operator.index`."""
    if not isinstance(number, int):
        raise TypeError("not an integer")
    return number


def attrgetter(name: str) -> Callable[[Any], Any]:
    """As `operator.attrgetter`, for one name."""
    return lambda item: getattr(item, name)


def itemgetter(place: Any) -> Callable[[Any], Any]:
    """As `operator.itemgetter`, for one place."""
    return lambda item: item[place]


class suppress:  # noqa: N801
    """As `contextlib.suppress`."""

    def __init__(self, *errors: Any) -> None:
        self._errors = errors

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        return kind is not None and issubclass(kind, self._errors)
