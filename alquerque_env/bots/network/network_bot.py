"""The bot of a checkpoint, independent of what evaluates its network. Needs no torch."""

from collections.abc import Callable, Container, Iterable, Sequence

import numpy as np

from ...engine.player_view import PlayerView
from ...errors import BotError
from ...game import table_layout as TABLE
from ...game.array_check import python_number
from ...game.canonical import CanonicalStates, find_canonical
from ...game.game import Game
from ...game.hidden_clock import hide_clock
from ...game.kernel_arrays import word_rows
from ...game.step import Step, join_turn
from ...game.symmetry import Symmetry
from ...match.match import Match
from ...search import PUCT, BatchSearch, Decisions, Rule
from ...search.puct import LONGEST_FORCED, MAX_SIMULATIONS, Decision, Evaluate, Node, Position, decide
from ...solve.tables import EndgameTable
from ...solve.tables.search_probe import Endgames
from ..analysis import Analysis, Candidate, Limits, Report, actions_since, find_step, finish_turn
from ..bot import SearchBot


class Chooser:
    """Chooses by policy alone, or by a PUCT search if there are simulations.

    If it does not see the clock, its choice depends on neither the plies without progress nor earlier positions. With
    the symmetries of the game it decides in the canonical image of a position.
    """

    def __init__(
        self,
        evaluate: Evaluate,
        simulations: int,
        exploration: float,
        *,
        sees_clock: bool = True,
        symmetries: Sequence[Symmetry] = (),
    ) -> None:
        self.evaluate = evaluate
        self.simulations = simulations
        self.exploration = exploration
        self.sees_clock = sees_clock
        self.symmetries = symmetries

    def position(self, match: Match) -> Position:
        """The position of a match as it is searched and evaluated."""
        return Position.of(match, sees_clock=self.sees_clock)

    def decide(self, match: Match, keeping: Container[int] | None = None) -> Decision:
        """Decides in a match that is not over; the policy is in the order of its legal steps."""
        position = self.position(match)
        if not self.symmetries:
            return decide(position, self.evaluate, self.simulations, keeping, self.exploration)
        state, symmetry = find_canonical(position.table, position.state, self.symmetries)
        images = [symmetry.actions[action] for action in position.actions]
        kept = (
            None if keeping is None else {symmetry.actions[action] for action in position.actions if action in keeping}
        )
        shown = position.with_state(state)
        found = decide(shown, self.evaluate, self.simulations, kept, self.exploration)
        shares = dict(zip(shown.actions, found.policy, strict=True))
        action = position.actions[images.index(found.action)]
        return Decision(action, tuple(shares[image] for image in images), found.value)

    def choose_step(self, match: Match, keeping: Container[int] | None = None) -> Step:
        """Chooses a legal step as `decide` does; plays a forced step without a search."""
        if len(match.legal_steps) == 1:
            return match.legal_steps[0]
        action = self.decide(match, keeping).action
        return next(step for step in match.legal_steps if step.action == action)

    def choose_turn(self, match: Match, first: int | None = None) -> str:
        """Chooses a whole turn, or the rest of one that goes on, perhaps after a `first` action; returns its text."""
        match = match.copy()
        played = len(match.steps)
        match.push(self.choose_step(match) if first is None else first)
        while match.turn_goes_on:
            match.push(self.choose_step(match))
        return join_turn([step.text for step in match.steps[played:]])


# Bounds of the memory that searches of several matches at once need.
MAX_MATCHES, MAX_NODES = 128, 60_000


class Evaluator:
    """Policies and values by a network, in double precision.

    Attributes:
      evaluate: Evaluates int8 `[R, C, P]` observations: float64 `[R, A]` logits and float64 `[R]` values in [-1, 1] for
        the player to move.
      sees_clock: Whether it sees the clock.
      canonical: Whether it judges the canonical image of a position.
    """

    def __init__(
        self,
        game: Game,
        evaluate: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        *,
        sees_clock: bool = True,
        canonical: bool = False,
    ) -> None:
        self._view = PlayerView(game)
        self.evaluate = evaluate
        self.sees_clock, self.canonical = sees_clock, canonical

    def __call__(self, position: Position) -> tuple[Sequence[float], float]:
        """Returns the probability of each legal action and the value in [-1, 1] for the player to move."""
        observation = self._view.observe(position.state, position.player, position.earlier)
        logits, values = self.evaluate(observation[None])
        legal = logits[0, list(position.actions)]
        policy = np.exp(legal - legal.max())
        return (policy / policy.sum()).tolist(), float(values[0])


class TablebaseEvaluator(Evaluator):
    """Takes the value of a position from an endgame tablebase where that has it; observations cannot be looked up."""

    def __init__(self, network: Evaluator, game: Game, endgames: Endgames) -> None:
        super().__init__(game, network.evaluate, sees_clock=network.sees_clock, canonical=network.canonical)
        self._game = game
        self._endgames = endgames

    def __call__(self, position: Position) -> tuple[Sequence[float], float]:
        """See `Evaluator`."""
        policy, value = super().__call__(position)
        known = self._endgames.value(self._game, position.state)
        return policy, value if known is None else float(known)


class NetworkBot(SearchBot):
    """Plays by the policy of a network alone, or by a PUCT search with its policy and value. Deterministic.

    There are `simulations` for a step, 0 for the policy alone; `exploration` is PUCT's constant. The seed, which every
    bot has, has no effect. `evaluator` gives policies and values, by the tablebase where there is one.
    """

    has_memory = False

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
        self.evaluator = evaluate
        self.sees_clock = evaluate.sees_clock
        self.canonical = evaluate.canonical
        symmetries = game.symmetries if self.canonical else ()
        self._chooser = Chooser(
            evaluate, simulations, exploration, sees_clock=evaluate.sees_clock, symmetries=symmetries
        )
        self._images = CanonicalStates(game) if self.canonical else None
        self._tree: BatchSearch | None = None
        self._has_table = False
        self._together = max(1, min(MAX_MATCHES, MAX_NODES // (simulations + 1)))

    def use_table(self, table: EndgameTable) -> None:
        """Lets the bot look up endgames, when it plays and at the leaves of its searches."""
        super().use_table(table)
        self._has_table = True
        self.evaluator = TablebaseEvaluator(self.evaluator, self.game, self._endgames)
        self._chooser.evaluate = self.evaluator

    def choose_many(self, matches: Iterable[Match]) -> list[Step]:
        """See `GameBot.choose_many`; evaluates the matches in batches."""
        matches = self._check_all(matches)
        if self._decides_alone(matches):
            return [self.choose(match) for match in matches]
        return [step for step, _ in self._decide_together(matches)]

    def choose_with_margins(self, matches: Iterable[Match]) -> list[tuple[Step, float]]:
        """The steps of `choose_many`, each with its lead on the next best one.

        That is the difference of their probabilities, or with simulations of their shares of the visits: 0 where two
        steps have equally many and the values decide, 1 for a forced step.
        """
        matches = self._check_all(matches)
        if self._decides_alone(matches):
            return [(self.choose(match), _lead(self._chooser.decide(match).policy)) for match in matches]
        return self._decide_together(matches)

    def _decides_alone(self, matches: list[Match]) -> bool:
        # In games with repetition, only the search of one match plays forced steps. Only that one uses a tablebase.
        return (
            self.game.board.is_wide
            or len(matches) < 2
            or bool(self.game.table.words[TABLE.THREEFOLD])
            or self._has_table
        )

    def _decide_together(self, matches: list[Match]) -> list[tuple[Step, float]]:
        steps = [(match.legal_steps[0], 1.0) for match in matches]
        open_ones = [number for number, match in enumerate(matches) if len(match.legal_steps) > 1]
        for first in range(0, len(open_ones), self._together):
            chosen = open_ones[first : first + self._together]
            found = self._search_batch([matches[number] for number in chosen])
            for row, number in enumerate(chosen):
                margin = _lead(found.policy[row, : found.counts[row]])
                steps[number] = find_step(matches[number], int(found.actions[row])), margin
        return steps

    def _search_batch(self, matches: list[Match]) -> Decisions:
        simulations = self._chooser.simulations
        if self._tree is None:
            rule = Rule(kind=PUCT, exploration=self._chooser.exploration)
            self._tree = BatchSearch(self.game, self._together, simulations, rule)
        t = self.game.table.words
        states = word_rows(t, len(matches), t[TABLE.STATE_SIZE])
        for row, match in enumerate(matches):
            states[row] = match.state
            if not self.sees_clock:
                hide_clock(t, states[row])
        nothing = word_rows(t, len(matches), 1)  # earlier positions matter only under a repetition rule
        if self._images is None:
            return self._tree.run(states, nothing, self.evaluator.evaluate, simulations)
        images, chosen = self._images.find(states)
        found = self._tree.run(images, nothing, self.evaluator.evaluate, simulations)
        before = np.array([symmetry.actions for symmetry in self.game.symmetries]).argsort(1)
        return found._replace(actions=before[chosen, found.actions])

    def evaluate(self, match: Match) -> tuple[dict[str, float], float]:
        """Evaluates a match that is not over.

        Returns:
          The probability of each legal step by its text, and the value in [-1, 1] for the player to move.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        decision = self._chooser.decide(match)
        steps = (step.text for step in match.legal_steps)
        return dict(zip(steps, decision.policy, strict=True)), decision.value

    def _pick(self, steps: Sequence[Step]) -> Step:
        return steps[0]

    def _search_step(self, match: Match) -> Step:
        return self._chooser.choose_step(match, self.keeping(match))

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        simulations = self._chooser.simulations if limits.nodes is None else min(limits.nodes, MAX_SIMULATIONS)
        root = Node(self._chooser.position(match), self.evaluator, self._chooser.exploration)
        deadline, reported = limits.deadline(), 0
        for done in range(simulations):
            if deadline.is_over:
                break
            if report is not None and done >= 2 * reported:
                reported = max(done, 1)
                report(self._make_analysis(match, root, all_steps=False))
            root.simulate(self.evaluator)
        return self._make_analysis(match, root, all_steps=all_steps)

    def _make_analysis(self, match: Match, root: Node, *, all_steps: bool) -> Analysis:
        """Makes an analysis from a tree, or from the policy if the tree is empty."""
        simulations = sum(root.visits)
        best = root.best(self.keeping(match))
        values = {index: self._step_value(root, index) for index in (range(len(root.priors)) if all_steps else [best])}
        shares = [visits / simulations for visits in root.visits] if simulations else root.priors
        others = sorted(values.keys() - {best}, key=lambda index: (-values[index], -shares[index], index))
        candidates = []
        for index in (best, *others):
            line = finish_turn(match, _line(match, root, index), self._most_probable_step)
            candidates.append(Candidate.from_line(match, line, values[index], float(shares[index])))
        return Analysis(root.value_to_mover, tuple(candidates), None, simulations, None)

    def _step_value(self, root: Node, index: int) -> float:
        """Returns the mean result of a step's simulations, or the network's value if it has no visits."""
        if root.visits[index]:
            return root.sign * root.totals[index] / root.visits[index]
        following = root.position.after(root.position.actions[index])
        return root.sign * Node(following, self.evaluator).value

    def _most_probable_step(self, match: Match) -> Step:
        return find_step(match, decide(self._chooser.position(match), self.evaluator, 0).action)


def _lead(policy: Sequence[float] | np.ndarray) -> float:
    """The difference of the two highest probabilities; 1 for a forced step."""
    *_, second, first = sorted([0.0, *policy])
    return float(first - second)


def _line(match: Match, root: Node, index: int) -> tuple[int, ...]:
    """Returns the most visited line that begins with a step at the root."""
    ahead = match.copy()
    node: Node | None = root
    while node is not None and node.position.result is None:
        if node is not root:
            if not sum(node.visits):
                break
            index = node.best()
        ahead.push(node.position.actions[index])
        node = node.children[index]
        # The tree has no nodes for forced steps.
        for _ in range(LONGEST_FORCED if node is not None else 0):
            if len(ahead.legal_steps) != 1:
                break
            ahead.push(ahead.legal_steps[0])
    return actions_since(match, ahead)


def check_simulations(simulations: int | None) -> int:
    """Returns the number of simulations, 0 for None; raises `BotError` if it is out of range."""
    number = 0 if simulations is None else python_number(simulations)
    if type(number) is not int or not 0 <= number <= MAX_SIMULATIONS:
        raise BotError(f"simulations is {simulations!r}, expected a whole number from 0 to {MAX_SIMULATIONS}")
    return number


def make_name(name: object, simulations: int) -> str:
    """Returns the spec of a bot from its path or name."""
    return f"{name}:{simulations}" if simulations else str(name)
