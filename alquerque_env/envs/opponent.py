"""A match against an opponent as a Gymnasium environment for one agent."""

from collections.abc import Callable
from operator import index as as_integer
from typing import Any

import gymnasium
import numpy as np

from ..batch.single import PlayerView
from ..bots import Bot, load_bot
from ..errors import AlquerqueError, IllegalStepError
from ..game.game import load_game
from ..game.planes import plane_scale
from ..game.step import Step
from ..match.match import Match
from .arguments import check_max_cycles, check_seat
from .render_modes import RENDER_FPS, RENDER_MODES, Renderer, check_render_mode
from .spaces import action_space, observation_space

Opponent = str | Bot | Callable[[Match], "Step | int | str"]
"""A bot spec, an object with `choose(match)`, or a function from a match to a legal step or the text of a turn."""


class VersusEnv(gymnasium.Env):
    """One player's side of a match; the opponent answers within `step`.

    The observation is int8 `[C, P]` in the agent's own frame. `action_masks()` and `info["action_mask"]` give the legal
    actions, int8 `[A]`. Reward 1 for a win, -1 for a loss, 0 else. An illegal action loses the match.

    Args:
      game: The game's id.
      opponent: Who plays the other side.
      seat: 0 or 1, the agent's player, or "random" to draw it at every reset.
      render_mode: "human", "rgb_array", "ansi", "svg" or None.
      max_cycles: Number of sub-steps of both sides after which the match is truncated, but not before the agent has
        played; None for no limit.
      **options: Rule options, as in `load_game`.

    Raises:
      AlquerqueError: If the game, an option, the opponent or the seat is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str = "alquerque",
        opponent: Opponent = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        self.game = load_game(game, **options)
        self.seat = check_seat(seat)
        self.max_cycles = check_max_cycles(max_cycles)
        self.render_mode = check_render_mode(render_mode)
        self.plane_scale = plane_scale(self.game)
        self.observation_space = observation_space(self.game)
        self.action_space = action_space(self.game)
        self._opponent_spec = opponent
        self._choose = make_choose(
            load_bot(opponent, self.game, seed=0, tables=False) if isinstance(opponent, str) else opponent
        )
        self._view = PlayerView(self.game)
        self._renderer = Renderer(self.render_mode)
        self._match = Match(self.game)
        self._player = 0
        self._ended = True
        self._is_new = True

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins a new match; the opponent plays first if the agent's seat does not."""
        super().reset(seed=seed)
        if isinstance(self._opponent_spec, str) and (seed is not None or self._is_new):
            bot_seed = int(self.np_random.integers(2**31))
            self._choose = load_bot(self._opponent_spec, self.game, seed=bot_seed, tables=False).choose
        self._is_new = False
        self._player = int(self.np_random.integers(2)) if self.seat == "random" else int(self.seat)
        self._match = Match(self.game)
        self._ended = False
        self._answer(None)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the opponent's turns until the agent is to move again.

        Raises:
          AlquerqueError: If the action is not an integer.
          gymnasium.error.ResetNeeded: Where the match has not begun or has ended.
        """
        if self._ended:
            raise gymnasium.error.ResetNeeded("the match has not begun or has ended: call reset before step")
        try:
            self._match.push(_integer(action))
        except IllegalStepError:
            self._ended = True
            return self._observation(), -1.0, True, False, self._info()
        self._answer(self.max_cycles)
        terminated = self._match.is_over
        truncated = not terminated and self._has_lasted(self.max_cycles)
        self._ended = terminated or truncated
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._reward(), terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """int8 `[A]`, 1 for legal actions; all 0 when the match has ended."""
        mask = np.zeros(self.game.num_actions, np.int8)
        if not self._ended:
            mask[[step.action for step in self._match.legal_steps]] = 1
        return mask

    @property
    def match(self) -> Match:
        """The match so far."""
        return self._match.copy()

    def render(self) -> Any:
        """Draws the match: text, SVG text, uint8 `[H, W, 3]`, or in a window."""
        return self._renderer.draw(self._match)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()

    def _answer(self, limit: int | None) -> None:
        while not self._match.is_over and self._match.player != self._player and not self._has_lasted(limit):
            self._match.push(self._choose(self._match))

    def _has_lasted(self, limit: int | None) -> bool:
        return limit is not None and len(self._match.steps) >= limit

    def _reward(self) -> float:
        if self._match.outcome is None or self._match.outcome.winner is None:
            return 0.0
        return 1.0 if self._match.outcome.winner == self._player else -1.0

    def _observation(self) -> np.ndarray:
        earlier = self._match.occurrences() - 1 if self._match.chain is None else 0
        return self._view.observe(self._match.state, self._player, earlier)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "player": self._player}


def make_choose(opponent: Any) -> Callable[[Match], Any]:
    """The function by which an opponent chooses.

    Raises:
      AlquerqueError: If the opponent is neither a bot nor a function.
    """
    choose = getattr(opponent, "choose", opponent)
    if not callable(choose):
        raise AlquerqueError(f"opponent is {opponent!r}, expected a bot spec, a bot or a function from match to step")
    return choose


def _integer(action: Any) -> int:
    try:
        return as_integer(action)
    except TypeError:
        raise AlquerqueError(f"action is {action!r}, expected an integer") from None
