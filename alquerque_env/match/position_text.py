"""Reads and writes position text such as `W:Wa1,Kc3:Be5:H4`, a format modelled on the FEN of draughts in PDN.

Whatever PDN 3.0 allows is read too: ranges of numbers, the pieces of either side first, zeros before a number, a final
dot. Source: The PDN standard, version 3.0, FEN tag, pdn.fmjd.org/fen.html.

Exported players contain this file unchanged.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import PositionError
from ..game import state_layout as STATE, table_layout as TABLE

SIDES = "WB"

Words = Sequence[int]

_HANDS = re.compile(r"([0-9]{1,3}),([0-9]{1,3})(?:\+([0-9]{1,3}))?")


def format_position(t: Words, labels: Sequence[str], s: Words) -> str:
    """Returns the position text of a state, from the game's step table and the names of its points."""
    fields = [SIDES[s[STATE.PLAYER]], *(_format_side(labels, s, player) for player in (0, 1))]
    if t[TABLE.NO_PROGRESS_LIMIT] and s[STATE.QUIET]:
        fields.append(f"H{s[STATE.QUIET]}")
    if s[STATE.CHAIN] >= 0:
        fields.append(f"C{labels[s[STATE.CHAIN]]}")
    forbidden = forbidden_steps(t, s)
    lists = {
        "U": [] if t[TABLE.MUST_TURN] else [f"{labels[point]}-{labels[other]}" for point, other in forbidden],
        "A": [labels[other] for _, other in forbidden] if t[TABLE.MUST_TURN] else [],
        "X": [labels[point] for point in in_order(points_of(s[STATE.CAPTURED]), labels)],
        "S": [] if t[TABLE.VISITS_ONCE] else [labels[point] for point in points_of(s[STATE.BARRED])],
    }
    fields += [letter + ",".join(items) for letter, items in lists.items() if items]
    if t[TABLE.VISITS_ONCE] and s[STATE.BARRED]:
        fields.append("V" + "-".join(labels[point] for point in in_order(points_of(s[STATE.BARRED]), labels)))
    if t[TABLE.STAGES] and s[t[TABLE.STAGE]] < t[TABLE.STAGES]:
        fields.append(f"D{_format_hands(t, s[t[TABLE.STAGE]])}")
    if t[TABLE.NUM_PARTS] and s[t[TABLE.CLOSED]]:
        fields.append("Z" + ",".join(labels[point] for point in in_order(points_of(s[t[TABLE.CLOSED]]), labels)))
    return ":".join(fields)


def parse_position(t: Words, labels: Sequence[str], text: str) -> list[int]:
    """Reads position text by the game's step table and the names of its points.

    Returns:
      The state, a list of `TABLE.STATE_SIZE` integers.

    Raises:
      PositionError: If the text is not a position of the game; the message says what is wrong and where.
    """
    return _Reader(t, labels, text).read()


def unpromoted_men(t: Words, s: Any) -> Any:
    """Finds men on points where they would have been promoted, so that no match leads there.

    Men stay on promotion points only if they have stood there from the start, or in the middle of a chain under rules
    that promote at the end of the turn.

    Args:
      t: The game's step table.
      s: A state, or an array `[S, N]` of states.

    Returns:
      Their points, a bitboard for each state.
    """
    chain = 1 << s[STATE.CHAIN] + 1 >> 1  # 0 outside a chain
    found = 0
    for player in (0, 1):
        from_start = t[t[TABLE.START] + STATE.MEN + player] & ~chain
        may_stay = from_start | chain if t[TABLE.MIDCHAIN_PROMOTION] == TABLE.IF_TURN_ENDS_THERE else from_start
        found |= s[STATE.MEN + player] & t[TABLE.PROMOTION + player] & ~may_stay
    return found


def closed_whole(t: Words, closed: Any) -> Any:
    """Returns the closed points whose whole row or ring is closed.

    Args:
      t: The step table of a game in which the board shrinks.
      closed: A bitboard, or an array of them.
    """
    found = closed & 0
    for part in t[t[TABLE.PARTS] : t[TABLE.PARTS] + t[TABLE.NUM_PARTS]]:
        found = found | part * (closed & part == part)
    return found


def schedule_plies(t: Words) -> Iterator[tuple[int, int, int]]:
    """Yields for each ply of the schedule the player to move, and the pieces that South and North have in hand."""
    start = t[TABLE.START]
    mover, hands = t[start + STATE.PLAYER], [t[start + t[TABLE.HAND] + player] for player in (0, 1)]
    for plan in t[t[TABLE.SCHEDULE] : t[TABLE.SCHEDULE] + t[TABLE.STAGES]]:
        yield mover, hands[0], hands[1]
        hands[mover] -= plan >> 1 == TABLE.DROPS
        mover = mover if plan & 1 else 1 - mover


def points_of(word: int) -> Iterator[int]:
    """Yields the points of a bitboard in ascending order."""
    point = 0
    while word >> point:
        if word >> point & 1:
            yield point
        point += 1


def _count(word: int) -> int:
    return sum(1 for _ in points_of(word))


def in_order(points: Iterable[int], labels: Sequence[str]) -> list[int]:
    """Returns points in the order of their numbers where these are their names, as in PDN, else as they come."""
    return sorted(points, key=lambda point: int(labels[point]) if labels[point].isdecimal() else 0)


def _format_side(labels: Sequence[str], s: Words, player: int) -> str:
    kings = s[STATE.KINGS + player]
    points = in_order(points_of(s[STATE.MEN + player] | kings), labels)
    return SIDES[player] + ",".join(("K" if kings >> point & 1 else "") + labels[point] for point in points)


def _format_hands(t: Words, stage: int) -> str:
    """Returns the pieces in hand, with the number of earlier plies that have the same hands and the same mover."""
    plies = list(schedule_plies(t))
    _, south, north = plies[stage]
    earlier = plies[:stage].count(plies[stage])
    return f"{south},{north}" + (f"+{earlier}" if earlier else "")


def forbidden_steps(t: Words, s: Words) -> list[tuple[int, int]]:
    """Returns pairs of the point of a piece and a point to which it may not step."""
    if t[TABLE.MUST_TURN]:
        return [(s[STATE.CHAIN], point) for point in points_of(s[t[TABLE.AHEAD]])]
    if not t[TABLE.REMEMBERS]:
        return []
    points = range(t[TABLE.POINTS])
    if t[TABLE.REMEMBERS_POINTS]:
        return [(point, other) for point in points for other in points_of(s[STATE.MEMORY_POINTS + point])]
    targets = t[TABLE.RELATION_TARGET]
    return sorted(
        (point, t[targets + relation * len(points) + point])
        for relation in range(t[TABLE.RELATIONS])
        for point in points_of(s[STATE.MEMORY + relation])
    )


class _Reader:
    """Reads one position text, field by field."""

    def __init__(self, t: Words, labels: Sequence[str], text: str) -> None:
        if not isinstance(text, str):
            raise PositionError(f"a position is text, not {type(text).__name__}")
        self.t = t
        self.text = text
        self.labels = labels
        self.index = {label: point for point, label in enumerate(labels)}
        self.state = [0] * t[TABLE.STATE_SIZE]
        self.state[STATE.CHAIN] = STATE.NO_POINT

    def fail(self, problem: str) -> PositionError:
        return PositionError(f"{problem} in position {self.text!r}")

    def read(self) -> list[int]:
        parts = self.text.removesuffix(".").split(":")
        if len(parts) < 3:
            raise self.fail(f"expected mover:W<pieces>:B<pieces>, got {len(parts)} of these 3 fields")
        if parts[0] not in ("W", "B"):
            raise self.fail(f"the mover is {parts[0]!r}, expected W or B")
        self.state[STATE.PLAYER] = SIDES.index(parts[0])
        first = 1 if parts[1].startswith(SIDES[1]) else 0
        for place, player in enumerate((first, 1 - first), 1):
            self.read_side(player, parts[place], 1 + place)
        fields = self.split_fields(parts[3:])
        if not any(self.state[: STATE.PLAYER]) and "D" not in fields:
            raise self.fail("no piece stands on the board")
        if self.t[TABLE.STAGES]:
            self.state[self.t[TABLE.STAGE]] = self.t[TABLE.STAGES]
        for letter, read in (
            ("D", self.read_hands),
            ("C", self.read_chain),
            ("H", self.read_clock),
            ("U", self.read_memory),
            ("A", self.read_ahead),
            ("X", self.read_captured),
            ("S", self.read_start),
            ("Z", self.read_closed),
            ("V", self.read_visited),
        ):
            if letter in fields:
                read(fields[letter])
        if self.state[STATE.CHAIN] >= 0:
            if self.t[TABLE.REMOVAL_AT_END] and "X" not in fields:
                raise self.fail("field X is missing: in a chain, captured pieces still stand on the board")
            if self.t[TABLE.VISITS_ONCE] and "V" not in fields:
                raise self.fail("field V is missing: a chain may not return where it has been")
            if not (self.t[TABLE.MAY_RETURN_TO_START] or self.t[TABLE.VISITS_ONCE]) and "S" not in fields:
                raise self.fail("field S is missing: a chain may not return to its start")
        for point in points_of(unpromoted_men(self.t, self.state)):
            label = self.labels[point]
            raise self.fail(f"the man on {label} would have been promoted there, expected K{label}")
        return self.state

    def split_fields(self, parts: list[str]) -> dict[str, str]:
        fields: dict[str, str] = {}
        for part in parts:
            letter, value = part[:1], part[1:]
            if letter not in ("H", "C", "U", "A", "X", "S", "V", "D", "Z") or not letter:
                raise self.fail(f"unknown field {part!r}, expected one that begins with H, C, U, A, X, S, V, D or Z")
            if letter in fields:
                raise self.fail(f"field {letter} is given twice")
            if not value:
                raise self.fail(f"field {letter} is empty")
            fields[letter] = value
        return fields

    def point(self, label: str, where: str) -> int:
        point = self.find(label)
        if point is None:
            first, *_, last = self.index
            raise self.fail(f"unknown point {label!r} in {where} (points are {first} to {last})")
        return point

    def find(self, label: str) -> int | None:
        """Returns the point of a label, or of a number with zeros before it; None if there is none."""
        if label not in self.index and label.isdecimal():
            label = label.lstrip("0")
        return self.index.get(label)

    def read_side(self, player: int, part: str, number: int) -> None:
        side = SIDES[player]
        if part[:1] != side:
            raise self.fail(f"field {number} is {part!r}, expected {side} and the pieces of player_{player}")
        for item in part[1:].split(",") if part[1:] else []:
            promoted = item.startswith("K")
            if promoted and not (self.t[TABLE.PROMOTION] | self.t[TABLE.PROMOTION + 1]):
                raise self.fail(f"{item!r} is promoted, but this game has no promotion")
            for point in self.read_points(item[1:] if promoted else item, f"{side}'s pieces"):
                if self.stands_on(point):
                    raise self.fail(f"two pieces on {self.labels[point]}")
                self.state[(STATE.KINGS if promoted else STATE.MEN) + player] |= 1 << point

    def stands_on(self, point: int) -> bool:
        """Returns whether a piece stands on a point."""
        return any(word >> point & 1 for word in self.state[: STATE.PLAYER])

    def read_vacant(self, labels: Sequence[str], letter: str, why: str) -> int:
        """Reads the points of a field on which no piece may stand, and returns them as a bitboard."""
        found = 0
        for label in labels:
            point = self.point(label, f"field {letter}")
            if self.stands_on(point):
                raise self.fail(f"a piece stands on {label}, {why}")
            found |= 1 << point
        return found

    def read_points(self, text: str, where: str) -> list[int]:
        """Reads a label, or a range of numbers such as `31-50`."""
        first, hyphen, last = text.partition("-")
        if not hyphen:
            return [self.point(text, where)]
        ends = [self.labels[self.point(label, where)] for label in (first, last)]
        if not all(label.isdecimal() for label in ends) or int(ends[0]) > int(ends[1]):
            raise self.fail(f"{text!r} in {where} is no range, expected two numbers of points in ascending order")
        return [self.point(str(number), where) for number in range(int(ends[0]), int(ends[1]) + 1)]

    def read_hands(self, value: str) -> None:
        t, mover = self.t, self.state[STATE.PLAYER]
        if not t[TABLE.STAGES]:
            raise self.fail("field D counts pieces in hand during a schedule, but this game has no schedule")
        found = _HANDS.fullmatch(value)
        if found is None:
            raise self.fail(f"D{value} is not of the form D<south>,<north> or D<south>,<north>+<k>, such as D0,12")
        south, north, place = (int(number or 0) for number in found.groups())
        plies = list(schedule_plies(t))
        stages = [stage for stage, ply in enumerate(plies) if ply == (mover, south, north)]
        if not stages:
            known = next((f", expected the like of D{ply[1]},{ply[2]}" for ply in plies if ply[0] == mover), "")
            raise self.fail(f"D{south},{north} does not occur in the schedule with player_{mover} to move{known}")
        if place >= len(stages):
            most = len(stages) - 1
            raise self.fail(f"D{value} counts too many plies with these hands and this mover, expected +{most} at most")
        self.state[t[TABLE.STAGE]] = stages[place]
        for player, hand in enumerate((south, north)):
            self.state[t[TABLE.HAND] + player] = hand
            self.check_number(player, hand)

    def check_number(self, player: int, hand: int) -> None:
        """Checks that a side has no more pieces on the board than it began with and has dropped."""
        t, s = self.t, self.state
        start = t[t[TABLE.START] : t[TABLE.START] + t[TABLE.STATE_SIZE]]
        stand, began = (_count(words[STATE.MEN + player] | words[STATE.KINGS + player]) for words in (s, start))
        most = began + start[t[TABLE.HAND] + player] - hand
        if stand > most:
            raise self.fail(f"player_{player} has {stand} pieces on the board, but at most {most} with {hand} in hand")

    def does(self) -> int:
        """Returns what is done now in a game with a schedule: `TABLE.MOVES`, `TABLE.DROPS` or `TABLE.REMOVES`."""
        return self.t[self.t[TABLE.SCHEDULE] + self.state[self.t[TABLE.STAGE]]] >> 1

    def read_clock(self, value: str) -> None:
        limit = self.t[TABLE.NO_PROGRESS_LIMIT]
        if not limit:
            raise self.fail("field H counts turns without progress, but this game has no limit on them")
        if not (value.isascii() and value.isdigit() and len(value) < 9):
            raise self.fail(f"H{value} is not a number of turns")
        if int(value) > limit:
            raise self.fail(f"H{value} exceeds the limit of {limit} turns without progress")
        if int(value) and self.state[STATE.CHAIN] >= 0:
            raise self.fail(f"H{value} is given in a chain of captures, but a capture is progress")
        self.state[STATE.QUIET] = int(value)

    def read_chain(self, value: str) -> None:
        if self.t[TABLE.CHAIN] == TABLE.SINGLE:
            raise self.fail("field C names a piece in a chain, but in this game a turn is one leap")
        if self.t[TABLE.STAGES] and self.does() != TABLE.MOVES:
            raise self.fail("field C names a piece in a chain, but now the schedule asks for a drop or a removal")
        point = self.point(value, "field C")
        mover = self.state[STATE.PLAYER]
        if not (self.state[STATE.MEN + mover] | self.state[STATE.KINGS + mover]) >> point & 1:
            raise self.fail(f"C{value}: player_{mover}, who is to move, has no piece there")
        self.state[STATE.CHAIN] = point

    def read_ahead(self, value: str) -> None:
        if not self.t[TABLE.MUST_TURN] or self.state[STATE.CHAIN] < 0:
            raise self.fail("field A names the point straight ahead of a chain, but that does not matter here")
        self.state[self.t[TABLE.AHEAD]] = 1 << self.point(value, "field A")

    def read_memory(self, value: str) -> None:
        if not self.t[TABLE.REMEMBERS]:
            raise self.fail("field U forbids steps back, but this game allows them")
        seen: dict[object, str] = {}
        for item in value.split(","):
            ends = item.split("-")
            if len(ends) != 2:
                raise self.fail(f"{item!r} in field U is not of the form <label>-<label>")
            point, other = (self.point(label, "field U") for label in ends)
            owner = next((p for p in (0, 1) if self.state[STATE.MEN + p] >> point & 1), None)
            if owner is None:
                raise self.fail(f"no piece stands on {ends[0]} of {item!r} in field U")
            self.remember(owner, point, other, item)
            scope = self.t[TABLE.UNDO_SCOPE]
            key = owner if scope == TABLE.PER_PLAYER else point if scope == TABLE.PER_COIN else item
            if key in seen:
                raise self.fail(f"{seen[key]!r} and {item!r} in field U cannot both be remembered")
            seen[key] = item

    def remember(self, owner: int, point: int, other: int, item: str) -> None:
        t, n = self.t, self.t[TABLE.POINTS]
        allowed = t[t[TABLE.MAN_STEPS] + owner * n + point] >> other & 1
        if t[TABLE.REMEMBERS_POINTS]:
            self.state[STATE.MEMORY_POINTS + point] |= 1 << other
        elif not allowed:
            raise self.fail(f"{item!r} in field U forbids a step that is not allowed anyway")
        for relation in range(t[TABLE.RELATIONS]):
            if t[t[TABLE.RELATION_TARGET] + relation * n + point] == other:
                self.state[STATE.MEMORY + relation] |= 1 << point
                return
        if not t[TABLE.REMEMBERS_POINTS]:
            raise self.fail(f"{item!r} in field U undoes no step")

    def read_captured(self, value: str) -> None:
        if not self.t[TABLE.REMOVAL_AT_END]:
            raise self.fail("field X names pieces to be removed later, but in this game they are removed at once")
        if self.state[STATE.CHAIN] < 0:
            raise self.fail("field X names captured pieces, but field C is missing")
        enemy = 1 - self.state[STATE.PLAYER]
        for label in value.split(","):
            point = self.point(label, "field X")
            if not (self.state[STATE.MEN + enemy] | self.state[STATE.KINGS + enemy]) >> point & 1:
                raise self.fail(f"player_{enemy} has no piece on {label} of field X")
            if self.state[STATE.CAPTURED] >> point & 1:
                raise self.fail(f"{label} is given twice in field X")
            self.state[STATE.CAPTURED] |= 1 << point

    def read_visited(self, value: str) -> None:
        if not self.t[TABLE.VISITS_ONCE] or self.state[STATE.CHAIN] < 0:
            raise self.fail("field V names points where a chain has been, but that does not matter here")
        self.state[STATE.BARRED] = self.read_vacant(value.split("-"), "V", "where the chain has been by field V")

    def read_start(self, value: str) -> None:
        if self.t[TABLE.MAY_RETURN_TO_START] or self.t[TABLE.VISITS_ONCE] or self.state[STATE.CHAIN] < 0:
            raise self.fail("field S names the start of a chain, but it does not matter here")
        self.state[STATE.BARRED] = self.read_vacant([value], "S", "the start of the chain in field S")

    def read_closed(self, value: str) -> None:
        if not self.t[TABLE.NUM_PARTS]:
            raise self.fail("field Z names points that are closed, but in this game the board does not shrink")
        closed = self.read_vacant(value.split(","), "Z", "which field Z closes")
        if closed != closed_whole(self.t, closed):
            first = next(points_of(closed & ~closed_whole(self.t, closed)))
            raise self.fail(f"field Z closes {self.labels[first]} without the rest of its part of the board")
        self.state[self.t[TABLE.CLOSED]] = closed
