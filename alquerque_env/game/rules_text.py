"""The rules of a game in sentences. `options.toml` has the sentence of every answer."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from typing import NamedTuple

from . import table_layout as TABLE
from .game import Game
from .options import RULE_NAMES, OptionValue, Rules, name_pieces, spell, vocabulary, with_article
from .ruleset import NORTH, SOUTH, Ply
from .schedule_text import blocks
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
_TOLD_ELSEWHERE = {"board", "dash_sides", "pieces", "lose_at_three", "loses_at", "no_moves", "repetition", "progress"}
_TOLD_ELSEWHERE |= {"no_progress_limit", "no_progress_result"}
# Rules on how a piece moves. Where the sides differ, each side gets a sentence of its own.
_OF_A_SIDE = ("man_steps", "captures", "leap", "man_capture_dirs")
_OF_CHAINS = ("chain_may_return_to_start", "chain_visits_once", "chain_must_turn")
_OF_KINGS = tuple(name for name in RULE_NAMES if name.startswith("mullah_"))


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
    if name == "who_starts" and game.schedule:
        return schedule_sentences(game)
    if name == "no_moves":
        return _blocked(game, *game.no_moves)
    if name == "captures" and not game.has_roles:
        return _sentence(game, name, game.captures(SOUTH), "a piece")
    if name not in _OF_A_SIDE or not game.has_roles:
        piece = _man(game)
        side = name in ("capture", "max_capture") and _only_captor(game)
        return _sentence(game, name, _meant(game, name), piece, side or "a player")
    able = [player for player in (SOUTH, NORTH) if _arises(game, name, player)]
    answers = [_meant(game, name, player) for player in able]
    told = [
        _sentence(game, name, answer, with_article(game.sides[player].piece))
        for player, answer in zip(able, answers, strict=True)
    ]
    if len(able) == 2 and answers[SOUTH] == answers[NORTH]:
        return _sentence(game, name, answers[SOUTH], "a piece")
    return " ".join(text for text in told if text)


def _man(game: Game) -> str:
    """What sentences on both sides call a piece that is not promoted."""
    return "a piece" if game.rules.promotion == "none" else "a man"


def _arises(game: Game, name: str, player: int) -> bool:
    """Whether a question on how a piece moves arises for the men of a side."""
    return name in ("man_steps", "captures") or (
        game.captures(player) == "leap" if name == "leap" else _captures(game, player)
    )


def _captures(game: Game, player: int) -> bool:
    return game.captures(player) != "none"


def _only_captor(game: Game) -> str:
    """The side that alone can capture; empty if both can, or none."""
    able = [SIDES[player] for player in (SOUTH, NORTH) if _captures(game, player)]
    return able[0] if len(able) == 1 else ""


def _sentence(game: Game, name: str, value: OptionValue, piece: str, side: str = "a player") -> str:
    sentences = vocabulary()[name].sentences
    if value == "":
        return ""
    rules, own = game.rules, sentences.get("*") or sentences.get("N", "")
    found = sentences.get(spell(value), own).format(
        answer=game.option_table[name].meaning(value) if name == "board" and name in game.option_table else value,
        piece=piece,
        side=side,
        captor="its side" if rules.undo_scope == "per_player_last_move" else "the piece",
        line=_line(game),
        flight="long diagonal" if rules.mullah_lines == "long_diagonals" else _line(game),
        opening=_opening(game),
        south=_points(game, game.promotion[SOUTH]),
        north=_points(game, game.promotion[NORTH]),
        limit=rules.no_progress_limit,
        progress=progress(game),
    )
    return re.sub(
        r"(?:^|(?<=\. ))an?\b", lambda article: article[0].capitalize(), name_pieces(found, game.promoted_piece)
    )


def _meant(game: Game, name: str, player: int = SOUTH) -> OptionValue:
    """The answer to a question, or the simpler one that has the same effect on this board under the other answers.

    Where the answers of the sides may differ, it is that of `player`.
    """
    rules, board = game.rules, game.board
    value: OptionValue = getattr(rules, name)
    if name in ("man_steps", "captures"):
        value = game.step_directions(player) if name == "man_steps" else game.captures(player)
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
    *others, last = (game.board.labels[point] for point in sorted(points)) if points else [""]
    return f"{', '.join(others)} {word} {last}" if others else last


def _line(game: Game) -> str:
    return "line or circle" if game.board.circles else "line"


def start_sentence(game: Game) -> str:
    """The board, and what stands on it at the start."""
    labels, (south, north) = game.board.labels, game.start
    if game.has_roles or game.schedule:
        own, other = _begins(game, SOUTH), _begins(game, NORTH)
        is_alike = own.startswith("begins") and other.startswith("begins")
        sides = f"South {own}, and North {other.removeprefix('begins ') if is_alike else other}"
    elif len(south) == len(north):
        sides = f"Each side begins with {len(south)} pieces"
    else:
        sides = f"South begins with {len(south)} pieces and North with {len(north)}"
    vacant = set(range(len(labels))) - south - north
    others = "the other" if south or north else "all"
    named = _points(game, vacant) if len(vacant) <= 3 else f"{others} {len(vacant)} points"
    vacancy = f"; {named} {'is' if len(vacant) == 1 else 'are'} vacant" if vacant else ""
    return f"{game.board.title}: {len(labels)} points. {sides}{vacancy}."


def _begins(game: Game, player: int) -> str:
    """What a side begins with, as `begins with 4 tigers`."""
    count, hand = len(game.start[player]), game.hands[player]
    if not count:
        return f"has {_count(game, player, hand)} in hand"
    return f"begins with {_count(game, player, count)}" + (f" and has {hand} more in hand" if hand else "")


def _count(game: Game, player: int, number: int) -> str:
    """A number of pieces of a side, as `4 tigers`."""
    side = game.sides[player]
    piece, pieces = (side.piece, side.pieces) if game.has_roles else ("piece", "pieces")
    return with_article(piece) if number == 1 else f"{number} {pieces}"


def schedule_sentences(game: Game) -> str:
    """Who begins, what is played in the plies of the schedule, and how the match goes on."""
    first, after = SIDES[game.first_player], SIDES[1 - game.schedule[-1].player]
    told = [_block_sentence(game, *block) for block in blocks(game.schedule)]
    if told[0].startswith(first):
        told[0] = told[0].replace(first, f"{first} begins and", 1)
    else:
        told.insert(0, f"{first} begins.")
    if any(ply.does == TABLE.DROPS for ply in game.schedule):
        told.append("Pieces are dropped on vacant points.")
    told.append(f"Then the players take turns; {after} moves first.")
    return " ".join([*told, "In each turn, the player steps or captures with one piece."])


def _block_sentence(game: Game, plies: Sequence[tuple[Ply, int]], times: int) -> str:
    """What is played in a block of a schedule."""
    if times > 1 and len(plies) == 2 and plies[0][0].does == TABLE.DROPS and plies[1][0].does == TABLE.MOVES:
        (drop, number), (move, moves) = plies
        if number == moves == 1:
            return (
                f"{SIDES[drop.player]} drops {_count(game, drop.player, times)}{_where(game, drop)}, one in each turn; "
                f"{SIDES[move.player]} moves meanwhile."
            )
    listed = [f"{SIDES[ply.player]} {_does(game, ply, number)}" for ply, number in plies]
    text = f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else listed[0]
    often = "" if times == 1 else "Twice in turn, " if times == 2 else f"{times} times in turn, "
    return f"{often}{text}."


def _does(game: Game, ply: Ply, number: int) -> str:
    if ply.does == TABLE.DROPS:
        return f"drops {_count(game, ply.player, number)}{_where(game, ply)}"
    if ply.does == TABLE.REMOVES:
        return f"removes {_count(game, 1 - ply.player, number)} of {SIDES[1 - ply.player]}{_where(game, ply)}"
    return "moves" if number == 1 else f"moves {number} times"


def _where(game: Game, ply: Ply) -> str:
    """The points of a drop or a removal; empty for all of them."""
    others = set(range(len(game.board.points))) - ply.points
    if not others:
        return ""
    return (
        f" anywhere but on {_points(game, others, 'or')}"
        if len(others) < 4
        else f" on {_points(game, ply.points, 'or')}"
    )


def play_sentences(game: Game) -> list[str]:
    """The aim and how to play under the chosen options."""
    skipped = _moot(game) - {"capture_removal"} | _TOLD_ELSEWHERE
    if game.rules.promotion != "none":
        skipped -= _NEAR.keys()
    told = (sentence(game, name) for name in vocabulary() if name not in skipped)
    found = [_aim(game), *told, _blocked(game, "pass")]
    if game.sanctuary:
        safe = f"A piece on {_points(game, game.sanctuary, 'or')} cannot be captured."
        found.insert(found.index(sentence(game, "promotion")), safe)
    if able := [player for player in (SOUTH, NORTH) if game.man_double_steps(player)]:
        piece = _man(game) if len(able) == 2 else with_article(game.sides[able[0]].piece)
        further = (
            f"Within {game.double_steps_place}, {piece} may also step over a vacant point to the next one of a line."
        )
        found.insert(found.index(sentence(game, "man_steps")) + 1, further)
    if game.relations and game.rules.promotion != "none":
        found.append(name_pieces("A mullah may take back every step.", game.promoted_piece))
    return [text for text in found if text]


def _aim(game: Game) -> str:
    if game.has_roles:
        return " ".join(_aim_of(game, player) for player in (SOUTH, NORTH))
    goal = "capture all but three enemy pieces" if game.rules.lose_at_three else "capture all enemy pieces"
    blocking = ", or to leave the enemy without a legal move" if game.no_moves[SOUTH] == "loss" else ""
    return f"The aim is to {goal}{blocking}."


def _aim_of(game: Game, player: int) -> str:
    """What a side of a game with two roles aims at."""
    enemy, few = game.sides[1 - player], game.loses_at[1 - player]
    aims = []
    if takes(game, player):
        aims.append(f"reduce the {enemy.pieces} to {few}" if few else f"capture all {enemy.pieces}")
    if game.sides[player].goal:
        aims.append(f"hold {_points(game, game.sides[player].goal)}")
    if game.no_moves[1 - player] == "loss":
        aims.append(f"leave {SIDES[1 - player]} without a legal move")
    return f"{SIDES[player]} aims to {', or to '.join(aims)}." if aims else f"{SIDES[player]} cannot win."


def takes(game: Game, player: int) -> bool:
    """Whether pieces of the other side are captured or removed."""
    return _captures(game, player) or any((ply.player, ply.does) == (player, TABLE.REMOVES) for ply in game.schedule)


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
    kinds = {game.captures(player) for player in (SOUTH, NORTH)}
    names = {
        ("leap", "end_arc"): "leap" not in kinds,
        ("max_capture", "man_capture_dirs"): kinds <= {"none", "custodial"},
        ("capture", "chain", "capture_removal", *_OF_CHAINS): kinds == {"none"},
        ("shrink_sides",): rules.shrink == "off",
        (*_OF_KINGS, "midchain_promotion"): rules.promotion == "none",
        ("mullah_lines",): (rules.mullah_steps, rules.mullah_captures) == ("one_point", "next_point"),
        ("mullah_landing",): not any(captures_far for _, _, captures_far in flights(game)),
        ("mullah_steps", "mullah_captures"): not _flies(game),
        ("progress", "no_progress_result"): rules.no_progress_limit == "off",
        ("undo_cleared_by_jump",): not game.relations,  # memory is off, or no step can be taken back
        ("undo_scope",): rules.undo_scope != "off" and not game.relations,
        (*_OF_CHAINS, "capture_removal", "midchain_promotion"): rules.chain == "single",
        ("chain_may_return_to_start",): rules.chain_visits_once,
        ("end_arc",): rules.leap != "straight" or not game.board.end_arcs,
        ("last_rank_frozen",): not any(_stays_on_last_rank(game, player) for player in (SOUTH, NORTH)),
    }
    return {name for group, is_moot in names.items() if is_moot for name in group}


def _flies(game: Game) -> bool:
    """Whether the answers on distances can be of effect: whether there are lines along which promoted pieces fly."""
    return game.rules.mullah_lines == "all" or bool(long_diagonals(game.board))


def _stays_on_last_rank(game: Game, player: int) -> bool:
    """Whether men of a player can be on the enemy's first rank when a turn begins, and could step from there."""
    last, rules = game.last_rank(player), game.rules
    is_promoted = rules.promotion == "last_rank" and not game.start[player] & last
    steps = (
        edge for edge in game.board.edges if edge[0] in last and game.goes(game.step_directions(player), player, *edge)
    )
    return not is_promoted and any(steps)


def notation_sentences(game: Game) -> list[str]:
    """The notation of steps and turns, with examples on the board of the game."""
    labels, rules = game.board.labels, game.rules
    points = [labels[point] for point in game.board.longest_line]
    flanks = any(game.flankers)
    over = points[1]
    if "approach_withdrawal" in {game.captures(player) for player in (SOUTH, NORTH)}:
        aside = (labels[point] for point in game.board.neighbours[game.board.index[over]])
        over, points = points[2], [*points[:2], over, "", *(label for label in aside if label not in points)]
    found = [f"{points[0]}-{points[1]} is a step; {points[0]}x{points[2]} is a capture"]
    if flanks:
        found = [f"{points[0]}-{points[1]} is a step, also where it captures"]
    if flanks and rules.chain != "single":
        found[0] += f", and {points[0]}-{points[1]}-{points[2]} two steps of one piece in one turn"
    elif rules.chain != "single" and len(points) > 4:
        found[0] += f", and {points[0]}x{points[2]}x{points[4]} two captures by one piece in one turn"
    found[0] += "."
    does = {ply.does for ply in game.schedule}
    if TABLE.DROPS in does:
        found.append(f"@{points[0]} drops a piece on {points[0]}.")
    if TABLE.REMOVES in does:
        found.append(f"x{points[0]} removes the piece on {points[0]}.")
    if any(game.table.has_two_victims):
        found.append(
            f"A mark such as ^{over} after a capture names the captured piece, where more than one could be meant."
        )
    found += [f"pass {meaning}." for meaning in pass_meanings(game)]
    kings = f"; K before a point is a {game.promoted_piece}" if rules.promotion != "none" else ""
    hands = "; D is followed by the numbers of pieces in hand" if game.schedule else ""
    closed = "; Z is followed by the closed points" if game.closing_parts else ""
    found.append(f"In the text of a position, W is South and B is North{kings}{hands}{closed}.")
    return found


def pass_meanings(game: Game) -> list[str]:
    """What a pass does, as `is the turn of a player who cannot move`; empty in a game without one."""
    found = []
    if game.rules.chain == "optional":
        found.append("ends a turn that could go on capturing")
    if "pass" in game.no_moves:
        who = f"{SIDES[game.no_moves.index('pass')]} if it" if _is_blocked_apart(game) else "a player who"
        found.append(f"is the turn of {who} cannot move")
    return found


def rule_sentences(game: Game) -> list[str]:
    """All rules under the chosen options: aim, play, endings, notation."""
    return [*play_sentences(game), *(ending.sentence for ending in endings(game)), *notation_sentences(game)]


def endings(game: Game) -> list[Ending]:
    """How a match ends, in order of precedence."""
    moot = _moot(game)
    limit = "majority" if game.rules.has_majority_at_limit else "no_progress"
    told = {
        "captured": _captured(game) or sentence(game, "lose_at_three"),
        "goal": _goals(game),
        "blocked": _blocked(game, "loss", "draw", "majority"),
        "repetition": sentence(game, "repetition"),
        limit: "" if "no_progress_result" in moot else sentence(game, "no_progress_result"),
    }
    return [Ending(reason, text) for reason, text in told.items() if text]


def _captured(game: Game) -> str:
    """With how many pieces each side loses, where it is not the same for both or another number than usual."""
    if game.rules.loses_at == "none" and not game.has_roles:
        return ""
    if not game.has_roles:
        return _sentence(game, "loses_at", game.rules.loses_at, "a piece")
    told = []
    for player in (SOUTH, NORTH):
        few, side = game.loses_at[player], game.sides[player]
        hand = ", those in hand counted," if game.hands[player] else ""
        number = f"with {few} {side.pieces} or fewer{hand}" if few else f"without {side.pieces}{hand}"
        if takes(game, 1 - player):
            told.append(f"{SIDES[player]} {number} loses.")
    return " ".join(told)


def _blocked(game: Game, *answers: str) -> str:
    """What happens to a player who cannot move, if the answer for that side is one of these."""
    told = [
        _sentence(game, "no_moves", answer, "a piece", SIDES[player] if _is_blocked_apart(game) else "a player")
        for player, answer in enumerate(game.no_moves)
        if answer in answers
    ]
    return " ".join(dict.fromkeys(told))


def _is_blocked_apart(game: Game) -> bool:
    """Whether a side that cannot move ends otherwise than the other one."""
    return game.no_moves[SOUTH] != game.no_moves[NORTH]


def _goals(game: Game) -> str:
    """The points that win when a side holds all of them."""
    return " ".join(
        f"{SIDES[player]} wins when it holds {_points(game, side.goal)}."
        for player, side in enumerate(game.sides)
        if side.goal
    )


def progress(game: Game) -> str:
    """What counts as progress in the game, as `a capture`."""
    drop = " or a drop" if any(game.hands) else ""
    return f"{_PROGRESS[str(_meant(game, 'progress'))]}{drop}"
