"""JSON for browsers: numbers that they round are written as text, and refused otherwise."""

import json

import pytest

from alquerque_env.files.browser_json import exact_number, write_json


def test_a_number_that_a_browser_rounds_is_text_and_int_reads_both() -> None:
    numbers = [0, -7, 9_007_199_254_740_991, 9_007_199_254_740_992, -(2**80)]
    written = [exact_number(number) for number in numbers]
    assert written == [0, -7, 9_007_199_254_740_991, "9007199254740992", "-1208925819614629174706176"]
    assert list(map(int, json.loads(write_json(written)))) == numbers


@pytest.mark.parametrize("content", [2**53, {"a": [-(2**53)]}, {"b": {"c": 10**30}}, float("nan"), float("inf")])
def test_a_number_that_a_browser_does_not_hold_is_refused(content: object) -> None:
    with pytest.raises(ValueError, match=r"a browser rounds -?\d+: expected at most 9007199254740991|not JSON comp"):
        write_json(content)
