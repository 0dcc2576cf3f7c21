"""The outcome: whether a match has ended, why, and who has won."""

from ...game import table_layout as TABLE
from ...game.outcomes import (
    BLOCKED,
    BY_MAJORITY,
    CAPTURED_ALL,
    NO_PROGRESS,
    NO_WINNER,
    NOBODY,
    OCCURRENCES_TO_DRAW,
    ONGOING,
    REACHED_GOAL,
    REPETITION,
)
from ..binding import inlined
from ..fields import Flag, Rules, State, Word
from ..words.integers import any_of, constant, count_each, no, where


@inlined
def outcome(rules: Rules, state: State, movable: Flag, earlier: Word) -> Word:
    """The outcome of a match: ONGOING, or `4 * reason + winner` with NOBODY as the winner of a draw.

    Args:
      movable: Whether there is a legal action.
      earlier: How often the position occurred before in this match.
    """
    pieces_0, pieces_1 = state.men[0] | state.kings[0], state.men[1] | state.kings[1]
    # Where several reasons hold, the last one below counts.
    result = constant(state.player, ONGOING)
    if rules.no_progress_limit > 0:
        late = state.quiet >= rules.no_progress_limit
        if any_of(late):
            if rules.no_progress_majority:
                result = where(late, _more_pieces(state) + 4 * BY_MAJORITY, result)
            else:
                result = where(late, 4 * NO_PROGRESS + NOBODY, result)
    if rules.threefold:
        result = where(earlier + 1 >= OCCURRENCES_TO_DRAW, 4 * REPETITION + NOBODY, result)
    if any_of(no(movable)):
        winner = _if_blocked(state, rules.no_moves[0])
        if rules.no_moves[0] != rules.no_moves[1]:
            winner = where(state.player == 0, winner, _if_blocked(state, rules.no_moves[1]))
        result = where(movable, result, winner + 4 * BLOCKED)
    lost_0, lost_1 = _is_captured(pieces_0, rules.loses_at[0]), _is_captured(pieces_1, rules.loses_at[1])
    if rules.extras:
        for player in range(2):
            goal = rules.goal[player]
            if goal != 0:
                held = (state.men[player] | state.kings[player]) & goal == goal
                result = where(held, 4 * REACHED_GOAL + player, result)
        if rules.stages:
            lost_0 = count_each(pieces_0) + state.hand[0] <= rules.loses_at[0]
            lost_1 = count_each(pieces_1) + state.hand[1] <= rules.loses_at[1]
    result = where(lost_1, 4 * CAPTURED_ALL, result)
    result = where(lost_0, 4 * CAPTURED_ALL + 1, result)
    return where(state.chain >= 0, ONGOING, result)


@inlined
def _if_blocked(state: State, answer: int) -> Word:
    """The winner if the player to move has no legal action, by an answer to the question what happens then."""
    if answer == TABLE.LOSS:
        return 1 - state.player
    if answer == TABLE.DRAW:
        return constant(state.player, NOBODY)
    return _more_pieces(state)


@inlined
def _is_captured(pieces: Word, few: int) -> Flag:
    """Whether a player has lost too many pieces: `few` or fewer are left."""
    if few > 0:
        return count_each(pieces) <= few
    return pieces == 0


@inlined
def _more_pieces(state: State) -> Word:
    """The player with more pieces, NOBODY if both have equally many."""
    lead = count_each(state.men[0] | state.kings[0]) - count_each(state.men[1] | state.kings[1])
    return where(lead == 0, NOBODY, where(lead > 0, constant(lead, 0), 1))


@inlined
def winner_of(result: Word) -> Word:
    """The player who has won by an outcome, or NO_WINNER."""
    # ONGOING is 0, whose low bits read as a win of player 0.
    return where(result & 3 == NOBODY, NO_WINNER, where(result == ONGOING, NO_WINNER, result & 3))


@inlined
def reward_of(result: Word, player: Word) -> Word:
    """The reward of a player for an outcome: 1 for a win, -1 for a loss, otherwise 0."""
    won = where(result & 3 == player, constant(result, 1), -1)
    return where(result & 3 == NOBODY, 0, where(result == ONGOING, 0, won))
