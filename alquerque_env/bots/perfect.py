"""The bot `perfect`: plays by an endgame table or a proof where it has the position, and searches elsewhere."""

from ..files.release import how_to_fetch
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from ..search.pattern_kernels import NO_PATTERNS
from ..solve.exact_steps import ExactStep, ExactSteps, exact_steps, turns_under_limit
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from ..solve.tables.match_values import MatchValues
from .alphabeta import AlphaBetaBot
from .analysis import Analysis, Candidate, Limits, Report, finish_turn
from .bot import GameBot
from .patterns.pattern_file import find_pattern_file, load_patterns

LONGEST_LINE = 40  # steps of a line that an analysis shows
DEPTH = 8  # turns that it looks ahead where the table does not reach


class PerfectBot(GameBot):
    """Keeps the exact value of a position. By its table it wins in the fewest plies and loses in the most.

    In a drawn or lost position, among equal steps it takes one after which the opponent has the most steps that lose
    value. It uses a proof from the start of the game and the endgame table with the most pieces; both may come with the
    package or be in the user's cache directory. Where a proof says that it loses, and no table how soon, it takes the
    step that a search prefers, by the patterns of the game if it has any. Its `note` says what a step rests on.

    Attributes:
      table: The table; None if there is none.
      proof: The proof; None if there is none.
    """

    can_analyse = True

    def __init__(self, name: str, game: Game, seed: int | None, time_limit: float | None) -> None:
        super().__init__(name, game, seed)
        table = present_table(game, shipped=True)
        self.table: MatchValues | None = table
        patterns = NO_PATTERNS if find_pattern_file(game) is None else load_patterns(game)
        self._search = AlphaBetaBot(f"alphabeta:{DEPTH}", game, DEPTH, seed, time_limit, patterns=patterns)
        if table is not None:
            self._search.use_table(table)
        self.proof, damage = present_proof(game)
        self._damage = damage or how_to_fetch(game.name) * (not game.option_arguments)

    def restart(self, seed: int) -> None:
        """See `GameBot.restart`."""
        super().restart(seed)
        self._search.restart(seed)

    def _known(self, match: Match) -> ExactSteps:
        return exact_steps(match, self.table, self.proof)

    def _keeping(self, match: Match) -> frozenset[int]:
        return frozenset([each.step.action for each in self._known(match).keeping])

    def _by_table(self, match: Match) -> tuple[ExactStep, ...]:
        """The best steps, if the table is enough to tell."""
        return exact_steps(match, self.table, None).best

    def _open_search(self) -> AlphaBetaBot:
        """The search, which chooses among the steps that table and proof leave open."""
        self._search.stop, self._search.keeping = self.stop, self._keeping
        return self._search

    def _decide(self, match: Match) -> Step:
        return self._choose_known(match) or self._open_search().choose(match)

    def _choose_known(self, match: Match) -> Step | None:
        """The step that table and proof decide on, None if they do not; notes what a step rests on."""
        step = None if self.proof is None else self.proof.find(match)  # it has none where the table decides
        if step is not None and self.proof is not None:
            self.note = self.proof.note(match)
            return step
        best = self._by_table(match)
        if not best:
            known = self._known(match)
            best = known.best
            is_lost = bool(best) and best[0].least == -1  # by a proof, which says of no step that it holds out longest
            if not best or is_lost:
                reach = "table and proof leave steps open" if known.known else "no table or proof reaches"
                note = "proved: loses" if is_lost else f"searched, {reach}"
                self.note = "; ".join(filter(None, [note, self._damage]))
                return None
        self.note = _note_of(match, best[0])
        if len(best) == 1 or best[0].least == 1:  # a win needs no mistake
            return best[0].step
        traps = [self._traps(match, found.step) for found in best]
        return self._pick([found.step for found, count in zip(best, traps, strict=True) if count == max(traps)])

    def _traps(self, match: Match, step: Step) -> int:
        """How many of the opponent's steps after a step lose value."""
        after = match.copy()
        after.push(step)
        while not after.is_over and after.player == match.player:
            following = self._by_table(after)
            if not following:
                return 0
            after.push(following[0].step)
        if after.is_over:
            return 0
        known = self._known(after)
        return sum(each.most < known.least for each in known.steps)

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        chosen, note = self._choose_known(match), self.note
        of_all = self._known(match)
        known = {each.step.action: each for each in of_all.steps}
        candidates: list[Candidate] = []
        found = None
        if chosen is None or (all_steps and any(each.least < each.most for each in known.values())):
            watch = report if chosen is None else None
            found = self._open_search().analyse(match, limits, all_steps=all_steps, report=watch)
            candidates = [
                Candidate(each.step, each.line, known[each.step.action].within(each.value), each.share)
                for each in found.candidates
            ]
        elif all_steps:
            candidates = [self._candidate(match, each) for each in of_all.steps]
        if chosen is not None:
            first = self._candidate(match, known[chosen.action]._replace(least=of_all.least))
            candidates = [first, *(each for each in candidates if each.step != chosen)]
            found = None
        best, *others = candidates
        others.sort(key=lambda each: -each.value)
        self.note = note  # which choices of the lines have changed
        searched = (None, None, None) if found is None else (found.depth, found.nodes, found.score)
        return Analysis(best.value, (best, *others), *searched)

    def _candidate(self, match: Match, exact: ExactStep) -> Candidate:
        """A step with a line of best play, as far as the table knows it but whole turns."""
        line = finish_turn(match, self._line(match, exact.step.action), self._decide)
        return Candidate.from_line(match, line, float(exact.least))

    def _line(self, match: Match, action: int) -> list[int]:
        """A line of best play that begins with an action."""
        ahead = match.copy()
        actions = [action]
        ahead.push(action)
        while not ahead.is_over and len(actions) < LONGEST_LINE and (best := self._by_table(ahead)):
            actions.append(best[0].step.action)
            ahead.push(best[0].step)
        return actions


def _note_of(match: Match, found: ExactStep) -> str:
    if found.least == 0:
        return "exact: draws"
    what = "exact: wins" if found.least == 1 else "exact: loses"
    turns = turns_under_limit(match, found.step, found.least, found.distance)
    return what if turns is None else f"{what} in {turns} turn{'s' * (turns != 1)}"
