"""The choice of a game's options, with which its definition becomes a ruleset."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from ..errors import RulesError, UnknownNameError
from ..files.schema import show
from .animals import animal_drawings
from .board import LABEL, Board, find_points
from .definition import BOARD_OPTIONS, SIDES, Definition, GameFile, SideFile, all_lines, plural, schedule_of, start_of
from .options import OptionValue, Rules
from .ruleset import NORTH, SOUTH, OpeningStep, Ply, Ruleset, Side
from .schedule_text import names_any, read_schedule

R = TypeVar("R", bound=Ruleset)

_OPENING = re.compile(rf"(\*|{LABEL})-(\*|{LABEL})")


def choose_options(definition: Definition, options: Mapping[str, Any], kind: type[R], of: str) -> R:
    """Makes a game with options by name, those left out with their defaults; errors call it `of`.

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
    if schedule and names_any(all_lines(definition.content), *SIDES):
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
        count, few = game.most_pieces[player], game.loses_at[player]
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
    drawing = animal_drawings()[own.animal] if own.animal else ""
    return Side(captures, man_steps, own.loses_at, goal, own.piece, plural(own), no_moves, drawing)


def _schedule(definition: Definition, board: Board, answers: Mapping[str, Any]) -> tuple[Ply, ...]:
    path, lines = schedule_of(definition.content, answers)
    first = NORTH if answers.get("who_starts") == "player_1" else SOUTH
    return read_schedule(lines, board, first, definition.file, path)


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
    """The promotion points of both players that the file names; there are some if the answer uses them."""
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
