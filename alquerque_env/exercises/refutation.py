"""Says why a turn does not win, with the reply that shows it where a table has the position."""

from typing import TYPE_CHECKING

from ..game.step import join_turn
from ..match.match import Match
from ..match.status_text import outcome_sentence
from .winning_line import push_best_reply

if TYPE_CHECKING:
    from ..solve.tables.match_values import MatchValues


def refute(
    match: Match, since: int, table: "MatchValues | None", person: int | None = None
) -> tuple[str, tuple[str, ...]]:
    """Says what is wrong with the turn that the player has just begun or ended.

    Args:
      match: The match after it.
      since: The number of steps before it.
      table: An endgame table, None if there is none.
      person: Whom the sentence calls `you`, see `match.naming`.

    Returns:
      A sentence, and the steps of the best reply; none where no table has them.
    """
    player = match.history[-1][0]
    turn = join_turn([step.text for step in match.steps[since:]])
    if match.outcome is not None:
        return f"{turn} ends the match. {outcome_sentence(match, match.outcome, person)}", ()
    value = None if table is None else table.value(match)
    if table is None or value is None:
        return f"{turn} does not win.", ()
    own = value if match.player == player else -value
    result = "only draws" if own == 0 else "loses"
    reply = [text for turn in push_best_reply(match.copy(), player, table) for text in turn]
    if not reply:
        return f"{turn} {result}.", ()
    return f"{turn} {result}: the answer is {join_turn(reply)}.", tuple(reply)
