"""The bot `perfect`: plays by an endgame table or a proof where it has the position, and searches elsewhere."""

from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from ..solve.exact_steps import turns_under_limit
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from ..solve.tables.match_values import MatchValues, StepValue
from .alphabeta import AlphaBetaBot
from .analysis import Analysis, Candidate, Limits, Report, finish_turn
from .bot import GameBot

LONGEST_LINE = 40  # steps of a line that an analysis shows
DEPTH = 8  # turns that it looks ahead where the table does not reach


class PerfectBot(GameBot):
    """Keeps the exact value of a position, wins in the fewest plies and loses in the most.

    Among equal steps it takes one after which the opponent has the most steps that lose value. It uses the endgame
    table with the most pieces, and where that does not have the position a proof from the start of the game; both may
    come with the package or be in the user's cache directory. Its `note` says what a step rests on.

    Attributes:
      table: The table; None if there is none.
      proof: The proof; None if there is none.
    """

    can_analyse = True

    def __init__(self, name: str, game: Game, seed: int | None, time_limit: float | None) -> None:
        super().__init__(name, game, seed)
        table = present_table(game, shipped=True)
        self.table: MatchValues | None = table
        self._search = AlphaBetaBot(f"alphabeta:{DEPTH}", game, DEPTH, seed, time_limit)
        if table is not None:
            self._search.use_table(table)
        self.proof, self._damage = present_proof(game)

    def restart(self, seed: int) -> None:
        """See `GameBot.restart`."""
        super().restart(seed)
        self._search.restart(seed)

    def _best(self, match: Match) -> list[StepValue]:
        """The steps with the best value and distance; none if the values are not known."""
        steps = () if self.table is None else self.table.steps(match)
        values = [found.value for found in steps if found.value is not None]
        if not values or (len(values) < len(steps) and max(values) < 1):
            return []
        best = [found for found in steps if found.value == max(values)]
        # Steps are sorted, quick wins before slow ones and slow losses before quick ones.
        return [found for found in best if found.distance == best[0].distance]

    def _decide(self, match: Match) -> Step:
        best = self._best(match)
        self._search.stop = self.stop
        if not best:
            return self._find_proved(match) or self._search.choose(match)
        self.note = _note_of(match, best[0])
        if len(best) == 1:
            return best[0].step
        traps = [self._traps(match, found.step) for found in best]
        return self._pick([found.step for found, count in zip(best, traps, strict=True) if count == max(traps)])

    def _find_proved(self, match: Match) -> Step | None:
        """The step of the proof, if it has the position; notes what a step rests on."""
        step = None if self.proof is None else self.proof.find(match)
        if step is not None and self.proof is not None:
            self.note = "proved: wins" if self.proof.wins else "proved: does not lose"
            return step
        self.note = "; ".join(filter(None, ["searched, no table or proof reaches", self._damage]))
        return None

    def _traps(self, match: Match, step: Step) -> int:
        """How many of the opponent's steps after a step lose value."""
        after = match.copy()
        after.push(step)
        while not after.is_over and after.player == match.player:
            following = self._best(after)
            if not following:
                return 0
            after.push(following[0].step)
        if after.is_over or self.table is None:
            return 0
        values = [found.value for found in self.table.steps(after) if found.value is not None]
        return sum(value < max(values) for value in values)

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        if not self._best(match):
            return self._analyse_unknown(match, limits, all_steps, report)
        chosen = self._decide(match)
        table = self.table
        assert table is not None
        found = {known.step.action: float(known.value or 0) for known in table.steps(match)}
        shown = (
            [chosen.action, *(action for action in found if action != chosen.action)] if all_steps else [chosen.action]
        )
        candidates = tuple(Candidate.from_line(match, self._line(match, action), found[action]) for action in shown)
        return Analysis(candidates[0].value, candidates, None, None, None)

    def _analyse_unknown(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        """The analysis where the table does not have the position."""
        step, note = self._find_proved(match), self.note
        if step is None or all_steps:
            return self._search.analyse(match, limits, all_steps=all_steps, report=report)
        line = finish_turn(match, [step.action], self._decide)
        self.note = note
        assert self.proof is not None
        candidate = Candidate.from_line(match, line, float(self.proof.wins))
        return Analysis(candidate.value, (candidate,), None, None, None)

    def _line(self, match: Match, action: int) -> list[int]:
        """A line of best play that begins with an action."""
        ahead = match.copy()
        actions = [action]
        ahead.push(action)
        while not ahead.is_over and len(actions) < LONGEST_LINE and (best := self._best(ahead)):
            actions.append(best[0].step.action)
            ahead.push(best[0].step)
        return actions


def _note_of(match: Match, found: StepValue) -> str:
    if found.value == 0:
        return "exact: draws"
    what = "exact: wins" if found.value == 1 else "exact: loses"
    turns = turns_under_limit(match, found.step, found.value, found.distance)
    return what if turns is None else f"{what} in {turns} turn{'s' * (turns != 1)}"
