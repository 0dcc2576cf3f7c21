"""The checker of the exercise *Write minimax and find its error rate*."""

from collections.abc import Callable

from alquerque_env import Match, Step, load_game, load_table, measure_errors
from alquerque_env.arena import natural_states

GAME = load_game("felli_simplified")


class Player:
    """Plays the first of the steps that a search to a depth finds best."""

    name = "minimax"

    def __init__(self, value: Callable[[Match, int], int], depth: int) -> None:
        self.value = value
        self.depth = depth

    def choose(self, match: Match) -> Step:
        """Returns one of `match.legal_steps`."""

        def gain(step: Step) -> int:
            after = match.copy()
            after.push(step)
            found = self.value(after, self.depth - 1)
            return found if after.player == match.player else -found

        return max(match.legal_steps, key=gain)


def error_rate(value: Callable[[Match, int], int], depth: int) -> float:
    """The share of wrong choices of a search, in 300 critical positions of matches."""
    return measure_errors(Player(value, depth), GAME, 300, kind="natural").wrong.value


def check(value: Callable[[Match, int], int], rate: float) -> str:
    """Says whether a minimax search and its error rate at depth 2 are right, and why."""
    table = load_table(GAME)
    matches = Match.of_engine(GAME, natural_states(GAME, 3000, seed=1))
    near = [match for match in matches if table.value(match) and table.distance(match) <= 2]
    for match in near[:150]:
        truth, before = table.value(match), match.position
        found = value(match, 3)
        where = f"in {before}"
        if match.position != before:
            return f"Wrong: {where} your search leaves the match changed. Each `push` needs its `pop`."
        if found not in (-1, 0, 1):
            return f"Wrong: {where} your search says {found}, expected 1, 0 or -1."
        if found and found != truth:
            return (
                f"Wrong: {where} your search says {found}, but {truth} is true. Who is to move after a step of a chain?"
            )
        winning = next((step for step in match.legal_steps if _wins(match, step)), None)
        if winning and not found:
            return f"Wrong: {where} {winning} wins at once, and your search does not see it."
        if not found and not winning and _loses(match):
            return (
                f"Wrong: {where} every step is answered by a step that wins at once. Your search of 3 steps misses it."
            )
    measured = error_rate(value, 2)
    if abs(measured - rate) > 0.0005:
        return f"Wrong: the search is right, but its error rate at depth 2 is {measured:.3f}, and you say {rate:.3f}."
    return f"Right: the search agrees with the exact values, and errs in {measured:.1%} of critical positions."


def _wins(match: Match, step: Step) -> bool:
    after = match.copy()
    after.push(step)
    return after.outcome is not None and after.outcome.winner == match.player


def _loses(match: Match) -> bool:
    for step in match.legal_steps:
        after = match.copy()
        after.push(step)
        if after.player == match.player or not any(_wins(after, reply) for reply in after.legal_steps):
            return False
    return True
