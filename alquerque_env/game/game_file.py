"""Game files: the rules of a game as data, read and checked, and as one text, by which a game is pickled and kept."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_type_hints

from ..errors import LONGEST_PATH, RulesError, UnknownNameError, did_you_mean, shorten
from ..files.schema import noun, parse, parse_present, read_toml, show, unknown_key
from .board import Board
from .board_file import BoardFile, parse_board
from .definition import BOARD_OPTIONS, SIDES, Definition, GameFile, all_lines, ask_about_one_side
from .definition_check import check_definition
from .options import RULE_NAMES, Option, OptionValue, Rules, make_option
from .schedule_text import names_any

MOST_TEXT = 30_000
"""Characters of the longest text, about five times that of the largest game of the package."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
"""What the name of a game file may be, without its ending. It is part of names of files and of commands."""


def check_name(name: str, file: str) -> None:
    """Checks the name of a game file without its ending, which becomes the id of the game.

    Raises:
      RulesError: If it has other characters than letters, digits, `_` and `-`, or is too long.
    """
    if not NAME.fullmatch(name):
        raise RulesError(
            f"{file}: the name of the file becomes the id of the game, but {show(name)} is not made of letters a to z, "
            "digits, _ and -, beginning with a letter or digit, 60 at most: rename the file"
        )


MOST_LEVELS = 20
"""Files of the longest chain in which each extends the next."""

MERGED = ("rules", "options", "south", "north")
"""Tables of a base that the tables of a file complete key by key."""

SUFFIX = ".toml"
_SAID_BY_KEYS = {
    "board": "board names the board",
    "dash_sides": "board names the board",
    "pieces": "start says where the pieces stand",
    "drop_order": "schedule says in which order pieces are dropped",
}
_PIECE = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
_BOARD_KEYS = tuple(key.name for key in fields(BoardFile))


def games() -> tuple[str, ...]:
    """Returns the ids of all games, in alphabetical order."""
    return _names("games")


@cache
def find_definition(name: str) -> Definition:
    """A game of the package.

    Raises:
      UnknownNameError: If there is no such game.
    """
    if name not in games():
        raise UnknownNameError("game", name, games())
    return replace(_read(_packaged("games", name), None, ()), text="")


def find_game(name: str | os.PathLike[str]) -> Definition:
    """The game with an id, or the one in a file: a path ends in `.toml`, and `~` stands for the home folder.

    Raises:
      UnknownNameError: If there is no such game.
      RulesError: If there is no such file, it cannot be read or does not describe a game, or its name cannot be the id
        of a game. The message has the nearest name of another file.
    """
    if isinstance(name, os.PathLike) or (isinstance(name, str) and names_file(name)):
        return _read_named(os.fspath(name))
    if not isinstance(name, str):
        raise UnknownNameError("game", name, games())
    if name not in games():
        if os.path.isfile(f"{name}{SUFFIX}"):
            raise UnknownNameError("game", name, games(), near=f"{name}{SUFFIX}")
        if os.path.lexists(name) or os.path.basename(name) != name or Path(name).suffix:
            return _read_named(name)
    return find_definition(name)


def names_file(name: str) -> bool:
    """Whether a text is the path of a game file rather than a game's id."""
    return name.endswith(SUFFIX)


@lru_cache(maxsize=64)
def define_text(name: str, text: str) -> Definition:
    """The game of which another file, or a pickle, keeps the id and `Definition.text`.

    Raises:
      RulesError: If they do not describe a game.
    """
    file = f"{name}{SUFFIX}"
    check_name(name, show(name))
    if len(text) > MOST_TEXT:
        raise RulesError(f"{file}: the text of the game has {len(text):,} characters, expected {MOST_TEXT:,} at most")
    try:
        tables = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{file}: the text of the game is not valid JSON: {error}") from None
    if not isinstance(tables, dict):
        raise RulesError(f"{file}: the text of the game is {show(tables)}, expected a table")
    return define_game(tables, file)


def define_game(
    tables: Mapping[str, Any], file: str, folder: Path | None = None, seen: tuple[str, ...] = ()
) -> Definition:
    """Checks the tables of a game file.

    Args:
      tables: What `tomllib` has read.
      file: What errors call the file; the name of the game without the ending.
      folder: Where paths of boards and games begin; None if the file may only name those of the package.
      seen: The files that extend this one.

    Raises:
      RulesError: As `find_game`.
    """
    replaced: dict[str, Any] = {}
    if "extends" in tables:
        name = parse(str, tables["extends"], file, RulesError, "extends")
        own = tables = {key: value for key, value in tables.items() if key != "extends"}
        if name in _names("bases"):
            tables = _complete(tables, _read_base(name))
        else:
            base = _read_extended(name, file, folder, (*seen, file))
            replaced = {key: base.tables[key] for key in ("rules", "options") if key in tables and key in base.tables}
            tables = {**base.tables, "about": "", **tables}
        tables = _without_who_starts(tables, own)
    if "lines" in tables and tables.keys() <= set(_BOARD_KEYS):
        raise RulesError(f"{file}: this is a board file, expected a game file, which may have it as its board")
    _check_places(tables, file)
    content = parse(GameFile, dict(tables), file, RulesError)
    for key in ("title", "promoted_piece", "about"):
        if key != "about" or content.about:
            _check_line(getattr(content, key), file, key)
    if content.double_steps is not None:
        _check_line(content.double_steps.place, file, "double_steps.place")
    for side, key in product(SIDES, ("piece", "pieces")):
        _check_piece(getattr(getattr(content, side), key), file, f"{side}.{key}")
    table = {
        name: ask_about_one_side(make_option(name, entry, file, content.promoted_piece), content)
        for name, entry in content.options.items()
    }
    entries = dict(tables.get("options", {}))
    for name, value in content.defaults.items():
        if name not in table:
            raise unknown_key(file, RulesError, "defaults", name, table)
        default = parse(table[name].kind, value, file, RulesError, f"defaults.{name}")
        table[name] = replace(table[name], default=default)
        entries[name] = {**entries[name], "default": default}
    board, boards = _read_boards(content, table, file, folder)
    kept = {key: value for key, value in tables.items() if key != "defaults"}
    whole = {**kept, "board": board, "options": entries}
    text = json.dumps(whole, separators=(",", ":"))
    if len(text) > MOST_TEXT:
        raise RulesError(
            f"{file}: the game with its boards has {len(text):,} characters, expected {MOST_TEXT:,} at most: "
            "shorten its sources"
        )
    definition = Definition(
        name=Path(file).stem,
        file=file,
        content=content,
        boards=boards,
        rules=_fixed_rules(content, table, file, replaced),
        option_table=MappingProxyType(table),
        tables=whole,
        text=text,
    )
    check_definition(definition)
    return definition


def _check_places(tables: Mapping[str, Any], file: str) -> None:
    """Checks that no key of the file itself stands below the heading of a table, as if it were one of the table."""
    for name in ("start", "promotion", "double_steps", "south", "north", "schedules", "rules", "options"):
        for key in ("title", "version", "about", "extends", "sources", "promoted_piece", "sanctuary", "schedule"):
            if isinstance(table := tables.get(name), dict) and key in table:
                raise RulesError(f"{file}: {key} stands in the table {name}: write it above the first table")


def _check_line(text: str, file: str, key: str) -> None:
    """Checks that a name for people, which stands in sentences and headings, is one line that is not blank."""
    if not text.strip() or text.splitlines() != [text]:
        raise RulesError(f"{file}: {key} is {show(text)}, expected one line that is not blank")


def _check_piece(text: str, file: str, key: str) -> None:
    """Checks the name of a piece, which stands in the middle of sentences."""
    if text and not _PIECE.fullmatch(text):
        raise RulesError(f"{file}: {key} is {show(text)}, expected letters, with single spaces or hyphens between them")


@cache
def _read_base(name: str) -> dict[str, Any]:
    file = _packaged("bases", name)
    return read_toml(file, file.name, RulesError)


def _complete(tables: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a file with what a base has beside them.

    A rule that the file answers is no option any more, and one that it leaves open has no answer.
    """
    whole = {**base, **tables}
    for key in MERGED:
        if isinstance(tables.get(key, {}), dict):
            whole[key] = _merge(base.get(key, {}), tables.get(key, {}))
    for key, other in (("rules", "options"), ("options", "rules")):
        answered = tables.get(other)
        if isinstance(whole[key], dict) and isinstance(answered, dict):
            taken = set(answered) - set(tables.get(key, ()))
            whole[key] = {name: value for name, value in whole[key].items() if name not in taken}
    return whole


def _without_who_starts(tables: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The tables without the question who begins, where a schedule says it and the file itself does not ask."""
    found = dict(tables)
    for key in ("rules", "options"):
        table = found.get(key)
        if isinstance(table, dict) and table is not own.get(key) and names_any(_lines(tables), *SIDES):
            asked = set(own.get(key, ()))
            found[key] = {name: value for name, value in table.items() if name != "who_starts" or name in asked}
    return found


def _lines(tables: Mapping[str, Any]) -> Iterator[str]:
    """The lines of all schedules of a file whose types are not checked yet."""
    others = tables.get("schedules")
    for lines in (tables.get("schedule"), *(others.values() if isinstance(others, dict) else ())):
        yield from (line for line in (lines if isinstance(lines, list | tuple) else ()) if isinstance(line, str))


def _merge(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """A table with the keys of another that it leaves out, and so with the tables in it."""
    return {**base, **own} | {
        key: _merge(base[key], own[key])
        for key in base.keys() & own.keys()
        if isinstance(base[key], dict) and isinstance(own[key], dict)
    }


def _read(file: Traversable, folder: Path | None, seen: tuple[str, ...]) -> Definition:
    name = file.name if folder is None else str(file)
    return define_game(read_toml(file, name, RulesError), name, folder, seen)


def _read_named(path: str) -> Definition:
    file = Path(os.path.expanduser(path))  # Path.expanduser raises where there is no home folder
    if file.suffix != SUFFIX:
        raise RulesError(f"{shorten(path, LONGEST_PATH)!r} is not the path of a game file, whose name ends in {SUFFIX}")
    if not os.path.lexists(file):
        # The ending, which all have, makes no name near. A name of the package is near a file of that name.
        near = [each.name for each in _beside(file) if did_you_mean(file.stem, [each.stem])]
        near += [name for name in games() if name == file.stem]
        raise RulesError(f"no game file {shorten(str(file), LONGEST_PATH)!r}{did_you_mean(file.name, near)}")
    check_name(file.stem, str(file))
    found = _without_links(file)
    return replace(_read(found, found.parent, ()), path=path)


def _beside(file: Path) -> list[Path]:
    try:
        return sorted(file.parent.glob(f"*{SUFFIX}"))
    except (OSError, ValueError):
        return []


def _read_extended(base: str, file: str, folder: Path | None, seen: tuple[str, ...]) -> Definition:
    found = _find("games", base, file, "extends", folder)
    name = found.name if folder is None or not base.endswith(SUFFIX) else str(found)
    if name in seen:
        circle = " extends ".join(Path(each).name for each in (*seen, name))
        raise RulesError(f"{file}: extends is {base!r}, which leads back to it: {circle}")
    if len(seen) >= MOST_LEVELS:
        raise RulesError(f"{seen[0]}: more than {MOST_LEVELS} files extend one another, expected {MOST_LEVELS} at most")
    return _read(found, None if name == found.name else Path(name).parent, seen)


def _find(kind: str, name: str, file: str, path: str, folder: Path | None) -> Traversable:
    """The file of a game or board that a game file names."""
    if folder is not None and name.endswith(SUFFIX):
        try:
            found = _without_links(folder / name)
            is_there = found.is_file()
        except (OSError, ValueError):  # a name that is too long, or has the character zero
            found, is_there = folder / name, False
        if not is_there:
            shown = shorten(str(found), LONGEST_PATH)
            raise RulesError(f"{file}: {path} is {show(name)}, but there is no file {shown!r}")
        return found
    known = _names(kind)
    if name in known:
        return _packaged(kind, name)
    if kind == "games":
        known = tuple(sorted((*known, *_names("bases"))))
    is_there = folder is not None and os.path.isfile(folder / f"{name}{SUFFIX}")
    hint = f"; did you mean {f'{name}{SUFFIX}'!r}?" if is_there else did_you_mean(name, known)
    raise RulesError(
        f"{file}: {path} is {show(name)}, expected a {kind[:-1]} of the package or the path of a .toml file"
        f"{hint} (known: {', '.join(known)})"
    )


def _without_links(path: Path) -> Path:
    """The absolute path; one in a circle of links stays as it is, where `Path.resolve` may raise a `RuntimeError`."""
    return Path(os.path.realpath(path))


def _packaged(kind: str, name: str) -> Traversable:
    return resources.files(__package__) / kind / f"{name}{SUFFIX}"


@cache
def _names(kind: str) -> tuple[str, ...]:
    files = (resources.files(__package__) / kind).iterdir()
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in files if file.name.endswith(SUFFIX)))


def _read_boards(
    content: GameFile, table: Mapping[str, Option], file: str, folder: Path | None
) -> tuple[dict[str, Any], dict[str, Board]]:
    """The key `board` with the boards themselves in place of their names, and the boards by value of that option."""
    option = next((option for option in BOARD_OPTIONS if option in table), "board")
    chosen = table[option].values if option in table else ()
    if not chosen:
        if isinstance(content.board, dict) and not content.board.keys() & set(_BOARD_KEYS):
            raise RulesError(
                f"{file}: board is {show(content.board)}, expected the keys of a board file: {', '.join(_BOARD_KEYS)}"
            )
        tables, board = _read_board(content.board, file, "board", folder)
        return tables, {"": board}
    if isinstance(content.board, str) or content.board.keys() <= set(_BOARD_KEYS) - set(chosen):
        what = show(content.board) if isinstance(content.board, str) else "one board"
        raise RulesError(
            f"{file}: board is {what}, expected a table with a board for each answer of the option {option!r}: "
            f"{', '.join(map(str, chosen))}"
        )
    for value in chosen:
        if value not in content.board:
            raise RulesError(
                f"{file}: options.{option}.values has {value!r}, expected a key of the table board "
                f"(known: {', '.join(content.board)})"
            )
    for value in content.board:
        if value not in chosen:
            raise unknown_key(file, RulesError, "board", value, map(str, chosen))
    found = {value: _read_board(board, file, f"board.{value}", folder) for value, board in content.board.items()}
    return {value: tables for value, (tables, _) in found.items()}, {
        value: board for value, (_, board) in found.items()
    }


def _read_board(entry: Any, file: str, path: str, folder: Path | None) -> tuple[dict[str, Any], Board]:
    """A board that a game file names or holds: its tables, and the board."""
    entry = parse(str | dict[str, Any], entry, file, RulesError, path)  # type: ignore[arg-type]
    if isinstance(entry, dict):
        return entry, parse_board(entry, f"{file}: {path}")
    found = _find("boards", entry, file, path, folder)
    name = str(found) if folder is not None and entry.endswith(SUFFIX) else found.name
    tables = read_toml(found, name, RulesError)
    return tables, parse_board(tables, name)


def _fixed_rules(
    content: GameFile, table: Mapping[str, Option], file: str, replaced: Mapping[str, Any]
) -> dict[str, OptionValue]:
    """The answers that no option changes; `replaced` are tables of an extended game that the file has in its place."""
    fixed = parse_present(Rules, dict(content.rules), file, RulesError, "rules")
    for name, value in fixed.items():
        if name in table:
            raise RulesError(f"{file}: rules.{name} is {value!r}, but options.{name} asks it as well: keep one of them")
        if name in _SAID_BY_KEYS:
            raise RulesError(f"{file}: rules.{name} is {value!r}, expected nothing here: the key {_SAID_BY_KEYS[name]}")
    kinds = get_type_hints(Rules, include_extras=True)
    required = {rule.name for rule in fields(Rules) if not hasattr(Rules, rule.name)}
    if names_any(all_lines(content), *SIDES):
        required.remove("who_starts")
    for name in RULE_NAMES:
        if name in required and name not in fixed and name not in table:
            where = "".join(
                f"; the table {key} here replaces that of the extended game, which has it"
                for key, inherited in replaced.items()
                if name in inherited
            )
            expected = noun(kinds[name])
            raise RulesError(f"{file}: rules.{name} is missing, and no option asks for it: expected {expected}{where}")
    return fixed
