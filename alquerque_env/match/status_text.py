"""A match in words: what to do next, who won and why, its numbered turns.

Sentences call the players by their sides, or `you` and `the bot` where one person plays against a bot. Everywhere
`person` is the side of that person, None where there are two or none.
"""

from collections import Counter

from ..game import state_layout as STATE
from ..game.rules_text import SIDES, progress
from ..game.step import Step
from .match import Match, Outcome

_OF_YOU = {"has": "have", "is": "are"}


def called(player: int, person: int | None) -> str:
    """Returns what a player is called within a sentence."""
    return SIDES[player] if person is None else "you" if player == person else "the bot"


def does(player: int, verb: str, person: int | None) -> str:
    """Returns what a player does, from a verb such as `wins`: `South wins`, `you win`, `the bot wins`."""
    return f"{called(player, person)} {_OF_YOU.get(verb, verb.removesuffix('s')) if player == person else verb}"


def move_of(player: int, number: int, person: int | None) -> str:
    """Returns what a move is called within a sentence."""
    if person is None:
        return f"move {number} of {SIDES[player]}"
    whose = "your" if player == person else "the bot's"
    return f"{whose} move {number}"


def begin(sentence: str) -> str:
    """Returns a sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


# The no-progress limit is mentioned from this many turns before it.
_WARNING = 10


def standing(match: Match, person: int | None = None) -> str:
    """Returns what a player should know besides the board, or an empty string."""
    label = None if match.chain is None else match.game.board.labels[match.chain]
    if label is not None:
        if any(step.is_pass for step in match.legal_steps):
            return f"The piece on {label} may go on capturing, or pass to stop."
        return f"The piece on {label} must go on capturing."
    if note := _schedule(match, person):
        return note
    if match.game.rules.opening != "any" and not match.is_over and match.position == Match(match.game).position:
        targets = {match.game.board.labels[step.target] for step in match.legal_steps if step.target is not None}
        return f"The first step goes to {' or '.join(sorted(targets))}."
    limit = match.game.rules.no_progress_limit
    left = 0 if limit == "off" else limit - int(match.state[STATE.QUIET])
    if 0 < left <= _WARNING:
        return f"The match ends after {left} more turn{'s' * (left > 1)} without {progress(match.game)}."
    return ""


def name_pieces(match: Match, player: int, count: int) -> str:
    """Returns what so many pieces of a side are called: `goats`, or `pieces` where they have no name of their own."""
    side = match.game.sides[player]
    if side.piece == "man":
        return "piece" if count == 1 else "pieces"
    return side.piece if count == 1 else side.pieces


def _schedule(match: Match, person: int | None) -> str:
    """Returns what the schedule asks for, and what is still to be dropped; empty where there is neither."""
    if match.is_over:
        return ""
    found = []
    if any(step.captured and step.target is None for step in match.legal_steps):
        found.append(begin(f"{does(match.player, 'removes', person)} a piece of {called(1 - match.player, person)}."))
    for player, hand in enumerate(match.picture().hands):
        if hand:
            drops = begin(does(player, "still drops", person))
            found.append(f"{drops} {hand} {name_pieces(match, player, hand)}.")
    return " ".join(found)


def exact_sentence(match: Match, person: int | None = None) -> str:
    """Returns who wins under best play and in how many turns, or an empty string if that is unknown."""
    clockless = None if match.table is None else match.table.clockless(match)
    if match.is_over or clockless is None:
        return ""
    value, distance = match.value, match.distance
    if value is None and distance is None:
        return "Who wins is not known: it may depend on when the match ends without progress."
    if value == 0:
        return "A draw under best play."
    winner = match.player if (clockless if value is None else value) > 0 else 1 - match.player
    wins = begin(does(winner, "wins", person))
    if distance is None:
        return f"{wins} under best play, having more pieces when the match ends without progress."
    turns = f"{distance} turn{'s' * (distance != 1)}, those of both sides counted"
    if value is None:
        return f"{begin(does(winner, 'needs', person))} {turns}, to win; the match may end without progress before."
    if not lasts(match, distance):
        return f"{wins} under best play; without the no-progress limit it would take {turns}."
    return f"{wins} under best play in {turns}."


def lasts(match: Match, turns: int, step: Step | None = None) -> bool:
    """Whether a match of so many more turns ends before the no-progress limit, whatever they are.

    A turn of captures starts the count again: the one that `step` begins or, without it, the turn if it must capture.
    """
    limit = match.game.rules.no_progress_limit
    if limit == "off":
        return True
    first = match.legal_steps if step is None else (step,)
    captures = match.chain is not None or all(each.captured for each in first)
    return turns <= (1 + limit if captures else limit - int(match.state[STATE.QUIET]))


def outcome_sentence(match: Match, outcome: Outcome, person: int | None = None) -> str:
    """Returns who won and why."""
    who = "Draw" if outcome.winner is None else begin(does(outcome.winner, "wins", person))
    return f"{who}: {_reason(match, outcome, person)}."


def _reason(match: Match, outcome: Outcome, person: int | None) -> str:
    shown = match.picture()
    pieces = Counter(player for player, _ in shown.pieces.values())
    if outcome.reason == "captured":
        loser = 0 if outcome.winner == 1 else 1
        left = pieces[loser] + shown.hands[loser]
        return f"{does(loser, 'has', person)} {f'only {left}' if left else 'no'} {name_pieces(match, loser, left)} left"
    if outcome.reason == "goal":
        winner = 0 if outcome.winner == 0 else 1
        goal = sorted(match.game.sides[winner].goal)
        points = ", ".join(match.game.board.labels[point] for point in goal)
        return f"{does(winner, 'holds', person)} {points}"
    if outcome.reason == "blocked":
        counted = match.game.no_moves[match.player] == "majority"
        return f"{called(match.player, person)} cannot move" + (
            f", and {_majority(pieces, outcome, person)}" if counted else ""
        )
    if outcome.reason == "repetition":
        return "the position has occurred three times"
    limit = f"{match.game.rules.no_progress_limit} turns without {progress(match.game)}"
    return limit + (f", and {_majority(pieces, outcome, person)}" if outcome.reason == "majority" else "")


def _majority(pieces: Counter[int], outcome: Outcome, person: int | None) -> str:
    if outcome.winner is None:
        return f"each side has {pieces[0]} of its pieces"
    more, fewer = pieces[outcome.winner], pieces[1 - outcome.winner]
    return f"{does(outcome.winner, 'has', person)} more pieces, {more} to {fewer}"


def numbered_turns(match: Match) -> list[str]:
    """Returns the turns of a match in numbered pairs such as `1. c2-c3 c4xc2`."""
    turns = list(match.turns)
    if turns and match.history[0][0] != match.game.first_player:
        turns.insert(0, "...")
    return [f"{first // 2 + 1}. {' '.join(turns[first : first + 2])}" for first in range(0, len(turns), 2)]
