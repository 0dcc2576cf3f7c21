"""Commands to the matches of a batch, and what a step returns."""

from typing import Any, NamedTuple

# Commands, one for each match.
RESET, PLAY, HOLD = 0, 1, 2


class StepResult(NamedTuple):
    """What a step of `B` matches returns. All arrays are fresh, and of the kind of the batch, see `Batch`.

    Attributes:
      observation: int8 `[B, C, P]` in the frame of the player to move.
      mask: int8 `[B, A]`, 1 for legal actions; all 0 where the match has ended.
      player: int8 `[B]`, the player to move.
      reward: float32 `[B]`, for the player who acted: 1 won, -1 lost, 0 otherwise.
      outcome: int8 `[B]`, codes of `engine.rules.outcome`.
      winner: int8 `[B]`, the player who has won, or `table_layout.NO_WINNER`.
    """

    observation: Any
    mask: Any
    player: Any
    reward: Any
    outcome: Any
    winner: Any
