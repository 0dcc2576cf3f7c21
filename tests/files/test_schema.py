"""Schemas: objects from what a file says, and one sentence for what is wrong."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from alquerque_env.errors import AlquerqueError, RulesError
from alquerque_env.files.schema import Key, parse, parse_present, read_toml


@dataclass(frozen=True)
class Leaf:
    number: Annotated[int, Key("How many.", low=1, high=9)]
    names: Annotated[tuple[str, ...], Key("What they are called.", low=1)] = ("a",)


@dataclass(frozen=True)
class Tree:
    first: Leaf
    others: tuple[Leaf, ...]
    named: dict[str, Leaf]
    perhaps: Leaf | None
    colour: Literal["red", "green"] = "red"
    share: float = 0.5
    is_big: bool = False
    pair: tuple[int, str] = (1, "b")
    limit: Annotated[int, Key("At most.", low=1)] | Literal["off"] = "off"
    anything: Any = None
    labels: dict[str, str] = field(default_factory=dict)


TREE = {"first": {"number": 1}, "others": [], "named": {}, "perhaps": None}


def test_nested_objects_come_back_from_json() -> None:
    tree = Tree(Leaf(1), (Leaf(2, ("b", "c")), Leaf(3)), {"four": Leaf(4)}, None, limit=7, pair=(2, "c"))

    assert parse(Tree, json.loads(json.dumps(asdict(tree))), "tree.json") == tree
    other = Tree(Leaf(1), (), {}, Leaf(5), "green", 0.25, True, anything=[1, None], labels={"x": "y"})
    assert parse(Tree, json.loads(json.dumps(asdict(other))), "tree.json") == other
    assert parse(Tree, TREE, "tree.json") == Tree(Leaf(1), (), {}, None)


def test_an_integer_is_a_number() -> None:
    assert parse(Tree, {**TREE, "share": 1}, "tree.json").share == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": {}}, "first.number is missing, expected an integer from 1 to 9"),
        ({"first": 3}, "first is 3, expected a table"),
        ({"first": {"number": 10}}, "first.number is 10, expected an integer from 1 to 9"),
        ({"first": {"number": True}}, "first.number is True, expected an integer"),
        ({"first": {"number": 1.0}}, "first.number is 1.0, expected an integer"),
        ({"first": {"number": 1, "names": []}}, "first.names is [], expected a list of strings, not empty"),
        ({"first": {"number": 1, "names": "ab"}}, "first.names is 'ab', expected a list of strings"),
        (
            {"first": {"number": 1, "naems": 1}},
            "first has an unknown key 'naems'; did you mean 'names'? (known: number",
        ),
        ({"others": [{"number": 1}, 5]}, "others[1] is 5, expected a table"),
        ({"named": {"x": {"number": 0}}}, "named.x.number is 0, expected an integer from 1"),
        ({"named": {"two\nlines": 0}}, 'named."two\\nlines" is 0, expected a table'),
        ({"perhaps": 5}, "perhaps is 5, expected a table or null"),
        ({"colour": "gren"}, "colour is 'gren', expected one of: red, green; did you mean 'green'?"),
        ({"colour": 1}, "colour is 1, expected one of: red, green"),
        ({"share": "1"}, "share is '1', expected a number"),
        ({"share": False}, "share is False, expected a number"),
        ({"share": float("nan")}, "share is nan, expected a number"),
        ({"share": 10**400}, "share is 1000"),
        ({"is_big": 1}, "is_big is 1, expected true or false"),
        ({"pair": [1]}, "pair is [1], expected a list of 2 values"),
        ({"pair": [1, 2]}, "pair[1] is 2, expected a string"),
        ({"limit": 0}, "limit is 0, expected an integer from 1"),
        ({"limit": "of"}, "limit is 'of', expected an integer from 1 or 'off'; did you mean 'off'?"),
        ({"labels": {"x": 1}}, "labels.x is 1, expected a string"),
        ({"kolour": "red"}, "unknown key 'kolour'; did you mean 'colour'? (known: first, others, "),
    ],
)
def test_what_is_wrong_is_told_with_key_value_and_what_is_expected(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        parse(Tree, {**TREE, **change}, "tree.json", RulesError)

    assert str(caught.value).startswith(f"tree.json: {message}")
    assert "\n" not in str(caught.value)


def test_a_file_that_holds_no_table_is_refused() -> None:
    with pytest.raises(AlquerqueError, match=r"^tree\.json: the file is \[1\], expected a table$"):
        parse(Tree, [1], "tree.json")


def test_a_part_of_the_keys_can_be_read() -> None:
    assert parse_present(Tree, {"share": 1}, "tree.json") == {"share": 1}
    with pytest.raises(AlquerqueError, match="part has an unknown key 'x'"):
        parse_present(Tree, {"x": 1}, "tree.json", path="part")


def test_toml_is_read_or_refused_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("number = 1\n")
    assert read_toml(file, "a.toml", RulesError) == {"number": 1}
    file.write_text("number = 1\nnumber\nname = 2")
    with pytest.raises(RulesError, match=r"^a\.toml: not valid TOML: .*line 2"):
        read_toml(file, "a.toml", RulesError)
    for mark in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(mark + b"number = 1\n")
        assert read_toml(file, "a.toml", RulesError) == {"number": 1}
        file.write_bytes(mark + b"number = 1\n\xff")
        with pytest.raises(RulesError, match=r"^a\.toml: line 2 is not UTF-8 text: save the file as UTF-8$"):
            read_toml(file, "a.toml", RulesError)
    with pytest.raises(RulesError, match=r"^b\.toml: cannot be read: No such file"):
        read_toml(tmp_path / "b.toml", "b.toml", RulesError)
