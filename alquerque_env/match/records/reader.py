"""Reads match files and replays every match by the rules."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TextIO

from ...errors import RecordError, made_for_other_rules, shorten
from ...game.game import Game, load_text
from ...game.rules_text import SIDES
from ..match import Match
from .parsed import ParsedMatch, parse_matches
from .record import Record, check_date, check_end
from .tokens import DOTS, GAME_FILE, TABLE_HASH


def read_records(source: str | TextIO) -> Iterator[Record]:
    """Reads matches one after the other; only one is held at a time.

    Args:
      source: Text, or a stream of text such as an open file. Line ends of all systems, blank lines, comments and a byte
        order mark are allowed.

    Yields:
      The matches.

    Raises:
      RecordError: If the text is not that of matches, or one of them breaks the rules. The message names the match, the
        line and the turn.
    """
    for parsed in parse_matches(source):
        yield replay(parsed)


def replay(parsed: ParsedMatch) -> Record:
    """Plays the turns of a match.

    Raises:
      RecordError: If a header cannot be understood, a turn breaks the rules, or the result is not that on the board.
    """
    headers = parsed.headers
    with parsed.located():
        version, game = _find_game(headers)
    try:
        with parsed.located():
            check_date(headers.get("Date"))
            match = Match(game, headers.get("Position"))
        _play_turns(parsed, match)
        with parsed.located():
            stated = headers.get("Result", parsed.result)
            if stated != parsed.result:
                raise RecordError(f"header Result is {shorten(stated)!r}, but the match ends with {parsed.result}")
            check_end(match, parsed.result, headers.get("Reason"))
    except RecordError as error:
        if version == str(game.version):
            raise
        raise RecordError(f"{error} (it is of version {version} of the game, this is version {game.version})") from None
    return Record(MappingProxyType(headers), match, parsed.result)


def _find_game(headers: Mapping[str, str]) -> tuple[str, Game]:
    """Returns the version of the game for which the match was written, and the game."""
    if "Game" not in headers:
        raise RecordError('header Game is missing; expected one such as [Game "fetaix"]')
    version = headers.get("Version", "1")
    if not (version.isascii() and version.isdecimal() and len(version) < 10):
        raise RecordError(f"header Version is {shorten(version)!r}, expected a number")
    options: dict[str, str] = {}
    for text in headers.get("Options", "").split():
        name, equals, value = text.partition("=")
        if not equals or name in options:
            problem = "repeats an option" if equals else "has no value for an option"
            raise RecordError(f"header Options {problem}: {shorten(text)!r}, expected name=value, each name once")
        options[name] = value
    game = _load_game(headers["Game"], headers.get(GAME_FILE, ""), tuple(options.items()))
    if (stated := headers.get(TABLE_HASH, game.table_hash)) != game.table_hash:
        raise RecordError(made_for_other_rules("the match", stated, game.table_hash, "restore its headers"))
    return headers.get("Version", str(game.version)), game


@lru_cache(maxsize=16)
def _load_game(name: str, file_text: str, options: tuple[tuple[str, str], ...]) -> Game:
    return load_text(name, file_text, **dict(options))


def _play_turns(parsed: ParsedMatch, match: Match) -> None:
    # Counts turns as a file numbers them: from the first turn of the player who begins a game.
    place = int(match.player != match.game.first_player)
    open_turn = ""
    for index, turn in enumerate(parsed.turns):
        with parsed.located(turn.line, f", turn {place // 2 + 1} of {SIDES[match.player]}"):
            if open_turn:
                raise RecordError(f"a turn follows {open_turn}, but only the last turn of a match may end with dots")
            expected = place // 2 + 1
            if turn.number is not None and int(turn.number.text) != expected:
                raise RecordError(f"it is numbered {turn.number.text}, expected {expected}")
            if place % 2 == 0 and (turn.text == DOTS or (turn.number is not None and turn.number.value)):
                raise RecordError("dots stand for a turn of the player who is to move; expected that turn")
            if turn.text == DOTS:
                if index:
                    raise RecordError("dots for a missing turn may only come first; expected a turn")
                continue
            whole = turn.text.removesuffix(DOTS)
            match.push_turn(whole, is_whole=whole == turn.text)
            if whole != turn.text:
                if not match.turn_goes_on:
                    raise RecordError(f"{turn.text} leaves a turn open that has ended; remove the dots")
                open_turn = turn.text
        place += 1
