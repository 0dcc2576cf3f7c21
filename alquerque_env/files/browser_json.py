"""JSON that a browser reads. It holds whole numbers up to `MAX_NUMBER` and rounds larger ones."""

import json

MAX_NUMBER = 2**53 - 1


def exact_number(number: int) -> int | str:
    """A whole number for `write_json`: as text if a browser would round it. `int` reads both."""
    return number if abs(number) <= MAX_NUMBER else str(number)


def write_json(content: object) -> bytes:
    """Writes JSON; raises `ValueError` for a number that a browser does not hold."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    json.loads(text, parse_int=_held)
    return text.encode()


def _held(digits: str) -> None:
    if exact_number(number := int(digits)) != number:
        raise ValueError(f"a browser rounds {digits}: expected at most {MAX_NUMBER}, or text from exact_number")
