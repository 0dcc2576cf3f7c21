"""The rules of a game in sentences."""

from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import NamedTuple

from .game import Game
from .options import RULE_NAMES, OptionValue, Rules, name_pieces, number_meaning, spell, vocabulary
from .ruleset import NORTH, SOUTH
from .templates import flights, leaps_of_men, long_diagonals

SIDES = ("South", "North")

_TURN = {
    "single": "The players take turns. A turn is one step or one capture.",
    "optional": "The players take turns. A turn is one step, or one or more captures by one piece.",
    "compulsory": "The players take turns. A turn is one step, or all captures that one piece makes in a row.",
}
_CHOICE = "A player who can capture in several ways is free to choose."
_AIM = {
    "loss": "The aim is to {goal}, or to leave the enemy without a move.",
    "draw": "The aim is to {goal}.",
    "majority": "The aim is to {goal}, or to have more when nobody can go on.",
    "pass": "The aim is to {goal}.",
}
_LEAP = {
    "straight": "the vacant point behind it on the same {line}",
    "drawn_line": "the vacant point behind it on the same drawn line, even where the line bends",
    "pattern": "any other vacant neighbour of its point; the leap follows the lines and may bend",
}
# Rules that no game leaves open, so that `options.toml` does not have them.
_ALWAYS_FIXED = {
    "man_steps": {
        "all": "A man steps along a line to the next point, in every direction, if it is vacant.",
        "forward_sideways": "A man steps along a line to the next point, forward or sideways, if it is vacant.",
        "forward": "A man steps along a line to the next point, forward only, if it is vacant.",
    },
    "promotion": {
        "none": "There is no promotion.",
    },
    "progress": {
        "capture": "Only a capture counts as progress.",
        "capture_or_promotion": "A capture or a promotion counts as progress.",
        "capture_or_man_step": "A capture or a man's step counts as progress.",
    },
}
_PROMOTION_PLACES = {
    "last_rank": "the enemy's first rank",
    "points": "a promotion point, {south} for South and {north} for North,",
}
_CAPTURE_DIRS = {
    "all": "in every direction",
    "forward_sideways": "forward or sideways",
    "forward": "forward only",
    "first_leap_forward_sideways": "forward or sideways by the first leap of a turn, then in every direction",
}
_MULLAH_STEPS = {
    "any_distance": "steps along a {line} over any number of vacant points",
    "one_point": "steps along a line to the next point, in every direction",
}
_MULLAH_CAPTURES = {
    "any_distance": "captures the first enemy on a {line} from any distance, landing on {landing} vacant point behind "
    "it before the next piece",
    "next_point": "captures an enemy on the next point by leaping over it, in every direction",
}
# Rules of which the sentences on endings tell everything.
_TOLD_BY_ENDINGS = {"repetition", "no_progress_limit", "no_progress_result", "lose_at_three"}
_PROGRESS = {
    "capture": "a capture",
    "capture_or_promotion": "a capture or a promotion",
    "capture_or_man_step": "a capture or a man's step",
}
_BLOCKED = {
    "loss": "A player who cannot move loses.",
    "draw": "If the player to move cannot, the match is drawn.",
    "majority": "If the player to move cannot, the side with more pieces wins; equal numbers draw.",
}


class FixedRule(NamedTuple):
    """A rule with one answer in a game."""

    name: str
    value: OptionValue
    sentence: str


class Ending(NamedTuple):
    """A way in which a match ends: `reason` as in `Outcome`, and the condition and the winner in words."""

    reason: str
    sentence: str


def fixed_rules(game: Game) -> list[FixedRule]:
    """The rules that no option changes, without those that do not arise in the game."""
    return [
        FixedRule(field.name, value, _sentence(game, field.name, value))
        for field in fields(Rules)
        if field.name not in game.option_table
        and (value := getattr(game.rules, field.name)) != (None if field.default is MISSING else field.default)
    ]


def _meant(game: Game, name: str) -> OptionValue:
    """The answer to a question, or the simpler one that has the same effect on this board under the other answers."""
    rules, board = game.rules, game.board
    value: OptionValue = getattr(rules, name)
    if name == "leap" and value == "drawn_line" and not (board.bends or board.end_arcs):
        return "straight"
    if name == "man_capture_dirs":
        if value == "first_leap_forward_sideways" and rules.chain == "single":
            value = "forward_sideways"
        if value == "forward_sideways" and not any(_is_level(game, a, b) for a, _, b in leaps_of_men(game)):
            return "forward"
    if name == "man_steps" and value == "forward_sideways" and not any(_is_level(game, *edge) for edge in board.edges):
        return "forward"
    if name == "progress" and value == "capture_or_promotion" and rules.promotion == "none":
        return "capture"
    return value


def _is_level(game: Game, origin: int, target: int) -> bool:
    """Whether a step goes neither forward nor backward."""
    return all(not game.goes("forward", player, origin, target) for player in (0, 1))


def _sentence(game: Game, name: str, value: OptionValue) -> str:
    if name == "promotion" and value != "none":
        return _promotion(game)
    if name == "opening":
        return _opening(game)
    if name in _ALWAYS_FIXED:
        return _ALWAYS_FIXED[name][str(_meant(game, name))]
    entry, value = vocabulary()[name], _meant(game, name)
    meaning = entry.values.get(spell(value)) or number_meaning(entry.values["N"], value)
    return name_pieces(f"{entry.question} {_finish(_on_board(game, name, meaning))}", game.promoted_piece)


def _promotion(game: Game) -> str:
    """Where a man is promoted, and how the promoted piece moves where no option says it."""
    rules = game.rules
    south, north = (_points(game, game.promotion_points(player)) for player in (0, 1))
    place = _PROMOTION_PLACES[rules.promotion].format(south=south, north=north)
    stops_there = rules.midchain_promotion == "only_if_turn_ends_there" or rules.chain == "single"
    arrives = "ends a turn on" if stops_there else "reaches"
    text = f"A man that {arrives} {place} is promoted to a mullah (K in texts)."
    if _tells_moves(game):
        landing = "any" if rules.mullah_landing == "free" else "a"
        line = "long diagonal" if rules.mullah_lines == "long_diagonals" else "line"
        steps, captures = rules.mullah_steps, rules.mullah_captures
        if not _flies(game):
            steps, captures = "one_point", "next_point"
        moves = f"{_along(game, _MULLAH_STEPS[steps])}, and {_MULLAH_CAPTURES[captures]}"
        text += f" The mullah {moves.format(line=line, landing=landing)}."
    return name_pieces(text, game.promoted_piece)


def _opening(game: Game) -> str:
    """The first steps of a game that always begins so; an option has the meaning of its answers in the game file."""
    turn = game.turn if game.first_player == NORTH else range(len(game.board.points))
    found = []
    for step in game.opening or ():
        origin, target = (None if point is None else game.board.labels[turn[point]] for point in step)
        ends = [f"from {origin}"] * (origin is not None) + [f"to {target}"] * (target is not None)
        found.append(" ".join(["a step", *ends]))
    return f"The first turn of the match is {' or '.join(found)}; captures are not considered."


def _points(game: Game, points: Iterable[int]) -> str:
    """The labels of points in a sentence."""
    *others, last = (game.board.labels[point] for point in sorted(points))
    return f"{', '.join(others)} and {last}" if others else last


def fixed_sentences(game: Game) -> list[str]:
    """The aim, the turn, and the rules that no option changes."""
    rules = game.rules
    skipped = _TOLD_BY_ENDINGS | _moot(game) | {"man_capture_dirs"}
    if _tells_moves(game):
        skipped |= {"mullah_steps", "mullah_captures"}
    if rules.no_moves in _BLOCKED:
        skipped.add("no_moves")
    steps, *others = [rule.sentence for rule in fixed_rules(game) if rule.name not in skipped]
    if rules.capture == "compulsory" and rules.max_capture == "none":
        others.append(_CHOICE)
    if game.sanctuary:
        others.append(f"A piece on {_points(game, game.sanctuary)} cannot be captured.")
    if game.relations and rules.promotion != "none":
        others.append(name_pieces("A mullah may take back every step.", game.promoted_piece))
    return [_aim(game), _TURN[rules.chain], _along(game, steps), _captures(game), *others]


def _aim(game: Game) -> str:
    goal = "capture all but three enemy pieces" if game.rules.lose_at_three else "capture all enemy pieces"
    return _AIM[game.rules.no_moves].format(goal=goal)


def _captures(game: Game) -> str:
    """How a man captures; in which directions, if no option says it."""
    meant = str(_meant(game, "man_capture_dirs"))
    dirs = "" if "man_capture_dirs" in game.option_table else f", {_CAPTURE_DIRS[meant]},"
    leap = _LEAP[str(_meant(game, "leap"))].format(line=_line(game))
    return f"A man captures an enemy on the next point{dirs} by leaping over it to {leap}."


def _along(game: Game, text: str) -> str:
    """A sentence on steps, which on some boards follow circles too."""
    return text.replace("along a line", f"along a {_line(game)}")


def _line(game: Game) -> str:
    return "line or circle" if game.board.circles else "line"


def _tells_moves(game: Game) -> bool:
    """Whether the sentence on promotion says how a promoted piece moves, because no option does."""
    return "mullah_steps" not in game.option_table and "mullah_captures" not in game.option_table


def answer(game: Game, name: str) -> str:
    """The question of an option and its chosen answer."""
    option, value = game.option_table[name], _meant(game, name)
    if value in option.values:
        meaning = option.values[value]
    elif value == game.options[name]:
        meaning = number_meaning(option.values["N"], value)
    else:
        meaning = name_pieces(vocabulary()[name].values[spell(value)], game.promoted_piece)
    return f"{option.question} {_finish(_on_board(game, name, meaning))}"


def _on_board(game: Game, name: str, meaning: str) -> str:
    """The meaning of an answer with the number of lines of the board."""
    if name != "mullah_lines" or game.rules.mullah_lines != "long_diagonals":
        return meaning
    count = len(long_diagonals(game.board))
    if count == 0:
        piece = f"{'an' if game.promoted_piece[0] in 'aeiou' else 'a'} {game.promoted_piece}"
        return f"along none, since this board has no long diagonal: {piece} moves like a man, but in every direction"
    lines = "the long diagonal" if count == 1 else f"the {'two' if count == 2 else count} long diagonals"
    return meaning.replace("the two long diagonals", lines)


def open_questions(game: Game) -> list[str]:
    """The options that have an effect under the chosen answers."""
    moot = _moot(game)
    return [name for name in game.option_table if name not in moot]


def _moot(game: Game) -> set[str]:
    """The rules that decide nothing on this board under the other answers."""
    rules = game.rules
    found: set[str] = set()
    if rules.promotion == "none":
        found |= {name for name in RULE_NAMES if name.startswith("mullah_")} | {"midchain_promotion"}
    if (rules.mullah_steps, rules.mullah_captures) == ("one_point", "next_point"):
        found.add("mullah_lines")
    if not any(captures_far for _, _, captures_far in flights(game)):
        found.add("mullah_landing")
    if not _flies(game):
        found |= {"mullah_steps", "mullah_captures"}
    if rules.no_progress_limit == "off":
        found |= {"progress", "no_progress_result"}
    if rules.undo_scope == "off":
        found.add("undo_cleared_by_jump")
    elif not game.relations:
        found |= {"undo_scope", "undo_cleared_by_jump"}  # no step can be taken back
    if rules.chain == "single":
        found |= {"chain_may_return_to_start", "capture_removal", "midchain_promotion"}
    if rules.leap != "straight" or not game.board.end_arcs:
        found.add("end_arc")
    if not any(_stays_on_last_rank(game, player) for player in (SOUTH, NORTH)):
        found.add("last_rank_frozen")
    return found


def _flies(game: Game) -> bool:
    """Whether the answers on distances can be of effect: whether there are lines along which promoted pieces fly."""
    return game.rules.mullah_lines == "all" or bool(long_diagonals(game.board))


def _stays_on_last_rank(game: Game, player: int) -> bool:
    """Whether men of a player can be on the enemy's first rank when a turn begins, and could step from there."""
    last, rules = game.last_rank(player), game.rules
    is_promoted = rules.promotion == "last_rank" and not game.start[player] & last
    steps = (edge for edge in game.board.edges if edge[0] in last and game.goes(rules.man_steps, player, *edge))
    return not is_promoted and any(steps)


def notation_sentences(game: Game) -> list[str]:
    """The notation of steps and turns, with examples on the board of the game."""
    labels, rules = game.board.labels, game.rules
    points = [labels[point] for point in game.board.longest_line]
    found = [f"{points[0]}-{points[1]} is a step; {points[0]}x{points[2]} is a capture"]
    if rules.chain != "single" and len(points) > 4:
        found[0] += f", and {points[0]}x{points[2]}x{points[4]} two captures by one piece in one turn"
    found[0] += "."
    if any(game.table.has_two_victims):
        mark = f"^{points[1]}"
        found.append(
            f"A mark such as {mark} after a capture names the captured piece, where more than one could be meant."
        )
    found += [f"pass {meaning}." for meaning in pass_meanings(game)]
    kings = f"; K before a point is a {game.promoted_piece}" if rules.promotion != "none" else ""
    found.append(f"In the text of a position, W is South and B is North{kings}.")
    return found


def pass_meanings(game: Game) -> list[str]:
    """What a pass does, as `is the turn of a player who cannot move`; empty in a game without one."""
    found = []
    if game.rules.chain == "optional":
        found.append("ends a turn that could go on capturing")
    if game.rules.no_moves == "pass":
        found.append("is the turn of a player who cannot move")
    return found


def rule_sentences(game: Game) -> list[str]:
    """All rules under the chosen options: aim, moves, endings, notation."""
    answers = [answer(game, name) for name in open_questions(game)]
    ends = [ending.sentence for ending in endings(game)]
    return [*fixed_sentences(game), *answers, *ends, *notation_sentences(game)]


def _finish(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def endings(game: Game) -> list[Ending]:
    """How a match ends, in order of precedence."""
    rules = game.rules
    few = "with three pieces or fewer" if rules.lose_at_three else "without pieces"
    found = [Ending("captured", f"A player {few} loses.")]
    if rules.no_moves in _BLOCKED:
        found.append(Ending("blocked", _BLOCKED[rules.no_moves]))
    if rules.repetition == "threefold_draw":
        found.append(Ending("repetition", "The third occurrence of a position with the same player to move is a draw."))
    if rules.no_progress_limit != "off":
        when = f"After {rules.no_progress_limit} turns in a row without {progress(game)}, both players' counted,"
        if rules.no_progress_result == "majority":
            found.append(Ending("majority", f"{when} the side with more pieces wins; equal numbers draw."))
        else:
            found.append(Ending("no_progress", f"{when} the match is drawn."))
    return found


def progress(game: Game) -> str:
    """What counts as progress in the game, as `a capture`."""
    return _PROGRESS[str(_meant(game, "progress"))]
