"""The rules of a game on its board: everything between the data file and the compiled table."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from ..errors import AlquerqueError, RulesError
from . import state_layout as STATE, table_layout as TABLE
from .board import TOLERANCE, Board, Permutation
from .kernel_arrays import WORD_BITS
from .options import RULE_NAMES, Option, OptionValue, Rules, check_contradictions

SOUTH, NORTH = 0, 1


@dataclass(frozen=True)
class Ply:
    """One of the first plies of a match, in a game with a schedule."""

    player: int  # who plays it
    does: int  # `TABLE.MOVES`, `TABLE.DROPS` or `TABLE.REMOVES`
    points: frozenset[int]  # where a piece may be dropped or removed


@dataclass(frozen=True)
class Side:
    """What the rules answer for one side alone."""

    captures: str = ""  # how its men capture; empty if as the rules say
    man_steps: str = ""  # in which directions they step; likewise
    # the number of pieces with which the side has lost, those in hand counted; None if as the rules say
    loses_at: int | None = None
    goal: frozenset[int] = frozenset()  # points that win when the side holds all of them; empty for none
    piece: str = "man"  # what texts call a piece of the side
    pieces: str = "men"  # what they call several
    no_moves: str = ""  # what happens if the side cannot move; empty if as the rules say
    drawing: str = ""  # the SVG symbol of the animal on its men; empty for none


OpeningStep = tuple[int | None, int | None]
"""Origin and target of a first step in the frame of the first player; None stands for any point."""


@dataclass(frozen=True, eq=False)
class Ruleset:
    """The rules of one game with one choice of options. Immutable.

    Attributes:
      name: The game's id.
      title: Its name for people.
      about: What it is, in one line; empty if nobody says it.
      version: Raised whenever play, actions or observations change.
      board: Points and lines.
      start: Points of the men of `player_0` and of `player_1` at the start.
      rules: The answer to every question, fixed and chosen.
      option_table: The options by name.
      options: Read-only mapping of every option to its value, defaults included.
      opening: The first steps that the opening rule allows; None if the first turn is free.
      sources: Where the rules are described.
      promotion: Points where men of `player_0` and of `player_1` are promoted, if the rule `promotion` is `points`.
      promoted_piece: What texts call a promoted piece.
      sanctuary: Points on which no piece can be captured.
      double_steps: Points among which a man may also step to the next point but one of a line.
      double_steps_place: What texts call them.
      sides: What the rules answer for `player_0` and for `player_1` alone.
      schedule: The first plies, in which pieces are dropped, removed or moved; empty if play begins at once.
      file_text: The game's file with its board and everything that it extends, as one line of JSON; empty for a game of
        the package. A game from a file is pickled and kept in files as this text, see `load_text`.
      path: The path of the game's file as it was given; empty for a game of the package or from a text. Equality and
        pickles leave it out.

    Raises:
      RulesError: If answers exclude each other, a match could go on for ever, also by progress without end, memory
        (`undo_scope`) would hold back steps in more directions than the engine has lanes, or promoted pieces could step
        to a point both ways round a circle.
    """

    name: str
    title: str
    version: int
    board: Board
    start: tuple[frozenset[int], frozenset[int]]
    rules: Rules
    option_table: Mapping[str, Option]
    options: Mapping[str, OptionValue]
    opening: tuple[OpeningStep, ...] | None
    sources: tuple[str, ...]
    promotion: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    promoted_piece: str = "mullah"
    sanctuary: frozenset[int] = frozenset()
    double_steps: frozenset[int] = frozenset()
    double_steps_place: str = ""
    sides: tuple[Side, Side] = (Side(), Side())
    schedule: tuple[Ply, ...] = ()
    about: str = ""
    file_text: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        check_contradictions(self.answers)
        if (count := len(self.relations)) > TABLE.LANES:
            scope = self.rules.undo_scope
            raise RulesError(
                f"undo_scope={scope!r} needs a board with at most {TABLE.LANES} directions of steps, not {count}"
            )
        rules = self.rules
        if rules.repetition == "off" and rules.no_progress_limit == "off" and self.can_shuffle:
            ends = {"repetition": "repetition='threefold_draw'", "no_progress_limit": "no_progress_limit=80, say"}
            open_to_all = [end for name, end in ends.items() if name in self.option_table] or ends.values()
            raise RulesError(f"a match could go on for ever: set {' or '.join(open_to_all)}")
        if rules.progress == "capture_or_man_step" and self._can_shuffle_men:
            scope = rules.undo_scope
            raise RulesError(
                f"progress='capture_or_man_step' with man_steps={rules.man_steps!r} and undo_scope={scope!r} lets men "
                "make progress for ever, so a match might not end: set progress='capture' or man_steps='forward'"
            )
        for player, name in ((SOUTH, "south"), (NORTH, "north")):
            if self.board.circles and self.step_directions(player) == "any_distance":
                raise RulesError(
                    f"man_steps='any_distance' lets a piece of {name} reach a point both ways round a circle, "
                    "which are one action: expected man_steps='all' or a board without circles"
                )
        if rules.undo_scope != "off" and self.double_steps:
            raise RulesError(
                f"undo_scope={rules.undo_scope!r} remembers steps to the next point, and double_steps leads further: "
                "expected undo_scope='off' or no table double_steps"
            )
        if any(self.flankers):
            self.check_fits("captures='custodial'")
            if self.double_steps and rules.chain != "single":
                raise RulesError(
                    "captures='custodial' lets each step of a chain lead to the next point, and double_steps leads "
                    "further: expected chain='single' or no table double_steps"
                )
        if rules.shrink != "off":
            self.check_fits(f"shrink={rules.shrink!r}")
        self._check_captures()
        for ply, following in pairwise(self.schedule):
            if rules.chain == "optional" and ply.does == TABLE.MOVES and ply.player == following.player:
                raise RulesError(
                    "chain='optional' would leave open where the first move ends in a turn in which the schedule asks "
                    "for more: expected another chain, or a ply of the other side between them"
                )
        has_rings = bool(self.board.circles) and rules.promotion != "none"
        if has_rings and (rules.mullah_lines, rules.mullah_steps) == ("all", "any_distance"):
            raise RulesError(
                "mullah_steps='any_distance' lets a promoted piece reach a point both ways round a circle, "
                "which are one action: expected mullah_steps='one_point' or mullah_lines='long_diagonals'"
            )

    def check_fits(self, what: str, error: type[AlquerqueError] = RulesError) -> None:
        """Raises an error if the board has too many points for `what`, which takes one word for the points."""
        if self.board.is_wide:
            count = len(self.board.points)
            raise error(f"{self.name} has a board of {count} points, and {what} takes at most {WORD_BITS}")

    def _check_captures(self) -> None:
        """Checks that the board has room and rows for captures of several pieces."""
        several = sorted({*self.answers["captures"]} & {"odd_rows", "approach_withdrawal"})
        if several:
            self.check_fits(f"captures={several[0]!r}")
        if "approach_withdrawal" in several:
            is_ordered = all(line in (tuple(sorted(line)), tuple(sorted(line)[::-1])) for line in self.board.lines)
            if self.board.circles or not is_ordered:
                raise RulesError(
                    "captures='approach_withdrawal' takes rows along straight lines whose points are numbered in "
                    "order: expected a board with 'rows' and without circles"
                )

    @cached_property
    def answers(self) -> dict[str, tuple[OptionValue, ...]]:
        """The answers to each question: both where the sides step or capture in different ways, else one.

        That a side does not capture is an answer only where the other one does not either.
        """
        found = {name: (getattr(self.rules, name),) for name in RULE_NAMES}
        captures = [kind for player in (SOUTH, NORTH) if (kind := self.captures(player)) != "none"]
        steps = [self.step_directions(player) for player in (SOUTH, NORTH)]
        return found | {"captures": tuple(captures or ["none"]), "man_steps": tuple(steps)}

    @property
    def first_player(self) -> int:
        """The player who begins."""
        if self.schedule:
            return self.schedule[0].player
        return NORTH if self.rules.who_starts == "player_1" else SOUTH

    @cached_property
    def turn(self) -> Permutation:
        """Where each point of the board lies in the frame of `player_1`.

        The half-turn if the game is symmetric under it, else the identity.
        """
        half_turn = self.board.half_turn
        placings = [ply for ply in self.schedule if ply.does != TABLE.MOVES]
        plies = [[ply for ply in placings if ply.player == player] for player in (SOUTH, NORTH)]
        if half_turn is None or not self._is_alike or [p.does for p in plies[0]] != [p.does for p in plies[1]]:
            return tuple(range(len(self.board.points)))
        pairs = [self.start, self.promotion, self.goals]
        pairs += [(points, points) for points in (self.sanctuary, self.double_steps)]
        pairs += [(one.points, other.points) for one, other in zip(*plies, strict=True)]
        if all({half_turn[point] for point in own} == other for own, other in pairs):
            return half_turn
        return tuple(range(len(self.board.points)))

    @property
    def has_roles(self) -> bool:
        """Whether the rules differ between the sides."""
        return not self._is_alike or (any(self.goals) and not self.is_symmetric)

    @property
    def seats(self) -> tuple[str, str]:
        """What texts call the players: by their pieces where the sides differ, else `player_0` and `player_1`."""
        south, north = (side.piece for side in self.sides)
        return (south, north) if self.has_roles and south != north else ("player_0", "player_1")

    @property
    def _is_alike(self) -> bool:
        return self._answers(SOUTH) == self._answers(NORTH) and len(set(self.no_moves)) == 1

    def _answers(self, player: int) -> tuple[str, str, int]:
        return self.captures(player), self.step_directions(player), self.loses_at[player]

    @property
    def goals(self) -> tuple[frozenset[int], frozenset[int]]:
        """Points that win when `player_0` or `player_1` holds all of them; empty for none."""
        return self.sides[SOUTH].goal, self.sides[NORTH].goal

    @property
    def stage_place(self) -> int:
        """Where in a state its words on the schedule are; the size of a state in a game without one."""
        size = STATE.MEMORY_POINTS if self.relations else STATE.MEMORY
        return size + (len(self.board.points) if self.remembers_points else 0)

    @property
    def closed_place(self) -> int:
        """Where in a state the points that are closed are; the size of a state in which the board does not shrink."""
        return self.stage_place + (3 if self.schedule else 0)

    @cached_property
    def closing_parts(self) -> tuple[frozenset[int], ...]:
        """The parts of the board that are closed once they are empty: from each end that shrinks, rows up to some."""
        deep = {"off": 0, "ranks": 1, "tiers": 2}[self.rules.shrink]
        axes = () if not deep else (1, 0) if self.rules.shrink_sides == "all" else (1,)
        found: list[frozenset[int]] = []
        for axis in axes:
            lies = [place[axis] for place in self.board.grid]
            rows = [frozenset(point for point, at in enumerate(lies) if at == row) for row in sorted(set(lies))]
            for way in (rows, rows[::-1]):
                found += [frozenset().union(*way[:end]) for end in range(deep, len(rows), deep)]
        return tuple(found)

    @property
    def flankers(self) -> tuple[bool, bool]:
        """Whether pieces of `player_0` and of `player_1` capture by flanking."""
        return self.captures(SOUTH) == "custodial", self.captures(NORTH) == "custodial"

    @property
    def ahead_place(self) -> int:
        """Where in a state the point is that lies straight ahead of a chain, in a game in which chains must turn."""
        return self.closed_place + bool(self.closing_parts)

    @property
    def hands(self) -> tuple[int, int]:
        """The pieces that `player_0` and `player_1` drop in the schedule."""
        south, north = (
            sum((ply.player, ply.does) == (player, TABLE.DROPS) for ply in self.schedule) for player in (SOUTH, NORTH)
        )
        return south, north

    @property
    def most_pieces(self) -> tuple[int, int]:
        """The pieces that `player_0` and `player_1` can have on the board: those of the start and those in hand."""
        south, north = (len(men) + hand for men, hand in zip(self.start, self.hands, strict=True))
        return south, north

    def captures(self, player: int) -> str:
        """How men of `player` capture, an answer to the question `captures`."""
        return self.sides[player].captures or self.rules.captures

    def step_directions(self, player: int) -> str:
        """In which directions men of `player` step, an answer to the question `man_steps`."""
        return self.sides[player].man_steps or self.rules.man_steps

    @property
    def no_moves(self) -> tuple[str, str]:
        """What happens if `player_0` or `player_1` cannot move, answers to the question `no_moves`."""
        south, north = (side.no_moves or self.rules.no_moves for side in self.sides)
        return south, north

    @property
    def is_symmetric(self) -> bool:
        """Whether the game looks the same from both sides."""
        return self.turn != tuple(range(len(self.board.points)))

    def promotion_points(self, player: int) -> frozenset[int]:
        """Points where a man of `player` is promoted."""
        return self.last_rank(player) if self.rules.promotion == "last_rank" else self.promotion[player]

    def last_rank(self, player: int) -> frozenset[int]:
        """The first rank of the enemy of `player`."""
        rows = [y for _, y in self.board.points]
        last = max(rows) if player == SOUTH else min(rows)
        return frozenset(point for point, y in enumerate(rows) if abs(y - last) <= TOLERANCE)

    @property
    def loses_at(self) -> tuple[int, int]:
        """The number of pieces with which `player_0` and `player_1` have lost."""
        rules = self.rules
        few = 3 if rules.lose_at_three else 0 if rules.loses_at == "none" else rules.loses_at
        south, north = (few if side.loses_at is None else side.loses_at for side in self.sides)
        return south, north

    def goes(self, directions: str, player: int, origin: int, target: int) -> bool:
        """Whether a step of `player` is in one of the directions that `man_steps` names."""
        rise = self.board.points[target][1] - self.board.points[origin][1]
        rise = rise if player == SOUTH else -rise
        least = -TOLERANCE if directions == "forward_sideways" else TOLERANCE
        return directions in ("all", "any_distance") or (directions != "none" and rise > least)

    def frozen(self, player: int) -> frozenset[int]:
        """Points from which no man of `player` may step."""
        return self.last_rank(player) if self.rules.last_rank_frozen else frozenset()

    def man_steps(self, player: int) -> list[tuple[int, int]]:
        """Simple steps of the men of `player` on the empty board, as (origin, target)."""
        return [
            (origin, target)
            for origin, target in sorted(self.board.edges)
            if origin not in self.frozen(player) and self.goes(self.step_directions(player), player, origin, target)
        ]

    def man_double_steps(self, player: int) -> list[tuple[int, int, int]]:
        """Steps of the men of `player` over a vacant point, as (origin, point between, target)."""
        board, directions = self.board, self.step_directions(player)
        if not self.double_steps or directions == "any_distance":
            return []
        ways = [line[::way] for line in board.lines for way in (1, -1)]
        return sorted(
            (origin, between, target)
            for way in ways
            for origin, between, target in zip(way, way[1:], way[2:], strict=False)
            if self.double_steps.issuperset((origin, between, target))
            and (origin, target) not in board.edges
            and origin not in self.frozen(player)
            and self.goes(directions, player, origin, target)
        )

    @cached_property
    def can_shuffle(self) -> bool:
        """Whether a match without captures and promotions can last for ever.

        Promoted pieces can step back and forth, and players who may pass can do so in turns. Men cannot where they step
        forward only, or where their memory forbids every way back.
        """
        return self._can_wait or all(self._can_walk(player) for player in (SOUTH, NORTH))

    @property
    def _can_shuffle_men(self) -> bool:
        """Whether such a match can have steps of men without end; the other player may do something else meanwhile."""
        walks = [self._can_walk(player) for player in (SOUTH, NORTH)]
        return any(walks) and (self._can_wait or all(walks))

    @property
    def _can_wait(self) -> bool:
        """Whether a player may have turns without end in which no man steps."""
        return self.rules.promotion != "none" or "pass" in self.no_moves

    def _can_walk(self, player: int) -> bool:
        """Whether a man of `player` can step for ever on the empty board."""
        scope = self.rules.undo_scope
        if scope == "never_revisit":
            return False
        steps = self.man_steps(player)
        following = {
            (origin, target): [
                step for step in steps if step[0] == target and (scope != "per_coin" or step[1] != origin)
            ]
            for origin, target in steps
        }
        try:
            TopologicalSorter(following).prepare()
        except CycleError:
            return True
        return False

    @property
    def remembers_points(self) -> bool:
        """Whether memory is kept point by point, because it can forbid steps later than in the next turn."""
        rules = self.rules
        if rules.undo_scope == "off" or not any(map(self.man_steps, (SOUTH, NORTH))):
            return False
        return rules.undo_scope == "never_revisit" or not rules.undo_cleared_by_jump

    @cached_property
    def relations(self) -> tuple[dict[int, int], ...]:
        """The simple steps that memory can forbid, a mapping of origin to target for each direction.

        Where a capture clears the memory and only the last move counts, these are the steps that can be taken back.
        """
        if self.rules.undo_scope == "off":
            return ()
        groups: dict[int, dict[int, int]] = {}
        for player in (SOUTH, NORTH):
            steps = set(self.man_steps(player))
            for origin, target in steps:
                if self.remembers_points or (target, origin) in steps:
                    groups.setdefault(target - origin, {})[origin] = target
        return tuple(groups[distance] for distance in sorted(groups))
