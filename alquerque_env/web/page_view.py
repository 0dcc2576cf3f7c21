"""What the page shows of a game: its options, bots, rules in sentences, and the board; and of a match."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..game.aim_text import aims, common_aim, seats
from ..game.citations import cite, sources
from ..game.game import Game
from ..game.rules_text import SIDES, answer, endings, notation_sentences, open_questions, play_sentences
from ..game.step import Step, join_turn
from ..match.match import Match
from ..match.position_text import forbidden_steps
from ..match.status_text import outcome_sentence, standing
from ..match.variations import first_place
from ..render import Picture, Piece, draw_board, draw_piece, draw_svg
from ..render.geometry import PIECE_RADIUS, UNIT, lay_out
from ..solve.solutions import known_solution

CARD_SIZE = 240  # pixels of the longer side of a picture, which the page shows smaller
MOST_FIRST_STEPS = 3  # that are named where a game is won from the start
LONGEST_CHAIN = 3  # steps of a chain that the status shows whole


def show_game(game: Game) -> dict[str, Any]:
    """A game for the dialog in which one is chosen; nothing here compiles its rules."""
    return {
        "id": game.argument,
        "title": f"{game.title} ({game.argument})" if game.file_text else game.title,
        "about": game.about,
        "kind": kind_of(game),
        "solved": solved_tag(game),
        "board": game.board.title,
        "points": len(game.board.points),
    }


def kind_of(game: Game) -> str:
    """The kind of a game in words."""
    if game.has_roles:
        return "Hunt"
    return "Draughts" if game.board.is_chequered else "Capture game"


def solved_tag(game: Game) -> str:
    """Who wins under best play in two words; an empty string if that is unknown."""
    known = known_solution(game)
    if known is None or known.winner is None:
        return ""
    return "Solved: a draw" if known.winner == "draw" else f"Solved: {SIDES[int(known.winner)]} wins"


def show_card(game: Game) -> dict[str, str]:
    """The start of a game as a small picture without the names of points, for its card. Compiles no rules."""
    pieces = {point: (player, False) for player in (0, 1) for point in game.start[player]}
    picture = Picture(game.board, pieces, hands=game.hands, has_names=False)
    return {"svg": draw_svg(picture, size=CARD_SIZE)}


def show_rules(game: Game) -> dict[str, Any]:
    """The rules of a game with its options, and their sources."""
    return {
        "title": game.title,
        "sides": show_sides(game),
        "aims": [" ".join(told) for told in zip(aims(game), seats(game), strict=True)],
        "aim": common_aim(game),
        "first": game.first_player,
        "start": Match(game).position,
        "questions": [option.as_dict() | {"source": cite(game, name)} for name, option in game.option_table.items()],
        "board": {"title": game.board.title, "source": game.board.source, "points": len(game.board.points)},
        "sentences": play_sentences(game),
        "options": [
            {
                "name": name,
                "answer": answer(game, name),
                "source": cite(game, name),
                "is_default": game.options[name] == game.option_table[name].default,
            }
            for name in open_questions(game)
        ],
        "notation": notation_sentences(game),
        "endings": [ending.sentence for ending in endings(game)],
        "solution": show_solution(game),
        "sources": sources(game),
    }


def show_solution(game: Game) -> str:
    """Who wins if nobody makes a mistake, and by which first step; an empty string if that is unknown."""
    known = known_solution(game)
    if known is None or known.winner is None:
        return ""
    if known.winner == "draw":
        return "This game is solved: between players who make no mistake it is a draw."
    steps = known.line[:1] if known.whole is None else known.whole.steps
    how = " or ".join(steps) if known.winner == game.first_player and len(steps) <= MOST_FIRST_STEPS else ""
    return f"This game is solved: {SIDES[int(known.winner)]} wins with {how or 'best play'}."


def show_sides(game: Game) -> list[dict[str, str]]:
    """What the page calls each side, one of its pieces and several: in games with roles `Tigers (South)`."""
    if game.sides[0].piece == game.sides[1].piece:
        return [{"name": side, "one": "piece", "many": "pieces"} for side in SIDES]
    shown = []
    for player, side in enumerate(game.sides):
        name = side.piece if len(game.start[player]) + game.hands[player] == 1 else side.pieces
        shown.append({"name": f"{name.capitalize()} ({SIDES[player]})", "one": side.piece, "many": side.pieces})
    return shown


def show_board(game: Game, *, turned: bool) -> dict[str, Any]:
    """A board without pieces as the content of an SVG element, the places of its points, and the pieces as SVG."""
    layout = lay_out(game.board, turned)
    places = zip(game.board.labels, layout.places, strict=True)
    kings = (False,) if game.rules.promotion == "none" else (False, True)
    names = {False: [side.piece for side in game.sides], True: [game.promoted_piece] * 2}
    pieces = {f"{player}{'K' * promoted}": Piece(player, promoted) for player in (0, 1) for promoted in kings}
    return {
        "title": game.board.title,
        "size": list(layout.size),
        "unit": UNIT,
        "radius": PIECE_RADIUS,
        "background": draw_board(Picture(game.board, turned=turned)),
        "points": {label: [round(x, 1), round(y, 1)] for label, (x, y) in places},
        "pieces": {key: draw_piece(piece) for key, piece in pieces.items()},
        "names": {key: f"{SIDES[piece.player]} {names[piece.promoted][piece.player]}" for key, piece in pieces.items()},
    }


def show_match(match: Match, person: int | None = None) -> dict[str, Any]:
    """Everything that the page shows of a match; points are labels, and sentences call `person` `you`."""
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
        "turns": list(show_turns(game, match.history, first_place(match), 0)),
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
