"""Checks certificates, which `alquerque solve GAME --from-start` and `alquerque exploit` write with `--certificate`.

    python -m tools.check_certificate FILE

It plays by `reference.py`, the slow second implementation of the rules, and uses no code of the engine, the endgame
tables or the proof search: only the data of a game and the position text. `docs/proofs.md` describes both formats.

Of a certificate of `exploit`, everything that the opponent can play is played. Of one of `solve`, every position is
checked, and every end that the rules decide. Ends that an endgame table decided are claims. They are decided by a table
of the positions that matter, which is built here; the options bound its size. Exit status 0: it holds, but for claims
that are reported as open. 1: it does not hold.
"""

import argparse
import json
import lzma
import math
import random
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game, load_text
from tests.reference import Reference, RefState, RefStep

MAGIC = "alquerque certificate 1"
KEPT = "alquerque kept value 1"
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


class BudgetError(Exception):
    """A claim cannot be decided: more positions than allowed would have to be looked at."""


class Claims:
    """Decides claims exactly, by all the rules, from a table that it builds of the positions needed for that.

    A level is all positions that follow each other without progress. They have the same result at the limit of turns
    without progress, which favours the side that succeeds by the claim, or the other side. The favoured side only has
    to hold: to stay in the level for ever, or to leave it for a position in which it gets its way. Where it cannot, the
    other side forces its way within some number of turns, and needs that many before the limit. Without a limit, the
    side that wins by the claim is first tried as the one that holds, since it has fewer turns to show; that counts if
    it cannot go on for ever.

    Attributes:
      held: Positions in which the favoured side holds; the numbers mean nothing.
      forced: The other positions, with the most turns that the other side needs; inf where the limit may come first.
      looked_at: How many positions were looked at.
    """

    def __init__(self, reference: Reference, player: int, wins: bool) -> None:
        self.reference = reference
        self.held: dict[RefState, float] = {}
        self.forced: dict[RefState, float] = {}
        self.looked_at = 0
        self._player = player
        self._wins = wins
        self._most = math.inf
        limit = reference.rules.no_progress_limit
        self._limit = math.inf if limit == "off" else int(limit)
        self._images = Images(find_mirrors(reference))

    def decide(self, claim: RefState, budget: float = math.inf) -> bool | None:
        """Whether a claim holds; None if it takes more than `budget` positions to know, or the limit comes close."""
        self._most = self.looked_at + budget
        try:
            return self.succeeds(claim)
        except BudgetError:
            return None

    def succeeds(self, state: RefState) -> bool | None:
        """Whether the side that succeeds by the claim does so; None if the limit may come too early."""
        root = self._least(state)
        is_favoured = self.is_success(self._winner_at_limit(root))
        if not is_favoured and self._limit == math.inf and root not in self.held and root not in self.forced:
            Level(self, root, self.player_for(True), self.forced, self.held).solve(must_end=True)
        if root not in self.held and root not in self.forced:
            Level(self, root, self.player_for(is_favoured), self.held, self.forced).solve()
        if root in self.held:
            return is_favoured
        return not is_favoured if self.forced[root] <= self._limit - state.quiet else None

    def is_success(self, winner: int | None) -> bool:
        """Whether the side that succeeds by the claim does so in a match with this winner."""
        return (winner == self._player) == self._wins

    def player_for(self, succeeds: bool) -> int:
        """The player of the side that succeeds by the claim, or of the other side."""
        return self._player if self._wins == succeeds else 1 - self._player

    def look_at(self, state: RefState) -> list[RefState]:
        """The positions after each turn, each once."""
        is_full = len(state.occupied) == len(self.reference.start().occupied)
        if self.looked_at >= self._most or (is_full and self.reference.game.opening is not None):
            raise BudgetError  # the opening turn depends on the clock, and need not be symmetric
        self.looked_at += 1
        return list(dict.fromkeys(map(self._least, self._turns(state))))

    def _winner_at_limit(self, state: RefState) -> int | None:
        rules = self.reference.rules
        has_majority = rules.no_progress_limit != "off" and rules.no_progress_result == "majority"
        return state.majority if has_majority else None

    def _turns(self, state: RefState) -> Iterator[RefState]:
        for step in self.reference.legal(state):
            after = self.reference.play(state, step)
            if after.chain is None:
                yield after
            else:
                yield from self._turns(after)

    def _least(self, state: RefState) -> RefState:
        """One and the same position for all that are reflections of each other, without the clock."""
        state = state._replace(quiet=0)
        return state if state.chain is not None else self._images.first(state)


class Level:
    """Finds out whether a side holds in a position.

    It looks at one turn of that side, and at all of the other's. A turn that turns out wrong is replaced.

    Args:
      claims: What is known.
      root: The position.
      holder: The player that would hold.
      held: Where to note that the holder gets its way.
      forced: Where to note that the other side does; both with the most turns that it takes.
    """

    def __init__(
        self,
        claims: Claims,
        root: RefState,
        holder: int,
        held: dict[RefState, float],
        forced: dict[RefState, float],
    ) -> None:
        self._claims = claims
        self._root = root
        self._holder = holder
        self._holder_succeeds = holder == claims.player_for(True)
        self._held = held
        self._forced = forced
        self._size = self._measure(root)
        self._within: dict[RefState, list[RefState]] = {}  # of positions looked at, those after each turn
        self._before: dict[RefState, list[RefState]] = {root: []}
        self._chosen: dict[RefState, RefState] = {}
        self._outside: dict[RefState, float] = {}  # turns that the other side needs if the holder makes progress
        self._waiting = deque([root])

    def solve(self, must_end: bool = False) -> None:
        """Notes which side gets its way; nothing if the holder does but, against `must_end`, by a cycle."""
        while self._waiting and self._root not in self._forced:
            state = self._waiting.popleft()
            if state not in self._within and state not in self._forced and self._is_needed(state):
                turns = self._look_at(state)
                if turns is not None:
                    self._give_up(state, turns)
        if self._root in self._forced:
            return
        shown = [state for state in self._within if state not in self._forced]
        if must_end:
            after = {state: [self._chosen[state]] if state in self._chosen else self._within[state] for state in shown}
            with suppress(CycleError):
                for state in tuple(TopologicalSorter(after).static_order()):
                    if state not in self._held:
                        self._held[state] = 1 + max((self._held[end] for end in after[state]), default=0)
        else:
            self._held.update(dict.fromkeys(shown, math.inf))

    def _measure(self, state: RefState) -> tuple[int, int]:
        """Smaller after progress, else the same."""
        has_promotions = self._claims.reference.rules.progress == "capture_or_promotion"
        return len(state.occupied), len(state.men[0] | state.men[1]) if has_promotions else 0

    def _is_needed(self, state: RefState) -> bool:
        """Whether a position that is not given up depends on this one."""
        before = (earlier for earlier in self._before[state] if earlier not in self._forced)
        return state == self._root or any(self._chosen.get(earlier, state) == state for earlier in before)

    def _look_at(self, state: RefState) -> float | None:
        """Looks at all turns; returns how many the other side needs, None if the holder may hold."""
        claims, forced = self._claims, self._forced
        ends = claims.look_at(state)
        self._within[state] = []
        if not ends:
            outcome = claims.reference.outcome(state)
            assert outcome is not None
            return None if claims.is_success(outcome[0]) == self._holder_succeeds else 0
        within = [after for after in ends if self._measure(after) == self._size]
        outside = (claims.succeeds(after) for after in ends if self._measure(after) != self._size)
        if state.player == self._holder:
            self._outside[state] = 0
            for found in outside:
                if found == self._holder_succeeds:
                    return None
                self._outside[state] = max(self._outside[state], math.inf if found is None else 1)
            self._within[state] = within
            return self._choose(state)
        needed = [1 + forced[after] for after in within if after in forced]
        needed += [math.inf if found is None else 1 for found in outside if found != self._holder_succeeds]
        self._within[state] = within
        for after in within:
            self._reach(state, after)
        return min(needed, default=None)

    def _choose(self, state: RefState) -> float | None:
        """Chooses a turn of the holder, if need be a new one; or returns how many the other side needs."""
        forced, held = self._forced, self._held
        left = [after for after in self._within[state] if after not in forced]
        if not left:
            return max(self._outside[state], *(1 + forced[after] for after in self._within[state]), 0)
        after = min(left, key=lambda after: (after not in held, after not in self._within, after not in self._before))
        self._chosen[state] = after
        self._reach(state, after)
        return None

    def _reach(self, state: RefState, after: RefState) -> None:
        if after not in self._held:
            self._before.setdefault(after, []).append(state)
            self._waiting.append(after)

    def _give_up(self, state: RefState, turns: float) -> None:
        """Notes that the other side gets its way within so many turns, and what follows from it."""
        lost = deque([(state, turns)])
        while lost:
            state, turns = lost.popleft()
            if state in self._forced:
                continue
            self._forced[state] = turns
            for earlier in self._before.get(state, ()):
                needed = turns + 1 if earlier.player != self._holder else None
                if self._chosen.get(earlier) == state:
                    needed = self._choose(earlier)
                if needed is not None:
                    lost.append((earlier, needed))


def find_mirrors(reference: Reference) -> Iterator[list[int]]:
    """The reflections of the board that change no rule, each as the points that all points go to."""
    board = reference.game.board
    is_same_both_ways = not has_directions(reference)
    width, height = (min(values) + max(values) for values in zip(*board.points, strict=True))
    place = {point: number for number, point in enumerate(board.points)}
    for turns_x, turns_y in product((False, True), (False, True) if is_same_both_ways else (False,)):
        images = [(width - x if turns_x else x, height - y if turns_y else y) for x, y in board.points]
        if not set(images) <= set(board.points):
            continue
        to = [place[image] for image in images]
        if keeps_rules(reference, to):
            yield to


def has_directions(reference: Reference) -> bool:
    """Whether the rules tell forwards from backwards."""
    rules = reference.rules
    return (
        rules.man_steps != "all"
        or rules.man_capture_dirs != "all"
        or rules.promotion != "none"
        or rules.last_rank_frozen
    )


def keeps_rules(reference: Reference, to: list[int]) -> bool:
    """Whether the lines, leaps and special points are the same after each point went to another one."""
    game, board = reference.game, reference.game.board
    has_edges = {(to[a], to[b]) for a, b in board.edges} == set(board.edges)
    has_leaps = {(to[a], to[b], to[c]) for a, b, c in reference.leaps} == reference.leaps
    has_rays = all(
        {(tuple(to[other] for other in ray), flies) for ray, flies in rays} == set(reference.rays[to[point]])
        for point, rays in enumerate(reference.rays)
    )
    has_points = all(
        {to[point] for point in points} == points
        for points in (game.sanctuary, game.promotion_points(0), game.promotion_points(1))
    )
    return has_edges and has_leaps and has_rays and has_points


def find_symmetries(reference: Reference) -> list[list[int]]:
    """All ways to permute the points that change no rule, in games whose positions are pieces and a chain alone."""
    game, rules = reference.game, reference.rules
    if has_directions(reference) or rules.undo_scope != "off" or game.schedule or game.closing_parts or any(game.goals):
        raise WrongError("images are not counted as one in games with directions, goals or memory")
    near = [{b for a, b in game.board.edges if a == point} for point in range(len(game.board.points))]
    found: list[dict[int, int]] = [{}]
    placed: set[int] = set()
    while left := set(range(len(near))) - placed:
        # Few partial maps arise if each point is joined to as many placed ones as possible.
        point = max(left, key=lambda each: (len(near[each] & placed), -each))
        leaps = [leap for leap in reference.leaps if point in leap and placed.issuperset({*leap} - {point})]
        tried = [{**to, point: image} for to in found for image in set(range(len(near))) - set(to.values())]
        found = [
            to
            for to in tried
            if all((other in near[point]) == (to[other] in near[to[point]]) for other in placed)
            and all((to[a], to[b], to[c]) in reference.leaps for a, b, c in leaps)
        ]
        placed.add(point)
    maps = ([to[point] for point in range(len(near))] for to in found)
    return [to for to in maps if keeps_rules(reference, to)]


class Images:
    """Finds one and the same of the positions that maps, which form a group, make of a position."""

    def __init__(self, maps: Iterable[list[int]]) -> None:
        self._maps = list(maps)
        self._numbers = lru_cache(maxsize=1 << 16)(self._find_numbers)  # the pieces of a side stand alike in many

    def _find_numbers(self, points: frozenset[int]) -> list[int]:
        """For each map a number that tells where it puts these points."""
        return [sum(1 << to[point] for point in points) for to in self._maps]

    def first(self, state: RefState) -> RefState:
        """The image that comes first."""
        sets = [part for part in (*state.men, *state.kings, state.captured, state.visited) if part]
        points = [point for point in (state.chain, state.chain_start, state.ahead) if point is not None]
        parts: list[Sequence[Any]] = [
            *map(self._numbers, sets),
            *([to[point] for to in self._maps] for point in points),
        ]
        if state.memory:
            parts.append([sorted((to[piece], to[target]) for piece, target in state.memory) for to in self._maps])
        orders = list(zip(*parts, strict=True))
        return reflect(state, self._maps[orders.index(min(orders))])


def reflect(state: RefState, to: list[int]) -> RefState:
    """A position with each point where a reflection puts it."""

    def put(points: frozenset[int]) -> frozenset[int]:
        return frozenset([to[point] for point in points])

    chain, chain_start, ahead = (
        None if point is None else to[point] for point in (state.chain, state.chain_start, state.ahead)
    )
    return state._replace(
        men=(put(state.men[0]), put(state.men[1])),
        kings=(put(state.kings[0]), put(state.kings[1])),
        memory=frozenset((to[piece], to[target]) for piece, target in state.memory),
        captured=put(state.captured),
        visited=put(state.visited),
        chain=chain,
        chain_start=chain_start,
        ahead=ahead,
    )


def read_json(text: str) -> Any:
    """The content of a line; `ValueError` if a key is there twice, since others may read the other value."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(found := dict(pairs)) < len(pairs):
            raise ValueError(f"a key is there twice: {', '.join(name for name, _ in pairs)}")
        return found

    return json.loads(text, object_pairs_hook=unique)


def show(text: str) -> str:
    """A text of the file for a message, on one line."""
    return "".join(each if each.isprintable() else "?" for each in text[:300])


def spell(reference: Reference, step: RefStep) -> str:
    """A step as a certificate writes it."""
    labels = reference.game.board.labels
    if step.is_pass:
        return "pass"
    if step.origin is None or step.target is None:
        return f"x{labels[step.victim]}" if step.target is None else f"@{labels[step.target]}"
    if step.victim is None:
        return f"{labels[step.origin]}-{labels[step.target]}"
    return f"{labels[step.origin]}x{labels[step.target]}^{labels[step.victim]}"


def text_of(reference: Reference, state: RefState) -> str:
    """The text of a position."""
    labels = reference.game.board.labels

    def in_order(points: Iterable[int]) -> list[int]:
        return sorted(points, key=lambda point: (int(labels[point]) if labels[point].isdecimal() else 0, point))

    def names(points: Iterator[int]) -> str:
        return ",".join(labels[point] for point in in_order(points))

    fields = ["WB"[state.player]]
    for player, letter in enumerate("WB"):
        kings = state.kings[player]
        fields.append(
            letter + ",".join("K" * (point in kings) + labels[point] for point in in_order(state.pieces(player)))
        )
    fields += [f"H{state.quiet}"] if state.quiet else []
    fields += [f"C{labels[state.chain]}"] if state.chain is not None else []
    pairs = sorted(state.memory)
    fields += ["U" + ",".join(f"{labels[piece]}-{labels[target]}" for piece, target in pairs)] if pairs else []
    fields += [f"A{labels[state.ahead]}"] if state.ahead is not None else []
    fields += ["X" + names(iter(state.captured))] if state.captured else []
    fields += [f"S{labels[state.chain_start]}"] if state.chain_start is not None else []
    fields += ["V" + "-".join(labels[point] for point in in_order(state.visited))] if state.visited else []
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
        header = read_json(next(lines, "{}"))
        game = load_text(header["game"], header.get("game_file", ""), **header["options"])
        start, pieces = str(header["position"]), int(header["table_pieces"])
    except (ValueError, ArithmeticError, KeyError, TypeError, AlquerqueError) as error:
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
        except (WrongError, ValueError, ArithmeticError, LookupError) as error:
            raise WrongError(f"line {number}: {show(line)}: {show(str(error))}") from None
    _close(sections, start)
    proved = {(section.player, section.wins) for section in sections}
    if not any(wins for _, wins in proved) and proved != {(0, False), (1, False)}:
        raise WrongError("it proves neither a win nor a draw")
    print(show(f"{game.name}, {start}, endgame table of {pieces} pieces"))
    return sections


class Kept(NamedTuple):
    """What a certificate of `alquerque exploit` shows: how many positions, choices and ends it has.

    Attributes:
      header: Its first line.
      positions: Positions that arise.
      choices: Those in which the agent has a choice.
      ends: Steps that end a match.
    """

    header: dict[str, Any]
    positions: int
    choices: int
    ends: int


def gets_at_limit(game: Game, seat: int, state: RefState) -> int:
    """What a seat gets if the limit of plies without progress ends the match."""
    if game.rules.no_progress_result == "draw":
        return 0
    own, others = len(state.pieces(seat)), len(state.pieces(1 - seat))
    return (own > others) - (own < others)


def check_kept(path: Path) -> Kept:
    """Plays everything against the choices of an agent; raises `WrongError` if the certificate does not hold."""
    lines = read_lines(path)
    try:
        header = read_json(next(lines, ""))
        game = load_text(header["game"], header["game_file"], **header["options"])
        seat, least, reference = int(header["seat"]), int(header["result"]), Reference(game)
        start = reference.parse(header["position"])
        symmetries = (
            find_symmetries(reference) if header.get("images", False) else [list(range(len(game.board.points)))]
        )
        rows = [(reference.parse(text), str(step)) for text, step, *_ in map(read_json, lines)]
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, AlquerqueError) as error:
        raise WrongError(f"this is no certificate: {show(repr(error))}") from None
    if header.get("format") != KEPT or least not in (0, 1):
        raise WrongError("this is no certificate")
    if game.rules.repetition != "off":
        raise WrongError("the rules look at earlier positions, a certificate does not")
    counts_clock, first, images = header.get("clock", True), reference.start(), Images(symmetries)
    openings = {reflect(first, to) for to in symmetries} if game.opening is not None else set()

    def told_apart(state: RefState) -> RefState:
        """Without the clock where the limit gives the agent enough, and one of all images."""
        is_enough = not counts_clock and gets_at_limit(game, seat, state) >= least
        return image(state._replace(quiet=0) if is_enough else state)

    def image(state: RefState) -> RefState:
        """One and the same position for all that are images of each other.

        An opening rule holds in the start but not in its images: it is its own image, and that of no other position.
        """
        still = state._replace(quiet=0)
        if still not in openings:
            return images.first(state)
        return state if still == first else Images(to for to in symmetries if reflect(still, to) != first).first(state)

    if not counts_clock and (
        any(game.hands) or (game.opening is not None and gets_at_limit(game, seat, first) >= least)
    ):
        raise WrongError("the clock counts in games with drops, and in the start position of one with an opening rule")
    choices = {image(state): (state, step) for state, step in rows}
    start = told_apart(start)
    seen, left, used, ends = {start}, [start], set(), 0
    while left:
        told = left.pop()
        state, text = choices.get(told, (told, ""))
        steps = reference.legal(state)
        if state.player == seat and len(steps) > 1:
            used.add(told)
            steps = [step for step in steps if text in (spelled := spell(reference, step), spelled.partition("^")[0])]
            if len(steps) != 1:
                raise WrongError(f"{show(text) or 'no choice'} in {text_of(reference, state)}, expected a legal step")
        for step in steps:
            after = reference.play(state, step)
            if (same := told_apart(after)) in seen:
                continue  # it is no end, or one by the limit that gives the agent enough
            outcome = reference.outcome(after)
            if outcome is None:
                left.append(same)
                seen.add(same)
                continue
            ends += 1
            if (0 if outcome[0] is None else 1 if outcome[0] == seat else -1) < least:
                raise WrongError(f"{spell(reference, step)} in {text_of(reference, state)} ends the match with less")
    if len(choices) != len(rows):
        raise WrongError("there are two choices in one position")
    if used != choices.keys():
        raise WrongError("there are choices in positions that do not arise")
    if header.get("positions", len(seen)) != len(seen) or header.get("choices", len(choices)) != len(choices):
        raise WrongError(f"it tells another number of positions or choices than {len(seen)} and {len(choices)}")
    return Kept(header, len(seen), len(choices), ends)


def _close(sections: list[Section], start: str) -> None:
    if sections and sections[-1].last != start:
        raise WrongError(f"the section {sections[-1].name!r} does not end with the position to be proved")


def main(words: Sequence[str] | None = None) -> int:
    """Checks the certificate that the arguments name, by default those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pieces", type=int, metavar="N", help="decide only claims of at most N pieces (all)")
    parser.add_argument("--sample", type=int, metavar="N", help="decide only N of these claims, chosen by lot (all)")
    parser.add_argument(
        "--budget", type=float, default=math.inf, metavar="N", help="most positions to look at for a claim (no limit)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    arguments = parser.parse_args(words)
    try:
        if next(read_lines(arguments.file), "").startswith("{"):
            kept = check_kept(arguments.file)
            who = f"{kept.header['agent']} as player_{kept.header['seat']} of {kept.header['game']}"
            got = "wins" if kept.header["result"] == 1 else "does not lose"
            print(f"{show(who)} {got}: {kept.positions:,} positions, {kept.choices:,} choices, {kept.ends:,} ends.")
            return 0
        for section in check(arguments.file):
            print(f"{section.name}: {section.checked:,} positions hold, {section.ends:,} ends by the rules.")
            decide_claims(section, arguments)
    except (WrongError, OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        print(f"{show(str(arguments.file))} does not hold: {error}")
        return 1
    return 0


def decide_claims(section: Section, arguments: argparse.Namespace) -> None:
    """Decides claims of a section, those of few pieces first, and says what is left open."""
    most = math.inf if arguments.pieces is None else arguments.pieces
    chosen = [claim for claim in section.claims if len(claim.occupied) <= most]
    if arguments.sample is not None:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    claims = Claims(section.reference, section.player, section.wins)
    hold = 0
    for claim in sorted(chosen, key=lambda claim: len(claim.occupied)):
        result = claims.decide(claim, arguments.budget)
        if result is False:
            raise WrongError(f"a claim is wrong: {text_of(section.reference, claim)}")
        hold += result is True
    print(
        f"{len(section.claims):,} ends are claims of the table: {len(chosen):,} checked, {hold:,} hold, "
        f"{len(chosen) - hold:,} are open, {claims.looked_at:,} positions looked at."
    )
    if hold == len(section.claims):
        print("No claim is left: this follows from the rules alone.")


if __name__ == "__main__":
    sys.exit(main())
