"""Checks that a match can be played by the definition of a game, under every choice of options that it depends on."""

from collections.abc import Iterator
from itertools import product

from ..errors import RulesError, did_you_mean
from ..files.schema import show, unknown_key
from . import scratch_layout as SCRATCH, table_layout as TABLE
from .definition import BOARD_OPTIONS, SIDES, START_OPTIONS, Definition, all_lines, schedule_of, start_of
from .option_choice import choose_options, opening_step, opening_steps
from .options import Rules, spell
from .ruleset import NORTH, SOUTH, Ruleset
from .schedule_text import names_any
from .templates import find_man_templates, long_diagonals, most_actions

_OPTIONS_OF_MEN = ("man_steps", "captures", "man_capture_dirs", "leap", "end_arc", "last_rank_frozen")
"""Options that decide where men can go."""

_OPTIONS_OF_THE_START = ("pieces", "drop_order", "opening", "who_starts", "lose_at_three", "loses_at", "no_moves")
"""Options that decide whether the match can begin and be won."""

_OPTIONS_OF_ACTIONS = ("leap", "end_arc", "mullah_lines", "mullah_steps", "mullah_captures")
"""Options that decide how many actions there are."""

MOST_ACTIONS = 1 << 14
"""Actions of a game. Every observation has a mask with a number for each, and networks have an output for each."""


def check_definition(definition: Definition) -> None:
    """Checks openings, starts, the lines of promoted pieces, the number of actions, and promotion.

    Raises:
      RulesError: If an opening or a start belongs to no answer or cannot be played, promoted pieces shall fly along
        lines that no board has, men cannot step over a point where they may, the first player has no step, there are
        too many actions, men cannot come to a promotion point, or there is no sanctuary to ask about.
    """
    _check_openings(definition)
    _check_starts(definition)
    _check_schedules(definition)
    asks = "centre_safe" in definition.rules or "centre_safe" in definition.option_table
    if asks and not definition.content.sanctuary:
        raise RulesError(
            f"{definition.file}: centre_safe asks whether a piece on the sanctuary is safe, but there is no key "
            "sanctuary: add one, or remove the rule"
        )
    _check_long_diagonals(definition)
    _check_double_steps(definition)
    for game in _games(definition, *BOARD_OPTIONS, *_OPTIONS_OF_ACTIONS):
        _check_actions(definition, game)
    for game in _games(definition, *BOARD_OPTIONS, *_OPTIONS_OF_THE_START, *_OPTIONS_OF_MEN):
        _check_sides(definition.file, game)
        _check_plies(definition, game)
        _check_start(definition, game)
    if definition.rules.get("promotion", "none") != "none":
        for game in _games(definition, *BOARD_OPTIONS, "pieces", *_OPTIONS_OF_MEN):
            _check_promotion(definition, game)


def _check_openings(definition: Definition) -> None:
    """Checks that there is an opening for every answer of the rule `opening`, and no other."""
    content, file = definition.content, definition.file
    fixed = (definition.rules.get("opening", "any"),)
    answers = definition.option_table["opening"].values if "opening" in definition.option_table else fixed
    wanted = [str(answer) for answer in answers if answer != "any"]
    for answer in wanted:
        if answer not in content.openings:
            raise RulesError(
                f"{file}: openings.{answer} is missing, expected a step such as 'c2-c3' or '*-c3'"
                f"{did_you_mean(answer, content.openings)}"
            )
    for answer in content.openings:
        if answer not in wanted:
            if wanted:
                raise unknown_key(file, RulesError, "openings", answer, wanted)
            raise RulesError(
                f"{file}: openings has {show(answer)}, but the rule 'opening' has no such answer: set it in rules, "
                "list it in the option 'opening', or remove the key"
            )


def _check_starts(definition: Definition) -> None:
    """Checks that every start belongs to an answer of one option, and that `pieces` has the numbers of the starts."""
    file, options, content = definition.file, definition.option_table, definition.content
    if all(option in options for option in BOARD_OPTIONS):
        raise RulesError(
            f"{file}: options has both {' and '.join(BOARD_OPTIONS)}, which choose the board: keep one of them"
        )
    _check_answers(definition, "starts")
    for number in options["pieces"].values if "pieces" in options else ():
        key, start = start_of(content, {"pieces": number})
        hands = choose_options(definition, {"pieces": number}, Ruleset, file).hands
        men = [len(side.split()) + hand for side, hand in zip((start.south, start.north), hands, strict=True)]
        if number not in men:
            remedy = f"the key schedules.{number}" if any(hands) else f"a table [starts.{number}]"
            raise RulesError(
                f"{file}: options.pieces has {number}, but {key} has {men[0]} and {men[1]} men: add {remedy}"
            )


def _check_long_diagonals(definition: Definition) -> None:
    """Checks that a board has long diagonals if promoted pieces shall fly along these alone."""
    rules, table = definition.rules, definition.option_table

    def can_be(name: str, answer: str) -> bool:
        return answer in table[name].values if name in table else rules.get(name, getattr(Rules, name)) == answer

    flies = can_be("mullah_steps", "any_distance") or can_be("mullah_captures", "any_distance")
    if rules.get("promotion") == "none" or not flies or not can_be("mullah_lines", "long_diagonals"):
        return
    if not any(map(long_diagonals, definition.boards.values())):
        raise RulesError(
            f"{definition.file}: mullah_lines='long_diagonals' lets promoted pieces fly nowhere, because the longest "
            "lines of the board are no diagonals: expected mullah_lines='all', with mullah_steps='one_point' and "
            "mullah_captures='next_point' if they shall not fly"
        )


def _check_double_steps(definition: Definition) -> None:
    """Checks that men can step over a point where the file says so."""
    found = definition.content.double_steps
    for game in _games(definition, *BOARD_OPTIONS) if found else ():
        if found and not any(map(game.man_double_steps, (SOUTH, NORTH))):
            raise RulesError(
                f"{definition.file}: double_steps.points is {show(found.points)}, where no man can step over a point: "
                "expected three in a row on a straight line, and men that step to the next point"
            )


def _games(definition: Definition, *names: str) -> Iterator[Ruleset]:
    """The game with every combination of answers to those of the named options that it has, the defaults first."""
    table = definition.option_table
    open_names = [name for name in names if name in table]
    asked = [table[name] for name in open_names]
    values = [[value for value in option.values if value not in ("N", option.default)] for option in asked]
    for answers in product(*([option.default, *others] for option, others in zip(asked, values, strict=True))):
        yield choose_options(definition, dict(zip(open_names, answers, strict=True)), Ruleset, definition.file)


def _check_start(definition: Definition, game: Ruleset) -> None:
    """Checks that the first player has a step that the opening rule allows."""
    player = game.first_player
    if game.schedule and game.schedule[0].does != TABLE.MOVES:
        return
    if game.opening is None:
        seen = dict.fromkeys(game.start[1 - player], SCRATCH.ENEMY) | dict.fromkeys(game.start[player], SCRATCH.OWN_MEN)
        for template in find_man_templates(game, player):
            is_open = all(seen.get(point, SCRATCH.EMPTY) == what for what, point in template.path)
            if is_open and template.first and template.origin in game.start[player]:
                return
        raise RulesError(f"{definition.file}: start leaves player_{player}, who begins, without a step{_with(game)}")
    for path, text in opening_steps(definition.content, game.rules.opening):
        if fault := _fault_of_opening(game, *opening_step(definition.file, path, text, game.board)):
            raise RulesError(f"{definition.file}: {path} is {text!r}, but {fault}{_with(game)}")


def _with(game: Ruleset) -> str:
    """Names the options that decide where men can go and differ from their defaults, for the end of an error."""
    changed = {name: value for name, value in game.options.items() if value != game.option_table[name].default}
    chosen = [f"{name}={spell(changed[name])}" for name in _OPTIONS_OF_MEN if name in changed]
    return f" with {' and '.join(chosen)}" if chosen else ""


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


def _check_actions(definition: Definition, game: Ruleset) -> None:
    """Checks that a game does not have too many actions."""
    count, rules = most_actions(game), game.rules
    if count <= MOST_ACTIONS:
        return
    causes, remedies = [], []
    if rules.leap == "pattern":
        causes.append("leap='pattern'")
        remedies.append("leap='straight'")
    if rules.promotion != "none" and rules.mullah_captures == "any_distance":
        causes.append("mullah_captures='any_distance'")
        remedies.append("mullah_captures='next_point'")
    raise RulesError(
        f"{definition.file}: {' with '.join([*causes, 'these lines'])} gives up to {count:,} actions, expected "
        f"{MOST_ACTIONS:,} at most: set {' or '.join([*remedies, 'fewer or shorter lines'])}"
    )


def _check_promotion(definition: Definition, game: Ruleset) -> None:
    """Checks that men of both players can come to a promotion point."""
    if game.rules.promotion == "none":
        return
    for player in (SOUTH, NORTH):
        if not game.promotion_points(player) & _targets(game, player, game.start[player]):
            points = " ".join(game.board.labels[point] for point in sorted(game.promotion_points(player)))
            raise RulesError(
                f"{definition.file}: promotion={game.rules.promotion!r} promotes men of player_{player} on {points}, "
                f"where none can come with man_steps={game.rules.man_steps!r} and "
                f"man_capture_dirs={game.rules.man_capture_dirs!r}"
            )


def _targets(game: Ruleset, player: int, begin: frozenset[int]) -> set[int]:
    """The points to which men of a player can go from points, perhaps in many moves."""
    moves = [(template.origin, template.target) for template in find_man_templates(game, player)]
    found: set[int] = set()
    while new := {target for origin, target in moves if origin in begin or origin in found} - found:
        found |= new
    return found


_UNPLAYED = {"opening": "any", "undo_scope": "off", "shrink": "off"}
"""Rules that the engine does not play together with a schedule, and the answers with which they do not arise."""


def _check_answers(definition: Definition, table: str) -> dict[str, list[str]]:
    """Checks that every key of the table `starts` or `schedules` is an answer, and all are answers of one option.

    Returns the answers of the options that may choose among them.
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


def _check_schedules(definition: Definition) -> None:
    """Checks that every schedule belongs to an answer, who begins is said once, and no rule excludes a schedule."""
    file, content, options = definition.file, definition.content, definition.option_table
    answers = _check_answers(definition, "schedules")
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
    if names_any(lines, *SIDES):
        if names_any(lines, "first", "second"):
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


def _check_sides(file: str, game: Ruleset) -> None:
    """Checks that somebody can win, a side that loses by captures can be captured, and goals can be reached."""
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
    count = game.most_pieces[player]
    if len(goal) > count:
        raise RulesError(
            f"{file}: {name}.goal has {len(goal)} points, but {name} has {count} pieces: expected "
            f"{count} points at most"
        )
    if goal <= game.start[player]:
        raise RulesError(f"{file}: {name}.goal is where {name} stands at the start: expected other points")
    drops = [ply.points for ply in game.schedule if (ply.player, ply.does) == (player, TABLE.DROPS)]
    begin = game.start[player].union(*drops)
    if far := goal - begin - _targets(game, player, begin):
        points = " ".join(labels[point] for point in sorted(far))
        raise RulesError(f"{file}: {name}.goal has {points}, where no piece of {name} can come: expected other points")


def _check_plies(definition: Definition, game: Ruleset) -> None:
    """Checks that each ply of the schedule can be played, whatever was played before, as far as numbers tell."""
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
