"""Chooses steps and turns of a match by policy or by search. The exported player carries this file."""

from collections.abc import Container

from ...game.step import Step, join_turn
from ...match.match import Match
from ...search.puct import Decision, Evaluate, Position, decide


class Chooser:
    """Chooses by policy alone, or by a PUCT search if there are simulations."""

    def __init__(self, evaluate: Evaluate, simulations: int, exploration: float) -> None:
        self.evaluate = evaluate
        self.simulations = simulations
        self.exploration = exploration

    def decide(self, match: Match, keeping: Container[int] | None = None) -> Decision:
        """Decides in a match that is not over; the policy is in the order of its legal steps."""
        return decide(Position.of(match), self.evaluate, self.simulations, keeping, self.exploration)

    def choose_step(self, match: Match, keeping: Container[int] | None = None) -> Step:
        """Chooses a legal step as `decide` does; plays a forced step without a search."""
        if len(match.legal_steps) == 1:
            return match.legal_steps[0]
        action = self.decide(match, keeping).action
        return next(step for step in match.legal_steps if step.action == action)

    def choose_turn(self, match: Match, first: int | None = None) -> str:
        """Chooses a whole turn, or the rest of one in the middle of a chain; returns its text.

        Args:
          match: A match that is not over; it is unchanged.
          first: The first action of the turn, if it is already decided.
        """
        match = match.copy()
        played = len(match.steps)
        match.push(self.choose_step(match) if first is None else first)
        while match.chain is not None:
            match.push(self.choose_step(match))
        return join_turn([step.text for step in match.steps[played:]])
