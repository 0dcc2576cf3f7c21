"""One match of a game: steps pushed and popped, the outcome, the position as text.

Points and players are absolute, as the board numbers them: nothing here is turned to the player to move.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..engine import rules_scalar as rules
from ..errors import AlquerqueError, AmbiguousStepError, IllegalStepError, NotationError, shorten
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import as_integer
from ..game.game import Game, GameId, as_game
from ..game.outcomes import BLOCKED, BY_MAJORITY, CAPTURED_ALL, NO_PROGRESS, NOBODY, REACHED_GOAL, REPETITION
from ..game.step import PASS, Step, captures_through, join_turn, split_turn
from ..render import Picture, draw_svg, draw_text
from .chain_check import check_chain, check_states
from .position_text import format_position, parse_position, points_of

MOST_TRIED = 10_000
"""Steps that are tried to find the turn that a shortened text means."""

MOST_NAMED = 8
"""Turns that an error names at most."""

REASONS = {
    CAPTURED_ALL: "captured",
    REACHED_GOAL: "goal",
    BLOCKED: "blocked",
    REPETITION: "repetition",
    NO_PROGRESS: "no_progress",
    BY_MAJORITY: "majority",
}


@dataclass(frozen=True)
class Outcome:
    """How a match ended.

    Attributes:
      winner: 0, 1, or None for a draw.
      reason: "captured", "goal", "blocked", "repetition", "no_progress" or "majority".
    """

    winner: int | None
    reason: str


class _Played(NamedTuple):
    """A pushed step, and what `pop` restores."""

    step: Step
    player: int
    before: Any
    key: tuple[int, ...]
    legal: tuple[Step, ...]
    ends_turn: bool


class ExactValues(Protocol):
    """The interface of an endgame table, such as `load_table` returns."""

    def check_game(self, game: Game) -> None:
        """Raises `TableError` if the values are those of another game or of other options."""

    def value(self, match: "Match") -> int | None:
        """Returns 1, 0 or -1 for the player to move in the match as it stands, None if the value is not known."""

    def clockless(self, match: "Match") -> int | None:
        """Returns the value as if plies without progress were not counted, None if it is not known."""

    def distance(self, match: "Match") -> int | None:
        """Returns the plies to the end that go with `clockless`, None for draws, endless play and unknown values."""


class Match:
    """A match in progress: the position, its history and the legal steps.

    Example:
      >>> match = Match("fetaix")
      >>> match.push("c2-c3")
      >>> match.player, [str(step) for step in match.legal_steps]
      (1, ['c4xc2'])
      >>> str(match.pop())
      'c2-c3'

    Args:
      game: The game, its id, or the path of a game file.
      position: Text of the first position; the start of the game if None.
      table: Endgame table that gives `value` and `distance`, if there is one.

    Attributes:
      game: The game.
      table: The endgame table, or None.

    Raises:
      UnknownNameError: If there is no game with that id.
      PositionError: If the text is not a position of the game.
      TableError: If the table is of another game or of other options.
    """

    def __init__(self, game: Game | GameId, position: str | None = None, *, table: ExactValues | None = None) -> None:
        self.game = game = as_game(game)
        if table is not None:
            table.check_game(game)
        self.table = table
        self._make_room()
        t = self._t
        start = t[t[TABLE.START] : t[TABLE.START] + t[TABLE.STATE_SIZE]]
        self._state[:] = start if position is None else parse_position(t, game.board.labels, position)
        if position is not None:
            check_chain(game, self._state, position)
        self._begin()

    def _begin(self) -> None:
        """Begins the history with the state."""
        self._played: list[_Played] = []
        self._seen: Counter[tuple[int, ...]] = Counter()
        self._key: tuple[int, ...]
        self._legal: tuple[Step, ...]
        self._outcome: Outcome | None
        self._enter()

    @classmethod
    def from_state(cls, game: Game, state: Iterable[Any]) -> "Match":
        """Makes a match that begins from a state of the engine. Earlier positions are not known.

        Args:
          game: The game.
          state: The state, `TABLE.STATE_SIZE` integers, as `Match.state` returns it.

        Returns:
          The match, without steps to take back.

        Raises:
          PositionError: If the state is not a position of the game.
        """
        (known,) = check_states(game, [list(state)]).tolist()
        return cls(game, format_position(game.table.words, game.board.labels, known))

    @classmethod
    def of_engine(cls, game: Game, states: np.ndarray) -> list["Match"]:
        """Returns matches that begin from states `[N, S]` of the engine, as `from_state` does, but checks nothing."""
        matches = []
        for state in states:
            match = cls.__new__(cls)
            match.game, match.table = game, None
            match._make_room()
            match._state[:] = state.tolist()
            match._begin()
            matches.append(match)
        return matches

    @property
    def player(self) -> int:
        """The player to move: 0 or 1."""
        return int(self._state[STATE.PLAYER])

    @property
    def legal_steps(self) -> tuple[Step, ...]:
        """The legal steps in ascending order of their actions, empty when the match is over."""
        return self._legal

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, None while it is in progress."""
        return self._outcome

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._outcome is not None

    @property
    def value(self) -> int | None:
        """1, 0 or -1 for the player to move under best play.

        None without a table, where it has no value, and where the no-progress limit may change the value.
        """
        return None if self.table is None else self.table.value(self)

    @property
    def distance(self) -> int | None:
        """Plies to the end if the winner hurries and the loser delays; None for draws and where it is not known.

        Turns without progress are not counted. Where `value` is None, a win needs that many plies if the no-progress
        limit allows; where it is known, the limit may still make the match longer or shorter.
        """
        return None if self.table is None else self.table.distance(self)

    @property
    def position(self) -> str:
        """The position as text. It holds everything that the rules depend on, except earlier positions."""
        return format_position(self._t, self.game.board.labels, [int(word) for word in self._state])

    @property
    def state(self) -> Any:
        """A copy of the engine's state: a list of `TABLE.STATE_SIZE` integers."""
        return self._state.copy()

    @property
    def chain(self) -> int | None:
        """The point of the piece that is in the middle of a chain of captures, or None."""
        return int(self._state[STATE.CHAIN]) if self._state[STATE.CHAIN] >= 0 else None

    @property
    def turn_goes_on(self) -> bool:
        """Whether the player to move goes on with a turn: with a chain, or with a further ply of the schedule."""
        if self.is_over or self.chain is not None:
            return not self.is_over
        played = int(self._state[self._t[TABLE.STAGE]]) if self._t[TABLE.STAGES] else 0
        return played > 0 and bool(self._t[self._t[TABLE.SCHEDULE] + played - 1] & 1)

    def observation(self, player: int | None = None) -> np.ndarray:
        """Returns what the environments show of the position.

        Args:
          player: Who sees it, 0 or 1; the player to move if None.

        Returns:
          int8 `[C, P]`, planes of points in the frame of the player; `game.planes` describes them.

        Raises:
          AlquerqueError: If there is no such player.
        """
        seen_by = self.player if player is None else player
        if seen_by not in (0, 1):
            raise AlquerqueError(f"player is {player!r}, expected 0, 1 or None for the player to move")
        earlier = self.occurrences() - 1 if self.chain is None else 0
        seen = np.empty((len(self.game.planes), len(self.game.board.points)), np.int8)
        rules.observe_as(self._t, self._state.copy(), int(seen_by), earlier, seen.reshape(-1), 0)
        return seen

    def action_mask(self) -> np.ndarray:
        """Returns int8 `[A]`: 1 for the actions of `legal_steps`, which are none when the match is over."""
        mask = np.zeros(self.game.num_actions, np.int8)
        mask[[step.action for step in self._legal]] = 1
        return mask

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps pushed so far, the first one first."""
        return tuple(played.step for played in self._played)

    @property
    def num_steps(self) -> int:
        """The number of steps so far."""
        return len(self._played)

    @property
    def turns(self) -> tuple[str, ...]:
        """The turns so far in notation; the last one may be unfinished."""
        return tuple(join_turn([step.text for step in steps]) for _, steps in self.history)

    @property
    def history(self) -> tuple[tuple[int, tuple[Step, ...]], ...]:
        """The turns so far, each as its player and its steps; the last one may be unfinished."""
        ends = [place for place, played in enumerate(self._played, 1) if played.ends_turn]
        bounds = pairwise(dict.fromkeys((0, *ends, len(self._played))))
        turns = [self._played[first:end] for first, end in bounds]
        return tuple((turn[0].player, tuple(played.step for played in turn)) for turn in turns)

    def push(self, step: "Step | int | str") -> None:
        """Plays a step.

        Args:
          step: A step of `legal_steps`, its action index, its text such as "c2-c3", or the text of a turn of several
            leaps such as "c2xc4xe4", which may be shortened as in `push_turn`. A turn of several leaps is whole: if its
            chain could go on, the player stops.

        Raises:
          NotationError: If this is not a step, an action index, or text that can be read.
          IllegalStepError: If the step is not legal; `AmbiguousStepError` if it could be one of several. The match is
            unchanged.
        """
        if isinstance(step, str):
            self.push_turn(step, is_whole=len(split_turn(step, self.game.board)) > 1)
            return
        if isinstance(step, Step):
            meant, text = step if step in self._legal else None, step.text
        else:
            try:
                action = as_integer(step)
            except TypeError:
                raise NotationError(f"a step is a Step, an action index or text, not {type(step).__name__}") from None
            meant, text = next((legal for legal in self._legal if legal.action == action), None), f"action {action}"
        if meant is None:
            raise self._illegal(text)
        self._push_legal(meant)

    def push_turn(self, text: str, *, is_whole: bool = True) -> None:
        """Plays a turn, or the rest of one that goes on.

        Args:
          text: The turn, such as "c2-c3", "c2xc4", "c2xc4xe4" or "@a1@b1". Where all turns that fit end in the same
            position, landings before the last may be left out: "c2xe4".
          is_whole: Whether the turn ends: if its chain could go on, the player stops. Otherwise the turn is left open.

        Raises:
          NotationError: If the text cannot be read.
          IllegalStepError: If this is not a legal turn; `AmbiguousStepError` if it could be one of several. The match
            is unchanged.
        """
        try:
            self._push_parts(text, is_whole)
        except AmbiguousStepError:
            raise
        except IllegalStepError:
            turns = self._turns_through(text)
            if len(turns) > 1:
                raise AmbiguousStepError(text, [join_turn([step.text for step in turn]) for turn in turns]) from None
            if not turns:
                raise
            for step in turns[0]:
                self._push_legal(step)

    def _push_parts(self, text: str, is_whole: bool) -> None:
        """Plays a turn of which the text has every step."""
        parts = split_turn(text, self.game.board)
        for number, part in enumerate(parts):
            fitting = self._fitting(*part)
            if len(fitting) != 1:
                raise self._unfit(text, fitting, number)
            self._push_legal(fitting[0])
        if is_whole and self.turn_goes_on:
            stops = self._fitting(PASS, None)
            if not stops:
                raise self._unfit(text, stops, len(parts))
            self._push_legal(stops[0])

    def pop(self) -> Step:
        """Takes back the last step.

        Returns:
          The step that was taken back.

        Raises:
          IndexError: If no step has been pushed.
        """
        if not self._played:
            raise IndexError("no step to take back")
        last = self._played.pop()
        self._seen[self._key] -= 1
        self._state[:] = last.before
        self._key, self._legal = last.key, last.legal
        self._outcome = None
        return last.step

    def copy(self) -> "Match":
        """Returns an independent copy with the same history."""
        twin = Match.__new__(Match)
        for name, value in self.__dict__.items():
            setattr(twin, name, value)
        twin._scratch = self._scratch.copy()
        twin._actions = self._actions.copy()
        twin._state = self._state.copy()
        twin._played = list(self._played)
        twin._seen = self._seen.copy()
        return twin

    def occurrences(self) -> int:
        """Returns how often the position has occurred in this match, this time included."""
        return self._seen[self._key]

    def keys(self, room: int) -> Any:
        """Returns hashes of the positions since the last progress, as the engine's play-outs take them.

        Args:
          room: Number of words to return, more than the state's clock of plies without progress.

        Returns:
          `[room]` words; the hash of a position stands at its clock, 0 where there is none.
        """
        keys = [0] * room
        if self.chain is not None:  # a capture is progress
            return keys
        states = [played.before for played in self._played] + [self._state]
        for state in states[::-1]:
            if state[STATE.CHAIN] < 0:
                keys[int(state[STATE.QUIET])] = rules.position_key(self._t, state)
                if state[STATE.QUIET] == 0:
                    break
        return keys

    def picture(self, **marks: Any) -> Picture:
        """Returns the position and the last turn as a picture, to be drawn by `alquerque_env.render`.

        Args:
          **marks: Arguments of `render.Picture` to add or replace, such as `turned=True` or `caption="..."`.
        """
        state = [int(word) for word in self._state]
        pieces = {
            point: (player, bool(state[STATE.KINGS + player] >> point & 1))
            for player in (0, 1)
            for point in range(len(self.game.board.points))
            if (state[STATE.MEN + player] | state[STATE.KINGS + player]) >> point & 1
        }
        history = self.history
        last = history[-1][1] if history else ()
        placed = [step.target for step in last if step.origin is None and step.target is not None]
        moved = [step for step in last if step.origin is not None and not step.is_pass]
        hand = self._t[TABLE.HAND]
        shown: dict[str, Any] = {
            "board": self.game.board,
            "pieces": pieces,
            "player": None if self.is_over else self.player,
            "chain": self.chain,
            "last_turn": (*(step.origin for step in moved[:1]), *(step.target for step in moved)),
            "dropped": tuple(placed),
            "captured": tuple(point for step in last for point in step.captured if point not in pieces),
            "pending": tuple(point for point in pieces if state[STATE.CAPTURED] >> point & 1),
            "closed": tuple(points_of(state[self._t[TABLE.CLOSED]])) if self._t[TABLE.NUM_PARTS] else (),
            "hands": (state[hand], state[hand + 1]) if self._t[TABLE.STAGES] else (0, 0),
            "names": tuple(side.piece for side in self.game.sides),
            "drawings": tuple(side.drawing for side in self.game.sides),
        }
        return Picture(**(shown | marks))

    def __str__(self) -> str:
        return draw_text(self.picture())

    def __repr__(self) -> str:
        return f"Match({self.game!r}, position={self.position!r})"

    def _repr_svg_(self) -> str:
        return draw_svg(self.picture())

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_rows", "_t", "_scratch", "_actions")
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_room()
        self._state[:] = [int(word) for word in state["_state"]]

    def __copy__(self) -> "Match":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Match":
        return self.copy()

    def _make_room(self) -> None:
        """Makes room for what the rules write. One match needs no compiler, and plain Python is fastest with lists."""
        self._t = t = self.game.table.plain_words
        self._scratch = [0] * t[TABLE.SCRATCH_SIZE]
        self._actions = [0] * t[TABLE.NUM_ACTIONS]
        self._state = [0] * t[TABLE.STATE_SIZE]

    def _enter(self) -> None:
        """Counts the position and finds its legal steps and outcome."""
        self._key = tuple(int(word) for place, word in enumerate(self._state) if place != STATE.QUIET)
        self._seen[self._key] += 1
        count = rules.legal_actions(self._t, self._state, self._scratch, self._actions)
        code = rules.outcome(self._t, self._state, count, self.occurrences() - 1)
        reason, winner = divmod(int(code), 4)
        self._outcome = Outcome(None if winner == NOBODY else winner, REASONS[reason]) if reason else None
        actions = [] if self._outcome else sorted(int(action) for action in self._actions[:count])
        steps = self.game.steps[self.player]
        self._legal = tuple(steps[action] or Step(self.chain, self.chain, (), action, PASS) for action in actions)
        flanks = self._t[TABLE.NUM_FLANKS]
        if flanks or self._t[TABLE.TAKES]:
            self._legal = tuple(
                replace(step, captured=self._captured_by(step)) if flanks or step.captured else step
                for step in self._legal
            )

    def _captured_by(self, step: Step) -> tuple[int, ...]:
        """Returns the points of the pieces that a legal step captures or removes, those of a row the nearest first."""
        # Found by playing the step, since only the rules know how far a row reaches.
        after, enemy = self._state.copy(), 1 - self.player
        rules.apply_action(self._t, after, self._scratch, step.action)
        now, then = ((s[STATE.MEN + enemy] | s[STATE.KINGS + enemy]) & ~s[STATE.CAPTURED] for s in (self._state, after))
        first = (step.origin, step.target, step.captured[0]) if step.captured else None
        points = self._rows[self.player].get(first, range(len(self.game.board.points)))
        return tuple(point for point in points if int(now & ~then) >> point & 1)

    @cached_property
    def _rows(self) -> list[dict[tuple[int | None, int | None, int] | None, Sequence[int]]]:
        """The points of the rows that captures may take, by player, origin, target and first victim."""
        return [{leap[:3]: leap.row for leap in leaps if leap.row} for leaps in self.game.table.templates]

    def _push_legal(self, step: Step) -> None:
        player, before, key, legal = self.player, self._state.copy(), self._key, self._legal
        rules.apply_action(self._t, self._state, self._scratch, step.action)
        self._enter()
        self._played.append(_Played(step, player, before, key, legal, ends_turn=not self.turn_goes_on))

    def _fitting(self, wanted: str, over: str | None) -> list[Step]:
        """Returns the legal steps that a part of a turn text may mean."""
        return [
            step
            for step in self._legal
            if step.text.partition("^")[0] == wanted
            and (over is None or step.captured[:1] == (self.game.board.index[over],))
        ]

    def _turns_through(self, text: str) -> list[tuple[Step, ...]]:
        """Returns the whole turns of captures of which a text has the origin, the last landing and some between.

        Of those that end in the same position only the first. No more are looked for than an error can name.

        Raises:
          IllegalStepError: If too many turns begin at that origin to look at all of them.
        """
        points = captures_through(text, self.game.board)
        found: list[tuple[Step, ...]] = []
        ends: set[tuple[int, ...]] = set()
        ahead = self.copy()
        begun: list[Step] = []
        untried = [[step for step in self._legal if step.captured and step.origin == points[0]] if points else []]
        for _ in range(MOST_TRIED):
            while untried and not untried[-1]:
                untried.pop()
                if begun:
                    ahead.pop()
                    begun.pop()
            if not untried or len(found) == MOST_NAMED:
                return found
            step = untried[-1].pop(0)
            ahead._push_legal(step)
            begun.append(step)
            untried.append([] if ahead.chain is None else list(ahead._legal))
            if not ahead.turn_goes_on and ahead._key not in ends and _lands_on(begun, points[1:]):
                ends.add(ahead._key)
                found.append(tuple(begun))
        raise IllegalStepError(
            f"{shorten(text)} could be one of too many turns; write every point where the piece lands"
        )

    def _unfit(self, text: str, fitting: list[Step], pushed: int) -> IllegalStepError:
        """Takes back the pushed steps of a turn and returns the error that says why the next one is refused."""
        begun = join_turn([played.step.text for played in self._played[len(self._played) - pushed :]])
        legal = ", ".join(step.text for step in self._legal)
        is_over = not self.turn_goes_on
        for _ in range(pushed):
            self.pop()
        if fitting:
            return AmbiguousStepError(text, [step.text for step in fitting])
        if pushed == 0:
            return self._illegal(text)
        problem = f"the turn ends with {begun}" if is_over else f"after {begun} only {legal} can follow"
        return IllegalStepError(f"{shorten(text)} is not legal in {self.position!r}: {problem}")

    def _illegal(self, text: str) -> IllegalStepError:
        if self._outcome is not None:
            return IllegalStepError(f"{shorten(text)} is not legal in {self.position!r}: the match is over")
        legal = ", ".join(step.text for step in self._legal)
        return IllegalStepError(f"{shorten(text)} is not legal in {self.position!r}; legal: {legal}")


def _lands_on(turn: Sequence[Step], landings: Sequence[int]) -> bool:
    """Whether a turn lands on all these points in this order, on the last one at its end."""
    targets = [step.target for step in turn if not step.is_pass]
    ahead = iter(targets[:-1])
    return targets[-1:] == list(landings[-1:]) and all(point in ahead for point in landings[:-1])
