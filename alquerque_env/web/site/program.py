"""The program of the static page: answers the requests of the page as the server does. It runs in MicroPython.

The page sends a path and a JSON object, and gets a JSON object. An error is an object with `error`, a sentence. An answer
with `needs` names a game whose data the page has to give to `take_game` before it asks again.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from ...bots.analysis import MAX_DEPTH, Limits
from ...bots.bot import GameBot
from ...engine.bundle.carried_game import GameNeeded, add_game, load_game
from ...errors import AlquerqueError, PositionError, UnknownNameError
from ...match.link import format_link, read_link, split_link
from ...match.match import Match
from ...match.records import format_record, read_records
from ...match.replay import replay
from ...render import draw_svg
from ..evaluation_view import show_evaluation
from ..page_view import show_match, show_step
from .carried_bots import SECONDS, make_bot

SEARCH = f"alphabeta:{MAX_DEPTH}"
"""What evaluates positions where no bot is chosen; the time ends its search."""

_BOTS: dict[tuple[str, str, str], GameBot] = {}


def take_game(text: str) -> None:
    """Takes the data of a game, as `game_data` wrote them."""
    add_game(json.loads(text))


def answer(path: str, text: str) -> str:
    """Answers a request.

    Args:
      path: Such as `api/match`.
      text: A JSON object.
    """
    try:
        if path not in _ANSWERS:
            raise UnknownNameError("request", path, _ANSWERS)
        found = _ANSWERS[path](json.loads(text))
    except GameNeeded as missing:
        found = {"needs": str(missing)}
    except PositionError as error:
        found = {"error": str(error), "fields": ["start"]}
    except AlquerqueError as error:
        found = {"error": str(error)}
    return json.dumps(found)


def _replayed(body: Mapping[str, Any]) -> Match:
    return replay(load_game(body["game"], **body["options"]), body["start"], body["steps"])


def _bot(spec: str, game: Any, purpose: str) -> GameBot:
    key = game.name, spec, purpose
    if key not in _BOTS:
        _BOTS[key] = make_bot(spec, game)
    return _BOTS[key]


def _play_turn(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    bot = _bot(body["bot"], match.game, "player")
    player, shown, note = match.player, [], ""
    while not match.is_over and match.player == player:
        step = bot.choose(match)
        note = note or bot.note
        match.push(step)
        shown.append({**show_step(match.game, step), "after": show_match(match)})
    return {"steps": shown, "note": note}


def _evaluate(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    evaluator = body.get("evaluator", "search")
    if evaluator == "exact":
        return show_evaluation(match, (), None, "")
    bot = _bot(SEARCH if evaluator == "search" else evaluator, match.game, "evaluator")
    seconds = min(body.get("seconds", 1.0), SECONDS)
    analysis = bot.analyse(match, Limits(seconds=seconds), all_steps=True)
    return show_evaluation(match, (), analysis, bot.note)


def _picture(body: Mapping[str, Any]) -> Any:
    return {"svg": draw_svg(_replayed(body["match"]).picture(turned=body.get("turned", False)))}


def _write_link(body: Mapping[str, Any]) -> Any:
    match = _replayed(body)
    return {"link": format_link(match), "readable": format_link(match, readable=True)}


def _open_link(body: Mapping[str, Any]) -> Any:
    match, link = read_link(body["link"], load_game), split_link(body["link"])
    steps = [step.text for step in match.steps]
    return {"game": link.game, "options": {}, "start": link.position, "steps": steps}


def _save(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    result, reason = (None, None) if match.is_over else (body.get("result"), body.get("reason"))
    text = format_record(
        match,
        south=body["south"],
        north=body["north"],
        date=body.get("date"),
        result=result,
        reason=reason,
        headers=body.get("headers", {}),
    )
    return {"text": text}


def _load(body: Mapping[str, Any]) -> Any:
    matches = []
    for record in read_records(body["text"]):
        match = record.match
        is_forfeit = record.result != "*" and not match.is_over
        matches.append(
            {
                "match": {
                    "game": match.game.name,
                    "options": {},
                    "start": record.headers.get("Position"),
                    "steps": [step.text for step in match.steps],
                },
                "headers": dict(record.headers),
                "others": record.other_headers,
                "ended": {"result": record.result, "reason": record.reason} if is_forfeit else None,
            }
        )
    return {"matches": matches, "more": False}


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "api/match": lambda body: show_match(_replayed(body)),
    "api/turn": _play_turn,
    "api/hint": _evaluate,
    "api/analysis": _evaluate,
    "api/picture": _picture,
    "api/save": _save,
    "api/load": _load,
    "api/link": _write_link,
    "api/open-link": _open_link,
}
