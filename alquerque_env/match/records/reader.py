"""Reads match files and replays every match by the rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TextIO

from ...errors import RecordError, made_for_other_rules, shorten
from ...game.game import Game, load_text
from ...game.rules_text import SIDES
from ...game.step import Step
from ..match import Match
from ..variations import first_place
from .parsed import ParsedMatch, Turn, parse_matches
from .pdn_headers import in_own_words
from .record import Comment, Record, check_date, check_end
from .tokens import BEGIN, COMMENT, DOTS, END, GAME_FILE, MAX_COMMENT_STEPS, MAX_VARIATION_STEPS, TABLE_HASH


def read_records(source: str | TextIO, *, tell: Callable[[str], object] | None = None) -> Iterator[Record]:
    """Reads matches one after the other; only one is held at a time.

    Args:
      source: Text, or a stream of text such as an open file. Line ends of all systems, blank lines and a byte order
        mark are allowed.
      tell: Is called with a sentence about each match that cannot be read, which is then left out. None raises it.

    Yields:
      The matches.

    Raises:
      RecordError: If the text is not that of matches, or one of them breaks the rules. The message names the match, the
        line and the turn.
    """
    for parsed in parse_matches(source):
        try:
            record = replay(parsed)
        except RecordError as error:
            if tell is None:
                raise
            tell(str(error))
        else:
            yield record


def replay(parsed: ParsedMatch) -> Record:
    """Plays the turns of a match and of its variations.

    Raises:
      RecordError: If the text could not be divided, a header cannot be understood, a turn breaks the rules, or the
        result is not that on the board.
    """
    if parsed.problem is not None:
        raise parsed.problem
    with parsed.located():
        headers, result = in_own_words(parsed.headers, parsed.result)
        version, game = _find_game(headers)
    try:
        with parsed.located():
            check_date(headers.get("Date"))
            match = Match(game, headers.get("Position"))
        variations, comments = _play_turns(parsed, match)
        with parsed.located():
            check_end(match, result, headers.get("Reason"))
    except RecordError as error:
        if version == str(game.version):
            raise
        raise RecordError(f"{error} (it is of version {version} of the game, this is version {game.version})") from None
    return Record(MappingProxyType(headers), match, result, variations, comments)


def _find_game(headers: Mapping[str, str]) -> tuple[str, Game]:
    """Returns the version of the game for which the match was written, and the game."""
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


@dataclass
class _Line:
    """A line of turns that is being read: the main line, or a variation.

    Attributes:
      place: Turns before the next one, as a file numbers them: from the first turn of the player who begins a game.
      start: The number of steps from the start of the match after which it begins.
      kept: The steps of the turn that it replaces.
      last: The number of steps of its last turn; 0 before it has one.
      open_turn: The text of its last turn if that ends with dots.
      said: The comments before the first turn of a variation, which are kept after it.
    """

    place: int
    start: int
    kept: Sequence[Step] = ()
    last: int = 0
    open_turn: str = ""
    said: list[str] = field(default_factory=list)


def _play_turns(parsed: ParsedMatch, match: Match) -> tuple[tuple[tuple[Step, ...], ...], tuple[Comment, ...]]:
    """Plays the main line, and returns the variations and the comments."""
    lines = [_Line(first_place(match) + _turns_before(parsed), 0)]
    found: list[tuple[Step, ...]] = []
    unfinished: list[int] = []  # the places among `found` of the variations that are being read
    comments = [Comment((), text) for text in parsed.opening]
    room, room_of_comments = MAX_VARIATION_STEPS, MAX_COMMENT_STEPS
    before = BEGIN
    for turn in parsed.turns:
        line = lines[-1]
        where = f", turn {line.place // 2 + 1} of {SIDES[match.player]}{' in a variation' * (len(lines) > 1)}"
        with parsed.located(turn.line, where):
            if turn.text == BEGIN:
                lines.append(_leave(match, line, is_main=len(lines) == 1))
                unfinished.append(len(found))
                found.append(())
            elif turn.text == END:
                room -= match.num_steps
                if room < 0:
                    raise RecordError(f"the variations of the match have more than {MAX_VARIATION_STEPS} steps in all")
                found[unfinished.pop()] = match.steps
                _return(match, lines.pop())
            elif turn.text.startswith(COMMENT):
                line.said.append(turn.text.removeprefix(COMMENT))
            else:
                _play_turn(turn, match, line, is_new=before[:1] in (BEGIN, END, COMMENT))
            if line.said and (line.last or len(lines) == 1):
                room_of_comments -= len(line.said) * match.num_steps
                if room_of_comments < 0:
                    raise RecordError(
                        f"the comments of the match have more than {MAX_COMMENT_STEPS} steps before them in all"
                    )
                done = tuple(step.text for step in match.steps)
                comments += [Comment(done, text) for text in line.said]
                line.said = []
            before = turn.text
    return tuple(found), tuple(comments)


def _turns_before(parsed: ParsedMatch) -> int:
    """The turns before the first one as it is numbered: other programs go on counting behind a `FEN`."""
    first = parsed.turns[0].number if parsed.turns and "FEN" in parsed.headers else None
    return 0 if first is None else 2 * max(0, int(first.text) - 1)


def _play_turn(turn: Turn, match: Match, line: _Line, *, is_new: bool) -> None:
    """Plays a turn. Dots for a missing one may stand where a line begins, or goes on after a variation."""
    if line.open_turn:
        raise RecordError(f"a turn follows {line.open_turn}, but only the last turn of a match may end with dots")
    expected = line.place // 2 + 1
    if turn.number is not None and int(turn.number.text) != expected:
        raise RecordError(f"it is numbered {turn.number.text}, expected {expected}")
    if line.place % 2 == 0 and (turn.text == DOTS or (turn.number is not None and turn.number.value)):
        raise RecordError("dots stand for a turn of the player who is to move; expected that turn")
    if turn.text == DOTS:
        if not is_new:
            raise RecordError("dots for a missing turn may only come first; expected a turn")
        return
    played = match.num_steps
    whole = turn.text.removesuffix(DOTS).replace(":", "x").replace(" ", "")
    is_whole = not turn.text.endswith(DOTS)
    match.push_turn(whole, is_whole=is_whole)
    if not is_whole:
        if not match.turn_goes_on:
            raise RecordError(f"{turn.text} leaves a turn open that has ended; remove the dots")
        line.open_turn = turn.text
    line.last = match.num_steps - played
    line.place += 1


def _leave(match: Match, line: _Line, *, is_main: bool) -> _Line:
    """Takes back the last turn of a line, and begins a variation in its place."""
    if not line.last and not is_main:
        raise RecordError("a variation stands after the turn that it replaces; expected a turn before the '('")
    kept = [match.pop() for _ in range(line.last)][::-1]
    return _Line(line.place - bool(line.last), match.num_steps, kept)


def _return(match: Match, variation: _Line) -> None:
    """Takes back a variation, and plays the turn that it replaced."""
    if not variation.last:
        raise RecordError("the variation has no turn; expected one after the '('")
    for _ in range(match.num_steps - variation.start):
        match.pop()
    for step in variation.kept:
        match.push(step)
