"""The answers to requests about a match. The server and the static page share them: these functions run in MicroPython.

A request is a name and a JSON object, as `request_bodies` describes it; the answer is a JSON object. `game_answers` has
the requests about a game, which the static page has as files.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..bots.analysis import Analysis, Limits
from ..bots.match_report import JudgedTurn, judge_turns
from ..errors import AlquerqueError, BotError, PositionError
from ..exercises.exercise import refute
from ..game.game import Game
from ..match.link import MAX_STEPS, format_link, read_link
from ..match.match import Match
from ..match.records import Record
from ..match.replay import first_position, push_text, replay
from ..render import draw_svg
from ..solve.exact_steps import exact_steps
from .evaluation_view import EXACT, SEARCH, SECONDS_FOR_LINES, show_evaluation, show_report
from .exercise_view import show_missed
from .match_view import legal_lines, show_match, show_position, show_step, show_variations
from .record_view import show_records

if TYPE_CHECKING:
    from ..game.options import OptionValue
    from ..game.step import Step
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues

Body = Mapping[str, Any]

PART_SECONDS = 0.6  # after which a part of a report ends with the turn that is judged


class MatchHost(Protocol):
    """What the answers are made from: games, tables, proofs and bots."""

    def load_game(self, name: str, /, **options: "OptionValue") -> Game:
        """Loads a game; raises `UnknownNameError` or `RulesError`."""

    def name_of(self, game: Game) -> str:
        """What requests call a game."""

    def table_of(self, game: Game) -> "MatchValues | None":
        """The table of a game."""

    def proof_of(self, game: Game) -> "ProvedSteps | None":
        """The proof of the start of a game."""

    def about_tables(self, match: Match) -> str:
        """Why no table has a position: a sentence, or an empty string."""

    def choose_turn(self, match: Match, bot: str) -> "tuple[Sequence[Step], str]":
        """Chooses the steps of a turn, or the rest of one, and returns them with the bot's note.

        Raises:
          UnknownNameError: If there is no such bot.
          BotError: If it fails.
        """

    def evaluate(self, match: Match, evaluator: str, limits: Limits) -> tuple[Analysis, str]:
        """Evaluates a position and all its steps by `SEARCH` or a bot; raises as `choose_turn`."""

    def is_stopped(self) -> bool:
        """Whether nobody waits for the answer any more."""


def show_error(error: Exception) -> dict[str, Any]:
    """The answer to a request that failed: a sentence, and where known what it is about.

    `fields` are those of the dialog for a new match, `legal` is the number of legal steps, and `bot_failed` says that
    the bot has lost.
    """
    shown: dict[str, Any] = {"error": str(error)}
    if isinstance(error, PositionError):
        shown["fields"] = ["start"]
    for name in ("fields", "legal", "bot_failed"):
        if hasattr(error, name):
            shown[name] = getattr(error, name)
    return shown


def _replayed(body: Body, host: MatchHost) -> Match:
    game = host.load_game(body["game"], **body.get("options", {}))
    return replay(game, body.get("start"), body.get("steps", ()))


def _positions(body: Body, host: MatchHost) -> dict[str, Any]:
    """The positions after some numbers of steps."""
    asked, shown = body["match"], []
    ahead = _replayed({**asked, "steps": ()}, host)
    for count in sorted(body["counts"]):
        for text in asked.get("steps", ())[ahead.num_steps : count]:
            push_text(ahead, text)
        shown.append(show_position(ahead, asked.get("person")))
    return {"positions": shown}


def _play_turn(body: Body, host: MatchHost) -> dict[str, Any]:
    match, person = _replayed(body["match"], host), body["match"].get("person")
    if match.is_over:
        raise BotError(f"{body['bot']} cannot play: the match is over")
    steps, note = host.choose_turn(match, body["bot"])
    shown = []
    for step in steps:
        match.push(step)
        shown.append({**show_step(match.game, step), "after": show_match(match, person)})
    return {"steps": shown, "note": note}


def _evaluate(body: Body, host: MatchHost) -> dict[str, Any]:
    match, person = _replayed(body["match"], host), body["match"].get("person")
    match.table = table = host.table_of(match.game)
    known = exact_steps(match, table, host.proof_of(match.game))
    if match.is_over:
        return show_evaluation(match, known, None, "", person)
    evaluator, seconds, analysis, note = body["evaluator"], body["seconds"], None, ""
    if evaluator == SEARCH and known.least == known.most:
        seconds = min(seconds, SECONDS_FOR_LINES)
    if evaluator != EXACT:
        analysis, note = host.evaluate(match, evaluator, Limits(seconds=seconds))
    shown = show_evaluation(match, known, analysis, note, person)
    return shown if known.known else {**shown, "table": host.about_tables(match)}


def _report(body: Body, host: MatchHost) -> dict[str, Any]:
    """The turns that the next part of a report has judged, their number in the match, and at last the whole report."""
    match, person = _replayed(body["match"], host), body["match"].get("person")
    judged = [JudgedTurn(**{**turn, "better": tuple(turn["better"])}) for turn in body.get("judged", ())]
    table, proof = host.table_of(match.game), host.proof_of(match.game)

    def search(position: Match, limits: Limits) -> Analysis:
        return host.evaluate(position, SEARCH, limits)[0]

    end = time.monotonic() + PART_SECONDS
    found: list[JudgedTurn] = []
    for turn in judge_turns(match, search, table, proof, first=len(judged)):
        if host.is_stopped():
            break
        found.append(turn)
        if time.monotonic() > end:
            break
    every, count = [*judged, *found], len(match.history)
    winner = {"1-0": 0, "0-1": 1}.get(body.get("result") or "")
    return {
        "judged": [turn._asdict() for turn in found],
        "turns": count,
        "report": show_report(match, every, winner, person) if len(every) >= count else None,
    }


def _refute(body: Body, host: MatchHost) -> dict[str, Any]:
    match, since = _replayed(body["match"], host), body["since"]
    if len(match.steps) <= since:
        raise AlquerqueError(f"the match has {len(match.steps)} steps, so none follows the first {since}")
    sentence, reply = refute(match, since, host.table_of(match.game), body["match"].get("person"))
    return {"sentence": sentence, "reply": list(reply)}


def _missed(body: Body, host: MatchHost) -> dict[str, Any]:
    match = _replayed(body["match"], host)
    return show_missed(match, body["players"], host.table_of(match.game), host.proof_of(match.game))


def _draw(body: Body, host: MatchHost) -> dict[str, str]:
    return {"svg": draw_svg(_replayed(body["match"], host).picture(turned=body.get("turned", False)))}


def _save(body: Body, host: MatchHost) -> dict[str, str]:
    match = _replayed(body["match"], host)
    said = {name: value for name, value in body.items() if name != "match"}
    lines, _ = legal_lines(match, said.pop("variations", ()))
    said["comments"] = [(comment["steps"], comment["text"]) for comment in said.pop("comments", ())]
    if match.is_over:  # people have not ended it
        said = {name: value for name, value in said.items() if name not in ("result", "reason")}
    return {"text": str(Record(match, variations=lines, **said))}


def _load(body: Body, host: MatchHost) -> dict[str, Any]:
    return show_records(**body, name_match=lambda match: _name_match(match, host))


def _open_link(body: Body, host: MatchHost) -> dict[str, Any]:
    return _name_match(read_link(body["link"], host.load_game), host)


def _name_match(match: Match, host: MatchHost) -> dict[str, Any]:
    """What requests call a match."""
    if len(match.steps) > MAX_STEPS:
        raise AlquerqueError(f"the page shows matches of at most {MAX_STEPS} steps: divide this one")
    return {
        "game": host.name_of(match.game),
        "options": dict(match.game.chosen_options),
        "start": first_position(match),
        "steps": [step.text for step in match.steps],
    }


MATCH_ANSWERS: Mapping[str, Callable[[Body, MatchHost], dict[str, Any]]] = {
    "match": lambda body, host: show_match(_replayed(body, host), body.get("person")),
    "variations": lambda body, host: show_variations(_replayed(body["match"], host), body.get("variations", ())),
    "positions": _positions,
    "turn": _play_turn,
    "analysis": _evaluate,
    "report": _report,
    "refute": _refute,
    "missed": _missed,
    "picture": _draw,
    "save": _save,
    "load": _load,
    "link": lambda body, host: {"link": format_link(_replayed(body, host))},
    "open-link": _open_link,
}
"""The requests by their names."""

SEARCHES = ("turn", "analysis", "report")
"""Those that may take seconds."""
