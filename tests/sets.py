"""Cases of tests by the sets in which they run."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., None])
CASE = type(pytest.param())


def first_by_default(test: Test) -> Test:
    """Marks the cases of a parametrised test as slow, but for the first value of each parameter."""
    marks = []
    for mark in test.pytestmark:
        if mark.name == "parametrize":
            names, values = mark.args
            several = not isinstance(names, str) or "," in names
            cases = first_case(
                pytest.param(*value) if several and type(value) is not CASE else value for value in values
            )
            mark = pytest.mark.parametrize(names, cases, **mark.kwargs).mark
        marks.append(mark)
    test.pytestmark = marks
    return test


def first_case(values: Iterable[object]) -> list[Any]:
    """Parameters of a test or fixture, all marked as slow but the first that has no mark."""
    cases = [value if type(value) is CASE else pytest.param(value) for value in values]
    first = next(number for number, case in enumerate(cases) if not case.marks)
    return [
        case if number == first else case._replace(marks=(*case.marks, pytest.mark.slow))
        for number, case in enumerate(cases)
    ]
