"""Checks of what the rules answer for one side, and of the schedule."""

from ..errors import RulesError
from ..files.schema import show, unknown_key
from . import table_layout as TABLE
from .definition import SIDES, START_OPTIONS, Definition, all_lines, schedule_of
from .options import spell
from .ruleset import NORTH, SOUTH, Ruleset
from .schedule_text import names_sides, names_turns
from .templates import find_man_templates

_UNPLAYED = {"opening": "any", "undo_scope": "off", "shrink": "off"}
"""Rules that the engine does not play together with a schedule, and the answers with which they do not arise."""


def check_answers(definition: Definition, table: str) -> dict[str, list[str]]:
    """Checks that every key of the table `starts` or `schedules` is an answer, and all are answers of one option.

    Returns:
      The answers of the options that may choose among them.

    Raises:
      RulesError: If not.
    """
    file, options, keys = definition.file, definition.option_table, getattr(definition.content, table)
    answers = {
        option: [spell(value) for value in options[option].values] for option in START_OPTIONS if option in options
    }
    for key in keys:
        if not answers:
            raise RulesError(
                f"{file}: {table} has {show(key)}, but there is no option 'drop_order', 'pieces' or 'board' to "
                "answer: add one, or remove the table"
            )
        if not any(key in known for known in answers.values()):
            raise unknown_key(file, RulesError, table, key, [name for known in answers.values() for name in known])
    choosing = [option for option, known in answers.items() if any(key in known for key in keys)]
    if len(choosing) > 1:
        raise RulesError(f"{file}: {table} has answers of both {' and '.join(choosing)}: keep those of one of them")
    return answers


def check_schedules(definition: Definition) -> None:
    """Checks that every schedule belongs to an answer, and that who begins is said once.

    Raises:
      RulesError: If not, or a rule is set that is not played together with a schedule.
    """
    file, content, options = definition.file, definition.content, definition.option_table
    answers = check_answers(definition, "schedules")
    missing = [answer for answer in answers.get("drop_order", ()) if answer not in content.schedules]
    if missing[not content.schedule :] and len(missing) > bool(content.schedule):
        answer = missing[-1]
        raise RulesError(
            f"{file}: options.drop_order has {show(answer)}, but there is no schedule of its own for it: add the key "
            f"{answer} to a table [schedules]"
        )
    lines = all_lines(content)
    if not lines:
        return
    if names_sides(lines):
        if names_turns(lines):
            raise RulesError(
                f"{file}: schedule names a side in one place, and first or second in another: expected south and north "
                "throughout, or first and second"
            )
        for table, asked in (("rules", content.rules), ("options", options)):
            if "who_starts" in asked:
                raise RulesError(
                    f"{file}: {table}.who_starts says who begins, but the schedule says it too: remove it, or write "
                    "first and second for south and north in the schedule"
                )
    for name, plain in _UNPLAYED.items():
        values = options[name].values if name in options else [definition.rules.get(name, plain)]
        for value in values:
            if value != plain:
                raise RulesError(
                    f"{file}: {name} is {show(value)}, which is not played together with a schedule: expected {plain!r}"
                )


def check_sides(file: str, game: Ruleset) -> None:
    """Checks that somebody can win, that a side that loses by captures can be captured, and that goals can be reached.

    Raises:
      RulesError: If not.
    """
    captures = [game.captures(player) != "none" for player in (SOUTH, NORTH)]
    removes = [any((ply.player, ply.does) == (player, TABLE.REMOVES) for ply in game.schedule) for player in (0, 1)]
    goals = [side.goal for side in game.sides]
    if not {"loss", "majority"} & {*game.no_moves} and not any([*captures, *removes, *goals]):
        raise RulesError(
            f"{file}: captures is 'none' for both sides, so nobody can win: expected 'leap' for one of them, a goal, "
            "or no_moves='loss'"
        )
    for player, name in enumerate(SIDES):
        own, other = game.sides[player], SIDES[1 - player]
        if own.loses_at and not (captures[1 - player] or removes[1 - player]):
            raise RulesError(
                f"{file}: {name}.loses_at is {own.loses_at}, but {other} takes no pieces: expected 0, or "
                f"captures='leap' for {other}"
            )
        if own.goal:
            _check_goal(file, game, player)


def _check_goal(file: str, game: Ruleset, player: int) -> None:
    name, goal, labels = SIDES[player], game.sides[player].goal, game.board.labels
    count = len(game.start[player]) + game.hands[player]
    if len(goal) > count:
        raise RulesError(
            f"{file}: {name}.goal has {len(goal)} points, but {name} has {count} pieces: expected "
            f"{count} points at most"
        )
    if goal <= game.start[player]:
        raise RulesError(f"{file}: {name}.goal is where {name} stands at the start: expected other points")
    moves = [(template.origin, template.target) for template in find_man_templates(game, player)]
    reached = set(game.start[player]).union(
        *(ply.points for ply in game.schedule if (ply.player, ply.does) == (player, TABLE.DROPS))
    )
    while new := {target for origin, target in moves if origin in reached} - reached:
        reached |= new
    if far := goal - reached:
        points = " ".join(labels[point] for point in sorted(far))
        raise RulesError(f"{file}: {name}.goal has {points}, where no piece of {name} can come: expected other points")


def check_plies(definition: Definition, game: Ruleset) -> None:
    """Checks that each ply of the schedule can be played, whatever was played before, as far as numbers tell.

    Raises:
      RulesError: If a piece shall be dropped where none is vacant, or one be removed or moved and there is none.
    """
    path, _ = schedule_of(definition.content, game.options)
    where = f"{definition.file}: {path}"
    most_taken = {"none": 0, "leap": 1 if game.rules.chain == "single" else 99}
    takes = [most_taken.get(game.captures(player), 99) for player in (0, 1)]
    most = [len(men) for men in game.start]  # pieces on the board if none is captured
    captured = 0  # as many as can have been captured so far
    dropped: list[frozenset[int]] | None = []  # where pieces were dropped; None once pieces may have left their points
    for number, ply in enumerate(game.schedule, start=1):
        name, enemy = SIDES[ply.player], SIDES[1 - ply.player]
        if ply.does == TABLE.DROPS:
            if not ply.points:
                raise RulesError(f"{where}: {name} drops a piece on no point (ply {number}): expected a point or more")
            if sum(most) - captured >= len(game.board.points):
                raise RulesError(
                    f"{where}: {name} drops a piece onto a board that is full (ply {number}): expected "
                    f"{len(game.board.points)} pieces at most on {len(game.board.points)} points"
                )
            if dropped is not None:
                taken = len(ply.points & (game.start[0] | game.start[1])) + sum(old <= ply.points for old in dropped)
                if taken >= len(ply.points):
                    points = " ".join(game.board.labels[point] for point in sorted(ply.points))
                    raise RulesError(
                        f"{where}: {name} drops a piece on {points}, where none is vacant (ply {number}): expected "
                        "more points, or fewer drops"
                    )
                dropped.append(ply.points)
            most[ply.player] += 1
            continue
        dropped = None
        if ply.does == TABLE.REMOVES:
            present = game.start[1 - ply.player] & ply.points if number == 1 else ply.points
            if not most[1 - ply.player] or not present:
                raise RulesError(
                    f"{where}: {name} removes a piece of {enemy}, who has none there (ply {number}): expected pieces "
                    f"of {enemy} at the start, or dropped before"
                )
            most[1 - ply.player] -= 1
        else:
            if not most[ply.player]:
                raise RulesError(
                    f"{where}: {name} moves, but has no piece on the board (ply {number}): expected one at the start, "
                    "or dropped before"
                )
            captured += takes[ply.player]
