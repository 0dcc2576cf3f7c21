"""Parses and writes the commands of UGI, the Universal Game Interface, for both the engine and its client.

Player 1 is South, `player_0`, in every game; player 2 is North. Turns and positions are written as everywhere in this
package; a turn without a move is `pass`.

Source: kz04px, Universal Game Interface, github.com/kz04px/ugi, ugi.md; UCI for what it does not define.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ...errors import AlquerqueError, shorten

NOTHING = "none"  # is written for a missing turn, and for the result of a match that is not over

TURNS_LEFT = 30  # turns that the time on the clock must last, if the command does not say

SHARE_OF_INCREMENT = 0.8
LAG = 0.05  # seconds lost between the clock and the engine

LEAST_TIME = 0.01

LONGEST_NUMBER = 15


class ProtocolError(AlquerqueError):
    """A command that cannot be parsed."""


@dataclass(frozen=True)
class Go:
    """The limits of a search: a `go` command."""

    movetime: int | None = None  # milliseconds; below 1 if the time is up
    depth: int | None = None  # whole turns
    nodes: int | None = None  # positions or simulations
    infinite: bool = False  # whether to search until `stop`
    p1time: int | None = None  # milliseconds on the clocks of South and North; below 1 if the time is up
    p2time: int | None = None
    p1inc: int | None = None  # milliseconds that each gains with a turn
    p2inc: int | None = None
    movestogo: int | None = None  # turns that the time must last

    def seconds(self, player: int) -> float | None:
        """Returns the time that a player may take for a turn; None for no limit."""
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
_MAY_BE_UP = ("movetime", "p1time", "p2time")


def parse_go(words: Sequence[str]) -> tuple[Go, tuple[str, ...]]:
    """Parses the words after `go` as far as they can be read, since every `go` is answered by a search.

    Also returns a sentence about each fault. Unknown words and wrong values are skipped; of a limit that is given twice
    the last one counts.
    """
    found: dict[str, int | bool] = {}
    unknown: list[str] = []
    faults: list[str] = []
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word not in _GO:
            unknown.append(word)
            continue
        if word in found:
            faults.append(f"go has {word} twice; the last one counts")
        if word == "infinite":
            found[word] = True
        elif not rest or rest[0] in _GO:
            faults.append(f"go {word} needs a whole number after it; {word} is skipped")
        elif (number := _number(word, text := rest.popleft())) is None:
            faults.append(f"go {word} is {clip(text)}, expected a whole number of 0 or more; {word} is skipped")
        else:
            found[word] = number
    if unknown:
        listed = " ".join(unknown)
        faults.insert(0, f"go has no {clip(listed)}, which is skipped; known: {', '.join(sorted(_GO))}")
    return Go(**found), tuple(faults)  # type: ignore[arg-type]


def _number(name: str, text: str) -> int | None:
    """The number of a limit; None if the text is not one."""
    digits = text.removeprefix("-") if name in _MAY_BE_UP else text
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_NUMBER):
        return None
    return int(text)


@dataclass(frozen=True)
class Info:
    """An intermediate or final result of a search: an `info` line."""

    depth: int | None = None  # whole turns looked ahead
    score: int | None = None  # in hundredths of a man, for the player to move
    mate: int | None = None  # turns until a certain win; negative for a certain loss
    nodes: int | None = None  # positions visited, or simulations
    milliseconds: int | None = None  # time since the search began
    line: tuple[str, ...] = ()  # the principal variation, as texts of turns

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
    """Parses a line of an engine; ignores everything unknown, scores that are bounds, and lines but the best one."""
    words = text.split()
    found: dict[str, int] = {}
    line: tuple[str, ...] = ()
    if not words or words[0] != "info" or "string" in words:
        return Info()
    if "pv" in words:
        place = words.index("pv")
        words, line = words[:place], tuple(words[place + 1 :])
    for name, key in {
        "depth": "depth",
        "nodes": "nodes",
        "time": "milliseconds",
        "cp": "score",
        "mate": "mate",
    }.items():
        place = words.index(name) + 1 if name in words else len(words)
        if place < len(words) and _INTEGER.fullmatch(words[place]):
            found[key] = int(words[place])
    is_other = "multipv" in words and words[-1] != "multipv" and words[words.index("multipv") + 1] != "1"
    if is_other or "lowerbound" in words or "upperbound" in words:
        return Info()
    return Info(line=line, **found)


def write_position(position: str | None, turns: Sequence[str]) -> str:
    """Writes the command that sets up a match: from a position, or the start if None, and the turns since."""
    words = ["position", "startpos" if position is None else f"fen {position}"]
    return " ".join([*words, *(["moves", *turns] if turns else [])])


def parse_position(words: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """Parses the words after `position`: the text of the position, None for the start, and the turns since."""
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
    """Parses a whole `setoption` command: the name and the value, which may be empty."""
    found = _SET_OPTION.fullmatch(line)
    if found is None:
        raise ProtocolError("setoption needs a name and a value, as in: setoption name Game value fetaix")
    return found[1], found[2] or ""


def clip(text: str, most: int = 40) -> str:
    """Quotes and shortens untrusted text for an error message."""
    return repr(shorten(text, most))
