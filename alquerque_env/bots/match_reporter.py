"""Reports on matches, judged by the tables and proofs that are present and by the package's own search."""

import threading
from collections.abc import Callable

from ..match.match import Match
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from .analysis import MAX_DEPTH, Analysis, Limits
from .load import load_bot
from .match_report import JudgedTurn, MatchReport, judge_turns, make_report


def report_match(
    match: Match,
    *,
    winner: int | None = None,
    progress: Callable[[JudgedTurn], None] = lambda _: None,
    stop: threading.Event | None = None,
) -> MatchReport:
    """Reports on a match: what each turn gave away, which mistake decided it, and the accuracy of both sides.

    Takes about 8 seconds for a match of 100 turns, and less where a table or a proof of the game is present.

    Args:
      match: The match; it need not be over.
      winner: Who won a match that is not over on the board, such as by resignation; 0, 1 or None.
      progress: Is called after each turn.
      stop: The report ends with the turns so far when another thread sets this event.

    Returns:
      A judgement of each turn, the decisive mistake, and the accuracy of both sides.

    Example:
      >>> from alquerque_env import Match, report_match
      >>> match = Match("felli_simplified")
      >>> for turn in ("b2-c3", "d4xb2", "a1xc3", "c4-d4"):
      ...     match.push(turn)
      >>> report_match(match).turns[0].sentence
      ''
    """
    bot = load_bot(f"alphabeta:{MAX_DEPTH}", match.game, seed=0, tables=False)

    def evaluate(position: Match, limits: Limits) -> Analysis:
        return bot.analyse(position, Limits(limits.seconds, None, limits.nodes, stop), all_steps=True)

    table = present_table(match.game, shipped=True)
    proof = present_proof(match.game)[0]
    judged = []
    for turn in judge_turns(match, evaluate, table, proof):
        if stop is not None and stop.is_set():
            break
        judged.append(turn)
        progress(turn)
    return make_report(match, judged, winner)
