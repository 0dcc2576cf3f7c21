"""Reads match files: divides the text into matches, and plays every match by the rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TextIO

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


@dataclass
class ParsedMatch:
    """The text of a match, divided into its parts."""

    number: int  # its place in the file, from 1
    line: int  # the line in which it begins
    headers: dict[str, str] = field(default_factory=dict)  # its headers
    # its turns with their numbers, the parentheses of its variations, and its comments
    tokens: list[Token] = field(default_factory=list)
    turns: int = 0  # how many turns there are among the tokens, with dots for a missing one
    open: list[int] = field(default_factory=list)  # the lines in which the variations begin that have not ended
    result: str = ""  # its result; empty until that was read
    problem: RecordError | None = None  # why it cannot be read; None if it can
    # the line and the characters of the source up to its end; None if the source ended first
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
                self._take(token)
            except RecordError as error:
                self.problem = self._placed(error, token.line)

    def _take(self, token: Token) -> None:
        if token.kind == "problem":
            raise RecordError(token.text)
        if token.kind == "header":
            self._take_header(token.text, token.value)
        elif token.kind == "comment":
            self.tokens.append(token)
        elif not self.headers:
            raise RecordError('expected the headers of a match, beginning with one such as [Game "fetaix"]')
        elif token.kind == "end":
            raise RecordError(f"the match has no end; expected its result, one of {', '.join(RESULTS)}")
        elif token.kind == "word" and token.text in ENDS:
            if self.open:
                with self.located(self.open[-1]):
                    raise RecordError("the variation that begins here has no end, expected a ')' before the result")
            self.result = token.text
        else:
            self.tokens.append(token)
            if token.text == BEGIN:
                self.open.append(token.line)
            elif token.text == END:
                if not self.open:
                    raise RecordError("there is no variation that could end here; remove the ')'")
                self.open.pop()
            self.turns += token.kind == "word"
            if self.turns > MAX_TURNS + 1:  # with dots for a missing turn
                raise RecordError(f"there are more than {MAX_TURNS} turns")

    def _take_header(self, name: str, value: str) -> None:
        if any(token.kind != "comment" for token in self.tokens):
            raise RecordError(
                f"header {name} follows turns; expected the result of the match, one of {', '.join(RESULTS)}"
            )
        if name in self.headers:
            raise RecordError(f"header {name} is given twice; remove one")
        if (known := spelled(name)) not in (None, name):
            raise RecordError(f"header {name} is spelled {known}; write [{known} ...], or choose another name")
        if name not in KNOWN_HEADERS and sum(other not in KNOWN_HEADERS for other in self.headers) == MAX_HEADERS:
            raise RecordError(f"there are more than {MAX_HEADERS} further headers")
        self.headers[name] = value

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
    """A line of turns that is being read: the main line, or a variation."""

    place: int  # turns before the next one, as a file numbers them: from the first turn of the player who begins a game
    start: int  # the number of steps from the start of the match after which it begins
    kept: Sequence[Step] = ()  # the steps of the turn that it replaces
    last: int = 0  # the number of steps of its last turn; 0 before it has one
    open_turn: str = ""  # the text of its last turn if that ends with dots
    number: Token | None = None  # the number before the next turn if that was read
    is_new: bool = True  # whether the line begins here, or goes on after a variation or a comment
    # the comments before the first turn of a variation, which are kept after it
    said: list[str] = field(default_factory=list)


def _play_turns(parsed: ParsedMatch, match: Match) -> tuple[list[tuple[Step, ...]], list[Comment]]:
    """Plays the main line, and returns the variations and the comments."""
    lines = [_Line(first_place(match) + _turns_before(parsed), 0)]
    found: list[tuple[Step, ...]] = []
    unfinished: list[int] = []  # the places among `found` of the variations that are being read
    comments: list[Comment] = []
    room, room_of_comments = MAX_VARIATION_STEPS, MAX_COMMENT_STEPS
    for token in (*parsed.tokens, Token(parsed.line, 0, "end", "")):
        line = lines[-1]
        where = f", turn {line.place // 2 + 1} of {SIDES[match.player]}{' in a variation' * (len(lines) > 1)}"
        with parsed.located(token.line, where):
            if token.kind not in ("comment", "word") and line.number is not None:
                with parsed.located(line.number.line):
                    raise RecordError(f"number {line.number.text} has no turn; remove it, or add the turn")
            if token.kind == "number":
                line.number = token
            elif token.kind == "word":
                _play_turn(token.text, match, line)
            elif token.kind == "comment":
                line.said.append(token.text)
                line.is_new = True
            elif token.text == BEGIN:
                lines.append(_leave(match, line, is_main=len(lines) == 1))
                unfinished.append(len(found))
                found.append(())
            elif token.text == END:
                room -= match.num_steps
                if room < 0:
                    raise RecordError(f"the variations of the match have more than {MAX_VARIATION_STEPS} steps in all")
                found[unfinished.pop()] = match.steps
                _return(match, lines.pop())
                lines[-1].is_new = True
            if line.said and (line.last or len(lines) == 1):
                room_of_comments -= len(line.said) * match.num_steps
                if room_of_comments < 0:
                    raise RecordError(
                        f"the comments of the match have more than {MAX_COMMENT_STEPS} steps before them in all"
                    )
                done = tuple(step.text for step in match.steps)
                comments += [Comment(done, text) for text in line.said]
                line.said = []
    return found, comments


def _turns_before(parsed: ParsedMatch) -> int:
    """The turns before the first one as it is numbered: other programs go on counting behind a `FEN`."""
    first = next((token for token in parsed.tokens if token.kind != "comment"), None)
    is_counted = first is not None and first.kind == "number" and "FEN" in parsed.headers
    return 2 * max(0, int(first.text) - 1) if first is not None and is_counted else 0


def _play_turn(text: str, match: Match, line: _Line) -> None:
    """Plays a turn. Dots for a missing one may stand where a line begins, or goes on after a variation."""
    number, is_new, expected = line.number, line.is_new, line.place // 2 + 1
    line.number, line.is_new = None, False
    if line.open_turn:
        raise RecordError(f"a turn follows {line.open_turn}, but only the last turn of a match may end with dots")
    if number is not None and int(number.text) != expected:
        raise RecordError(f"it is numbered {number.text}, expected {expected}")
    if line.place % 2 == 0 and (text == DOTS or (number is not None and number.value)):
        raise RecordError("dots stand for a turn of the player who is to move; expected that turn")
    if text == DOTS:
        if not is_new:
            raise RecordError("dots for a missing turn may only come first; expected a turn")
        return
    if len(text) > _MAX_TURN:
        raise RecordError(f"cannot read {shorten(text)!r} as a turn: it is too long")
    played = match.num_steps
    is_whole = not text.endswith(DOTS)
    match.push_turn(text.removesuffix(DOTS).replace(":", "x").replace(" ", ""), is_whole=is_whole)
    if not is_whole:
        if not match.turn_goes_on:
            raise RecordError(f"{text} leaves a turn open that has ended; remove the dots")
        line.open_turn = text
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
