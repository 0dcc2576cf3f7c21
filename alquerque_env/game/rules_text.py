"""The rules of a game in sentences. `options.toml` has the sentence of every answer."""

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import NamedTuple

from .game import Game
from .options import RULE_NAMES, OptionValue, Rules, name_pieces, spell, vocabulary
from .ruleset import NORTH, SOUTH
from .templates import flights, leaps_of_men, long_diagonals

SIDES = ("South", "North")

_PROGRESS = {
    "capture": "a capture",
    "capture_or_promotion": "a capture or a promotion",
    "capture_or_man_step": "a capture or a man's step",
}
# How promoted pieces move on a board without a line to fly along.
_NEAR = {"mullah_steps": "one_point", "mullah_captures": "next_point"}
# Rules that the sentences on the start and on endings tell.
_TOLD_ELSEWHERE = {"board", "dash_sides", "pieces", "lose_at_three", "no_moves", "repetition", "progress"}
_TOLD_ELSEWHERE |= {"no_progress_limit", "no_progress_result"}


class FixedRule(NamedTuple):
    """A rule with one answer in a game."""

    name: str
    value: OptionValue
    sentence: str  # empty if it adds nothing to the rules


class Ending(NamedTuple):
    """A way in which a match ends: `reason` as in `Outcome`, and the condition and the winner in words."""

    reason: str
    sentence: str


def fixed_rules(game: Game) -> list[FixedRule]:
    """The rules that no option changes, without those that do not arise in the game."""
    moot = _moot(game)
    return [
        FixedRule(field.name, value, "" if field.name in moot else sentence(game, field.name))
        for field in fields(Rules)
        if field.name not in game.option_table
        and (value := getattr(game.rules, field.name)) != (None if field.default is MISSING else field.default)
    ]


def sentence(game: Game, name: str) -> str:
    """What the answer to a question adds to the rules; empty if it adds nothing."""
    value, sentences = _meant(game, name), vocabulary()[name].sentences
    if value == "":
        return ""
    rules, own = game.rules, sentences.get("*") or sentences.get("N", "")
    found = sentences.get(spell(value), own).format(
        answer=game.option_table[name].meaning(value) if name == "board" and name in game.option_table else value,
        piece="a piece" if rules.promotion == "none" else "a man",
        side="a player",
        captor="its side" if rules.undo_scope == "per_player_last_move" else "the piece",
        line=_line(game),
        flight="long diagonal" if rules.mullah_lines == "long_diagonals" else _line(game),
        opening=_opening(game),
        south=_points(game, game.promotion[SOUTH]),
        north=_points(game, game.promotion[NORTH]),
        limit=rules.no_progress_limit,
        progress=progress(game),
    )
    return re.sub(r"(?:^|(?<=\. ))a\b", "A", name_pieces(found, game.promoted_piece))


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
    if name == "capture_removal" and rules.chain == "single":
        return "immediate"
    if name in _NEAR and not _flies(game):
        return _NEAR[name]
    return value


def _is_level(game: Game, origin: int, target: int) -> bool:
    """Whether a step goes neither forward nor backward."""
    return all(not game.goes("forward", player, origin, target) for player in (0, 1))


def _opening(game: Game) -> str:
    """The first steps that the opening rule allows, as they are seen on the board."""
    turn = game.turn if game.first_player == NORTH else range(len(game.board.points))
    found = []
    for step in game.opening or ():
        origin, target = (None if point is None else game.board.labels[turn[point]] for point in step)
        ends = [f"from {origin}"] * (origin is not None) + [f"to {target}"] * (target is not None)
        found.append(" ".join(["a step", *ends]))
    return " or ".join(dict.fromkeys(found))


def _points(game: Game, points: Iterable[int], word: str = "and") -> str:
    """The labels of points in a sentence."""
    *others, last = (game.board.labels[point] for point in sorted(points)) if points else [""]
    return f"{', '.join(others)} {word} {last}" if others else last


def _line(game: Game) -> str:
    return "line or circle" if game.board.circles else "line"


def start_sentence(game: Game) -> str:
    """The board, and what stands on it at the start."""
    labels, (south, north) = game.board.labels, game.start
    if len(south) == len(north):
        sides = f"Each side begins with {len(south)} pieces"
    else:
        sides = f"South begins with {len(south)} pieces and North with {len(north)}"
    vacant = set(range(len(labels))) - south - north
    named = _points(game, vacant) if len(vacant) <= 3 else f"the other {len(vacant)} points"
    vacancy = f"; {named} {'is' if len(vacant) == 1 else 'are'} vacant" if vacant else ""
    return f"{game.board.title}: {len(labels)} points. {sides}{vacancy}."


def play_sentences(game: Game) -> list[str]:
    """The aim and how to play under the chosen options."""
    skipped = _moot(game) - {"capture_removal"} | _TOLD_ELSEWHERE
    if game.rules.promotion != "none":
        skipped -= _NEAR.keys()
    if game.rules.no_moves == "pass":
        skipped -= {"no_moves"}
    found = [_aim(game), *(sentence(game, name) for name in vocabulary() if name not in skipped)]
    if game.sanctuary:
        safe = f"A piece on {_points(game, game.sanctuary, 'or')} cannot be captured."
        found.insert(found.index(sentence(game, "promotion")), safe)
    if game.relations and game.rules.promotion != "none":
        found.append(name_pieces("A mullah may take back every step.", game.promoted_piece))
    return [text for text in found if text]


def _aim(game: Game) -> str:
    goal = "capture all but three enemy pieces" if game.rules.lose_at_three else "capture all enemy pieces"
    blocking = ", or to leave the enemy without a legal move" if game.rules.no_moves == "loss" else ""
    return f"The aim is to {goal}{blocking}."


def answer(game: Game, name: str) -> str:
    """The question of an option and its chosen answer."""
    option = game.option_table[name]
    meaning = option.meaning(game.options[name])
    return f"{option.question} {meaning[:1].upper()}{meaning[1:]}."


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
    """All rules under the chosen options: aim, play, endings, notation."""
    return [*play_sentences(game), *(ending.sentence for ending in endings(game)), *notation_sentences(game)]


def endings(game: Game) -> list[Ending]:
    """How a match ends, in order of precedence."""
    moot = _moot(game) | ({"no_moves"} if game.rules.no_moves == "pass" else set())
    limit = "majority" if game.rules.has_majority_at_limit else "no_progress"
    deciding = {
        "captured": "lose_at_three",
        "blocked": "no_moves",
        "repetition": "repetition",
        limit: "no_progress_result",
    }
    told = {reason: sentence(game, name) for reason, name in deciding.items() if name not in moot}
    return [Ending(reason, text) for reason, text in told.items() if text]


def progress(game: Game) -> str:
    """What counts as progress in the game, as `a capture`."""
    return _PROGRESS[str(_meant(game, "progress"))]
