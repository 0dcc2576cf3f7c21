"""The exact values of a match and of its steps, from what a table knows of positions. Free of NumPy."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import TableError
from ...game import table_layout as TABLE
from ...game.game import Game
from ...game.step import Step
from ...match.match import Match
from .turn_values import score_of, value_before
from .value_codes import DRAWN, ENDLESS, LOST, OUTSIDE, WON


class StepValue(NamedTuple):
    """The value of a step for its player.

    Attributes:
      step: The step.
      value: 1 wins, 0 draws, -1 loses; None if the no-progress limit may change it.
      distance: Plies to the end under best play, this one included, as if plies without progress were not counted;
        None for draws and endless play.
      clockless: 1, 0 or -1 as if plies without progress were not counted.
    """

    step: Step
    value: int | None
    distance: int | None
    clockless: int


class MatchValues:
    """Answers for matches.

    Attributes:
      game: The game.
      pieces: The most pieces on the board.
    """

    game: Game
    pieces: int

    def _look_up(self, states: Sequence[Any]) -> list[tuple[int, bool]]:
        """The codes of states, OUTSIDE if the table lacks one, and whether they hold under the limit."""
        raise NotImplementedError

    def value(self, match: Match) -> int | None:
        """1, 0 or -1 for the player to move; None if the table lacks the position or the limit may change the value.

        Raises:
          TableError: If the match has other rules. All methods that take a match raise it.
        """
        code, holds = self._find(match)
        return plain_value(code) if holds else None

    def clockless(self, match: Match) -> int | None:
        """1, 0 or -1 as if plies without progress were not counted; None if the table lacks the position."""
        code, _ = self._find(match)
        return None if code == OUTSIDE else plain_value(code)

    def distance(self, match: Match) -> int | None:
        """Plies to the end under best play, where the loser delays, as if plies without progress were not counted.

        None for draws, for wins and losses by endless play, and if the table lacks the position.
        """
        return plies_of(self._find(match)[0])

    def best_steps(self, match: Match) -> tuple[Step, ...]:
        """The steps that are known to keep the value; none if the match is over or that is not known of any step."""
        steps, value = self.steps(match), self.value(match)
        if value is None:
            value = _best_value(steps)
        return tuple(found.step for found in steps if value is not None and found.value == value)

    def steps(self, match: Match) -> tuple[StepValue, ...]:
        """The value of each legal step, the best first: quick wins before slow ones, slow losses before quick ones.

        A step of unknown value has the place of its clockless value. Empty if the match is over or the table lacks a
        position after a step.
        """
        found = self.known_steps(match)
        return found if len(found) == len(match.legal_steps) else ()

    def known_steps(self, match: Match) -> tuple[StepValue, ...]:
        """As `steps`, without the steps to positions that the table lacks."""
        return tuple(found for _, found in self._rank(match))

    def _rank(self, match: Match) -> list[tuple[int, StepValue]]:
        """The code of each step of `known_steps` for its player, and its value; in their order."""
        self.check_game(match.game)
        matches = []
        for step in match.legal_steps:
            matches.append(match.copy())
            matches[-1].push(step)
        if not matches:
            return []
        ranked = []
        for after, (code, is_sure) in zip(matches, self._look_up([after.state for after in matches]), strict=True):
            if code == OUTSIDE:
                if after.outcome is None:
                    continue
                code = code_of_outcome(after)
            sign = 1 if after.player == match.player else -1
            own = code if sign > 0 else value_before(code)
            value = plain_value(own) if is_sure else None
            # The limit, which the code leaves out, may have ended the match.
            if after.outcome is not None:
                value = sign * plain_value(code_of_outcome(after))
            ranked.append((own, StepValue(after.steps[-1], value, plies_of(own), plain_value(own))))
        return sorted(ranked, key=lambda pair: (-_guess(pair[1]), -score_of(pair[0])))

    def check_game(self, game: Game) -> None:
        """Checks that a game is the one of the table.

        Raises:
          TableError: If its rules differ.
        """
        if game.table_hash != self.game.table_hash:
            raise TableError(
                f"the table is of {self.game.name} with {dict(self.game.options)}, "
                f"the match of {game.name} with {dict(game.options)}"
            )

    def _find(self, match: Match) -> tuple[int, bool]:
        """The code of a match, OUTSIDE if the table lacks it, and whether it holds under the no-progress limit."""
        self.check_game(match.game)
        # The values leave the opening rule out.
        if match.game.table.words[TABLE.HAS_OPENING] and match.position == Match(match.game).position:
            ranked = self._rank(match)
            code = ranked[0][0] if ranked and len(ranked) == len(match.legal_steps) else OUTSIDE
            return code, code != OUTSIDE and _best_value([found for _, found in ranked]) == plain_value(code)
        if match.outcome is not None:
            return code_of_outcome(match), True
        return self._look_up([match.state])[0]


def _best_value(steps: Sequence[StepValue]) -> int | None:
    """The value of the best step; None if that is not known."""
    values = [found.value for found in steps]
    known = [value for value in values if value is not None]
    is_known = 1 in known or (known and len(known) == len(values))
    return max(known) if is_known else None


def _guess(found: StepValue) -> int:
    return found.clockless if found.value is None else found.value


def code_of_outcome(match: Match) -> int:
    """The code of a match that is over."""
    winner = None if match.outcome is None else match.outcome.winner
    return DRAWN if winner is None else WON if winner == match.player else LOST


def plain_value(code: int) -> int:
    """The value that a code stands for: 1, 0 or -1."""
    return 0 if code == DRAWN else 1 if code > 0 else -1


def plies_of(code: int) -> int | None:
    """The plies to the end that a code stands for; None for draws, endless play and OUTSIDE."""
    if code in (DRAWN, OUTSIDE, ENDLESS, -ENDLESS):
        return None
    return abs(code) - WON
