"""Checks a certificate of `alquerque solve --from-start --certificate` by the rules of `reference.py` alone.

    python tests/check_certificate.py FILE [--claims N] [--seed S]

It follows the listed step in each position of the side that succeeds, and every legal step of the other side, until the
match ends. Positions that the file says an endgame table decides are claims: N of them, drawn by the seed, are
searched to the end of the match, as far as a limit of positions allows.
"""

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from reference import Reference, RefState, RefStep

from alquerque_env import load_game

MAGIC = "alquerque certificate 1"
SIDES = ("South", "North")
CLAIM = re.compile(r"(South|North) (wins|does not win)")
POSITIONS_A_CLAIM = 20_000


class CertificateError(Exception):
    """The certificate does not prove what it says."""


class Checked(NamedTuple):
    """What one proof of a certificate holds.

    Attributes:
      text: What is proved, such as "South wins".
      positions: Positions of the side that succeeds, each with its step.
      ends: Ends of matches reached, all checked by the rules.
      claims: Positions left to an endgame table.
      confirmed: Of the drawn claims, those that a search confirmed; the limit stopped it at the others.
      drawn: Claims drawn.
    """

    text: str
    positions: int
    ends: int
    claims: int
    confirmed: int
    drawn: int


class Proof:
    """One proof of a certificate: a statement, and the lines below it."""

    def __init__(self, reference: Reference, text: str, lines: Iterable[str]) -> None:
        matched = CLAIM.fullmatch(text)
        if matched is None:
            raise CertificateError(
                f"{text!r} is not a statement: expected 'South wins', 'North does not win' or the like"
            )
        self.text = text
        self.reference = reference
        named = SIDES.index(matched[1])
        self.must_win = matched[2] == "wins"
        self.side = named if self.must_win else 1 - named
        self.steps: dict[RefState, RefStep] = {}
        self.claims: set[RefState] = set()
        for line in lines:
            position, _, rest = line.partition(" ")
            try:
                state = reference.parse(position)
            except (ValueError, KeyError, IndexError):
                raise CertificateError(f"{line!r} does not begin with a position") from None
            if rest == "table":
                self.claims.add(state)
            else:
                self.steps[state] = self._step(state, rest, line)

    def check(self, start: RefState, claims: int, seed: int) -> Checked:
        """Checks the proof from a position.

        Raises:
          CertificateError: If it does not hold.
        """
        reached, ends = self._walk(start)
        drawn = sorted(reached, key=repr)
        drawn = random.Random(seed).sample(drawn, min(claims, len(drawn)))
        confirmed = 0
        for state in drawn:
            found = Search(self).succeeds(state)
            if found is False:
                raise CertificateError(f"{self.text}: the claim about {self.show(state)} is false")
            confirmed += found is True
        return Checked(self.text, len(self.steps), ends, len(reached), confirmed, len(drawn))

    def ended(self, state: RefState) -> bool | None:
        """Whether the end of the match is one that the proof allows; None while the match goes on."""
        outcome = self.reference.outcome(state)
        if outcome is None:
            return None
        return outcome[0] == self.side if self.must_win else outcome[0] != 1 - self.side

    def _walk(self, start: RefState) -> tuple[set[RefState], int]:
        """Visits every position that the proof depends on; returns the claims among them and the number of ends."""
        done: set[RefState] = set()
        open_line: set[RefState] = set()
        reached: set[RefState] = set()
        ends = 0
        waiting = [(start, False)]
        while waiting:
            state, is_left = waiting.pop()
            if is_left:
                open_line.discard(state)
                done.add(state)
                continue
            if state in done:
                continue
            if state in open_line:
                raise CertificateError(f"{self.text}: play returns to {self.show(state)}, so the proof is a circle")
            allowed = self.ended(state)
            if allowed is False:
                raise CertificateError(f"{self.text}: {self.show(state)} ends the match with another result")
            if allowed:
                ends += 1
                done.add(state)
                continue
            if state in self.claims:
                reached.add(state)
                done.add(state)
                continue
            steps = self.reference.legal(state)
            if state.player == self.side:
                if state not in self.steps:
                    raise CertificateError(f"{self.text}: {self.show(state)} is missing")
                steps = [self.steps[state]]
            open_line.add(state)
            waiting.append((state, True))
            waiting += [(self.reference.play(state, step), False) for step in steps]
        return reached, ends

    def _step(self, state: RefState, text: str, line: str) -> RefStep:
        fitting = [step for step in self.reference.legal(state) if text in self._texts(step)]
        if len(fitting) != 1:
            raise CertificateError(f"{line!r} does not name one legal step")
        return fitting[0]

    def _texts(self, step: RefStep) -> set[str]:
        if step.is_pass:
            return {"pass"}
        labels = self.reference.game.board.labels
        origin, target = labels[step.origin], labels[step.target]
        if step.victim is None:
            return {f"{origin}-{target}"}
        return {f"{origin}x{target}", f"{origin}x{target}^{labels[step.victim]}"}

    def show(self, state: RefState) -> str:
        """A position in words, for messages."""
        labels = self.reference.game.board.labels
        sides = [
            f"{name} " + ",".join(sorted(labels[point] for point in state.pieces(player)))
            for player, name in enumerate(SIDES)
        ]
        return f"the position with {SIDES[state.player]} to move ({'; '.join(sides)}; {state.quiet} quiet turns)"


class Search:
    """A plain search of one claim to the end of the match, within a limit of positions."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self.left = POSITIONS_A_CLAIM
        self.known: dict[RefState, bool] = {}

    def succeeds(self, state: RefState) -> bool | None:
        """Whether the side of the proof reaches an end that the proof allows; None if the limit stops the search."""
        allowed = self.proof.ended(state)
        if allowed is not None:
            return allowed
        if state in self.known:
            return self.known[state]
        self.left -= 1
        if self.left < 0:
            return None
        chooses = state.player == self.proof.side
        play = partial(self.proof.reference.play, state)
        # Captures first, since they come to an end sooner.
        steps = sorted(self.proof.reference.legal(state), key=lambda step: step.victim is None)
        is_open = False
        for after in map(play, steps):
            found = self.succeeds(after)
            if found is chooses:
                self.known[state] = chooses
                return chooses
            is_open |= found is None
        if is_open:
            return None
        self.known[state] = not chooses
        return not chooses


def check(path: Path, claims: int = 20, seed: int = 0) -> tuple[str, list[Checked]]:
    """Checks a certificate.

    Args:
      path: The file.
      claims: How many positions left to an endgame table are searched, for each proof.
      seed: Draws them.

    Returns:
      The value that is proved, "South wins", "North wins" or "draw", and what each proof holds.

    Raises:
      CertificateError: If the file is not a certificate or does not prove the value that it gives.
    """
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    lines = text.splitlines()
    if not text.endswith("\n") or lines[:1] != [MAGIC] or len(lines) < 3:
        raise CertificateError(f"{path} is not a whole certificate: it must begin with {MAGIC!r} and end with a line")
    try:
        header = json.loads(lines[1])
        game = load_game(header["game"], **header["options"])
        position, winner, table_hash = header["position"], header["winner"], header["table_hash"]
    except (ValueError, KeyError, TypeError) as error:
        raise CertificateError(f"the second line of {path} is not its header: {error}") from None
    if table_hash != game.table_hash:
        raise CertificateError(f"{path} is about other rules of {game.name}: {table_hash}, now {game.table_hash}")
    reference = Reference(game)
    start = reference.parse(position)
    begins = [place for place, line in enumerate(lines) if CLAIM.fullmatch(line)]
    if begins[:1] != [2]:
        raise CertificateError(f"{path}: the third line must be a statement, such as 'South wins'")
    bounds = zip(begins, [*begins[1:], len(lines)], strict=True)
    proofs = [Proof(reference, lines[first], lines[first + 1 : end]) for first, end in bounds]
    found = [proof.check(start, claims, seed) for proof in proofs]
    proved = {proof.text for proof in found}
    value = next((text for text in proved if text.endswith(" wins")), None)
    if value is None and proved == {f"{side} does not win" for side in SIDES}:
        value = "draw"
    expected = "draw" if winner == "draw" else f"{SIDES[winner]} wins"
    if value != expected:
        raise CertificateError(f"{path} says {expected!r} and proves {', '.join(sorted(proved))}")
    return value, found


def main() -> None:
    """Checks the file of the command line; exits with status 1 if it does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--claims", type=int, default=20, metavar="N", help="claims to search for each proof")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="draws the claims")
    arguments = parser.parse_args()
    sys.setrecursionlimit(20_000)
    try:
        value, found = check(arguments.file, arguments.claims, arguments.seed)
    except (CertificateError, EOFError, OSError, UnicodeDecodeError) as error:
        sys.exit(f"not proved: {error}")
    for proof in found:
        endgames = f"{proof.claims:,} claims about endgames ({proof.confirmed} of {proof.drawn} confirmed by search)"
        print(f"{proof.text}: {proof.positions:,} positions, {proof.ends:,} ends, {endgames}")
    print(f"proved, if the claims hold: {value}")


if __name__ == "__main__":
    main()
