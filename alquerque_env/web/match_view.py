"""What the page shows of a match: its position, its turns, and its variations."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import AlquerqueError, shorten
from ..game.game import Game
from ..game.step import Step, join_turn
from ..match.match import Match
from ..match.position_text import forbidden_steps
from ..match.replay import push_text
from ..match.status_text import outcome_sentence, standing
from ..match.variations import arrange, first_place, replay_line
from ..render.geometry import lay_out

LONGEST_CHAIN = 3  # steps of a chain that the status shows whole


def show_match(match: Match, person: int | None = None) -> dict[str, Any]:
    """Everything that the page shows of a match; points are labels, and sentences call `person` `you`."""
    turns = list(show_turns(match.game, match.history, first_place(match), 0))
    return {**show_position(match, person), "turns": turns}


def show_position(match: Match, person: int | None = None) -> dict[str, Any]:
    """What the page shows of a match but its turns."""
    game, picture, outcome = match.game, match.picture(), match.outcome
    labels = game.board.labels
    last_turn = match.history[-1][1] if match.history else ()
    forbidden = forbidden_steps(game.table.words, [int(word) for word in match.state])
    return {
        "position": match.position,
        "player": match.player,
        "chain": None if match.chain is None else labels[match.chain],
        "pieces": {labels[point]: list(piece) for point, piece in sorted(picture.pieces.items())},
        "legal": [show_step(game, step) for step in match.legal_steps],
        "hands": list(picture.hands),
        "closed": [labels[point] for point in picture.closed],
        "forbidden": [[labels[point], labels[other]] for point, other in forbidden],
        "forbidden_way": "straight on" if game.rules.chain_must_turn else "back",
        "takes_most": game.rules.max_capture == "most_pieces",
        "last_paths": show_paths(game, last_turn),
        "captured": [labels[point] for point in picture.captured],
        "pending": [labels[point] for point in picture.pending],
        "note": standing(match, person),
        "outcome": None
        if outcome is None
        else {"winner": outcome.winner, "reason": outcome.reason, "sentence": outcome_sentence(match, outcome, person)},
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
    """The path of a step, a polyline in the drawing units of the board as South sees it; empty for a pass.

    That of a drop or of a removal is the place of the piece.
    """
    layout = lay_out(game.board)
    if step.is_pass:
        return []
    if step.origin is None or step.target is None:
        x, y = layout.places[step.captured[0] if step.target is None else step.target]
        return [[round(x, 1), round(y, 1)]]
    route = layout.route(step.origin, step.target)
    if len(route) == 2 and step.captured and not any(game.flankers):
        over = step.captured[0]
        if layout.is_beside(over, step.origin, step.target):  # a bent leap goes over its victim
            route = route[0], layout.places[over], route[1]
    return [[round(x, 1), round(y, 1)] for x, y in route]


def show_paths(game: Game, steps: Iterable[Step]) -> list[list[list[float]]]:
    """The paths of a turn: one for a chain, one for each drop."""
    joined: list[list[list[float]]] = []
    for path in filter(None, (show_path(game, step) for step in steps)):
        if joined and joined[-1][-1] == path[0]:
            joined[-1] += path[1:]
        else:
            joined.append(path)
    return joined


def shorten_turn(game: Game, steps: Sequence[Step]) -> str:
    """A turn as text, without the middle of a long chain."""
    target = steps[-1].target
    if len(steps) <= LONGEST_CHAIN or target is None:
        return join_turn([step.text for step in steps])
    count = sum(len(step.captured) for step in steps)
    return f"{steps[0].text}…x{game.board.labels[target]} ({count} captures)"


def show_turns(
    game: Game, history: Iterable[tuple[int, Sequence[Step]]], place: int, done: int
) -> Iterator[dict[str, Any]]:
    """Turns, each with its player, its number and column in the list, and the number of steps up to its end.

    Args:
      game: The game.
      history: The turns, each as its player and its steps.
      place: The number of turns before them, as match files count them.
      done: The number of steps before them.
    """
    for player, steps in history:
        done += len(steps)
        text = join_turn([step.text for step in steps])
        yield {
            "player": player,
            "number": place // 2 + 1,
            "column": place % 2,
            "text": text,
            "short": shorten_turn(game, steps),
            "steps": done,
        }
        place += 1


def show_variations(match: Match, variations: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The branches of some lines, and what is wrong with lines that are not legal to their end."""
    lines, problems = legal_lines(match, variations)
    branches = [
        {
            "parent": branch.parent,
            "start": branch.start,
            "steps": [step.text for step in lines[branch.line]],
            "turns": list(show_turns(match.game, branch.turns, branch.place, branch.start)),
        }
        for branch in arrange(match, lines)
    ]
    return {"lines": [[step.text for step in line] for line in lines], "branches": branches, "problems": problems}


def legal_lines(match: Match, variations: Sequence[Sequence[str]]) -> tuple[list[tuple[Step, ...]], list[str]]:
    """The variations up to the first step that is not legal, and a sentence about each one that is cut off there."""
    ahead, lines, problems = match.copy(), [], []
    for number, texts in enumerate(variations, 1):
        played = [step.text for step in ahead.steps]
        common = 0
        while common < min(len(played), len(texts)) and played[common] == texts[common]:
            common += 1
        replay_line(ahead, ahead.steps[:common])
        for text in texts[common:]:
            try:
                push_text(ahead, text)
            except AlquerqueError:
                done = ahead.num_steps
                kept = f"is kept up to step {done}" if done else "is left out"
                problems.append(f"Variation {number} {kept}: its step {done + 1}, {shorten(text)}, is not legal.")
                break
        if ahead.num_steps:
            lines.append(ahead.steps)
    return lines, problems
