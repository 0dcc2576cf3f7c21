"""What `docs/graphs.md` says of a position, worked out on sets of points, slowly and without the code of the package.

What a piece can ever do is found by asking the reference of the rules: the piece stands alone on each point, with those
enemies beside it that it might take. Only the names of the facts are the package's. Which steps memory can never forbid
is not worked out where it is kept point by point.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from alquerque_env.game.game import Game
from alquerque_env.game.graph import LINK_FACTS, RULE_FACTS
from alquerque_env.game.options import RULE_NAMES
from tests.reference import DROPS, MOVES, NOTHING, Points, Reference, RefMatch, RefState, RefStep

Ends = tuple[int | None, int | None, int | None]
Company = tuple[Points, Points]
CAPTURES = ("leap", "bent", "approach", "withdrawal")
FLAT = 0.005
"""Points of a row may lie a little off it: a step that rises less goes sideways."""


class Way(NamedTuple):
    """One way in which a piece of a side takes a step.

    Attributes:
      ends: Origin, target and the victim that tells the step from others; flanking steps have none.
      kind: `step`, `drop`, `removal`, `flanking`, or one of `CAPTURES`.
      piece: `man` or `king`.
      when: `first` of a turn, or `next` in a chain.
      victims: What it takes at most.
      between: Vacant points that the piece passes, and the other piece of its side in flanking.
      is_flight: Whether the piece passes vacant points.
      is_possible: Whether there are chains, and such a piece can stand on the origin: men are promoted at some points.
    """

    ends: Ends
    kind: str
    piece: str = "man"
    when: str = "first"
    victims: Points = NOTHING
    between: Points = NOTHING
    is_flight: bool = False
    is_possible: bool = True


class Graph(NamedTuple):
    """Each fact with its number for every point or link, the roles of the points in each link, and facts by name."""

    points: dict[str, list[float]]
    links: dict[str, list[float]]
    roles: list[dict[int, int]]
    facts: dict[str, float]


class GraphReference:
    """The graphs of a game as both players see it, and all ways of all steps of each player."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules, self.reference = game, game.rules, Reference(game)
        self.all_points = range(len(game.board.points))
        self.ways = tuple(tuple(self._ways(player)) for player in (0, 1))
        self.links = tuple(self._find_links(player) for player in (0, 1))
        self._static = tuple(self._find_static(player) for player in (0, 1))

    # What pieces can ever do, with the points as the board has them.

    def _ways(self, player: int) -> Iterator[Way]:
        for ply in self.game.schedule:
            for point in ply.points if ply.player == player and ply.does != MOVES else ():
                is_drop, at = ply.does == DROPS, frozenset({point})
                yield Way((None, point, None), "drop") if is_drop else Way((None, None, point), "removal", victims=at)
        for origin in self.all_points:
            for piece in ("man", "king") if self.rules.promotion != "none" else ("man",):
                for when in ("first", "next"):
                    yield from self._ways_from(player, piece, origin, when)

    def _ways_from(self, player: int, piece: str, origin: int, when: str) -> Iterator[Way]:
        is_possible = when == "first" or self.rules.chain != "single"
        if piece == "man" and origin in self.game.promotion_points(player):
            stays = self.rules.midchain_promotion == "only_if_turn_ends_there"
            is_possible &= stays if when == "next" else origin in self.game.start[player]
        for enemies, friends in ((NOTHING, NOTHING), *self._company(player, piece, origin)):
            men, kings = ((origin,), ()) if piece == "man" else ((), (origin,))
            sides = (frozenset(men) | friends, enemies), (frozenset(kings), NOTHING)
            of_men, of_kings = sides if player == 0 else (side[::-1] for side in sides)
            chain = origin if when == "next" else None
            state = RefState(of_men, of_kings, player, chain, stage=len(self.game.schedule))
            steps = self.reference.simple_steps(state) if not enemies and when == "first" else []
            for step in (*steps, *self.reference.possible_leaps(state)):
                if step.origin == origin:
                    kind, victims = self._kind(player, piece, step), frozenset(self.reference.victims(state, step))
                    ends = (origin, step.target, None if kind == "flanking" else step.victim)
                    flown = self._crossed(player, piece, step, kind) - victims
                    yield Way(ends, kind, piece, when, victims, flown | friends, bool(flown), is_possible)

    def _company(self, player: int, piece: str, origin: int) -> Iterator[Company]:
        """Enemies that a piece might take, and the piece of its side that helps."""
        rays, neighbours = self.reference.rays, self.game.board.neighbours[origin]
        captures = "leap" if piece == "king" else self.reference.captures[player]
        if captures == "leap":
            near = {*neighbours, *(point for ray, _ in rays[origin] for point in ray)}
            yield from ((frozenset({point}), NOTHING) for point in near)
        elif captures == "odd_rows":
            yield from ((frozenset(ray[:end]), NOTHING) for ray, _ in rays[origin] for end in range(1, len(ray), 2))
        elif captures == "approach_withdrawal":
            yield from ((frozenset(self.all_points) - {origin, target}, NOTHING) for target in neighbours)
        elif captures == "custodial":
            ends = [ray[:2] for target in self.reference.man_steps[player][origin] for ray, _ in rays[target]]
            yield from ((frozenset(end[:1]), frozenset(end[1:])) for end in ends if len(end) == 2 and origin not in end)

    def _kind(self, player: int, piece: str, step: RefStep) -> str:
        board, captures = self.game.board, self.reference.captures[player]
        if step.victim is None or captures == "custodial":
            return "step" if step.victim is None else "flanking"
        if piece == "king" or captures == "odd_rows":
            return "leap"
        if captures == "leap":
            lines = [*board.lines, *(circle + circle[:2] for circle in board.circles)]
            ways = [way for line in lines for way in (line, line[::-1])]
            path = step.origin, step.victim, step.target
            return "leap" if any(path in zip(way, way[1:], way[2:], strict=False) for way in ways) else "bent"
        line = next(line for line in board.lines if {*step} <= {*line})
        forth = line if line.index(step.origin) < line.index(step.target) else line[::-1]
        return "approach" if forth.index(step.target) < forth.index(step.victim) else "withdrawal"

    def _crossed(self, player: int, piece: str, step: RefStep, kind: str) -> Points:
        """What a piece passes over: its victim, or the points of the way to its target."""
        captures = self.reference.captures[player]
        if piece == "man" and kind in CAPTURES and captures != "odd_rows":
            return frozenset({step.victim}) if captures == "leap" else NOTHING
        rays = self.reference.rays[step.origin]
        if piece == "king":
            far, near = (self.rules.mullah_captures, 2) if kind == "leap" else (self.rules.mullah_steps, 1)
            ways = [ray if flies and far == "any_distance" else ray[:near] for ray, flies in rays]
        else:
            ways = [ray for ray, _ in rays] if kind == "leap" else self.reference.man_walks[player][step.origin]
        passed = [way[: way.index(step.target)] for way in ways if step.target in way]
        return frozenset(min((each for each in passed if kind != "leap" or step.victim in each), key=len))

    # What stays the same, as a player sees it.

    def turned(self, player: int, points: Iterable[int | None]) -> tuple[int | None, ...]:
        """Points in the frame of a player."""
        turn = self.game.turn if player == 1 else self.all_points
        return tuple(None if point is None else turn[point] for point in points)

    def _find_links(self, observer: int) -> dict[tuple[int | None, ...], int]:
        """The link of each step by its ends in the frame of the observer; an action is a step of either player."""
        actions = {action: number for number, action in enumerate(self.game.actions) if action is not None}
        found = {}
        for player in (observer,) if self.game.is_symmetric else (0, 1):
            for way in self.ways[player]:
                ends = self.turned(observer, way.ends)
                found[ends] = actions[ends if ends in actions else (*ends[:2], None)]
        return found

    def _find_static(self, observer: int) -> Graph:
        count = self.game.num_actions - (None in self.game.actions)
        links = {fact: [0.0] * count for fact in LINK_FACTS} | {"is_link": [1.0] * count}
        roles: list[dict[int, int]] = [{} for _ in range(count)]
        for side, player in (("own", observer), ("enemy", 1 - observer)):
            for way in self.ways[player]:
                link = self.links[observer].get(self.turned(observer, way.ends))
                if link is not None:
                    for fact, value in self._facts_of(way, side, player, observer):
                        links[fact][link] = max(links[fact][link], value)
                    for role, points in enumerate((way.ends[:1], way.ends[1:2], way.victims, way.between), 1):
                        for point in self.turned(observer, points):
                            roles[link][point] = min(role, roles[link].get(point, role))
        for each in roles:
            each.pop(None, None)
        return Graph(self._point_facts(observer), links, roles, self._rule_facts(observer, count))

    def _facts_of(self, way: Way, side: str, player: int, observer: int) -> Iterator[tuple[str, float]]:
        if way.is_possible:
            yield from ((f"{side}_{way.piece}", 1.0), (f"{side}_{way.when}", 1.0))
        yield "capture", float(way.kind in CAPTURES)
        if way.kind not in ("step", "leap"):
            yield way.kind, 1.0
        yield "far", float(way.is_flight)
        if len(way.victims) > 1 and way.kind != "flanking":
            yield from (("row", 1.0), ("row_length", len(way.victims) / 4))
        origin, target, _ = way.ends
        if origin is None or target is None:
            return
        goes_forward = {"forward", "forward_sideways"} & {*self.reference.step_directions}
        if goes_forward or self.rules.man_capture_dirs != "all" or self.rules.promotion != "none":
            rise = self.reference.rise(observer, origin, target)
            yield "forward" if rise > FLAT else "backward" if rise < -FLAT else "sideways", 1.0
        if way.kind == "step" and way.piece == "man" and self.rules.undo_scope != "off":
            goes_back = origin in self.reference.man_steps[player][target]
            yield "may_be_forbidden", float(goes_back or self.game.remembers_points)

    def _point_facts(self, observer: int) -> dict[str, list[float]]:
        game, enemy = self.game, 1 - observer
        sets = {
            "is_point": self.all_points,
            "promotes_own": game.promotion_points(observer),
            "promotes_enemy": game.promotion_points(enemy),
            "goal_own": game.goals[observer],
            "goal_enemy": game.goals[enemy],
            "sanctuary": game.sanctuary,
            "start_own": game.start[observer],
            "start_enemy": game.start[enemy],
        }
        degree = {point: len(near) / 8 for point, near in enumerate(game.board.neighbours)}
        return self._marked(observer, sets) | {"degree": self._numbers(observer, degree)}

    def _marked(self, observer: int, sets: dict[str, Iterable[int | None]]) -> dict[str, list[float]]:
        return {fact: self._numbers(observer, dict.fromkeys(points, 1.0)) for fact, points in sets.items()}

    def _numbers(self, observer: int, found: dict[int | None, float]) -> list[float]:
        """Numbers by point, as the observer counts the points; 0 elsewhere."""
        seen = dict(zip(self.turned(observer, found), found.values(), strict=True))
        return [seen.get(point, 0.0) for point in self.all_points]

    def _rule_facts(self, observer: int, links: int) -> dict[str, float]:
        game, count = self.game, len(self.all_points)
        answers: dict[str, object] = {name: getattr(self.rules, name) for name in RULE_NAMES}
        facts: dict[str, float] = {}
        for side, player in (("own", observer), ("enemy", 1 - observer)):
            answers |= {f"{side}_captures": game.captures(player), f"{side}_man_steps": game.step_directions(player)}
            facts[f"{side}_loses_at"] = game.loses_at[player] / 10
            facts[f"{side}_has_goal"] = float(bool(game.goals[player]))
            facts[f"{side}_pieces"] = game.most_pieces[player] / 20
        named = [fact.partition("=") for fact in RULE_FACTS]
        facts |= {f"{name}={answer}": float(str(answers[name]) == answer) for name, sign, answer in named if sign}
        limit = self.rules.no_progress_limit
        return facts | {
            "is_symmetric": float(game.is_symmetric),
            "points": count / 32,
            "links_per_point": links / count / 16,
            "no_progress_limit": 0.0 if limit == "off" else min(limit, 200) / 100,
            "has_schedule": float(bool(game.schedule)),
            "schedule_length": len(game.schedule) / 40,
        }

    # A position, as a player sees it.

    def graph(self, match: RefMatch, observer: int) -> Graph:
        """The graph of a position."""
        state, known, enemy = match.state, self._static[observer], 1 - observer
        sets: dict[str, Iterable[int | None]] = {
            "own_men": state.men[observer],
            "enemy_men": state.men[enemy],
            "own_kings": state.kings[observer],
            "enemy_kings": state.kings[enemy],
            "chain": [state.chain],
            "captured": state.captured,
            "visited": state.visited,
            "chain_start": [] if self.rules.chain_visits_once else [state.chain_start],
            "ahead": [state.ahead],
            "closed": state.closed,
            "vacant": {*self.all_points} - state.occupied,
        }
        memory = Counter(entry[self.game.remembers_points] for entry in state.memory)
        marked = self._marked(observer, sets)
        marked["memory"] = self._numbers(observer, {point: count / 4 for point, count in memory.items()})
        steps = self._steps(state, observer, observer), self._steps(state, enemy, observer)
        links = {
            "legal": self._legal(observer, observer, steps[0]),
            "enemy_legal": self._legal(observer, enemy, steps[1]),
        }
        counts = self._counts(match, observer, *steps)
        return Graph(known.points | marked, known.links | links, known.roles, known.facts | counts)

    def _steps(self, state: RefState, player: int, observer: int) -> list[RefStep]:
        """The steps of a player, as if it were to move; the pass is none of them.

        An observer for whom the board is turned does not know who begins, and sees the opening rule as its own.
        """
        reference, ply = self.reference, self.reference.ply(state)
        now = _to_move(state, player)
        if self.game.opening is not None and state == reference.start():
            if player == (observer if self.game.is_symmetric else state.player):
                return [step for step in reference.simple_steps(now) if reference.may_open(player, step)]
            return reference.moves(now._replace(quiet=1))  # so that it is not the start
        if ply is not None and player != observer:
            return []
        known = {way.ends for way in self.ways[player]}
        placed = ply is not None and ply.does != MOVES
        return [step for step in reference.moves(now) if not placed or tuple(step) in known]

    def _legal(self, observer: int, player: int, steps: list[RefStep]) -> list[float]:
        flanks = self.reference.captures[player] == "custodial"
        ends = ((s.origin, s.target, None if flanks and s.origin is not None else s.victim) for s in steps)
        found = {self.links[observer].get(self.turned(observer, each)) for each in ends}
        return [float(link in found) for link in range(len(self._static[observer].roles))]

    def _counts(
        self, match: RefMatch, observer: int, own_steps: list[RefStep], enemy_steps: list[RefStep]
    ) -> dict[str, float]:
        state, rules, stages = match.state, self.rules, len(self.game.schedule)
        limit = rules.no_progress_limit
        counts = {
            "lead": (state.hands[observer] - state.hands[1 - observer]) / 4,
            "clock": 0.0 if limit == "off" else state.quiet / limit,
            "near_limit": math.exp(-(1000 if limit == "off" else limit - state.quiet) / 6),
            "in_chain": float(state.chain is not None),
            "earlier": 0.0 if rules.repetition == "off" or state.chain is not None else (match.occurrences - 1) / 2,
            "opening": float(self.game.opening is not None and state == self.reference.start()),
            "stage": state.stage / stages if stages else 0.0,
            "in_schedule": float(state.stage < stages),
        }
        for side, player, sign, steps in (("own", observer, 1, own_steps), ("enemy", 1 - observer, -1, enemy_steps)):
            pieces, prefix = len(state.pieces(player)), "" if side == "own" else "enemy_"
            flanks = self.reference.captures[player] == "custodial"
            takes = [step for step in steps if not flanks and None not in (step.victim, step.target)]
            counts |= {side: pieces / 16, f"{side}_share": pieces / self.game.most_pieces[player]}
            counts |= {f"{side}_kings": len(state.kings[player]) / 4, f"{side}_hand": state.hands[player] / 10}
            counts |= {f"{prefix}legal": len(steps) / 16, f"{prefix}captures": len(takes) / 4}
            counts["lead"] += sign * pieces / 4
        return counts


def _to_move(state: RefState, player: int) -> RefState:
    """The position if a player were to move: a chain of the other one has ended, with its victims on the board."""
    if player == state.player:
        return state
    over = state._replace(player=player, chain=None, chain_start=None)
    return over._replace(captured=NOTHING, visited=NOTHING, ahead=None)
