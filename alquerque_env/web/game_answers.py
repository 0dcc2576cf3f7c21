"""The answers to requests about games: what the page shows of them. The static page has them as files."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from .. import __version__
from ..bots.levels import EASY, level_names
from ..exercises.puzzle_set import games_with_puzzles
from ..game.aim_text import aims, common_aim, seats
from ..game.game import Game
from ..game.rules_text import SIDES, answer, endings, notation_sentences, open_questions, play_sentences
from ..match.match import Match
from ..match.rule_examples import RuleExample, rule_examples
from ..render import Picture, Piece, draw_board, draw_piece, draw_svg
from ..render.geometry import PIECE_RADIUS, UNIT, lay_out
from ..solve.solutions import cite, known_solution, sources
from .exercise_view import ELO, show_lessons, show_puzzles

if TYPE_CHECKING:
    from ..game.options import OptionValue

CARD_SIZE, EXAMPLE_SIZE = 240, 320  # pixels of the longer side of a picture, which the page shows smaller
MOST_FIRST_STEPS = 3  # that are named where a game is won from the start


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
    drawings = game.sides[0].drawing, game.sides[1].drawing
    picture = Picture(game.board, pieces, hands=game.hands, drawings=drawings, has_names=False)
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
        "pieces": {key: draw_piece(piece, game.sides[piece.player].drawing) for key, piece in pieces.items()},
        "names": {key: f"{SIDES[piece.player]} {names[piece.promoted][piece.player]}" for key, piece in pieces.items()},
    }


@lru_cache(maxsize=64)
def show_rule_pictures(game: Game) -> dict[str, list[dict[str, str]]]:
    """The examples of a game with its options: name, sentence, the position in words, and the picture as SVG."""
    shown = []
    for example in rule_examples(game):
        picture = example_picture(game, example)
        text = {"name": example.name, "sentence": example.sentence, "position": picture.description}
        shown.append({**text, "svg": draw_svg(picture, size=EXAMPLE_SIZE)})
    return {"pictures": shown}


def example_picture(game: Game, example: RuleExample) -> Picture:
    """The picture of an example: after its turn, with the way of it; else with what is possible."""
    match = Match(game, position=example.position)
    for text in example.turn:
        match.push(next(step for step in match.legal_steps if step.text == text))
    if example.turn or example.name == "start":
        return match.picture(player=None)
    steps = [step for step in match.legal_steps if step.origin == example.origin]
    targets = tuple({step.target: None for step in steps if step.target is not None})
    removed = tuple({point: None for step in steps if step.target is None for point in step.captured})
    ringed = removed if example.origin is None else (example.origin,)
    return match.picture(player=None, targets=targets, origins=ringed)


Body = Mapping[str, Any]


class GameHost(Protocol):
    """What the answers are made from.

    Attributes:
      games: The games by their ids.
      about: What differs between pages: `first`, the id of the first game; `seconds`, those of a bot for a step;
        `can_stop_bots`, whether one that thinks can be told to move; `checkpoints`, the names of the folders whose
        checkpoints may be opened; `tables`, the ids of the games whose tables the page has, None for all of a machine.
    """

    games: Mapping[str, Game]
    about: Mapping[str, Any]

    def load_game(self, name: str, /, **options: "OptionValue") -> Game:
        """Loads a game; raises `UnknownNameError` or `RulesError`."""

    def show_bots(self, game: Game) -> dict[str, Any]:
        """The `levels` of a game, weakest first; the specs of those that evaluate positions; and the `strongest`."""


def _list_games(_: Body, host: GameHost) -> dict[str, Any]:
    return {
        **host.about,
        "version": __version__,
        "level_names": level_names(),
        "opponent": EASY.spec,  # of a newcomer
        "elo": ELO,
        "puzzles": [name for name in games_with_puzzles() if name in host.games],
        "games": [show_game(game) for game in host.games.values()],
    }


def _rules(body: Body, host: GameHost) -> dict[str, Any]:
    game = _game(body, host)
    return show_rules(game) | host.show_bots(game)


def _game(body: Body, host: GameHost) -> Game:
    return host.load_game(body["game"], **body.get("options", {}))


GAME_ANSWERS: Mapping[str, Callable[[Body, GameHost], dict[str, Any]]] = {
    "games": _list_games,
    "rules": _rules,
    "card": lambda body, host: show_card(_game(body, host)),
    "board": lambda body, host: show_board(_game(body, host), turned=body.get("turned", False)),
    "rule-pictures": lambda body, host: show_rule_pictures(_game(body, host)),
    "lessons": lambda body, host: show_lessons(_game(body, host)),
    "puzzles": lambda body, host: show_puzzles(_game(body, host)),
}
"""The requests by their names."""
