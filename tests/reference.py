"""An independent implementation of the rules, slow and plain, to compare the engine with.

It works on sets of points and walks along the board's lines. It shares only the data of a game with the engine, and
nothing is compiled. Points are absolute: the board is not turned for `player_1`.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from alquerque_env.game.game import Game

MOVES, DROPS = 0, 1  # what a ply of a schedule does; REMOVES is the third

Points = frozenset[int]
Sides = tuple[Points, Points]
Memory = frozenset[tuple[int, int]]
Outcome = tuple[int | None, str]
NOTHING: Points = frozenset()
_BELOW = {"forward_sideways": -0.005, "forward": 0.005, "none": float("inf")}
"""A man gains more height than this towards the enemy; points of a row may lie a little off it. In `all`, anything."""


class RefStep(NamedTuple):
    """What one action does.

    Attributes:
      origin: Where the piece stands; None for a drop, a removal, and a pass outside a chain.
      target: Where it goes; None for a removal, the same as `origin` for a pass.
      victim: The piece captured or removed, the first of those of a custodial capture; None for a simple step, a drop
        and a pass.
    """

    origin: int | None
    target: int | None
    victim: int | None = None

    @property
    def is_pass(self) -> bool:
        """Whether nothing moves."""
        return self.origin == self.target and self.victim is None


def _order(step: RefStep) -> tuple[int, ...]:
    return tuple(-1 if point is None else point for point in (step.origin, step.target, step.victim))


class RefState(NamedTuple):
    """Everything that the rules look at, but for earlier positions.

    Attributes:
      men: Points of the unpromoted pieces of either player.
      kings: Points of the promoted pieces of either player.
      player: The player to move.
      chain: The piece in the middle of a chain, None at the start of a turn.
      quiet: Turns without progress; 0 where the game does not count them.
      captured: Pieces taken in this chain that still stand on the board.
      chain_start: Where the chain began, in the middle of a chain and where the rules look at it.
      visited: All points where the piece has been in this chain, likewise.
      ahead: The point straight ahead after the last capture of the chain, likewise; None if the line ends.
      memory: Pairs of a piece and a point that it may not step to.
      stage: Plies of the schedule that have been played.
      hands: The number of pieces that either player is still to drop.
      closed: Points of the board that has shrunk, on which nothing may stand any more.
    """

    men: Sides
    kings: Sides = (NOTHING, NOTHING)
    player: int = 0
    chain: int | None = None
    quiet: int = 0
    captured: Points = NOTHING
    chain_start: int | None = None
    visited: Points = NOTHING
    ahead: int | None = None
    memory: Memory = frozenset()
    stage: int = 0
    hands: tuple[int, int] = (0, 0)
    closed: Points = NOTHING

    def pieces(self, player: int) -> Points:
        """All points where `player` has a piece, those taken but not yet removed included."""
        return self.men[player] | self.kings[player]

    @property
    def occupied(self) -> Points:
        """All points where a piece stands."""
        return self.pieces(0) | self.pieces(1)

    @property
    def filled(self) -> Points:
        """All points that a piece can neither enter nor cross."""
        return self.occupied | self.closed

    @property
    def majority(self) -> int | None:
        """The player with more pieces, None when equal."""
        south, north = len(self.pieces(0)), len(self.pieces(1))
        return None if south == north else int(north > south)

    def moved(self, origin: int, target: int) -> "RefState":
        """The same with the mover's piece on `origin` put on `target`."""
        men, kings = self.men[self.player], self.kings[self.player]
        if origin in kings:
            return self._replace(kings=_with(self.kings, self.player, kings - {origin} | {target}))
        return self._replace(men=_with(self.men, self.player, men - {origin} | {target}))

    def without(self, points: Points) -> "RefState":
        """The same with the pieces on `points`, and what they remember, taken off."""
        if not points:
            return self
        return self._replace(
            men=(self.men[0] - points, self.men[1] - points),
            kings=(self.kings[0] - points, self.kings[1] - points),
            memory=frozenset((piece, target) for piece, target in self.memory if piece not in points),
        )

    def dropped(self, point: int) -> "RefState":
        """The same with a new man of the mover on `point`."""
        return self._replace(men=_with(self.men, self.player, self.men[self.player] | {point}))

    def promoted(self, point: int) -> "RefState":
        """The same with the mover's man on `point` promoted; a promoted piece remembers nothing."""
        return self._replace(
            men=_with(self.men, self.player, self.men[self.player] - {point}),
            kings=_with(self.kings, self.player, self.kings[self.player] | {point}),
            memory=frozenset(entry for entry in self.memory if entry[0] != point),
        )


def _with(sides: Sides, player: int, points: Points) -> Sides:
    return (points, sides[1]) if player == 0 else (sides[0], points)


class Reference:
    """The rules of a game, read off its board.

    Attributes:
      game: The game.
      captures: How the men of each player capture.
      step_directions: In which directions they step.
      few: With how many pieces each player has lost.
      decides_at_once: Whether a chain ends as soon as the enemy has lost by it. Else it goes on.
      leaps: Every short leap, `(origin, over, target)`, in whatever direction.
      man_walks: For each player and point, the ways that a man may step, each as far as its points are vacant.
      man_steps: For each player and point, where a man may step on the empty board.
      ends: For each end of the board that may be closed, what is closed at once, from the end on.
      rays: For each point the straight walks away from it, each with whether a mullah flies along it.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules = game.rules
        self.captures = tuple(side.captures or self.rules.captures for side in game.sides)
        self.step_directions = tuple(side.man_steps or self.rules.man_steps for side in game.sides)
        self.few = (self._find_few(0), self._find_few(1))
        answers = zip(self.captures, self.step_directions, self.few, (side.goal for side in game.sides), strict=True)
        self.decides_at_once = len(set(answers)) > 1 and self.few != (0, 0)
        self.leaps = self._find_leaps()
        self._leaps_from: dict[int, list[tuple[int, int]]] = {point: [] for point in range(len(game.board.points))}
        for origin, over, target in self.leaps:
            self._leaps_from[origin].append((over, target))
        self.ends = tuple(self._find_ends())
        self.rays = tuple(tuple(self._find_rays(point)) for point in range(len(game.board.points)))
        self._row_steps_from = tuple(tuple(self._find_row_steps(p)) for p in range(len(game.board.points)))
        self.man_walks = tuple(
            tuple(self._find_walks(player, point) for point in range(len(game.board.points))) for player in (0, 1)
        )
        self.man_steps = tuple(
            tuple(frozenset(point for walk in walks for point in walk) for walks in of_player)
            for of_player in self.man_walks
        )
        self._man_captures_of = {
            "leap": self._man_leaps,
            "odd_rows": self._row_leaps,
            "approach_withdrawal": self._row_steps,
        }
        self.moves = lru_cache(maxsize=8)(self._find_moves)  # who asks for the outcome asks for the steps too
        self._chain_length = lru_cache(maxsize=1 << 16)(self._find_chain_length)  # many chains meet in one position

    def _find_leaps(self) -> frozenset[tuple[int, int, int]]:
        board, rules = self.game.board, self.rules
        if rules.leap == "pattern":
            return frozenset((a, b, d) for a, b in board.edges for c, d in board.edges if b == c and a != d)
        paths = [*board.lines, *(circle + circle[:2] for circle in board.circles)]
        if rules.leap == "drawn_line" or rules.end_arc:
            paths += board.end_arcs
        if rules.leap == "drawn_line":
            paths += board.bends
        both_ways = [path[::way] for path in paths for way in (1, -1)]
        return frozenset(triple for path in both_ways for triple in zip(path, path[1:], path[2:], strict=False))

    def _find_ends(self) -> Iterator[list[Points]]:
        if self.rules.shrink == "off":
            return
        for axis in (1, 0)[: 2 if self.rules.shrink_sides == "all" else 1]:
            rows: list[list[int]] = []
            for point in sorted(range(len(self.game.board.points)), key=lambda p: self.game.board.points[p][axis]):
                gap = self.game.board.points[point][axis] - self.game.board.points[rows[-1][-1]][axis] if rows else 1
                rows = [*rows, [point]] if gap > 0.01 else [*rows[:-1], [*rows[-1], point]]
            for inward in (rows, rows[::-1]):
                if self.rules.shrink == "ranks":
                    yield [frozenset(row) for row in inward]
                else:
                    yield [frozenset(a + b) for a, b in zip(inward[::2], inward[1::2], strict=False)]

    def rise(self, player: int, origin: int, target: int) -> float:
        """Height gained towards the enemy: positive is forward, about 0 sideways, negative backward."""
        points = self.game.board.points
        return (points[target][1] - points[origin][1]) * (1 if player == 0 else -1)

    def _find_walks(self, player: int, origin: int) -> tuple[tuple[int, ...], ...]:
        directions = self.step_directions[player]
        if self.rules.last_rank_frozen and origin in self.game.last_rank(player):
            return ()
        if directions == "any_distance":
            return tuple(ray for ray, _ in self.rays[origin])
        joined = (b for a, b in self.game.board.edges if a == origin)
        return tuple(
            (target, *self._beyond(origin, target))
            for target in joined
            if self.rise(player, origin, target) > _BELOW.get(directions, float("-inf"))
        )

    def _beyond(self, origin: int, between: int) -> list[int]:
        """Where a double step over a point ends, if one may go over it."""
        if not self.game.double_steps:
            return []
        ways = [way for line in self.game.board.lines for way in (line, line[::-1])]
        triples = (way[place : place + 3] for way in ways for place in range(len(way) - 2))
        return [
            triple[2]
            for triple in triples
            if triple[:2] == (origin, between)
            and self.game.double_steps.issuperset(triple)
            and triple[2] not in self.game.board.neighbours[origin]
        ]

    def _find_rays(self, point: int) -> Iterator[tuple[tuple[int, ...], bool]]:
        for line in self.game.board.lines:
            if point in line:
                place = line.index(point)
                flies = self.rules.mullah_lines == "all" or self._is_long_diagonal(line)
                yield line[place + 1 :], flies
                yield line[:place][::-1], flies
        for circle in self.game.board.circles:
            if point in circle:
                place = circle.index(point)
                others = circle[place + 1 :] + circle[:place]
                yield others, self.rules.mullah_lines == "all"
                yield others[::-1], self.rules.mullah_lines == "all"

    def _is_long_diagonal(self, line: tuple[int, ...]) -> bool:
        (x0, y0), (x1, y1) = (self.game.board.points[point] for point in line[:2])
        return x0 != x1 and y0 != y1 and len(line) == max(map(len, self.game.board.lines))

    def _find_row_steps(self, origin: int) -> Iterator[tuple[int, int]]:
        """Where a piece may step along a line, and the point before or behind it on the line."""
        for line in self.game.board.lines:
            for way in (line, line[::-1]):
                if origin in way[:-1]:
                    place = way.index(origin)
                    yield from ((way[place + 1], victim) for victim in way[place + 2 : place + 3])
                    yield from ((way[place + 1], victim) for victim in way[:place][-1:])

    def _find_few(self, player: int) -> int:
        few = self.game.sides[player].loses_at
        if few is not None:
            return few
        return max(3 if self.rules.lose_at_three else 0, 0 if self.rules.loses_at == "none" else self.rules.loses_at)

    def start(self) -> RefState:
        """The position a match starts from."""
        schedule = self.game.schedule
        first = schedule[0].player if schedule else int(self.rules.who_starts == "player_1")
        return RefState(men=self.game.start, player=first, hands=self.hands_at(0))

    def hands_at(self, stage: int) -> tuple[int, int]:
        """The pieces that the players drop from a ply of the schedule on."""
        drops = [ply.player for ply in self.game.schedule[stage:] if ply.does == DROPS]
        return drops.count(0), drops.count(1)

    def ply(self, state: RefState) -> Any:
        """What the schedule says about this turn, None where it says nothing."""
        return self.game.schedule[state.stage] if state.stage < len(self.game.schedule) else None

    def _has_lost(self, state: RefState, player: int) -> bool:
        """Whether too few pieces of a player are left, those in hand counted and those captured in this chain not."""
        return len(state.pieces(player) - state.captured) + state.hands[player] <= self.few[player]

    def outcome(self, state: RefState) -> Outcome | None:
        """Who has won and why, None while the match goes on. Earlier positions are not looked at."""
        if state.chain is not None:
            return None
        for player in (0, 1):
            if self._has_lost(state, player):
                return 1 - player, "captured"
        for player in (1, 0):
            if self.game.sides[player].goal and self.game.sides[player].goal <= state.pieces(player):
                return player, "goal"
        blocked = self.game.sides[state.player].no_moves or self.rules.no_moves
        if not self.moves(state) and blocked != "pass":
            winners = {"loss": 1 - state.player, "draw": None, "majority": state.majority}
            return winners[blocked], "blocked"
        if self.rules.no_progress_limit != "off" and state.quiet >= self.rules.no_progress_limit:
            if self.rules.no_progress_result == "majority":
                return state.majority, "majority"
            return None, "no_progress"
        return None

    def legal(self, state: RefState) -> list[RefStep]:
        """All legal steps, sorted; none when the match is over."""
        if self.outcome(state) is not None:
            return []
        steps = self.moves(state)
        if not steps or (state.chain is not None and self.rules.chain == "optional"):
            steps = [*steps, RefStep(state.chain, state.chain)]
        return sorted(steps, key=_order)

    def _find_moves(self, state: RefState) -> list[RefStep]:
        """The legal steps without passes."""
        ply = self.ply(state)
        if ply is not None and ply.does != MOVES:
            if ply.does == DROPS:
                return [RefStep(None, point) for point in ply.points - state.occupied]
            return [RefStep(None, None, point) for point in ply.points & state.pieces(1 - state.player)]
        if self.game.opening is not None and state == self.start():
            return [step for step in self.simple_steps(state) if self.may_open(state.player, step)]
        leaps = self._legal_leaps(state)
        if state.chain is not None or (leaps and self.rules.capture == "compulsory"):
            return leaps
        takes = {(leap.origin, leap.target) for leap in leaps if "custodial" in self.captures}
        return leaps + [step for step in self.simple_steps(state) if (step.origin, step.target) not in takes]

    def may_open(self, player: int, step: RefStep) -> bool:
        """Whether the opening rule allows a step."""
        turn = self.game.turn if player == 1 else range(len(self.game.board.points))
        allowed = [tuple(None if point is None else turn[point] for point in ends) for ends in self.game.opening or ()]
        return any(origin in (None, step.origin) and target in (None, step.target) for origin, target in allowed)

    def simple_steps(self, state: RefState) -> list[RefStep]:
        filled = state.filled
        steps = [
            RefStep(origin, target)
            for origin in state.men[state.player]
            for walk in self.man_walks[state.player][origin]
            for target in takewhile(lambda point: point not in filled, walk)
            if (origin, target) not in state.memory
        ]
        for origin in state.kings[state.player]:
            for ray, flies in self.rays[origin]:
                is_far = flies and self.rules.mullah_steps == "any_distance"
                vacant = takewhile(lambda point: point not in filled, ray if is_far else ray[:1])
                steps += [RefStep(origin, target) for target in vacant]
        return steps

    def _legal_leaps(self, state: RefState) -> list[RefStep]:
        """The possible leaps that the maximum rule and the landing rule leave over."""
        leaps = self.possible_leaps(state)
        if self.rules.max_capture == "most_pieces" and leaps:
            most = max(self._chain_length(state, leap) for leap in leaps)
            leaps = [leap for leap in leaps if self._chain_length(state, leap) == most]
        if self.rules.mullah_landing == "must_continue":
            leaps = [leap for leap in leaps if not self._stops_short(state, leap, leaps)]
        return leaps

    def _find_chain_length(self, state: RefState, leap: RefStep) -> int:
        """The most pieces that a chain beginning with `leap` takes."""
        after = self.play(state, leap)
        if after.chain is None:
            return 1
        return 1 + max(self._chain_length(after, following) for following in self.possible_leaps(after))

    def has_many_chains(self, state: RefState, many: int) -> bool:
        """Whether the chains from here, of any length, are at least so many."""
        count, left = 0, [state]
        while left and count < many:
            before = left.pop()
            after = [self.play(before, leap) for leap in self.possible_leaps(before)]
            count += len(after)
            left += [each for each in after if each.chain is not None]
        return count >= many

    def _stops_short(self, state: RefState, leap: RefStep, leaps: list[RefStep]) -> bool:
        """Whether a mullah would end its chain by `leap` and could go on from another landing behind that victim."""
        if leap.origin not in state.kings[state.player] or self.play(state, leap).chain is not None:
            return False
        others = [other for other in leaps if (other.origin, other.victim) == (leap.origin, leap.victim)]
        return any(self.play(state, other).chain is not None for other in others)

    def possible_leaps(self, state: RefState) -> list[RefStep]:
        """All leaps of the piece in the middle of a chain, or else of all pieces of the mover."""
        leaps: list[RefStep] = []
        for origin in state.pieces(state.player) if state.chain is None else (state.chain,):
            is_king = origin in state.kings[state.player]
            leaps += self._king_leaps(state, origin) if is_king else self._man_captures(state, origin)
        barred = {state.chain_start, state.ahead, *state.visited}
        return [leap for leap in leaps if leap.target not in barred]

    def _man_captures(self, state: RefState, origin: int) -> Iterator[RefStep]:
        if self.captures[state.player] == "custodial":
            yield from self._flanking_steps(state, origin)
            return
        directions = self.rules.man_capture_dirs
        if directions == "first_leap_forward_sideways":
            directions = "forward_sideways" if state.chain is None else "all"
        kind = self._man_captures_of.get(self.captures[state.player])
        found = kind(state, origin) if kind is not None else ()
        if directions == "all":
            yield from found
            return
        least = _BELOW.get(directions, float("-inf"))
        yield from (step for step in found if self.rise(state.player, origin, step.target) > least)

    def _row_leaps(self, state: RefState, origin: int) -> Iterator[RefStep]:
        """Leaps over all pieces of a row, an odd number, to the vacant point behind the last one."""
        prey = self._prey(state)
        for ray, _ in self.rays[origin]:
            row = list(takewhile(prey.__contains__, ray))
            if len(row) % 2 == 1 and len(row) < len(ray) and ray[len(row)] not in state.filled:
                yield RefStep(origin, ray[len(row)], row[0])

    def _row_steps(self, state: RefState, origin: int) -> Iterator[RefStep]:
        """Steps to the next point of a line, before or behind which an enemy stands on the same line."""
        prey, filled = self._prey(state), state.filled
        for target, victim in self._row_steps_from[origin]:
            if victim in prey and target not in filled:
                yield RefStep(origin, target, victim)

    def victims(self, state: RefState, step: RefStep) -> tuple[int, ...]:
        """All pieces that a legal step takes, the nearest first."""
        if step.victim is None or step.target is None:
            return () if step.victim is None else (step.victim,)
        captures, prey = self.captures[state.player], self._prey(state)
        if captures == "custodial":
            return () if step.origin is None else tuple(sorted(self._caught(state, step.origin, step.target)))
        if step.origin in state.kings[state.player] or captures not in ("odd_rows", "approach_withdrawal"):
            return (step.victim,)
        if captures == "odd_rows":
            return next(
                ray[: ray.index(step.target)]
                for ray, _ in self.rays[step.origin]
                if step.victim in ray[:1] and step.target in ray and prey.issuperset(ray[: ray.index(step.target)])
            )
        line = next(line for line in self.game.board.lines if {step.origin, step.target, step.victim} <= set(line))
        forth = line if line.index(step.victim) > line.index(step.origin) else line[::-1]
        return tuple(takewhile(prey.__contains__, forth[forth.index(step.victim) :]))

    def _prey(self, state: RefState) -> Points:
        """The pieces that may be captured."""
        return state.pieces(1 - state.player) - state.captured - self.game.sanctuary

    def _man_leaps(self, state: RefState, origin: int) -> Iterator[RefStep]:
        prey, filled = self._prey(state), state.filled
        for over, target in self._leaps_from[origin]:
            if over in prey and target not in filled:
                yield RefStep(origin, target, over)

    def _flanking_steps(self, state: RefState, origin: int) -> Iterator[RefStep]:
        filled = state.filled
        for walk in self.man_walks[state.player][origin]:
            for target in takewhile(lambda point: point not in filled, walk):
                if caught := self._caught(state, origin, target):
                    yield RefStep(origin, target, min(caught))

    def _caught(self, state: RefState, origin: int, target: int) -> Points:
        """The enemies that stand between a piece that comes to `target` and another one of its side."""
        prey, own = state.pieces(1 - state.player) - self.game.sanctuary, state.pieces(state.player) - {origin}
        beside = (ray[:2] for ray, _ in self.rays[target] if len(ray) > 1)
        return frozenset(near for near, behind in beside if near in prey and behind in own)

    def _king_leaps(self, state: RefState, origin: int) -> Iterator[RefStep]:
        prey, filled = self._prey(state), state.filled
        for ray, flies in self.rays[origin]:
            is_far = flies and self.rules.mullah_captures == "any_distance"
            place = next((place for place, point in enumerate(ray) if point in filled), None)
            if place is None or ray[place] not in prey or (place > 0 and not is_far):
                continue
            behind = ray[place + 1 :] if is_far else ray[1:2]
            for target in takewhile(lambda point: point not in filled, behind):
                yield RefStep(origin, target, ray[place])

    def play(self, state: RefState, step: RefStep) -> RefState:
        """The position after a step, which the caller knows to be legal."""
        origin, target = step.origin, step.target
        if step.victim is not None and target is None:
            return self._end_turn(state.without(frozenset({step.victim}))._replace(quiet=0), None)
        if origin is None and target is not None:
            return self._end_turn(state.dropped(target)._replace(quiet=0), target)
        if origin is None or target is None:
            return self._end_turn(self._with_clock(state, state.quiet + 1), None)
        if origin == target:
            return self._end_turn(state, target)
        arrives = origin in state.men[state.player] and target in self.game.promotion_points(state.player)
        if step.victim is None:
            is_progress = {
                "capture": False,
                "capture_or_promotion": arrives,
                "capture_or_man_step": origin in state.men[state.player],
            }[self.rules.progress]
            after = self._with_clock(state.moved(origin, target), 0 if is_progress else state.quiet + 1)
            return self._end_turn(after._replace(memory=self._memory_after_step(state, origin, target)), target)
        after = self._leap(state, origin, target, frozenset(self.victims(state, step)))
        if arrives and self.rules.midchain_promotion == "promote_and_continue":
            after = after.promoted(target)
        stops = self.rules.chain == "single" or (arrives and self.rules.midchain_promotion == "promote_and_stop")
        stops = stops or (self.decides_at_once and self._has_lost(after, 1 - after.player))
        return self._end_turn(after, target) if stops or not self.possible_leaps(after) else after

    def _leap(self, state: RefState, origin: int, target: int, victims: Points) -> RefState:
        """The position in the middle of the chain, whether or not the piece can go on."""
        start = origin if state.chain is None else state.chain_start
        after = state.moved(origin, target)._replace(
            memory=self._memory_after_leap(state, origin, target),
            chain=target,
            chain_start=None if self.rules.chain_may_return_to_start else start,
            visited=state.visited | {origin} if self.rules.chain_visits_once else NOTHING,
            ahead=next((ray[1] for ray, _ in self.rays[origin] if len(ray) > 1 and ray[0] == target), None)
            if self.rules.chain_must_turn
            else None,
            quiet=0,
        )
        if self.rules.capture_removal == "immediate":
            return after.without(victims)
        return after._replace(captured=state.captured | victims)

    def _end_turn(self, state: RefState, moved: int | None) -> RefState:
        """Promotes the piece on `moved`, removes what was captured, closes empty ends and gives the turn away.

        In a schedule, a player who passes instead of a drop has a piece less in hand all the same.
        """
        if moved is not None and moved in state.men[state.player] & self.game.promotion_points(state.player):
            state = state.promoted(moved)
        state = state.without(state.captured)
        stage = min(state.stage + 1, len(self.game.schedule))
        after = state._replace(player=1 - state.player, chain=None, captured=NOTHING, chain_start=None)
        after = after._replace(visited=NOTHING, ahead=None, closed=state.closed | self.empty_ends(state))
        after = after._replace(stage=stage, hands=self.hands_at(stage))
        ply = self.ply(after)
        return after if ply is None else after._replace(player=ply.player)

    def empty_ends(self, state: RefState) -> Points:
        """The points that are closed if a turn ends there, as far as the board shrinks."""
        return NOTHING.union(*(part for parts in self.ends for part in takewhile(state.occupied.isdisjoint, parts)))

    def _with_clock(self, state: RefState, quiet: int) -> RefState:
        return state._replace(quiet=0 if self.rules.no_progress_limit == "off" else quiet)

    def _memory_after_step(self, state: RefState, origin: int, target: int) -> Memory:
        if self.rules.undo_scope == "off":
            return state.memory
        own, others = self._split_memory(state, origin)
        forbidden = {origin} | (own if self.rules.undo_scope == "never_revisit" else set())
        if origin in state.kings[state.player]:
            forbidden = set()
        if self.rules.undo_cleared_by_jump:
            forbidden = self._biting(state.player, target, forbidden)
        if self.rules.undo_scope == "per_player_last_move":
            others = self._of_enemy(state)
        return frozenset(others | {(target, point) for point in forbidden})

    def _memory_after_leap(self, state: RefState, origin: int, target: int) -> Memory:
        own, others = self._split_memory(state, origin)
        if self.rules.undo_cleared_by_jump:
            own = set()
            if self.rules.undo_scope == "per_player_last_move":
                others = self._of_enemy(state)
        elif self.rules.undo_scope == "never_revisit":
            own = own | {origin}
        if origin in state.kings[state.player]:
            own = set()
        return frozenset(others | {(target, point) for point in own})

    def _split_memory(self, state: RefState, piece: int) -> tuple[set[int], set[tuple[int, int]]]:
        """What the piece on `piece` remembers, and the entries of all other pieces."""
        own = {target for owner, target in state.memory if owner == piece}
        return own, {entry for entry in state.memory if entry[0] != piece}

    def _of_enemy(self, state: RefState) -> set[tuple[int, int]]:
        return {entry for entry in state.memory if entry[0] in state.pieces(1 - state.player)}

    def _biting(self, player: int, point: int, forbidden: set[int]) -> set[int]:
        """Those of the forbidden targets that a man on `point` can come to stand beside by simple steps."""
        region, edge = {point}, {point}
        while edge:
            edge = {target for origin in edge for target in self.man_steps[player][origin]} - region - forbidden
            region |= edge
        return {target for origin in region for target in self.man_steps[player][origin]} & forbidden

    def turns(self, state: RefState) -> list[tuple[RefStep, ...]]:
        """All whole turns from here, or ways to finish the turn in the middle of a chain."""
        return [turn for turn, _ in self._turns(state)]

    def _turns(self, state: RefState) -> Iterator[tuple[tuple[RefStep, ...], RefState]]:
        for step in self.legal(state):
            after = self.play(state, step)
            if after.player != state.player or self.outcome(after) is not None:
                yield (step,), after
            else:
                yield from (((step, *rest), end) for rest, end in self._turns(after))

    def perft(self, state: RefState, depth: int) -> int:
        """Number of sequences of `depth` steps, passes included. Ended matches count only at depth 0."""
        if depth == 0:
            return 1
        return sum(self.perft(self.play(state, step), depth - 1) for step in self.legal(state))

    def perft_turns(self, state: RefState, depth: int) -> int:
        """Number of sequences of `depth` whole turns, distinct paths counted."""
        if depth == 0:
            return 1
        return sum(self.perft_turns(after, depth - 1) for _, after in self._turns(state))

    def parse(self, text: str) -> RefState:
        """Reads position text, `W:Wa1,Kc3:Be5:H4:D0,3`; a point may also be given by its number."""
        mover, south, north, *fields = text.split(":")
        given = {field[0]: field[1:] for field in fields}
        pairs = (pair.partition("-")[::2] for pair in given.get("U", "").split(","))
        memory = [(self._point(piece), self._point(target)) for piece, target in pairs if piece]
        player = "WB".index(mover)
        stage, hands = self._read_hands(given["D"], player) if "D" in given else (len(self.game.schedule), (0, 0))
        return RefState(
            men=(self._read_pieces(south, promoted=False), self._read_pieces(north, promoted=False)),
            kings=(self._read_pieces(south, promoted=True), self._read_pieces(north, promoted=True)),
            player=player,
            stage=stage,
            hands=hands,
            chain=self._point(given["C"]) if "C" in given else None,
            quiet=int(given.get("H", 0)),
            captured=frozenset(map(self._point, given["X"].split(","))) if "X" in given else NOTHING,
            closed=frozenset(map(self._point, given["Z"].split(","))) if "Z" in given else NOTHING,
            chain_start=self._point(given["S"]) if "S" in given else None,
            visited=frozenset(map(self._point, given["V"].split("-"))) if "V" in given else NOTHING,
            ahead=self._point(given["A"]) if "A" in given else None,
            memory=frozenset(memory),
        )

    def _read_hands(self, text: str, player: int) -> tuple[int, tuple[int, int]]:
        """The stage and the pieces in hand that field D gives."""
        numbers, _, place = text.partition("+")
        south, north = map(int, numbers.split(","))
        return self._stages(player, (south, north))[int(place or 0)], (south, north)

    def hands_text(self, stage: int) -> str:
        """Field D of position text with its colon; empty where the schedule is over."""
        if stage == len(self.game.schedule):
            return ""
        south, north = self.hands_at(stage)
        place = self._stages(self.game.schedule[stage].player, (south, north)).index(stage)
        return f":D{south},{north}" + (f"+{place}" if place else "")

    def _stages(self, player: int, hands: tuple[int, int]) -> list[int]:
        """The plies of the schedule that a player plays with so many pieces in both hands, by their numbers."""
        plies = enumerate(self.game.schedule)
        return [stage for stage, ply in plies if (ply.player, self.hands_at(stage)) == (player, hands)]

    def _read_pieces(self, side: str, *, promoted: bool) -> Points:
        names = [name for name in side[1:].split(",") if name]
        return frozenset(self._point(name.removeprefix("K")) for name in names if name.startswith("K") == promoted)

    def _point(self, name: str) -> int:
        return self.game.board.index[name] if name in self.game.board.index else int(name)


class RefMatch:
    """A match in play, which also counts how often each position has been there.

    Attributes:
      reference: The rules.
      state: The position now.
    """

    def __init__(self, reference: Reference, state: RefState | None = None) -> None:
        self.reference = reference
        self.state = reference.start() if state is None else state
        self._seen: Counter[RefState] = Counter()
        self._count()

    def push(self, step: RefStep) -> None:
        """Plays a legal step."""
        self.state = self.reference.play(self.state, step)
        self._count()

    def _count(self) -> None:
        if self.state.chain is None:
            self._seen[self._key()] += 1

    def _key(self) -> RefState:
        return self.state._replace(quiet=0)

    @property
    def occurrences(self) -> int:
        """How often the position has been there, this time included; 0 in the middle of a chain."""
        return self._seen[self._key()]

    @property
    def outcome(self) -> Outcome | None:
        """Who has won and why, repetition included; None while the match goes on."""
        ended = self.reference.outcome(self.state)
        repeats = self.reference.rules.repetition == "threefold_draw" and self._seen[self._key()] >= 3
        if repeats and (ended is None or ended[1] not in ("captured", "blocked")):
            return None, "repetition"
        return ended

    @property
    def legal(self) -> list[RefStep]:
        """All legal steps, sorted; none when the match is over."""
        return [] if self.outcome is not None else self.reference.legal(self.state)
