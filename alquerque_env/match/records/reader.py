"""Reads match files: plays every match by the rules."""

from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import TextIO

from ...errors import AlquerqueError, RecordError, shorten
from ...game.game import Game, load_game
from ...game.rules_text import SIDES
from ...game.step import PASS, Step, join_turn, split_turn
from ..match import Match
from .parsed import Draft, Turn, read_drafts
from .record import Record, check_date, check_end
from .tokens import DOTS

# More legal steps than these are counted in a message, not listed.
_FEW_STEPS = 12


def read_records(source: str | TextIO) -> Iterator[Record]:
    """Reads matches one after the other; only one is held at a time.

    Args:
      source: Text, or a stream of text such as an open file. Line ends of all systems, blank lines, comments and a byte
        order mark are fine.

    Yields:
      The matches.

    Raises:
      RecordError: If the text is not that of matches, or one of them breaks the rules; with the number of the match,
        the turn and the position before it.
    """
    for draft in read_drafts(source):
        yield play_draft(draft)


def play_draft(draft: Draft) -> Record:
    """Plays a match as it stands in a file.

    Raises:
      RecordError: If a header cannot be understood, a turn breaks the rules, or the end is not that on the board.
    """
    game = _find_game(draft)
    try:
        match = _open(draft, game)
        _play_turns(draft, match)
        _check_end(draft, match)
    except RecordError as error:
        said = draft.headers.get("Version", str(game.version))
        if said == str(game.version):
            raise
        raise RecordError(f"{error} (it is of version {said} of the game, this is version {game.version})") from None
    return Record(MappingProxyType(draft.headers), match, draft.result)


def _find_game(draft: Draft) -> Game:
    if "Game" not in draft.headers:
        raise draft.fail('header Game is missing; expected the like of [Game "fetaix"]')
    version = draft.headers.get("Version", "1")
    if not (version.isascii() and version.isdecimal() and len(version) < 10):
        raise draft.fail(f"header Version is {shorten(version)!r}, expected a number")
    options: dict[str, str] = {}
    for text in draft.headers.get("Options", "").split():
        name, equals, value = text.partition("=")
        if not equals or name in options:
            problem = "names it twice" if equals else "has no value for it"
            raise draft.fail(f"header Options {problem}: {shorten(text)!r}, expected name=value, each name once")
        options[name] = value
    try:
        return _load_game(draft.headers["Game"], tuple(options.items()))
    except AlquerqueError as error:
        raise draft.fail(str(error)) from None


@lru_cache(maxsize=16)
def _load_game(name: str, options: tuple[tuple[str, str], ...]) -> Game:
    return load_game(name, **dict(options))


def _open(draft: Draft, game: Game) -> Match:
    try:
        if "Date" in draft.headers:
            check_date(draft.headers["Date"])
        return Match(game, draft.headers.get("Position"))
    except AlquerqueError as error:
        raise draft.fail(str(error)) from None


def _check_end(draft: Draft, match: Match) -> None:
    said = draft.headers.get("Result", draft.result)
    if said != draft.result:
        raise draft.fail(f"header Result is {shorten(said)!r}, but the match ends with {draft.result}")
    try:
        check_end(match, draft.result, draft.headers.get("Reason"))
    except RecordError as error:
        raise draft.fail(str(error)) from None


def _play_turns(draft: Draft, match: Match) -> None:
    # Counts turns as a file numbers them: from the first of the player who begins a game.
    place = int(match.player != match.game.first_player)
    open_chain = ""
    for index, turn in enumerate(draft.turns):
        before, side = match.position, SIDES[match.player]
        try:
            if open_chain:
                raise RecordError(
                    f"a turn follows {open_chain}, whose dots leave it open; only the last turn may have them"
                )
            _check_number(turn, place)
            if turn.text == DOTS:
                if index:
                    raise RecordError("dots for a turn that is not there come first only; expected a turn")
                continue
            play_turn(match, turn.text)
        except AlquerqueError as error:
            where = f"match {draft.number}, line {turn.line}, turn {place // 2 + 1} of {side}"
            raise RecordError(f"{where} in position {before!r}: {error}") from None
        open_chain = turn.text if match.chain is not None else ""
        place += 1


def _check_number(turn: Turn, place: int) -> None:
    expected, is_second = place // 2 + 1, place % 2 == 1
    if turn.number is not None and turn.number.value != expected:
        raise RecordError(f"it is numbered {turn.number.value}, expected {expected}")
    if not is_second and (turn.text == DOTS or (turn.number is not None and turn.number.has_dots)):
        raise RecordError("dots stand for a turn of the player who is to move; expected that turn")


def play_turn(match: Match, text: str) -> None:
    """Plays a turn of a record: whole, or with dots at its end one that has not ended.

    Args:
      match: The match; in the middle of the turn if it is refused.
      text: The turn. Where its chain could go on and need not, it is stopped.

    Raises:
      RecordError: If the turn breaks the rules.
      NotationError: If it cannot be read.
    """
    whole, played = text.removesuffix(DOTS), list[str]()
    for wanted, victim in split_turn(whole, match.game.board):
        if played and match.chain is None:
            raise RecordError(f"{text} is not legal: the turn ends after {join_turn(played)}")
        step = _find_step(match, wanted, victim)
        match.push(step)
        played.append(step.text)
    if text != whole and match.chain is None:
        raise RecordError(f"{text} leaves a chain open that has ended; remove the dots")
    if text == whole and match.chain is not None:
        stop = next((step for step in match.legal_steps if step.is_pass), None)
        if stop is None:
            raise RecordError(f"{text} is not whole: {_legal(match)}; write {text}{DOTS} if the match was left there")
        match.push(stop)


def _find_step(match: Match, wanted: str, victim: str | None) -> Step:
    over = () if victim is None else (match.game.board.index[victim],)
    fitting = [
        step
        for step in match.legal_steps
        if step.text.partition("^")[0] == wanted and (victim is None or step.captured == over)
    ]
    if len(fitting) > 1:
        raise RecordError(f"{wanted} is ambiguous; say which: {', '.join(map(str, fitting))}")
    if fitting:
        return fitting[0]
    text = f"{wanted}^{victim}" if victim else wanted
    if match.outcome is not None:
        raise RecordError(f"{text} is not legal: the match is over ({match.outcome.reason}); expected its result")
    where = f" in {match.position!r}" if match.chain is not None and wanted != PASS else ""
    raise RecordError(f"{text} is not legal{where}; {_legal(match)}")


def _legal(match: Match) -> str:
    steps = match.legal_steps
    if len(steps) > _FEW_STEPS:
        return f"{len(steps)} other steps are legal"
    return f"legal: {', '.join(map(str, steps))}"
