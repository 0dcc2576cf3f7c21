"""The words of UGI, the Universal Game Interface, as engines and those who ask them read and write them.

Player 1 is South, `player_0`, whoever begins; player 2 is North. Turns and positions are written as everywhere in this
package; a turn without a move is `pass`.

Source: kz04px, Universal Game Interface, github.com/kz04px/ugi, ugi.md; where it is silent, UCI.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ...errors import AlquerqueError, shorten

NOTHING = "none"
"""What stands for a turn where there is none to tell, and for a result where there is none yet."""

TURNS_LEFT = 30
"""For how many turns the time is to last where nothing says so."""

SHARE_OF_INCREMENT = 0.8
LAG = 0.05
"""Seconds that are lost between the clock and the engine."""

LEAST_TIME = 0.01

LONGEST_NUMBER = 15


class ProtocolError(AlquerqueError):
    """A command that cannot be read."""


@dataclass(frozen=True)
class Go:
    """How an engine is to think.

    Attributes:
      movetime: Milliseconds.
      depth: Whole turns.
      nodes: Positions or simulations.
      infinite: Whether to go on until it is stopped.
      p1time, p2time: Milliseconds on the clocks of South and North; below 1 on a clock that has run out.
      p1inc, p2inc: Milliseconds that they gain with each turn.
      movestogo: Turns for which the time must last.
    """

    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    infinite: bool = False
    p1time: int | None = None
    p2time: int | None = None
    p1inc: int | None = None
    p2inc: int | None = None
    movestogo: int | None = None

    def seconds(self, player: int) -> float | None:
        """The time that a player may take for a turn; None where nothing limits it."""
        if self.movetime is not None:
            return max(self.movetime / 1000 - LAG, LEAST_TIME)
        clock, gain = (self.p1time, self.p1inc) if player == 0 else (self.p2time, self.p2inc)
        if clock is None:
            return None
        seconds = clock / 1000 / (self.movestogo or TURNS_LEFT) + SHARE_OF_INCREMENT * (gain or 0) / 1000
        return max(min(seconds, clock / 1000 - LAG), LEAST_TIME)

    def __str__(self) -> str:
        words = ["go"]
        for field in fields(self):
            value = getattr(self, field.name)
            if value is True:
                words.append(field.name)
            elif value is not None and value is not False:
                words += [field.name, str(value)]
        return " ".join(words)


_GO = {field.name for field in fields(Go)}
_CLOCKS = ("p1time", "p2time")


def parse_go(words: Sequence[str]) -> Go:
    """Reads what follows `go`.

    Raises:
      ProtocolError: If it says nothing that is known, something twice, or not by a whole number.
    """
    found: dict[str, int | bool] = {}
    rest = iter(words)
    for word in rest:
        if word not in _GO:
            raise ProtocolError(f"go has no {clip(word)}; known: {', '.join(sorted(_GO))}")
        if word in found:
            raise ProtocolError(f"go has {word} twice; give it once")
        found[word] = True if word == "infinite" else _number(word, next(rest, None))
    return Go(**found)  # type: ignore[arg-type]


def _number(name: str, text: str | None) -> int:
    if text is None:
        raise ProtocolError(f"go {name} needs a whole number after it")
    digits = text.removeprefix("-") if name in _CLOCKS else text
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_NUMBER):
        raise ProtocolError(f"go {name} is {clip(text)}, expected a whole number of 0 or more")
    return int(text)


@dataclass(frozen=True)
class Info:
    """What an engine thinks so far.

    Attributes:
      depth: Whole turns looked ahead.
      score: In hundredths of a man, for the player to move.
      mate: Turns until a certain win, or, below 0, a certain loss.
      nodes: Positions visited, or simulations.
      milliseconds: Time since the search began.
      line: The turns that it expects.
    """

    depth: int | None = None
    score: int | None = None
    mate: int | None = None
    nodes: int | None = None
    milliseconds: int | None = None
    line: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(["info", *self._words()])

    def _words(self) -> Iterator[str]:
        if self.depth is not None:
            yield f"depth {self.depth}"
        if self.mate is not None:
            yield f"score mate {self.mate}"
        elif self.score is not None:
            yield f"score cp {self.score}"
        if self.nodes is not None:
            yield f"nodes {self.nodes}"
            if self.milliseconds:
                yield f"nps {1000 * self.nodes // self.milliseconds}"
        if self.milliseconds is not None:
            yield f"time {self.milliseconds}"
        if self.line:
            yield " ".join(["pv", *self.line])


_INTEGER = re.compile(r"-?[0-9]{1,9}")


def parse_info(text: str) -> Info:
    """Reads a line of an engine, which may be anything; what is not understood is left out.

    So are the score of a line that is not the best, and one that is only a bound.
    """
    words = text.split()
    found: dict[str, int] = {}
    line: tuple[str, ...] = ()
    if not words or words[0] != "info" or "string" in words:
        return Info()
    if "pv" in words:
        place = words.index("pv")
        words, line = words[:place], tuple(words[place + 1 :])
    for name, key in (
        ("depth", "depth"),
        ("nodes", "nodes"),
        ("time", "milliseconds"),
        ("cp", "score"),
        ("mate", "mate"),
    ):
        place = words.index(name) + 1 if name in words else len(words)
        if place < len(words) and _INTEGER.fullmatch(words[place]):
            found[key] = int(words[place])
    is_other = "multipv" in words and words[-1] != "multipv" and words[words.index("multipv") + 1] != "1"
    if is_other or "lowerbound" in words or "upperbound" in words:
        return Info()
    return Info(line=line, **found)


def write_position(position: str | None, turns: Sequence[str]) -> str:
    """The command that sets up a match: from a position, or the start if None, with the turns played since."""
    words = ["position", "startpos" if position is None else f"fen {position}"]
    return " ".join([*words, *(["moves", *turns] if turns else [])])


def parse_position(words: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """Reads what follows `position`: the text of the position, None for the start, and the turns played since.

    Raises:
      ProtocolError: If it is neither `startpos` nor `fen` with a text, or something else than `moves` follows.
    """
    if words[:1] == ["startpos"]:
        text, rest = None, words[1:]
    elif words[:1] == ["fen"] and len(words) > 1:
        text, rest = words[1], words[2:]
    else:
        raise ProtocolError("position needs startpos, or fen and the text of a position, after it")
    if rest and rest[0] != "moves":
        raise ProtocolError(f"position is followed by {clip(rest[0])}, expected moves and the turns played since")
    return text, rest[1:]


_SET_OPTION = re.compile(r"\s*setoption\s+name\s+(\S.*?)\s+value(?:\s+(.*?))?\s*", re.DOTALL)


def parse_set_option(line: str) -> tuple[str, str]:
    """Reads a whole `setoption` command: the name and the value, which may be empty.

    Raises:
      ProtocolError: If it is not of the form `setoption name NAME value VALUE`.
    """
    found = _SET_OPTION.fullmatch(line)
    if found is None:
        raise ProtocolError("setoption needs a name and a value, as in: setoption name Game value fetaix")
    return found[1], found[2] or ""


def clip(text: str, most: int = 40) -> str:
    """Words from outside, safe and short enough for a message."""
    return repr(shorten(text, most))
