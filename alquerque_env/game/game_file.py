"""Game files: the rules of a game as data, read and checked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_type_hints

from ..errors import RulesError, UnknownNameError, did_you_mean
from ..files.schema import Key, noun, parse, parse_present, read_toml, show, unknown_key
from .board import LABEL, Board
from .board_file import BoardFile, find_points, parse_board
from .file_text import write_text
from .options import RULE_NAMES, Option, OptionFile, OptionValue, Rules, make_option, spell
from .ruleset import NORTH, SOUTH, OpeningStep, Ruleset
from .step_table import find_templates
from .table_layout import EMPTY, ENEMY, OWN_MEN

R = TypeVar("R", bound=Ruleset)

_SUFFIX = ".toml"
_BOARD_KEYS = frozenset(field.name for field in fields(BoardFile))
_OPENING = re.compile(rf"(\*|{LABEL})-(\*|{LABEL})")
_BOARD_OPTIONS = ("board", "dash_sides")
_START_OPTIONS = ("pieces", "board")


@dataclass(frozen=True, kw_only=True)
class StartFile:
    """The start in a game file."""

    south: Annotated[str, Key("Points of the men of `player_0`: labels separated by spaces.", low=1)]
    north: Annotated[str, Key("Points of the men of `player_1`.", low=1)]


@dataclass(frozen=True, kw_only=True)
class PromotionFile:
    """The promotion points in a game file."""

    south: Annotated[str, Key("Points where men of `player_0` are promoted: labels separated by spaces.", low=1)]
    north: Annotated[str, Key("Points where men of `player_1` are promoted.", low=1)]


@dataclass(frozen=True, kw_only=True)
class GameFile:
    """What a game file holds."""

    title: Annotated[str, Key("The game's name for people.", low=1)]
    version: Annotated[int, Key("Raised whenever play, actions or observations change.", low=1, high=1_000_000)]
    extends: Annotated[
        str, Key("A game that has every key that this file leaves out: an id, or the path of a file from this one.")
    ] = ""
    board: Annotated[
        str | dict[str, Any],
        Key(
            "A board of the package, the path of a board file from this one, or a table with the keys of a board file. "
            "If an option, `board` or `dash_sides`, chooses, a table of these."
        ),
    ]
    sources: Annotated[tuple[str, ...], Key("Where the rules are described.", low=1)]
    start: Annotated[StartFile, Key("Where the pieces stand.")]
    starts: Annotated[
        dict[str, StartFile], Key("Other starts, by the answer of the option `pieces` or `board` that has them.")
    ] = field(default_factory=dict)
    promotion: Annotated[PromotionFile | None, Key('Where men are promoted, if `promotion = "points"`.')] = None
    promoted_piece: Annotated[str, Key("What texts call a promoted piece.", low=1)] = "mullah"
    sanctuary: Annotated[str, Key("Points on which no piece can be captured: labels separated by spaces.")] = ""
    rules: Annotated[dict[str, OptionValue], Key("Rules with one answer in this game.")]
    openings: Annotated[
        dict[str, str | tuple[str, ...]],
        Key(
            "The first steps that each answer of the rule `opening` allows, one or a list, as `c2-c3` in the frame of "
            "the player who begins; `*` stands for any point."
        ),
    ] = field(default_factory=dict)
    options: Annotated[dict[str, OptionFile], Key("Rules that the game leaves open.")] = field(default_factory=dict)
    defaults: Annotated[dict[str, OptionValue], Key("Other defaults for options of the extended game.")] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class Definition:
    """A game with its options still open.

    Attributes:
      name: The game's id.
      file: What errors call its file.
      content: What the file says, with the keys of the game that it extends.
      boards: The boards by the value of the option `board`; without that option, the board by the empty string.
      rules: The answers that no option changes.
      option_table: The options by name.
      tables: `content` as TOML has it, with the boards in it, for games that extend this one.
      text: `tables` as JSON, which stands for the file and all files that it names; empty for a game of the package.
    """

    name: str
    file: str
    content: GameFile
    boards: Mapping[str, Board]
    rules: Mapping[str, OptionValue]
    option_table: Mapping[str, Option]
    tables: Mapping[str, Any]
    text: str


def games() -> tuple[str, ...]:
    """Ids of all games, in alphabetical order."""
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


def read_game_file(path: Path) -> Definition:
    """Reads and checks a game file.

    Raises:
      RulesError: If the file cannot be read or does not describe a game. The error names file, key and value, and what
        is expected.
    """
    return _read(path.resolve(), path.resolve().parent, ())


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
      RulesError: As `read_game_file`.
    """
    if "extends" in tables:
        base = _read_extended(parse(str, tables["extends"], file, RulesError, "extends"), file, folder, (*seen, file))
        tables = {**base.tables, **{key: value for key, value in tables.items() if key != "extends"}}
    content = parse(GameFile, dict(tables), file, RulesError)
    table = {name: make_option(name, entry, file, content.promoted_piece) for name, entry in content.options.items()}
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
    definition = Definition(
        name=Path(file).stem,
        file=file,
        content=content,
        boards=boards,
        rules=_fixed_rules(content, table, file),
        option_table=MappingProxyType(table),
        tables=whole,
        text=write_text(whole, file),
    )
    _check_openings(definition)
    _check_starts(definition)
    for choice in _choices(table):
        ruleset = choose_options(definition, choice, Ruleset, file)
        _check_start(definition, ruleset)
        _check_promotion(definition, ruleset)
    return definition


def choose_options(definition: Definition, options: Mapping[str, Any], kind: type[R], of: str) -> R:
    """Chooses the options of a game.

    Args:
      definition: The game.
      options: Values by option name; defaults for those left out.
      kind: `Ruleset` or a class derived from it.
      of: What errors call the game.

    Raises:
      UnknownNameError: If there is no such option.
      RulesError: If an option does not have that value, or options contradict each other.
    """
    table = definition.option_table
    for option in options:
        if option not in table:
            raise UnknownNameError("option", option, table, of=of)
    chosen = {
        option: entry.parse(options[option], of) if option in options else entry.default
        for option, entry in table.items()
    }
    answers: dict[str, Any] = {**definition.rules, **chosen}
    board = definition.boards[next((answers[option] for option in _BOARD_OPTIONS if option in table), "")]
    start, opening = _start(definition, board, chosen), _opening(definition, board, answers.get("opening", "any"))
    promotion = _promotion(definition, board, answers["promotion"])
    sanctuary = frozenset(find_points(board, definition.content.sanctuary, definition.file, "sanctuary"))
    try:
        return kind(
            name=definition.name,
            title=definition.content.title,
            version=definition.content.version,
            board=board,
            start=start,
            rules=Rules(**answers),
            option_table=table,
            options=MappingProxyType(chosen),
            opening=opening,
            sources=definition.content.sources,
            promotion=promotion,
            promoted_piece=definition.content.promoted_piece,
            sanctuary=sanctuary,
            file_text=definition.text,
        )
    except RulesError as error:
        raise RulesError(f"{of}: {error}") from None


def _start(
    definition: Definition, board: Board, chosen: Mapping[str, OptionValue]
) -> tuple[frozenset[int], frozenset[int]]:
    """The points of the men of both players at the start.

    Raises:
      RulesError: If a label is unknown or listed twice.
    """
    starts = definition.content.starts
    answers = [spell(chosen[option]) for option in _START_OPTIONS if option in chosen]
    other = next((answer for answer in answers if answer in starts), None)
    table, start = ("start", definition.content.start) if other is None else (f"starts.{other}", starts[other])
    sides: list[frozenset[int]] = []
    for side in ("south", "north"):
        path, text = f"{table}.{side}", getattr(start, side)
        points = find_points(board, text, definition.file, path)
        for place, point in enumerate(points):
            if point in frozenset(points[:place]).union(*sides):
                raise RulesError(f"{definition.file}: {path} has {board.labels[point]!r}, which has a piece already")
        if not points:
            raise RulesError(f"{definition.file}: {path} is {show(text)}, expected a point or more")
        sides.append(frozenset(points))
    return sides[0], sides[1]


def _promotion(definition: Definition, board: Board, answer: OptionValue) -> tuple[frozenset[int], frozenset[int]]:
    """The promotion points of both players that the file names.

    Raises:
      RulesError: If a label is unknown, the table is missing, or it is there and the answer does not use it.
    """
    file, points = definition.file, definition.content.promotion
    if points is None:
        if answer == "points":
            raise RulesError(
                f"{file}: promotion is missing, which promotion='points' needs: add a table [promotion] with the "
                "points of south and north, or set promotion='last_rank'"
            )
        return frozenset(), frozenset()
    if answer != "points":
        raise RulesError(
            f"{file}: promotion has points, which promotion={answer!r} does not use: remove the table, or set "
            "promotion='points'"
        )
    south, north = (
        frozenset(find_points(board, getattr(points, side), file, f"promotion.{side}")) for side in ("south", "north")
    )
    return south, north


def _opening(definition: Definition, board: Board, answer: str) -> tuple[OpeningStep, ...] | None:
    """The first steps that an answer of the rule `opening` allows, as (origin, target); None for a free first turn."""
    if answer == "any":
        return None
    return tuple(
        _opening_step(definition.file, path, text, board) for path, text in _opening_steps(definition.content, answer)
    )


def _opening_steps(content: GameFile, answer: str) -> list[tuple[str, str]]:
    """The steps of an answer of the rule `opening`, each with its key in the file."""
    steps, path = content.openings[answer], f"openings.{answer}"
    return [(path, steps)] if isinstance(steps, str) else [(f"{path}[{n}]", step) for n, step in enumerate(steps)]


def _opening_step(file: str, path: str, text: str, board: Board) -> OpeningStep:
    match = _OPENING.fullmatch(text)
    if match is None:
        raise RulesError(f"{file}: {path} is {show(text)}, expected a step such as 'c2-c3' or '*-c3'")
    origin, target = (None if name == "*" else find_points(board, name, file, path)[0] for name in match.groups())
    return origin, target


def _read(file: Traversable, folder: Path | None, seen: tuple[str, ...]) -> Definition:
    name = file.name if folder is None else str(file)
    return define_game(read_toml(file, name, RulesError), name, folder, seen)


def _read_extended(base: str, file: str, folder: Path | None, seen: tuple[str, ...]) -> Definition:
    found = _find("games", base, file, "extends", folder)
    name = found.name if folder is None or not base.endswith(_SUFFIX) else str(found)
    if name in seen:
        circle = " extends ".join(Path(each).name for each in (*seen, name))
        raise RulesError(f"{file}: extends is {base!r}, which leads back to it: {circle}")
    return _read(found, None if name == found.name else Path(name).parent, seen)


def _find(kind: str, name: str, file: str, path: str, folder: Path | None) -> Traversable:
    """The file of a game or board that a game file names.

    Raises:
      RulesError: If there is none.
    """
    if folder is not None and name.endswith(_SUFFIX):
        found = (folder / name).resolve()
        if not found.is_file():
            raise RulesError(f"{file}: {path} is {show(name)}, but there is no file {str(found)!r}")
        return found
    if name in _names(kind):
        return _packaged(kind, name)
    known = _names(kind)
    raise RulesError(
        f"{file}: {path} is {show(name)}, expected a {kind[:-1]} of the package or the path of a .toml file"
        f"{did_you_mean(name, known)} (known: {', '.join(known)})"
    )


def _packaged(kind: str, name: str) -> Traversable:
    return resources.files(__package__) / kind / f"{name}{_SUFFIX}"


@cache
def _names(kind: str) -> tuple[str, ...]:
    files = (resources.files(__package__) / kind).iterdir()
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX)))


def _read_boards(
    content: GameFile, table: Mapping[str, Option], file: str, folder: Path | None
) -> tuple[dict[str, Any], dict[str, Board]]:
    """The key `board` with the boards themselves in place of their names, and the boards by value of that option."""
    option = next((option for option in _BOARD_OPTIONS if option in table), "board")
    chosen = table[option].values if option in table else ()
    if not chosen:
        if isinstance(content.board, dict) and not content.board.keys() & _BOARD_KEYS:
            raise RulesError(f"{file}: board is {show(content.board)}, expected a string: there is no option 'board'")
        tables, board = _read_board(content.board, file, "board", folder)
        return tables, {"": board}
    if isinstance(content.board, str):
        raise RulesError(f"{file}: board is {content.board!r}, expected a table for the option {option!r}")
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
    name = str(found) if folder is not None and entry.endswith(_SUFFIX) else found.name
    tables = read_toml(found, name, RulesError)
    return tables, parse_board(tables, name)


def _fixed_rules(content: GameFile, table: Mapping[str, Option], file: str) -> dict[str, OptionValue]:
    """The answers that no option changes."""
    fixed = parse_present(Rules, dict(content.rules), file, RulesError, "rules")
    for name, value in fixed.items():
        if name in table:
            raise RulesError(f"{file}: rules.{name} is {value!r}, but options.{name} asks it as well: keep one of them")
        if name == "board":
            raise RulesError(f"{file}: rules.board is {value!r}, expected nothing here: the key board names the board")
    kinds = get_type_hints(Rules, include_extras=True)
    required = {rule.name for rule in fields(Rules) if not hasattr(Rules, rule.name)}
    for name in RULE_NAMES:
        if name in required and name not in fixed and name not in table:
            raise RulesError(
                f"{file}: rules.{name} is missing, and no option asks for it: expected {noun(kinds[name])}"
            )
    return fixed


def _check_openings(definition: Definition) -> None:
    content, file = definition.content, definition.file
    answers = definition.option_table["opening"].values if "opening" in definition.option_table else ()
    wanted = [str(answer) for answer in answers or [definition.rules.get("opening", "any")] if answer != "any"]
    for answer in wanted:
        if answer not in content.openings:
            raise RulesError(
                f"{file}: openings.{answer} is missing, expected a step such as 'c2-c3' or '*-c3'"
                f"{did_you_mean(answer, content.openings)}"
            )
    for answer in content.openings:
        if answer not in wanted:
            raise unknown_key(file, RulesError, "openings", answer, wanted)


def _check_starts(definition: Definition) -> None:
    file, options = definition.file, definition.option_table
    answers = [spell(value) for option in _START_OPTIONS if option in options for value in options[option].values]
    for answer in definition.content.starts:
        if answer not in answers:
            raise unknown_key(file, RulesError, "starts", answer, answers)


def _choices(table: Mapping[str, Option]) -> Iterator[dict[str, OptionValue]]:
    """Every choice of the options on which the start depends."""
    names = [name for name in (*_BOARD_OPTIONS, "pieces", "opening", "who_starts") if name in table]
    for values in product(*(table[name].values for name in names)):
        yield dict(zip(names, values, strict=True))


def _check_start(definition: Definition, game: Ruleset) -> None:
    """Checks that the first player has a step or capture at the start, and one that the opening rule allows.

    Raises:
      RulesError: If there is none.
    """
    player = game.first_player
    if game.opening is None:
        seen = dict.fromkeys(game.start[1 - player], ENEMY) | dict.fromkeys(game.start[player], OWN_MEN)
        for template in find_templates(game, player):
            is_open = all(seen.get(point, EMPTY) == what for what, point in template.path)
            if is_open and template.first and not template.is_king and template.origin in game.start[player]:
                return
        raise RulesError(f"{definition.file}: start leaves player_{player}, who begins, without a step")
    for (path, text), step in zip(_opening_steps(definition.content, game.rules.opening), game.opening, strict=True):
        if fault := _fault_of_opening(game, *step):
            raise RulesError(f"{definition.file}: {path} is {text!r}, but {fault}")


def _fault_of_opening(game: Ruleset, origin: int | None, target: int | None) -> str | None:
    """Why the first player cannot take a step at the start; None if that is possible."""
    labels, player = game.board.labels, game.first_player
    # The opening is in the frame of the first player, the start is not.
    turn = game.turn if player == NORTH else tuple(range(len(labels)))
    own, enemy = ({turn[point] for point in game.start[side]} for side in (player, 1 - player))
    if origin is not None and origin not in own:
        return f"the player who begins has no piece on {labels[origin]}"
    if target in own | enemy:
        return f"{labels[target]} is not vacant at the start"
    steps = [(turn[a], turn[b]) for a, b in game.man_steps(player)]
    if not any(a in own and b not in own | enemy and origin in (None, a) and target in (None, b) for a, b in steps):
        place = "any point" if origin is None else labels[origin]
        return f"no piece can step {'anywhere' if target is None else 'there'} from {place}"
    return None


def _check_promotion(definition: Definition, game: Ruleset) -> None:
    """Checks that men of both players can come to a promotion point.

    Raises:
      RulesError: If they cannot.
    """
    if game.rules.promotion == "none":
        return
    for player in (SOUTH, NORTH):
        moves = [
            (template.origin, template.target) for template in find_templates(game, player) if not template.is_king
        ]
        reached = set(game.start[player])
        while new := {target for origin, target in moves if origin in reached} - reached:
            reached |= new
        if not game.promotion_points(player) & {target for origin, target in moves if origin in reached}:
            points = " ".join(game.board.labels[point] for point in sorted(game.promotion_points(player)))
            raise RulesError(
                f"{definition.file}: promotion={game.rules.promotion!r} promotes men of player_{player} on {points}, "
                f"where none can come with man_steps={game.rules.man_steps!r} and "
                f"man_capture_dirs={game.rules.man_capture_dirs!r}"
            )
