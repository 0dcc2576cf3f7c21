"""Checks a certificate of `alquerque solve GAME --from-start --certificate FILE`.

    python tests/check_certificate.py FILE

It plays by `reference.py`, the slow second implementation of the rules, and uses no code of the engine, the endgame
tables or the proof search: only the data of a game and the position text. `docs/tables.md` describes the format.

Every position is checked, and every end that the rules decide. Ends that an endgame table decided are claims; a sample
of them is searched to the end by brute force. Exit status 0: it holds. 1: it does not hold.
"""

import argparse
import json
import lzma
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from reference import Reference, RefState, RefStep

from alquerque_env import load_game
from alquerque_env.errors import AlquerqueError

MAGIC = "alquerque certificate 1"
LONGEST_LINE = 10_000
"""Bytes; the longest line of a game has a tenth of them."""

AT_ONCE = 1 << 16
MOST_MEMORY = 1 << 24
"""Bytes that unpacking may take; what the package writes takes 9 MB."""

SECTION = re.compile(r"= player_([01]) (wins|does not win)")


class WrongError(Exception):
    """The certificate does not hold, or is no certificate."""


class Section:
    """The proof that a player wins, or does not win.

    Attributes:
      player: 0 or 1.
      wins: Whether it proves that the player wins.
      shown: The texts of all positions so far, in which this is shown or claimed.
      claims: The positions of which it is only claimed.
    """

    def __init__(self, reference: Reference, player: int, wins: bool) -> None:
        self.reference = reference
        self.player = player
        self.wins = wins
        self.shown: set[str] = set()
        self.claims: list[RefState] = []
        self.last = ""
        self.checked = 0
        self.ends = 0

    @property
    def name(self) -> str:
        """What it proves."""
        return f"player_{self.player} {'wins' if self.wins else 'does not win'}"

    def read(self, line: str) -> None:
        """Checks a position; those that it leads to must have come before."""
        text, _, how = line.partition(" ")
        state = self.reference.parse(text)
        if text_of(self.reference, state) != text:
            raise WrongError("the position is not written as the rules know it")
        steps = self.reference.legal(state)
        if not steps:
            raise WrongError("the match is over in this position")
        succeeds = (state.player == self.player) == self.wins
        if how == "?":
            self.claims.append(state)
        elif how == "*" and not succeeds:
            for step in steps:
                self._follow(state, step)
        elif succeeds:
            chosen = [step for step in steps if spell(self.reference, step) == how]
            if len(chosen) != 1:
                raise WrongError(f"{how} is no legal step")
            self._follow(state, chosen[0])
        else:
            raise WrongError(f"{how}: all steps of this player must be answered")
        self.checked += how != "?"
        self.shown.add(text)
        self.last = text

    def _follow(self, state: RefState, step: RefStep) -> None:
        after = self.reference.play(state, step)
        outcome = self.reference.outcome(after)
        if outcome is None:
            if text_of(self.reference, after) not in self.shown:
                raise WrongError(f"{spell(self.reference, step)} leads to a position that is not shown before")
            return
        self.ends += 1
        if (outcome[0] == self.player) != self.wins:
            raise WrongError(f"{spell(self.reference, step)} ends the match with another result")

    def search(self, state: RefState, budget: int) -> bool | None:
        """Whether a claim holds, by trying all ways to play; None if `budget` positions are too few to know."""
        self._known: dict[str, bool] = {}
        self._left = budget
        depth = 1
        while self._left > 0:
            self._tried: dict[str, int] = {}
            found = self._search(state, depth)
            if found is not None:
                return found == self.wins
            depth += 1
        return None

    def _search(self, state: RefState, depth: int) -> bool | None:
        """Whether the player wins, None if `depth` steps are too few to know."""
        outcome = self.reference.outcome(state)
        if outcome is not None:
            return outcome[0] == self.player
        text = text_of(self.reference, state)
        if text in self._known:
            return self._known[text]
        if depth == 0 or self._left <= 0 or self._tried.get(text, -1) >= depth:
            return None
        self._left -= 1
        self._tried[text] = depth
        own = state.player == self.player
        results = set()
        for step in self.reference.legal(state):
            results.add(self._search(self.reference.play(state, step), depth - 1))
            if own in results:
                break
        if own in results or None not in results:
            self._known[text] = own if own in results else not own
        return self._known.get(text)


def show(text: str) -> str:
    """A text of the file for a message, on one line."""
    return "".join(each if each.isprintable() else "?" for each in text[:300])


def spell(reference: Reference, step: RefStep) -> str:
    """A step as a certificate writes it."""
    if step.origin is None or step.target is None or step.is_pass:
        return "pass"
    labels = reference.game.board.labels
    if step.victim is None:
        return f"{labels[step.origin]}-{labels[step.target]}"
    return f"{labels[step.origin]}x{labels[step.target]}^{labels[step.victim]}"


def text_of(reference: Reference, state: RefState) -> str:
    """The text of a position."""
    labels = reference.game.board.labels

    def names(points: Iterator[int]) -> str:
        return ",".join(labels[point] for point in sorted(points))

    fields = ["WB"[state.player]]
    for player, letter in enumerate("WB"):
        kings = state.kings[player]
        fields.append(
            letter + ",".join("K" * (point in kings) + labels[point] for point in sorted(state.pieces(player)))
        )
    fields += [f"H{state.quiet}"] if state.quiet else []
    fields += [f"C{labels[state.chain]}"] if state.chain is not None else []
    pairs = sorted(state.memory)
    fields += ["U" + ",".join(f"{labels[piece]}-{labels[target]}" for piece, target in pairs)] if pairs else []
    fields += ["X" + names(iter(state.captured))] if state.captured else []
    fields += [f"S{labels[state.chain_start]}"] if state.chain_start is not None else []
    return ":".join(fields)


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a certificate. Takes little memory, whatever the file holds."""
    rest = b""
    for part in read_parts(path):
        *lines, rest = (rest + part).split(b"\n")
        if max(map(len, (rest, *lines))) > LONGEST_LINE:
            raise WrongError(f"a line has more than {LONGEST_LINE:,} bytes")
        yield from (line.decode() for line in lines)
    if rest:
        raise WrongError("the file ends in the middle of a line")


def read_parts(path: Path) -> Iterator[bytes]:
    """The bytes of a file, unpacked if its name ends in `.xz`, in parts of at most `AT_ONCE`."""
    with path.open("rb") as file:
        if path.suffix != ".xz":
            yield from iter(lambda: file.read(AT_ONCE), b"")
            return
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)
        while not unpacker.eof:
            packed = file.read(AT_ONCE) if unpacker.needs_input else b""
            if unpacker.needs_input and not packed:
                raise EOFError("the compressed file ends too early")
            yield unpacker.decompress(packed, AT_ONCE)


def check(path: Path) -> list[Section]:
    """Checks a certificate.

    Returns:
      Its sections: one that proves a win, or two that prove a draw.

    Raises:
      WrongError: If it does not hold.
    """
    lines = read_lines(path)
    if next(lines, None) != MAGIC:
        raise WrongError("this is no certificate")
    try:
        header = json.loads(next(lines, "{}"))
        game = load_game(header["game"], **header["options"])
        start, pieces = str(header["position"]), int(header["table_pieces"])
    except (ValueError, KeyError, TypeError, AlquerqueError) as error:
        raise WrongError(f"line 2: {show(repr(error))}") from None
    sections: list[Section] = []
    reference = Reference(game)
    if game.rules.repetition != "off":
        raise WrongError("the rules look at earlier positions, a certificate does not")
    for number, line in enumerate(lines, 3):
        try:
            found = SECTION.fullmatch(line)
            if found:
                _close(sections, start)
                sections.append(Section(reference, int(found[1]), found[2] == "wins"))
            elif not sections:
                raise WrongError("a position before the first section")
            else:
                sections[-1].read(line)
        except (WrongError, ValueError, LookupError) as error:
            raise WrongError(f"line {number}: {show(line)}: {show(str(error))}") from None
    _close(sections, start)
    proved = {(section.player, section.wins) for section in sections}
    if not any(wins for _, wins in proved) and proved != {(0, False), (1, False)}:
        raise WrongError("it proves neither a win nor a draw")
    print(f"{game.name}, {start}, endgame table of {pieces} pieces")
    return sections


def _close(sections: list[Section], start: str) -> None:
    if sections and sections[-1].last != start:
        raise WrongError(f"the section {sections[-1].name!r} does not end with the position to be proved")


def main(words: Sequence[str] | None = None) -> int:
    """Checks the certificate that the arguments name, by default those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sample", type=int, default=50, help="how many claims to search (50)")
    parser.add_argument("--budget", type=int, default=5000, help="positions to search for a claim (5000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    arguments = parser.parse_args(words)
    try:
        for section in check(arguments.file):
            print(f"{section.name}: {section.checked:,} positions hold, {section.ends:,} ends by the rules.")
            claims = random.Random(arguments.seed).sample(section.claims, min(arguments.sample, len(section.claims)))
            found = {True: 0, None: 0}
            for claim in claims:
                result = section.search(claim, arguments.budget)
                if result is False:
                    raise WrongError(f"a claim is wrong: {text_of(section.reference, claim)}")
                found[result] += 1
            print(
                f"{len(section.claims):,} ends are claims of the table: {len(claims)} searched, {found[True]} hold, "
                f"{found[None]} are not decided by {arguments.budget:,} positions."
            )
    except (WrongError, OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        print(f"{arguments.file} does not hold: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
