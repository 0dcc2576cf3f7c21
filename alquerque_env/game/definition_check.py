"""Checks that a match can be played by the definition of a game, under every choice of options that it depends on."""

from collections.abc import Iterator, Mapping
from itertools import product

from ..errors import RulesError, did_you_mean
from ..files.schema import unknown_key
from .definition import BOARD_OPTIONS, START_OPTIONS, Definition, choose_options, opening_steps
from .options import Option, OptionValue, spell
from .ruleset import NORTH, SOUTH, Ruleset
from .table_layout import EMPTY, ENEMY, OWN_MEN
from .templates import find_templates


def check_definition(definition: Definition) -> None:
    """Checks openings, starts and promotion.

    Raises:
      RulesError: If an opening or a start belongs to no answer or cannot be played, the first player has no step, or
        men cannot come to a promotion point.
    """
    _check_openings(definition)
    _check_starts(definition)
    for choice in _choices(definition.option_table):
        ruleset = choose_options(definition, choice, Ruleset, definition.file)
        _check_start(definition, ruleset)
        _check_promotion(definition, ruleset)


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
    answers = [spell(value) for option in START_OPTIONS if option in options for value in options[option].values]
    for answer in definition.content.starts:
        if answer not in answers:
            raise unknown_key(file, RulesError, "starts", answer, answers)


def _choices(table: Mapping[str, Option]) -> Iterator[dict[str, OptionValue]]:
    """Every choice of the options on which the start depends."""
    names = [name for name in (*BOARD_OPTIONS, "pieces", "opening", "who_starts") if name in table]
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
    for (path, text), step in zip(opening_steps(definition.content, game.rules.opening), game.opening, strict=True):
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
