"""Links: a whole match in the part of an address after `#`.

A short link such as `fetaix.1Xw0J.BwAB_Q` has three to five parts between points:

1. the id of the game,
2. the version of the form, and four characters of the hash of the rules,
3. the steps: their number, a checksum, and the number of each step among the legal ones, in mixed radix,
4. the options that differ from their defaults: a letter for the option and one for its value, or a number behind it,
5. the position in which the match begins, if that is not the start.

A readable link such as `fetaix;man_capture_dirs=all;c2-c3.c4xc2` has the turns in notation. The options, and the text
of the first position, stand before them, each behind a semicolon. A turn that is not finished ends in `~`.
"""

import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import AlquerqueError, LinkError, shorten
from ..game.game import Game, load_game
from ..game.options import OptionValue, spell
from ..game.step import Step
from .match import Match

VERSION = "1"
MAX_STEPS = 5000
"""Steps of the longest match that a link holds."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_HASHED, _CHECKSUM = 3, 1  # bytes
_SHORT = re.compile(r"^([a-z0-9_]+)\.([0-9A-Za-z_-]+)\.([0-9A-Za-z_-]+)")
_READABLE = re.compile(r"^([a-z0-9_]+);")
_OPTION = re.compile(r"^([A-Za-z])([A-Za-z])([0-9]*)")
_UNFINISHED = "~"
_CUT = "the link is damaged: copy the whole of it, from the # to its end"


@dataclass(frozen=True)
class Link:
    """What a link says before its match has been replayed.

    Attributes:
      game: The id of the game.
      rules: Version and hash of the rules; None in a readable link.
      options: The chosen options, as they are written.
      position: Text of the first position; None for the start of the game.
      moves: The steps as they are written: their bytes, or turns in notation.
    """

    game: str
    rules: str | None
    options: Sequence[str]
    position: str | None
    moves: Any

    def chosen_options(self, game: Game) -> dict[str, Any]:
        """The options by name.

        Args:
          game: The game with its default options.

        Raises:
          LinkError: If the game has no such option, or one is given twice.
        """
        if self.rules is None:
            named = dict(_split_option(text) for text in self.options)
            if len(named) < len(self.options):
                raise LinkError("the link gives an option of the rules twice; expected each once")
            return named
        names = list(game.option_table)
        chosen: dict[str, Any] = {}
        for text in self.options:
            found = _OPTION.match(text)
            option = names[_LETTERS.index(found.group(1))] if found and _has(names, found.group(1)) else None
            values = [] if option is None else list(game.option_table[option].values)
            if found is None or option is None or not _has(values, found.group(2)):
                raise _other_rules(self.game)
            value = values[_LETTERS.index(found.group(2))]
            chosen[option] = int(found.group(3) or 0) if value == "N" else value
        return chosen

    def replay(self, game: Game) -> Match:
        """Replays the match and checks every step.

        Args:
          game: The game with the options of the link.

        Raises:
          LinkError: If the link is damaged, or of other rules.
        """
        if self.rules is not None and self.rules != _rules_of(game):
            raise _other_rules(self.game)
        try:
            match = Match(game, self.position)
            if self.rules is None:
                _push_turns(match, self.moves)
        except AlquerqueError as error:
            raise LinkError(f"the link leads to no match of {game.title}: {error}") from None
        if self.rules is not None:
            _push_numbers(match, self.moves)
        return match


def split_link(text: str) -> Link:
    """Reads what a link says, without its game.

    Args:
      text: A link, or an address that has one behind `#`.

    Raises:
      LinkError: If this is no link, or one of another version.
    """
    text = text.strip()
    text = text[text.find("#") + 1 :]
    if found := _READABLE.match(text):
        *before, turns = text[found.end() :].split(";")
        positions = [part for part in before if ":" in part]
        options = [part for part in before if ":" not in part]
        if len(positions) > 1:
            raise LinkError("the link has more than one first position; expected GAME;POSITION;TURNS")
        return Link(found.group(1), None, options, positions[0] if positions else None, turns.split("."))
    found = _SHORT.match(text)
    if found is None:
        raise LinkError(
            f"{shorten(text)!r} is no link to a match; expected something like fetaix;c2-c3.c4xc2, or what Copy link "
            "gives"
        )
    if found.group(2)[0] != VERSION:
        raise LinkError(
            f"the link is of another version, {found.group(2)[0]!r}, and this program reads version {VERSION}: open it "
            "with the program that made it, or save the match there as a file"
        )
    rest, _, position = text[found.end() + 1 :].partition(".")
    chosen = []
    while rest:
        option = _OPTION.match(rest)
        if option is None:
            raise LinkError(_CUT)
        chosen.append(option.group(0))
        rest = rest[option.end() :]
    return Link(found.group(1), found.group(2), chosen, position or None, _from_text(found.group(3)))


def read_link(text: str, load: Callable[..., Game] = load_game) -> Match:
    """Reads a link and replays its match, step by step.

    Args:
      text: A link, or an address that has one behind `#`.
      load: Loads a game by its id and options.

    Returns:
      The match.

    Raises:
      LinkError: If this is no link, it is damaged, or of another version or of other rules.
      UnknownNameError, RulesError: If there is no such game or option.

    Example:
      >>> read_link("fetaix;c2-c3.c4xc2").turns
      ('c2-c3', 'c4xc2')
    """
    link = split_link(text)
    options = link.chosen_options(load(link.game)) if link.options else {}
    return link.replay(load(link.game, **options))


def format_link(match: Match, *, readable: bool = False) -> str:
    """Writes the link to a match, the part of an address after `#`.

    Args:
      match: The match, of a game of the package.
      readable: Whether to write turns in notation. Such a link is longer, and says what it holds. It stays valid where
        a new version of a game numbers its steps in another way.

    Returns:
      The text of the link, without `#`.

    Raises:
      LinkError: If the game is from a file, which others do not have, or the match is too long.

    Example:
      >>> match = Match("fetaix")
      >>> match.push("c2-c3")
      >>> format_link(match, readable=True)
      'fetaix;c2-c3'
    """
    game = match.game
    if game.file_text:
        raise LinkError(
            f"{game.title} is from a game file, which a link does not hold: save the match as a file instead"
        )
    if len(match.steps) > MAX_STEPS:
        raise LinkError(f"the match has more than {MAX_STEPS} steps: save it as a file instead")
    first = match.copy()
    for _ in match.steps:
        first.pop()
    position = None if first.position == Match(game).position else first.position
    if readable:
        turns = ".".join(match.turns) + (_UNFINISHED if match.steps and match.turn_goes_on else "")
        return ";".join([game.name, *game.option_texts, *([position] if position else []), turns])
    return ".".join(
        [
            game.name,
            _rules_of(game),
            _to_text(_numbers(first, match.steps)),
            *([_letters(game)] if game.chosen_options or position else []),
            *([position] if position else []),
        ]
    )


def _split_option(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark:
        raise LinkError(f"cannot read {shorten(text)!r} in the link as an option; expected NAME=VALUE")
    return name, value


def _has(items: Sequence[object], letter: str) -> bool:
    return _LETTERS.index(letter) < len(items)


def _letters(game: Game) -> str:
    """The options that differ from their defaults."""
    names, text = list(game.option_table), ""
    for name, value in game.chosen_options.items():
        values: Mapping[OptionValue, str] = game.option_table[name].values
        # `0 == False`, so that values are compared as they are written.
        spelt = [spell(known) for known in values]
        is_number = spell(value) not in spelt
        place = spelt.index("N" if is_number else spell(value))
        text += _LETTERS[names.index(name)] + _LETTERS[place] + (spell(value) if is_number else "")
    return text


def _rules_of(game: Game) -> str:
    return VERSION + _to_text(bytes.fromhex(game.table_hash)[:_HASHED])


def _other_rules(game: str) -> LinkError:
    return LinkError(
        f"the link is of other rules of {game!r} than this program has: open it with the version that made it, or ask "
        "for a readable link"
    )


def _numbers(match: Match, steps: Sequence[Step]) -> bytes:
    """Writes the steps of a match that has not begun yet; plays them."""
    digits = []
    for step in steps:
        legal = match.legal_steps
        digits.append((legal.index(step), len(legal)))
        match.push(step)
    number = 1
    for digit, base in reversed(digits):
        number = number * base + digit
    content = _variable(len(digits)) + number.to_bytes((number.bit_length() + 7) // 8, "big")
    return _checksum(match.game, content) + content


def _push_numbers(match: Match, content: bytes) -> None:
    """Plays the steps that `_numbers` has written."""
    count, place = 0, _CHECKSUM
    while place < len(content):
        count = count << 7 | content[place] & 127
        place += 1
        if content[place - 1] < 128:
            break
    number = int.from_bytes(content[place:], "big")
    if content[:_CHECKSUM] != _checksum(match.game, content[_CHECKSUM:]) or count > MAX_STEPS:
        raise LinkError(_CUT)
    for _ in range(count):
        legal = match.legal_steps
        if not legal:
            raise LinkError(_CUT)
        number, digit = divmod(number, len(legal))
        match.push(legal[digit])
    # The number began with 1, so that one that was cut is too small.
    if number != 1:
        raise LinkError(_CUT)


def _push_turns(match: Match, turns: Sequence[str]) -> None:
    for text in turns:
        if text:
            match.push_turn(text.rstrip(_UNFINISHED), is_whole=not text.endswith(_UNFINISHED))


def _variable(number: int) -> bytes:
    """A number in as many bytes of seven bits as it needs; all but the last have the highest bit."""
    found = [number & 127]
    while number := number >> 7:
        found.insert(0, number & 127 | 128)
    return bytes(found)


def _checksum(game: Game, content: bytes) -> bytes:
    return (binascii.crc32(content + game.table_hash.encode()) & 0xFF).to_bytes(_CHECKSUM, "big")


def _to_text(data: bytes) -> str:
    return binascii.b2a_base64(data).decode().strip().rstrip("=").replace("+", "-").replace("/", "_")


def _from_text(text: str) -> bytes:
    padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    try:
        return binascii.a2b_base64(padded.encode())
    except ValueError:
        raise LinkError(_CUT) from None
