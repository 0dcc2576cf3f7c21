"""A game as its file defines it, with its options still open, and the choice of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from ..errors import RulesError, UnknownNameError
from ..files.schema import Key, show
from .board import LABEL, Board
from .board_file import find_points
from .options import Option, OptionFile, OptionValue, Rules, spell, with_article
from .ruleset import NORTH, SOUTH, OpeningStep, Ply, Ruleset, Side
from .schedule_text import names_sides, read_schedule


@dataclass(frozen=True, kw_only=True)
class StartFile:
    """The start in a game file."""

    south: Annotated[str, Key("Points of the men of `player_0`: labels separated by spaces.")]
    north: Annotated[str, Key("Points of the men of `player_1`.")]


@dataclass(frozen=True, kw_only=True)
class PromotionFile:
    """The promotion points in a game file."""

    south: Annotated[str, Key("Points where men of `player_0` are promoted: labels separated by spaces.", low=1)]
    north: Annotated[str, Key("Points where men of `player_1` are promoted.", low=1)]


@dataclass(frozen=True, kw_only=True)
class DoubleStepsFile:
    """The points of double steps in a game file."""

    place: Annotated[str, Key("What texts call the points together, such as `the triangles`.", low=1)]
    points: Annotated[str, Key("The points, the one stepped over included: labels separated by spaces.", low=1)]


@dataclass(frozen=True, kw_only=True)
class SideFile:
    """What the rules answer for one side, in a game file. What is left out is as in `rules`."""

    piece: Annotated[str, Key("What texts call a piece of the side.", low=1)] = "man"
    pieces: Annotated[
        str, Key("What texts call several of them. Without this key it is `piece` with an s, or with men for man.")
    ] = ""
    captures: Annotated[
        Literal["rules", "leap", "odd_rows", "approach_withdrawal", "custodial", "none"],
        Key("How its men capture; `rules` stands for the answer of the table `rules`."),
    ] = "rules"
    man_steps: Annotated[
        Literal["rules", "all", "forward_sideways", "forward", "any_distance", "none"],
        Key("In which directions its men step."),
    ] = "rules"
    no_moves: Annotated[
        Literal["rules", "loss", "draw", "majority", "pass"], Key("What happens if the side cannot move.")
    ] = "rules"
    loses_at: Annotated[
        Annotated[int, Key(low=0, high=125)] | None,
        Key("The number of pieces with which the side has lost, those in hand counted."),
    ] = None
    goal: Annotated[str, Key("Points that win when the side holds all of them: labels separated by spaces.")] = ""


@dataclass(frozen=True, kw_only=True)
class GameFile:
    """What a game file holds."""

    title: Annotated[str, Key("The game's name for people.", low=1)]
    version: Annotated[int, Key("Raised whenever play, actions or observations change.", low=1, high=1_000_000)]
    about: Annotated[str, Key("What the game is, for people who choose one: one line. A game does not extend it.")] = ""
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
        dict[str, StartFile],
        Key("Other starts, by the answer of the option `drop_order`, `pieces` or `board` that has them."),
    ] = field(default_factory=dict)
    promotion: Annotated[PromotionFile | None, Key('Where men are promoted, if `promotion = "points"`.')] = None
    promoted_piece: Annotated[str, Key("What texts call a promoted piece.", low=1)] = "mullah"
    sanctuary: Annotated[str, Key("Points on which no piece can be captured: labels separated by spaces.")] = ""
    double_steps: Annotated[
        DoubleStepsFile | None,
        Key("Where a man may also step to the next point but one of a straight line, over a vacant point."),
    ] = None
    south: Annotated[SideFile, Key("What the rules answer for `player_0` alone.")] = field(default_factory=SideFile)
    north: Annotated[SideFile, Key("What the rules answer for `player_1` alone.")] = field(default_factory=SideFile)
    schedule: Annotated[
        tuple[str, ...],
        Key(
            "The first plies, in games in which pieces are dropped or removed: `20 times: north drops, south moves`, "
            "`south drops 2 on b2 c3`, `south removes 3`."
        ),
    ] = ()
    schedules: Annotated[
        dict[str, tuple[str, ...]],
        Key("Other schedules, by the answer of the option `drop_order`, `pieces` or `board` that has them."),
    ] = field(default_factory=dict)
    rules: Annotated[dict[str, OptionValue], Key("Rules with one answer in this game.")]
    openings: Annotated[
        dict[str, str | Annotated[tuple[str, ...], Key(low=1)]],
        Key(
            "The first steps that each answer of the rule `opening` allows, one or a list, as `c2-c3` in the frame of "
            "the player who begins; `*` stands for any point."
        ),
    ] = field(default_factory=dict)
    options: Annotated[dict[str, OptionFile], Key("Rules that the game leaves open.")] = field(default_factory=dict)
    defaults: Annotated[dict[str, OptionValue], Key("Other defaults for options of the extended game.")] = field(
        default_factory=dict
    )


R = TypeVar("R", bound=Ruleset)

BOARD_OPTIONS = ("board", "dash_sides")
"""Options that may choose the board."""

SIDES = ("south", "north")
"""What a game file calls `player_0` and `player_1`."""

START_OPTIONS = ("drop_order", "pieces", "board")
"""Options that may choose the start, and the schedule."""

_OPENING = re.compile(rf"(\*|{LABEL})-(\*|{LABEL})")


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
      path: The path of the file as it was given; empty for a game of the package or from a text.
    """

    name: str
    file: str
    content: GameFile
    boards: Mapping[str, Board]
    rules: Mapping[str, OptionValue]
    option_table: Mapping[str, Option]
    tables: Mapping[str, Any]
    text: str
    path: str = ""


def ask_about_one_side(option: Option, content: GameFile) -> Option:
    """An option whose question names one side, if the file itself answers it for the other side."""
    own = {side: getattr(content, side) for side in SIDES}
    if option.name == "pieces":
        asked = [side for side in SIDES if own[side].captures == "none"]
    else:
        asked = [side for side in SIDES if getattr(own[side], option.name, "no such key") in (None, "rules")]
    if len(asked) != 1:
        return option
    side, name = own[asked[0]], asked[0].capitalize()
    question = re.sub(r"\ba (man|piece)\b", with_article(side.piece), option.question)
    question = re.sub(r"\b(a|each) side\b", name, question).replace(" pieces ", f" {_plural(side)} ")
    return replace(option, question=question)


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
    board = definition.boards[next((answers[option] for option in BOARD_OPTIONS if option in table), "")]
    start, opening = _start(definition, board, chosen), _opening(definition, board, answers.get("opening", "any"))
    schedule = _schedule(definition, board, answers)
    if schedule and names_sides(all_lines(definition.content)):
        answers["who_starts"] = f"player_{schedule[0].player}"
    promotion = _promotion(definition, board, answers["promotion"])
    sanctuary = frozenset(_distinct(definition, board, "sanctuary", definition.content.sanctuary))
    doubles = definition.content.double_steps
    double_steps = _some(definition, board, "double_steps.points", doubles.points) if doubles else ()
    if not answers.get("centre_safe", True):
        sanctuary = frozenset()
    sides = _side(definition, board, "south"), _side(definition, board, "north")
    try:
        game = kind(
            name=definition.name,
            title=definition.content.title,
            about=definition.content.about,
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
            double_steps=frozenset(double_steps),
            double_steps_place=doubles.place if doubles else "",
            sides=sides,
            schedule=schedule,
            file_text=definition.text,
            path=definition.path,
        )
    except RulesError as error:
        raise RulesError(f"{of}: {error}") from None
    _check_has_pieces(definition, game, of)
    return game


def _check_has_pieces(definition: Definition, game: Ruleset, of: str) -> None:
    """Checks that each side has pieces, and more than those with which it has lost."""
    key, _ = start_of(definition.content, game.options)
    for player, name in enumerate(SIDES):
        count, few = len(game.start[player]) + game.hands[player], game.loses_at[player]
        if not count:
            raise RulesError(
                f"{of}: {key}.{name} is '', expected a point or more, or a schedule in which {name} drops pieces"
            )
        if count > few:
            continue
        if game.rules.lose_at_three and game.sides[player].loses_at is None:
            raise RulesError(
                f"{of}: {key} has {count} men of player_{player}, who has lost at once with lose_at_three=true: "
                "expected four or more"
            )
        cause = "loses_at" if game.sides[player].loses_at is None else f"{name}.loses_at"
        raise RulesError(
            f"{of}: {cause}={few}, but {name} has {count} pieces and has lost at once: expected a number below {count}"
        )


def _start(
    definition: Definition, board: Board, chosen: Mapping[str, OptionValue]
) -> tuple[frozenset[int], frozenset[int]]:
    """The points of the men of both players at the start."""
    table, start = start_of(definition.content, chosen)
    for side in SIDES:
        if (text := getattr(start, side)) and text.isspace():
            raise RulesError(f"{definition.file}: {table}.{side} is {show(text)}, expected a point or more")
    south, north = (frozenset(_distinct(definition, board, f"{table}.{side}", getattr(start, side))) for side in SIDES)
    for point in sorted(south & north):
        raise RulesError(
            f"{definition.file}: {table}.north has {board.labels[point]!r}, which {table}.south has too: expected one "
            "piece on a point"
        )
    return south, north


def _side(definition: Definition, board: Board, name: str) -> Side:
    """What the rules answer for one side alone."""
    own: SideFile = getattr(definition.content, name)
    goal = frozenset(_distinct(definition, board, f"{name}.goal", own.goal))
    captures, man_steps, no_moves = (
        "" if answer == "rules" else answer for answer in (own.captures, own.man_steps, own.no_moves)
    )
    return Side(captures, man_steps, own.loses_at, goal, own.piece, _plural(own), no_moves)


def _plural(side: SideFile) -> str:
    """What texts call several pieces of a side."""
    several = side.pieces or re.sub("man$", "men", side.piece)
    return several + "s" * (several == side.piece and not side.pieces)


def _schedule(definition: Definition, board: Board, answers: Mapping[str, Any]) -> tuple[Ply, ...]:
    """The schedule that options choose."""
    path, lines = schedule_of(definition.content, answers)
    first = NORTH if answers.get("who_starts") == "player_1" else SOUTH
    return read_schedule(lines, board, first, definition.file, path)


def schedule_of(content: GameFile, chosen: Mapping[str, OptionValue]) -> tuple[str, tuple[str, ...]]:
    """The schedule that options choose, and its key in the file."""
    other = _chosen_key(content.schedules, chosen)
    return ("schedule", content.schedule) if other is None else (f"schedules.{other}", content.schedules[other])


def all_lines(content: GameFile) -> list[str]:
    """The lines of all schedules."""
    return [line for lines in (content.schedule, *content.schedules.values()) for line in lines]


def start_of(content: GameFile, chosen: Mapping[str, OptionValue]) -> tuple[str, StartFile]:
    """The start that options choose, and its key in the file."""
    other = _chosen_key(content.starts, chosen)
    return ("start", content.start) if other is None else (f"starts.{other}", content.starts[other])


def _chosen_key(table: Mapping[str, Any], chosen: Mapping[str, OptionValue]) -> str | None:
    """The key of a table that is the answer of an option that may choose the start and the schedule."""
    answers = [spell(chosen[option]) for option in START_OPTIONS if option in chosen]
    return next((answer for answer in answers if answer in table), None)


def _some(definition: Definition, board: Board, path: str, text: str) -> tuple[int, ...]:
    """The points of a text, which must not be empty; see `_distinct`."""
    points = _distinct(definition, board, path, text)
    if not points:
        raise RulesError(f"{definition.file}: {path} is {show(text)}, expected a point or more")
    return points


def _distinct(definition: Definition, board: Board, path: str, text: str) -> tuple[int, ...]:
    """The points of a text, each label known and listed once."""
    points = find_points(board, text, definition.file, path)
    for place, point in enumerate(points):
        if point in points[:place]:
            raise RulesError(f"{definition.file}: {path} has {board.labels[point]!r} twice, expected each point once")
    return points


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
        frozenset(_some(definition, board, f"promotion.{side}", getattr(points, side))) for side in ("south", "north")
    )
    return south, north


def _opening(definition: Definition, board: Board, answer: str) -> tuple[OpeningStep, ...] | None:
    """The first steps that an answer of the rule `opening` allows, as (origin, target); None for a free first turn."""
    if answer == "any":
        return None
    steps = {
        opening_step(definition.file, path, text, board) for path, text in opening_steps(definition.content, answer)
    }
    return tuple(sorted(steps, key=lambda step: [(point is None, point) for point in step]))


def opening_steps(content: GameFile, answer: str) -> list[tuple[str, str]]:
    """The steps of an answer of the rule `opening`, each with its key in the file."""
    steps, path = content.openings[answer], f"openings.{answer}"
    return [(path, steps)] if isinstance(steps, str) else [(f"{path}[{n}]", step) for n, step in enumerate(steps)]


def opening_step(file: str, path: str, text: str, board: Board) -> OpeningStep:
    """The origin and target of a step of the rule `opening`; None stands for any point.

    Raises:
      RulesError: If it is no step, or names an unknown point.
    """
    match = _OPENING.fullmatch(text)
    if match is None:
        raise RulesError(f"{file}: {path} is {show(text)}, expected a step such as 'c2-c3' or '*-c3'")
    origin, target = (None if name == "*" else find_points(board, name, file, path)[0] for name in match.groups())
    return origin, target
