"""An mlp that is also given which steps either player could make if it were to move.

PYTHONPATH=training/research alquerque train strong network.kind=masks_network:MasksMlp
"""

import numpy as np
import torch
from alquerque_training import Shape
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.mlp import ResidualMlp
from torch import Tensor

from alquerque_env.engine import rules_scalar as rules
from alquerque_env.engine.compiler import allocate, entry_kernel, release
from alquerque_env.engine.kernel_types import Table, Words
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.array_check import check_array
from alquerque_env.game.game import Game
from alquerque_env.game.planes import planes as game_planes


@entry_kernel
def mark_steps(t: Table, observation: Words, count: int, masks: Words) -> None:
    """Writes to `masks` 1 for each step of the player to move, then of the opponent, of `count` flat observations."""
    state = allocate(1, t[TABLE.STATE_SIZE])
    choices = allocate(1, t[TABLE.NUM_ACTIONS])
    scratch = allocate(1, t[TABLE.SCRATCH_SIZE])
    s = state[0]
    size, actions = t[TABLE.NUM_PLANES] * t[TABLE.POINTS], t[TABLE.NUM_ACTIONS]
    for row in range(count):
        rules.recall(t, observation, row * size, s)
        for turn in range(2):
            place = (2 * row + turn) * actions
            n = rules.legal_actions(t, s, scratch[0], choices[0])
            for action in range(actions):
                masks[place + action] = 0
            for index in range(n):
                masks[place + choices[0][index]] = 1
            s[STATE.PLAYER] = 1 - s[STATE.PLAYER]
            s[STATE.CHAIN] = STATE.NO_POINT
            s[STATE.CAPTURED] = s[STATE.BARRED] = 0
    release(state)
    release(choices)
    release(scratch)


class BothMasks:
    """The steps of both players in observed positions of a game."""

    def __init__(self, game: Game) -> None:
        self._game, self._table = game, game.table.words
        self._shape = len(game_planes(game)), len(game.board.points)

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        """int8 `[R, 2, A]` for int8 `[R, C, P]` observations: 1 where the mover, and the opponent, could step.

        Each in the frame of the player who would step. In the middle of a chain the opponent could step as if it had
        ended, but for pieces that have not been removed.
        """
        flat = check_array("planes", planes, "int8", ("R", *self._shape)).reshape(-1)
        masks = np.zeros((len(planes), 2, self._game.num_actions), np.int8)
        mark_steps(self._table, flat, len(planes), masks.reshape(-1))
        return masks


class MasksMlp(ResidualMlp):
    """Residual blocks over the flattened planes and the steps that either player could make."""

    def __init__(self, config: NetworkConfig, shape: Shape, plane_scale: Tensor) -> None:
        generator = torch.Generator().manual_seed(torch.initial_seed())
        super().__init__(config, shape, plane_scale, generator, shape.planes * shape.points + 2 * shape.actions)
        self._masks = BothMasks(shape.require_game("a network with masks"))

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.evaluate`."""
        seen = self._masks(planes.to("cpu", torch.int8).numpy())
        scaled = self.scaled(planes).flatten(1)
        return self.judge(torch.cat([scaled, torch.from_numpy(seen).to(planes.device).flatten(1).to(scaled.dtype)], 1))
