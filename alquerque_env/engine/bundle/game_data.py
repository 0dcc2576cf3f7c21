"""Writes a compiled game as data for `carried_game.read_game`."""

from dataclasses import fields
from typing import Any

from ...files.browser_json import exact_number
from ...game.board import Board
from ...game.game import Game
from ...game.options import Rules
from ...game.rules_text import rule_sentences
from ...game.ruleset import Side


def game_data(game: Game) -> dict[str, Any]:
    """What a program without the compiler of games needs of a game, for JSON."""
    table = game.table
    return {
        "name": game.name,
        "title": game.title,
        "options": game.option_texts,
        "first_player": game.first_player,
        "board": _fields(game.board),
        "rules": _fields(game.rules),
        "sides": [_fields(side) | {"goal": sorted(side.goal)} for side in game.sides],
        "hands": game.hands,
        "sentences": rule_sentences(game),
        "words": [exact_number(int(word)) for word in table.words],
        "leaps": [[leap for leap in templates if leap.victim >= 0] for templates in table.templates],
        "facts": {
            "version": game.version,
            "table_hash": game.table_hash,
            "file_text": game.file_text,
            "option_texts": game.option_texts,
            "chosen_options": game.chosen_options,
            "has_roles": game.has_roles,
            "no_moves": game.no_moves,
            "flankers": game.flankers,
            "schedule": [ply.does for ply in game.schedule],
        },
        "two_victims": [action for action, clash in enumerate(table.has_two_victims) if clash],
    }


def _fields(record: Board | Rules | Side) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}
