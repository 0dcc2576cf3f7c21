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


def combinations(items: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """As `itertools.combinations`."""
    listed = list(items)
    if size == 0:
        yield ()
        return
    for place, item in enumerate(listed):
        for rest in combinations(listed[place + 1 :], size - 1):
            yield (item, *rest)


def index(number: Any) -> int:
    """As `operator.index`."""
    if not isinstance(number, int):
        raise TypeError("not an integer")
    return number


def contextmanager(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `contextlib.contextmanager`."""
    return lambda *arguments: _Managed(function(*arguments))


class _Managed:
    """What a generator does before and after its one `yield`."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __enter__(self) -> Any:
        return next(self._generator)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        try:
            if kind is None:
                next(self._generator)
            else:
                self._generator.throw(error)
        except StopIteration:
            return kind is not None
        return False
