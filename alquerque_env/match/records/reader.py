"""Reads match files: divides the text into matches, and plays every match by the rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TextIO

from ...errors import AlquerqueError, RecordError, made_for_other_rules, shorten
from ...game.game import Game, load_text
from ...game.rules_text import SIDES
from ...game.step import Step
from ..match import Match
from ..variations import first_place
from .pdn_headers import in_own_words
from .record import UNKNOWN_NAME, Comment, Record
from .tokens import (
    BEGIN,
    COMMENT,
    DOTS,
    END,
    ENDS,
    GAME_FILE,
    KNOWN_HEADERS,
    MAX_COMMENT_STEPS,
    MAX_HEADERS,
    MAX_TURNS,
    MAX_VARIATION_STEPS,
    RESULTS,
    TABLE_HASH,
    Token,
    read_tokens,
    spelled,
)

# Longer than any turn on a board with some dozens of pieces.
_MAX_TURN = 1_000


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
            record = replay_parsed(parsed)
        except RecordError as error:
            if tell is None:
                raise
            tell(str(error))
        else:
            yield record


class _PlacedError(RecordError):
    """An error with its place in the file."""


class Turn(NamedTuple):
    """The text of a turn, its line in the file, and the number before it if there is one.

    A parenthesis stands here, too, for the beginning or the end of a variation, and a comment with its left brace.
    """

    line: int
    text: str
    number: Token | None


@dataclass
class ParsedMatch:
    """The text of a match, divided into its parts. `turns` has dots for a missing one.

    Attributes:
      number: Its place in the file, from 1.
      line: The line in which it begins.
      headers: Its headers.
      opening: The comments before its first turn.
      turns: Its turns, the parentheses of its variations, and its other comments.
      open: The lines in which the variations begin that have not ended.
      count: The number before a turn that has not come yet.
      result: Its result; empty until that was read.
      problem: Why it cannot be read; None if it can.
      end: The line and the characters of the source up to its end; None if the source ended first.
    """

    number: int
    line: int
    headers: dict[str, str] = field(default_factory=dict)
    opening: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    count: Token | None = None
    result: str = ""
    problem: RecordError | None = None
    end: tuple[int, int] | None = None

    @contextmanager
    def located(self, line: int | None = None, where: str = "") -> Iterator[None]:
        """Adds the place in the file to errors raised inside.

        Raises:
          RecordError: For every error of this package.
        """
        try:
            yield
        except AlquerqueError as error:
            raise self._placed(error, line or self.line, where) from None

    def add(self, token: Token) -> None:
        """Adds a token, or notes the first problem."""
        if self.problem is None:
            try:
                _add(self, token)
            except RecordError as error:
                self.problem = self._placed(error, token.line)

    def _placed(self, error: AlquerqueError, line: int, where: str = "") -> RecordError:
        if isinstance(error, _PlacedError):
            return error
        return _PlacedError(f"match {self.number}, line {line}{where}: {error}")


def parse_matches(
    source: str | TextIO, number: int = 0, line: int = 1, *, is_inside: bool = False
) -> Iterator[ParsedMatch]:
    """Divides a match file into its matches, one after the other.

    One that cannot be divided has a `problem`. It ends before the next headers.

    Args:
      source: The file, or a part of it.
      number: The matches before the part.
      line: The line in which the part begins.
      is_inside: Whether the part begins within a match, of which nothing was kept.

    Raises:
      RecordError: If the source is a stream that is not text in its encoding.
    """
    parsed: ParsedMatch | None = None
    if is_inside:
        number += 1
        parsed = ParsedMatch(number, line)
        parsed.add(Token(line, 0, "problem", "the match is too long to be read in a part of the file"))
    in_headers = False
    for token in read_tokens(source, line):
        if token.kind == "comment":
            if parsed is not None and token.text:  # those between matches belong to none
                parsed.add(token)
            continue
        was_in_headers, in_headers = in_headers, token.kind == "header" or token.value == "["
        if parsed is not None and in_headers and not was_in_headers:
            parsed.add(token)  # which is a problem
            parsed.end = token.line, token.place
            yield parsed
            parsed = None
        if parsed is None:
            number += 1
            parsed = ParsedMatch(number, token.line)
        parsed.add(token)
        if parsed.result:
            parsed.end = token.line, token.place + len(token.text)
            yield parsed
            parsed = None
    if parsed is not None:
        parsed.add(Token(parsed.line, 0, "end", ""))
        yield parsed


def _add(parsed: ParsedMatch, token: Token) -> None:
    is_end = token.kind == "end" or (token.kind == "word" and token.text in ENDS)
    if parsed.count is not None and (token.kind in ("number", "parenthesis") or is_end):
        with parsed.located(parsed.count.line):
            raise RecordError(f"number {parsed.count.text} has no turn; remove it, or add the turn")
    if token.kind == "problem":
        raise RecordError(token.text)
    if token.kind == "comment":
        _add_comment(parsed, token)
    elif token.kind == "header":
        _add_header(parsed, token)
    elif not parsed.headers:
        raise RecordError('expected the headers of a match, beginning with one such as [Game "fetaix"]')
    elif token.kind == "number":
        parsed.count = token
    elif token.kind == "parenthesis":
        _add_parenthesis(parsed, token)
    elif is_end:
        _check_ended(parsed, token.text)
        parsed.result = token.text
    else:
        _add_turn(parsed, token)


def _add_header(parsed: ParsedMatch, header: Token) -> None:
    name = header.text
    if parsed.turns or parsed.count is not None:
        raise RecordError(f"header {name} follows turns; expected the result of the match, one of {', '.join(RESULTS)}")
    if name in parsed.headers:
        raise RecordError(f"header {name} is given twice; remove one")
    if (known := spelled(name)) not in (None, name):
        raise RecordError(f"header {name} is spelled {known}; write [{known} ...], or choose another name")
    if name not in KNOWN_HEADERS and sum(other not in KNOWN_HEADERS for other in parsed.headers) == MAX_HEADERS:
        raise RecordError(f"there are more than {MAX_HEADERS} further headers")
    parsed.headers[name] = header.value


def _add_comment(parsed: ParsedMatch, token: Token) -> None:
    if parsed.turns:
        parsed.turns.append(Turn(token.line, COMMENT + token.text, None))
    else:
        parsed.opening.append(token.text)


def _add_parenthesis(parsed: ParsedMatch, token: Token) -> None:
    before = parsed.turns[-1].text if parsed.turns else ""
    if token.text == END and not parsed.open:
        raise RecordError("there is no variation that could end here; remove the ')'")
    if before == BEGIN:
        raise RecordError("the variation has no turn; expected one after the '('")
    if token.text == BEGIN:
        parsed.open.append(token.line)
    else:
        parsed.open.pop()
    parsed.turns.append(Turn(token.line, token.text, None))


def _check_ended(parsed: ParsedMatch, result: str) -> None:
    if parsed.open:
        with parsed.located(parsed.open[-1]):
            raise RecordError("the variation that begins here has no end, expected a ')' before the result")
    if not result:
        raise RecordError(f"the match has no end; expected its result, one of {', '.join(RESULTS)}")


def _add_turn(parsed: ParsedMatch, word: Token) -> None:
    if len(word.text) > _MAX_TURN:
        raise RecordError(f"cannot read {shorten(word.text)!r} as a turn: it is too long")
    if len(parsed.turns) > MAX_TURNS:  # dots for a missing turn do not count
        raise RecordError(f"there are more than {MAX_TURNS} turns")
    parsed.turns.append(Turn(word.line, word.text, parsed.count))
    parsed.count = None


def replay_parsed(parsed: ParsedMatch) -> Record:
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
            match = Match(game, headers.get("Position"))
        variations, comments = _play_turns(parsed, match)
        with parsed.located():
            return Record(
                match,
                south=headers.get("South", UNKNOWN_NAME),
                north=headers.get("North", UNKNOWN_NAME),
                date=headers.get("Date"),
                result=result,
                reason=headers.get("Reason"),
                headers={name: value for name, value in headers.items() if name not in KNOWN_HEADERS},
                variations=variations,
                comments=comments,
            )
    except RecordError as error:
        if version == str(game.version):
            raise
        raise RecordError(f"{error} (it is of version {version} of the game, this is version {game.version})") from None


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


def _play_turns(parsed: ParsedMatch, match: Match) -> tuple[list[tuple[Step, ...]], list[Comment]]:
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
    return found, comments


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
