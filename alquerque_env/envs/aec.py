"""A match as a PettingZoo AEC environment.

| | |
|---|---|
| agents | `player_0` (South) and `player_1` (North); an agent that captures again acts again |
| action | an index into `game.actions`: one step, in the frame of the player to move |
| observation | `{"observation": int8 [C, P], "action_mask": int8 [A]}`, the same mask in `infos[agent]` |
| reward | 1 to the winner, -1 to the loser, 0 to both in a draw |

An agent sees the board in its own frame, whoever is to move. The mask is all 0 for the agent that is not to move and
when the match is over. A draw by the rules terminates; `max_cycles` sub-steps truncate. Copies and pickles keep the
position.
"""

from operator import index as as_integer
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ..batch.single import RESET, SingleMatch
from ..errors import IllegalStepError
from ..game import table_layout as e
from ..game.game import Game, load_game
from ..match.match import Match
from ..match.position_text import format_position
from .arguments import check_max_cycles
from .render_modes import RENDER_FPS, RENDER_MODES, Renderer, check_render_mode
from .spaces import action_space, observation_space

AGENTS = ("player_0", "player_1")
VERSION = "v0"


def env(game: str = "alquerque", **arguments: Any) -> AECEnv:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the match with reward -1.

    Args:
      game: The game's id.
      **arguments: As `raw_env`.
    """
    return wrap(raw_env(game, **arguments))


def wrap(bare: AECEnv) -> AECEnv:
    """Puts PettingZoo's usual wrappers round an environment."""
    wrapped = wrappers.TerminateIllegalWrapper(bare, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


def raw_env(
    game: str = "alquerque", render_mode: str | None = None, max_cycles: int | None = None, **options: Any
) -> "MatchEnv":
    """The environment without wrappers: an illegal action raises `IllegalStepError` and changes nothing.

    Args:
      game: The game's id.
      render_mode: "human", "rgb_array", "ansi", "svg" or None.
      max_cycles: Number of sub-steps after which the match is truncated; None for no limit.
      **options: Rule options, as in `load_game`.

    Raises:
      AlquerqueError: If the game, an option or an argument is wrong.
    """
    return MatchEnv(load_game(game, **options), render_mode=render_mode, max_cycles=max_cycles)


class MatchEnv(AECEnv):
    """One match of a game. See the module."""

    def __init__(self, game: Game, *, render_mode: str | None = None, max_cycles: int | None = None) -> None:
        super().__init__()
        self.game = game
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": f"{game.name}_{VERSION}",
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.render_mode = check_render_mode(render_mode)
        self.max_cycles = check_max_cycles(max_cycles)
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: _observation_space(game) for agent in AGENTS}
        self.action_spaces = {agent: action_space(game) for agent in AGENTS}
        self._play = SingleMatch(game)
        self._idle = np.zeros(game.num_actions, np.int8)
        self._renderer = Renderer(self.render_mode)
        self._taken: list[int] = []
        self._is_unseen = False
        self.np_random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begins a new match. The games have no chance in them, so the seed changes nothing but `np_random`."""
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._taken = []
        self._play.play(RESET)
        self._show()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees, in its own frame; the mask is all 0 unless the agent is to move."""
        play, player = self._play, AGENTS.index(agent)
        # A wrapper may end a match that the rules do not.
        if player != play.player or self.terminations.get(agent, True):
            return {"observation": play.observe(player), "action_mask": self._idle.copy()}
        if self._is_unseen:
            self._is_unseen = False
            return {"observation": play.observation, "action_mask": play.masks[1]}
        return {"observation": play.observe(player), "action_mask": play.masks[0].copy()}

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move, or takes a finished agent out by None.

        Raises:
          IllegalStepError: If the action is not legal; nothing is changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._check(action)
        self._taken.append(number)
        self._cumulative_rewards[agent] = 0
        self._play.play(number)
        self._show()
        if self.render_mode == "human":
            self.render()

    @property
    def match(self) -> Match:
        """The match so far, as people see it."""
        match = Match(self.game)
        for action in self._taken:
            match.push(action)
        return match

    @property
    def position(self) -> str:
        """The position as text."""
        state = [int(word) for word in self._play.state]
        return format_position(self.game.table.words, self.game.board.labels, state)

    def render(self) -> Any:
        """Draws the match: text, SVG text, uint8 `[H, W, 3]`, or in a window."""
        return self._renderer.draw(self.match)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()

    def _check(self, action: Any) -> int:
        try:
            number = as_integer(action)
        except TypeError:
            raise IllegalStepError(f"action is {action!r}, expected an integer") from None
        play = self._play
        if not 0 <= number < play.num_actions or not play.masks[0, number]:
            raise IllegalStepError(f"action {number} is not legal for {self.agent_selection} in {self.position!r}")
        return number

    def _show(self) -> None:
        """Takes over what the engine tells."""
        play, outcome = self._play, self._play.outcome
        if outcome == e.ONGOING and self.max_cycles is not None and len(self._taken) >= self.max_cycles:
            play.masks[:] = 0
            self.truncations = dict.fromkeys(AGENTS, True)
        if outcome != e.ONGOING:
            self.terminations = dict.fromkeys(AGENTS, True)
            if outcome & 3 != e.NOBODY:
                winner = AGENTS[outcome & 3]
                self.rewards = {agent: 1 if agent == winner else -1 for agent in AGENTS}
                self._accumulate_rewards()
        mover, other = AGENTS[play.player], AGENTS[1 - play.player]
        self.agent_selection = mover
        self.infos = {mover: {"action_mask": play.masks[2]}, other: {"action_mask": play.masks[3]}}
        self._is_unseen = True


def _observation_space(game: Game) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": observation_space(game),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )
