"""Checks that a match can be played by the definition of a game, under every choice of options that it depends on."""

from collections.abc import Iterator
from itertools import product

from ..errors import RulesError, did_you_mean
from ..files.schema import show, unknown_key
from . import scratch_layout as SCRATCH, table_layout as TABLE
from .definition import BOARD_OPTIONS, Definition, start_of
from .option_choice import choose_options, opening_step, opening_steps
from .options import OptionValue, Rules, spell
from .ruleset import NORTH, SOUTH, Ruleset
from .side_check import check_answers, check_plies, check_schedules, check_sides
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
    check_schedules(definition)
    asks = "centre_safe" in definition.rules or "centre_safe" in definition.option_table
    if asks and not definition.content.sanctuary:
        raise RulesError(
            f"{definition.file}: centre_safe asks whether a piece on the sanctuary is safe, but there is no key "
            "sanctuary: add one, or remove the rule"
        )
    _check_long_diagonals(definition)
    _check_double_steps(definition)
    for choice in _choices(definition, *BOARD_OPTIONS, *_OPTIONS_OF_ACTIONS):
        _check_actions(definition, choose_options(definition, choice, Ruleset, definition.file))
    for choice in _choices(definition, *BOARD_OPTIONS, *_OPTIONS_OF_THE_START, *_OPTIONS_OF_MEN):
        game = choose_options(definition, choice, Ruleset, definition.file)
        check_sides(definition.file, game)
        check_plies(definition, game)
        _check_start(definition, game)
    if definition.rules.get("promotion", "none") != "none":
        for choice in _choices(definition, *BOARD_OPTIONS, "pieces", *_OPTIONS_OF_MEN):
            _check_promotion(definition, choose_options(definition, choice, Ruleset, definition.file))


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
    check_answers(definition, "starts")
    for number in options["pieces"].values if "pieces" in options else ():
        key, start = start_of(content, {"pieces": number})
        others = next(iter(_choices(definition, *BOARD_OPTIONS, "drop_order", "who_starts")))
        hands = choose_options(definition, {**others, "pieces": number}, Ruleset, file).hands
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
    for choice in _choices(definition, *BOARD_OPTIONS) if found else ():
        game = choose_options(definition, choice, Ruleset, definition.file)
        if found and not any(map(game.man_double_steps, (SOUTH, NORTH))):
            raise RulesError(
                f"{definition.file}: double_steps.points is {show(found.points)}, where no man can step over a point: "
                "expected three in a row on a straight line, and men that step to the next point"
            )


def _choices(definition: Definition, *names: str) -> Iterator[dict[str, OptionValue]]:
    """Every combination of answers to those of the named options that the game has, first that of the defaults."""
    table = definition.option_table
    open_names = [name for name in names if name in table]
    asked = [table[name] for name in open_names]
    values = [[value for value in option.values if value not in ("N", option.default)] for option in asked]
    for answers in product(*([option.default, *others] for option, others in zip(asked, values, strict=True))):
        yield dict(zip(open_names, answers, strict=True))


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
        moves = [(template.origin, template.target) for template in find_man_templates(game, player)]
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
