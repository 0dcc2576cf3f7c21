"""The turns of a `position` command."""

from collections.abc import Sequence

from ...errors import IllegalStepError
from ...game.step import PASS, join_turn
from ...match.match import Match


def play_moves(match: Match, moves: Sequence[str]) -> None:
    """Plays whole turns and single steps of turns.

    A chain that could continue is ended if a turn of the opponent follows, or nothing. `pass` after such a chain is the
    turn of an opponent who cannot move; if the opponent can move, it ends the chain.

    Raises:
      NotationError: If a text cannot be read.
      IllegalStepError: If a step is not legal or a turn is incomplete. The turns before it stay played.
    """
    begun: list[str] = []
    for move in moves:
        continues = match.chain is not None and move.startswith(f"{match.game.board.labels[match.chain]}x")
        if begun and not continues:
            _end_chain(match, begun)
            begun = []
            if move == PASS and not any(step.is_pass for step in match.legal_steps):
                continue
        played = len(match.steps)
        match.push_turn(move, is_whole=False)
        begun += [step.text for step in match.steps[played:]]
        if match.chain is None:
            begun = []
    if begun:
        _end_chain(match, begun)


def _end_chain(match: Match, begun: Sequence[str]) -> None:
    stop = next((step for step in match.legal_steps if step.is_pass), None)
    if stop is None:
        following = ", ".join(step.text for step in match.legal_steps)
        raise IllegalStepError(f"{join_turn(list(begun))} is not a whole turn: {following} must follow")
    match.push(stop)
