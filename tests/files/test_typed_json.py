"""What a file says, as objects of typed classes."""

import json
from dataclasses import asdict, dataclass

import pytest

from alquerque_env.files.typed_json import build


@dataclass(frozen=True)
class Leaf:
    number: int
    names: tuple[str, ...] = ("a",)


@dataclass(frozen=True)
class Tree:
    first: Leaf
    others: tuple[Leaf, ...]
    named: dict[str, Leaf]
    perhaps: Leaf | None


def test_nested_objects_come_back_from_json() -> None:
    tree = Tree(Leaf(1), (Leaf(2, ("b", "c")), Leaf(3)), {"four": Leaf(4)}, None)

    assert build(Tree, json.loads(json.dumps(asdict(tree)))) == tree
    other = Tree(Leaf(1), (), {}, Leaf(5))
    assert build(Tree, json.loads(json.dumps(asdict(other)))) == other


def test_what_has_a_default_may_be_missing_and_what_is_unknown_is_left_out() -> None:
    assert build(Leaf, {"number": 1, "colour": "red"}) == Leaf(1)
    assert build(tuple[Leaf, ...], [{"number": 1}, {"number": 2}]) == (Leaf(1), Leaf(2))


@pytest.mark.parametrize("content", [{}, {"names": ["b"]}, None, 3])
def test_what_is_missing_or_of_another_shape_is_an_error(content: object) -> None:
    with pytest.raises((KeyError, TypeError)):
        build(Leaf, content)
