"""Headers as other programs for draughts write them, and what they are called here.

Sources: the PDN standard, version 3.0, tags and GameType, pdn.fmjd.org; what lidraughts adds to a FEN.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ...errors import RecordError, shorten
from .record import as_date
from .tokens import ENDS, RESULTS


class _GameType(NamedTuple):
    """A game of PDN: its id here, and whether the black side, which is North, begins and is first in results."""

    game: str
    title: str
    black_begins: bool = False


_GAME_TYPES = {
    "20": _GameType("draughts_international", "international draughts"),
    "21": _GameType("draughts_english", "English draughts", black_begins=True),
}

_OTHER_TYPES = {
    "0": "Chess",
    "22": "Italian draughts",
    "23": "American pool checkers",
    "24": "Spanish draughts",
    "25": "Russian draughts",
    "26": "Brazilian draughts",
    "27": "Canadian draughts",
    "28": "Portuguese draughts",
    "29": "Czech draughts",
    "30": "Turkish draughts",
    "31": "Thai draughts",
    "40": "Frisian draughts",
    "41": "Spantsiretti draughts",
}

_OWN_NAMES = {"White": "South", "Black": "North", "FEN": "Position", "Setup": "SetUp"}
_UNKNOWN = ("", "?")
_TURNS_BEFORE = re.compile(r":F[0-9]+(?=[:.]|\Z)")


def in_own_words(headers: Mapping[str, str], end: str) -> tuple[dict[str, str], str]:
    """Translates the headers of a match.

    Args:
      headers: The headers of the file.
      end: What ends the match, a key of `ENDS`.

    Returns:
      The headers as this package writes them, `Result` only if the file has it, and the result, one of `RESULTS`.

    Raises:
      RecordError: If two headers contradict each other, or the game is not among those of this package.
    """
    found = {_OWN_NAMES.get(name, name): value for name, value in headers.items()}
    for name, own in _OWN_NAMES.items():
        if name in headers and headers.get(own, headers[name]) != headers[name]:
            raise RecordError(f"headers {own} and {name} say the same and differ; remove one")
    played = _game_type(headers.get("GameType"), found)
    if played is not None:
        found = {"Game": played.game, **found}
    if "Game" not in found:
        raise RecordError(
            'header Game is missing; expected one such as [Game "fetaix"], or [GameType "20"] for international and '
            '[GameType "21"] for English draughts'
        )
    _set_start(found, is_pdn="FEN" in headers)
    if played is not None and "Date" in found:
        _set_date(found)
    said = [_own_result(text, played) for text in (headers.get("Result", end), end)]
    result = said[0] if said[1] == "*" else said[1]
    if result != said[0]:
        raise RecordError(f"header Result is {shorten(headers['Result'])!r}, but the match ends with {end}")
    if "Result" in found:
        found["Result"] = result
    if "0-0" in (headers.get("Result"), end):
        found.setdefault("Reason", "lost by both sides")
    return {name: value for name, value in found.items() if name not in ("GameType", "SetUp")}, result


def _game_type(text: str | None, headers: Mapping[str, str]) -> _GameType | None:
    if text is None:
        return None
    number = text.partition(",")[0].strip()
    played = _GAME_TYPES.get(number)
    if played is None:
        known = " or ".join(f"{each}, {game.title}" for each, game in _GAME_TYPES.items())
        if number in _OTHER_TYPES:
            raise RecordError(f"{_OTHER_TYPES[number]}, GameType {number}, is not among the games; expected {known}")
        raise RecordError(f"header GameType is {shorten(text)!r}, expected {known}")
    if headers.get("Game", played.game) != played.game:
        raise RecordError(f"header Game is {shorten(headers['Game'])!r}, but GameType {number} is {played.game}")
    return played


def _set_start(found: dict[str, str], *, is_pdn: bool) -> None:
    """Checks `SetUp`, and takes from a position of another program what only numbers its turns."""
    setup = found.get("SetUp", "1" if "Position" in found else "0")
    if setup not in ("0", "1"):
        raise RecordError(f"header SetUp is {shorten(setup)!r}, expected 1 for a match that begins with FEN, or 0")
    if (setup == "1") != ("Position" in found):
        raise RecordError(f"header SetUp is {setup}, but FEN is {'given' if setup == '0' else 'missing'}; remove one")
    if is_pdn:
        found["Position"] = _TURNS_BEFORE.sub("", found["Position"])


def _set_date(found: dict[str, str]) -> None:
    """Keeps a date of another form as a text of its own, since it changes nothing of the match."""
    try:
        as_date(found["Date"])
    except RecordError:
        text = found.pop("Date")
        if text not in _UNKNOWN:
            found["DateText"] = text


def _own_result(text: str, played: _GameType | None) -> str:
    """The result in the order South, North; in PDN the side that begins the game is first."""
    if text not in ENDS:
        raise RecordError(f"header Result is {shorten(text)!r}, expected one of {', '.join(ENDS)}")
    result = ENDS[text]
    if played is not None and played.black_begins and result in RESULTS[:2]:
        return RESULTS[1 - RESULTS.index(result)]
    return result
