"""The program of the static page: answers the requests of the page as the server does. It runs in MicroPython.

The page sends a path and a JSON object, and gets a JSON object. An error is an object with `error`, a sentence. An
answer with `needs` names a game whose data the page has to give to `take_game` before it asks again, one with
`needs_table` a game whose table `take_table` has to be given.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from ...bots.analysis import MAX_DEPTH, Analysis, Limits
from ...bots.bot import GameBot
from ...bots.match_report import JudgedTurn
from ...engine.bundle.carried_game import GameNeeded, add_game, load_game, refuse_game
from ...errors import AlquerqueError, BotError, PositionError, UnknownNameError
from ...match.link import read_link
from ...match.match import Match
from ...match.naming import begin
from ...match.replay import StoppedError, first_position, replay
from ...render import draw_svg
from ...solve.exact_steps import exact_steps
from ..evaluation_view import EXACT, SECONDS_FOR_LINES, show_evaluation
from ..exercise_view import show_missed, show_refutation
from ..page_view import show_match, show_step
from ..record_view import show_link, show_records, write_record
from ..report_view import report_part
from ..variations_view import show_variations
from .carried_bots import MISSING, SECONDS, make_bot
from .carried_tables import TableNeeded, add_table, carried_table, forget_missing, is_missing

SEARCH = f"alphabeta:{MAX_DEPTH}"
"""What evaluates positions where no bot is chosen; the time ends its search."""

_BOTS: dict[tuple[str, str, str], GameBot] = {}


def take_game(text: str) -> None:
    """Takes the data of a game, as `game_data` wrote them."""
    add_game(json.loads(text))


def take_table(name: str, header: str, places: Any) -> None:
    """Takes the table of a game, as `table_data` wrote it; an empty header says that it cannot be fetched now.

    The next answer then does without the table, and the one after that needs it again.
    """
    add_table(load_game(name), header, places)


def answer(path: str, text: str) -> str:
    """Answers a request.

    Args:
      path: Such as `api/match`.
      text: A JSON object.
    """
    try:
        if path not in ANSWERS:
            raise UnknownNameError("request", path, ANSWERS)
        found = ANSWERS[path](json.loads(text))
    except GameNeeded as missing:
        found = {"needs": str(missing)}
    except TableNeeded as missing:
        found = {"needs_table": str(missing)}
    except StoppedError as error:
        found = {"error": str(error), "legal": error.legal}
    except PositionError as error:
        found = {"error": str(error), "fields": ["start"]}
    except AlquerqueError as error:
        found = {"error": str(error)}
    forget_missing()
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
    if match.is_over:
        raise BotError(f"{body['bot']} cannot play: the match is over")
    bot = _bot(body["bot"], match.game, "player")
    player, person, shown, note = match.player, body["match"].get("person"), [], ""
    while not match.is_over and match.player == player:
        step = bot.choose(match)
        note = note or bot.note
        match.push(step)
        shown.append({**show_step(match.game, step), "after": show_match(match, person)})
    return {"steps": shown, "note": note}


def _evaluate(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    found = _evaluation(match, body)
    if is_missing(match.game):
        found["exact"] = found["exact"] or f"{begin(MISSING)}."
    return found


def _evaluation(match: Match, body: Mapping[str, Any]) -> Any:
    evaluator, person = body.get("evaluator", "search"), body["match"].get("person")
    match.table = table = carried_table(match.game)
    known = exact_steps(match, table, None)
    if evaluator == EXACT or match.is_over:
        return show_evaluation(match, known, None, "", person)
    bot = _bot(SEARCH if evaluator == "search" else evaluator, match.game, "evaluator")
    longest = SECONDS_FOR_LINES if known.least == known.most and evaluator == "search" else SECONDS
    seconds = min(body.get("seconds", 1.0), longest)
    analysis = bot.analyse(match, Limits(seconds=seconds), all_steps=True)
    return show_evaluation(match, known, analysis, bot.note, person)


def _picture(body: Mapping[str, Any]) -> Any:
    return {"svg": draw_svg(_replayed(body["match"]).picture(turned=body.get("turned", False)))}


def _open_link(body: Mapping[str, Any]) -> Any:
    match = read_link(body["link"], load_game)
    return _name_match(match, first_position(match))


def _report(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    bot = _bot(SEARCH, match.game, "evaluator")
    judged = [JudgedTurn(**{**turn, "better": tuple(turn["better"])}) for turn in body.get("judged", ())]

    def search(position: Match, limits: Limits) -> Analysis:
        return bot.analyse(position, limits, all_steps=True)

    table, person = carried_table(match.game), body["match"].get("person")
    return report_part(match, judged, body.get("result"), search, table, None, person)


def _refute(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    return show_refutation(match, body["since"], carried_table(match.game), body["match"].get("person"))


def _missed(body: Mapping[str, Any]) -> Any:
    match = _replayed(body["match"])
    return show_missed(match, body["players"], carried_table(match.game), None)


def _save(body: Mapping[str, Any]) -> Any:
    said = {name: value for name, value in body.items() if name != "match"}
    return write_record(_replayed(body["match"]), **said)


def _name_match(match: Match, start: str | None) -> Any:
    return {"game": match.game.name, "options": {}, "start": start, "steps": [step.text for step in match.steps]}


ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "api/report": _report,
    "api/refute": _refute,
    "api/missed": _missed,
    "api/variations": lambda body: show_variations(_replayed(body["match"]), body["variations"]),
    "api/match": lambda body: show_match(_replayed(body), body.get("person")),
    "api/turn": _play_turn,
    "api/analysis": _evaluate,
    "api/picture": _picture,
    "api/save": _save,
    "api/load": lambda body: show_records(**body, name_match=_name_match),
    "api/unknown-game": lambda body: refuse_game(**body),
    "api/link": lambda body: show_link(_replayed(body)),
    "api/open-link": _open_link,
}
