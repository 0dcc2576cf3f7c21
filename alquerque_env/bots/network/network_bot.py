"""What the bots of all checkpoints share, whatever evaluates their networks. Needs no torch."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ...errors import BotError
from ...game import table_layout as e
from ...game.game import Game
from ...game.kernel_arrays import JIT, word_rows
from ...game.step import Step
from ...match.match import Match
from ...search import PUCT, BatchSearch, Rule
from ...search.puct import LONGEST_FORCED, MAX_SIMULATIONS, Node, decide
from ...solve.tables import EndgameTable
from ...solve.tables.search_probe import Endgames
from ..analysis import Candidate, Limits, Report, Thought
from ..bot import GameBot, step_of
from ..turns import finish_turn, tell_line
from .choose import Chooser
from .search_position import Position

# Searched together: more matches would only need more room, and so would more nodes of all their trees.
MOST_MATCHES, MOST_NODES = 128, 60_000


class Evaluator(Protocol):
    """Policies and values by a network, in double precision."""

    def __call__(self, position: Position) -> tuple[Sequence[float], float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""

    def evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From int8 `[R, C, P]` observations to float64 `[R, A]` logits and `[R]` values for the player to move."""


class KnowingEvaluator:
    """An evaluator that believes the endgame table rather than the network, where the table knows.

    Args:
      evaluate: The network.
      game: What is played.
      endgames: The table.
    """

    def __init__(self, evaluate: Evaluator, game: Game, endgames: Endgames) -> None:
        self._evaluate = evaluate
        self._game = game
        self._endgames = endgames

    def __call__(self, position: Position) -> tuple[Sequence[float], float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        policy, value = self._evaluate(position)
        known = self._endgames.value(self._game, position.state)
        return policy, value if known is None else float(known)

    def evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The network's own, since an observation is looked up in no table."""
        return self._evaluate.evaluate(seen)


class NetworkBot(GameBot):
    """Plays by a network: by its policy alone, or by a search with its policy and value. Deterministic.

    Args:
      name: Its spec.
      game: What it plays.
      evaluate: Policies and values.
      simulations: How many for a step, 0 for the policy alone.
      seed: As for every bot; nothing is left to chance here.
      exploration: Weight of the policy against what a search has found out.
    """

    can_think = True

    def __init__(
        self,
        name: str,
        game: Game,
        evaluate: Evaluator,
        simulations: int,
        seed: int | None = None,
        *,
        exploration: float,
    ) -> None:
        super().__init__(name, game, seed)
        self._evaluator = evaluate
        self._chooser = Chooser(evaluate, simulations, exploration)
        self._tree: BatchSearch | None = None
        self._endgames = Endgames(None)
        self._has_table = False
        self._together = max(1, min(MOST_MATCHES, MOST_NODES // (simulations + 1)))

    def use_table(self, table: EndgameTable) -> None:
        """Lets it look endgames up: to win what is won, and to end its searches with what is known."""
        self._endgames = Endgames(table)
        self._has_table = True
        self._evaluator = KnowingEvaluator(self._evaluator, self.game, self._endgames)
        self._chooser.evaluate = self._evaluator

    def choose_many(self, matches: Sequence[Match]) -> list[Step]:
        """A step for each of several matches, as `choose`, but the network is asked for all of them at once.

        Raises:
          BotError: As `choose`.
        """
        # Where repetition counts, a search of one match goes through forced steps and this one does not; nor does this
        # one look at a table.
        if not JIT or len(matches) < 2 or self.game.table.words[e.T_THREEFOLD] or self._has_table:
            return super().choose_many(matches)
        for match in matches:
            self._check(match)
        steps = [match.legal_steps[0] for match in matches]
        open_ones = [number for number, match in enumerate(matches) if len(match.legal_steps) > 1]
        for first in range(0, len(open_ones), self._together):
            chosen = open_ones[first : first + self._together]
            actions = self._search([matches[number] for number in chosen])
            for number, action in zip(chosen, actions, strict=True):
                steps[number] = step_of(matches[number], action)
        return steps

    def _search(self, matches: list[Match]) -> list[int]:
        simulations = self._chooser.simulations
        if self._tree is None:
            rule = Rule(kind=PUCT, exploration=self._chooser.exploration)
            self._tree = BatchSearch(self.game, self._together, simulations, rule)
        states = word_rows(len(matches), len(matches[0].state))
        room = max(len(match.steps) for match in matches) + 2
        past = word_rows(len(matches), room)
        for row, match in enumerate(matches):
            states[row][:] = match.state
            past[row][:] = match.keys(room)
        found = self._tree.run(states, past, self._evaluator.evaluate, simulations)
        return [int(action) for action in found.actions]

    def evaluate(self, match: Match) -> tuple[dict[str, float], float]:
        """What it thinks of a match that is not over.

        Returns:
          The probability of each legal step by its text, and the value for the player to move, in [-1, 1].

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        decision = self._chooser.decide(match)
        steps = (step.text for step in match.legal_steps)
        return dict(zip(steps, decision.policy, strict=True)), decision.value

    def _decide(self, match: Match) -> Step:
        if known := self._endgames.best(match):
            return known[0]
        return self._chooser.choose_step(match, self._endgames.keeping(match))

    def _think(self, match: Match, limits: Limits, every: bool, report: Report | None) -> Thought:
        simulations = self._chooser.simulations if limits.nodes is None else min(limits.nodes, MAX_SIMULATIONS)
        deadline = limits.deadline()
        root = Node(Position.of(match), self._evaluator, self._chooser.exploration)
        reported = 0
        for done in range(simulations):
            if deadline.is_over:
                break
            if report is not None and done >= 2 * reported:
                reported = max(done, 1)
                report(self._thought(match, root, every=False))
            root.simulate(self._evaluator)
        return self._thought(match, root, every=every)

    def _thought(self, match: Match, root: Node, *, every: bool) -> Thought:
        """What a tree says of its root, where it is empty the policy."""
        simulations = sum(root.visits)
        best = root.best(self._endgames.keeping(match))
        values = {index: self._value_of_step(root, index) for index in (range(len(root.priors)) if every else [best])}
        shares = [visits / simulations for visits in root.visits] if simulations else root.priors
        others = sorted(values.keys() - {best}, key=lambda index: (-values[index], -shares[index], index))
        candidates = []
        for index in (best, *others):
            line = finish_turn(match, _line(match, root, index), self._most_probable)
            step = step_of(match, root.position.actions[index])
            candidates.append(Candidate(step, tell_line(match, line), values[index], float(shares[index])))
        return Thought(root.value_to_mover, tuple(candidates), None, simulations, None)

    def _value_of_step(self, root: Node, index: int) -> float:
        """What a step came to in the simulations; by the network where none went there. For the player to move."""
        if root.visits[index]:
            return root.sign * root.totals[index] / root.visits[index]
        following = root.position.after(root.position.actions[index])
        return root.sign * Node(following, self._evaluator).value

    def _most_probable(self, match: Match) -> Step:
        return step_of(match, decide(Position.of(match), self._evaluator, 0).action)


def _line(match: Match, root: Node, index: int) -> tuple[int, ...]:
    """What follows a step at the root where each step is the one most simulations went through."""
    ahead = match.copy()
    node: Node | None = root
    while node is not None and node.position.result is None:
        if node is not root:
            if not sum(node.visits):
                break
            index = node.best()
        ahead.push(node.position.actions[index])
        node = node.children[index]
        # The tree has no nodes where there is no choice.
        for _ in range(LONGEST_FORCED if node is not None else 0):
            if len(ahead.legal_steps) != 1:
                break
            ahead.push(ahead.legal_steps[0])
    return tuple(step.action for step in ahead.steps[len(match.steps) :])


def check_simulations(simulations: int | None) -> int:
    """The number of simulations, 0 for None.

    Raises:
      BotError: If it is out of range.
    """
    simulations = 0 if simulations is None else simulations
    if isinstance(simulations, bool) or not isinstance(simulations, int) or not 0 <= simulations <= MAX_SIMULATIONS:
        raise BotError(f"simulations is {simulations!r}, expected a whole number from 0 to {MAX_SIMULATIONS}")
    return simulations


def make_name(name: object, simulations: int) -> str:
    """The spec of a bot, by its path or name."""
    return f"{name}:{simulations}" if simulations else str(name)
