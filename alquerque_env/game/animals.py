"""The drawings of animals on the pieces of hunts."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def animal_drawings() -> Mapping[str, str]:
    """The SVG symbols of `animals.svg` by the names of the animals."""
    text = (resources.files(__package__) / "animals.svg").read_text(encoding="utf-8")
    return {name: symbol for symbol, name in re.findall(r'(<symbol id="alquerque-(\w+)".*?</symbol>)', text)}
