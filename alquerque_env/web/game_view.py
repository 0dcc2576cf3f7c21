"""What the page shows of a game: its options, bots, rules in sentences, and the board."""

from collections.abc import Sequence
from typing import Any

from ..bots.levels import Level
from ..game.game import Game
from ..game.rules_text import answer, endings, notation_sentences, open_questions, play_sentences
from ..match.match import Match
from ..render import Picture, Piece, draw_board, draw_piece
from ..render.geometry import PIECE_RADIUS, UNIT, lay_out


def show_game(game: Game, levels: Sequence[Level]) -> dict[str, Any]:
    """A game with its options and bots, for the dialog in which a game is chosen."""
    return {
        "id": game.argument,
        "title": f"{game.title} ({game.argument})" if game.file_text else game.title,
        "board": game.board.title,
        "points": len(game.board.points),
        "start": Match(game).position,
        "options": [option.as_dict() for option in game.option_table.values()],
        "sources": list(game.sources),
        "levels": [level._asdict() for level in levels],
    }


def show_rules(game: Game) -> dict[str, Any]:
    """The rules of a game with its options, and their sources."""
    return {
        "title": game.title,
        "board": {"title": game.board.title, "source": game.board.source},
        "sentences": play_sentences(game),
        "options": [
            {
                "name": name,
                "answer": answer(game, name),
                "source": game.option_table[name].source,
                "is_default": game.options[name] == game.option_table[name].default,
            }
            for name in open_questions(game)
        ],
        "notation": notation_sentences(game),
        "endings": [ending.sentence for ending in endings(game)],
        "sources": list(game.sources),
    }


def show_board(game: Game, *, turned: bool) -> dict[str, Any]:
    """A board without pieces as the content of an SVG element, the places of its points, and the pieces as SVG."""
    layout = lay_out(game.board, turned)
    places = zip(game.board.labels, layout.places, strict=True)
    kings = (False,) if game.rules.promotion == "none" else (False, True)
    return {
        "title": game.board.title,
        "size": list(layout.size),
        "unit": UNIT,
        "radius": PIECE_RADIUS,
        "background": draw_board(Picture(game.board, turned=turned)),
        "points": {label: [round(x, 1), round(y, 1)] for label, (x, y) in places},
        "pieces": {
            f"{player}{'K' if promoted else ''}": draw_piece(Piece(player, promoted))
            for player in (0, 1)
            for promoted in kings
        },
        "promoted_piece": game.promoted_piece,
    }
