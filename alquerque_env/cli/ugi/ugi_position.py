"""The turns of a `position` command."""

from collections.abc import Sequence

from ...errors import IllegalStepError
from ...game.step import PASS, join_turn, split_turn
from ...match.match import Match


def play_moves(match: Match, moves: Sequence[str]) -> None:
    """Plays whole turns, or turns given step by step.

    A chain that could go on is ended where a turn of the opponent follows, or nothing. `pass` after such a chain is a
    turn of the opponent who cannot move, and where that is not so it ends the chain.

    Raises:
      NotationError: If a text cannot be read.
      IllegalStepError: If a step is not legal, or a turn not whole. The match is left in the middle.
    """
    begun: list[str] = []
    for move in moves:
        if begun and not _goes_on(match, move):
            _stop(match, begun)
            begun = []
            if move == PASS and not any(step.is_pass for step in match.legal_steps):
                continue
        for step, victim in split_turn(move, match.game.board):
            match.push(step if victim is None else f"{step}^{victim}")
            begun.append(match.steps[-1].text)
        if match.chain is None:
            begun = []
    if begun:
        _stop(match, begun)


def _goes_on(match: Match, move: str) -> bool:
    """Whether a text goes on with the chain in the middle of which a match is."""
    return match.chain is not None and move.startswith(f"{match.game.board.labels[match.chain]}x")


def _stop(match: Match, begun: Sequence[str]) -> None:
    stop = next((step for step in match.legal_steps if step.is_pass), None)
    if stop is None:
        following = ", ".join(step.text for step in match.legal_steps)
        raise IllegalStepError(f"{join_turn(list(begun))} is not a whole turn: then {following} must follow")
    match.push(stop)
