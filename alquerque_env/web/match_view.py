"""What the page shows of a match."""

from collections.abc import Iterator
from typing import Any

from ..game.game import Game
from ..game.step import Step, join_turn
from ..match.match import Match
from ..match.status_text import outcome_sentence, standing
from ..render.geometry import lay_out


def show_match(match: Match) -> dict[str, Any]:
    """Everything that the page shows of a match; points are labels."""
    game, picture, outcome = match.game, match.picture(), match.outcome
    labels = game.board.labels
    last_turn = match.history[-1][1] if match.history else ()
    return {
        "position": match.position,
        "player": match.player,
        "chain": None if match.chain is None else labels[match.chain],
        "pieces": {labels[point]: list(piece) for point, piece in sorted(picture.pieces.items())},
        "legal": [show_step(game, step) for step in match.legal_steps],
        "turns": list(_turns(match)),
        "last_turn": [labels[point] for point in picture.last_turn],
        "last_paths": [path for step in last_turn if (path := show_path(game, step))],
        "captured": [labels[point] for point in picture.captured],
        "pending": [labels[point] for point in picture.pending],
        "note": standing(match),
        "outcome": None
        if outcome is None
        else {"winner": outcome.winner, "reason": outcome.reason, "sentence": outcome_sentence(match, outcome)},
    }


def show_step(game: Game, step: Step) -> dict[str, Any]:
    """A step with its path on the board."""
    labels = game.board.labels
    return {
        "text": step.text,
        "origin": None if step.origin is None else labels[step.origin],
        "target": None if step.target is None else labels[step.target],
        "captured": [labels[point] for point in step.captured],
        "path": show_path(game, step),
    }


def show_path(game: Game, step: Step) -> list[list[float]]:
    """The path of a step, a polyline in the drawing units of the board as South sees it; empty for a pass."""
    if step.origin is None or step.target is None or step.is_pass:
        return []
    layout = lay_out(game.board)
    route = layout.route(step.origin, step.target)
    if len(route) == 2 and step.captured:
        # A bent leap goes over its victim.
        start, end, over = *route, layout.places[step.captured[0]]
        if abs((end[0] - start[0]) * (over[1] - start[1]) - (end[1] - start[1]) * (over[0] - start[0])) > 1.0:
            route = start, over, end
    return [[round(x, 1), round(y, 1)] for x, y in route]


def _turns(match: Match) -> Iterator[dict[str, Any]]:
    """The turns, each with its player and the number of steps up to its end."""
    done = 0
    for player, steps in match.history:
        done += len(steps)
        yield {"player": player, "text": join_turn([step.text for step in steps]), "steps": done}
