"""A match as a PettingZoo AEC environment.

| | |
|---|---|
| agents | `player_0` (South) and `player_1` (North); an agent that captures again acts again |
| action | an index into `game.actions`: one step, in the frame of the player to move |
| observation | `{"observation": int8 [C, P], "action_mask": int8 [A]}`, the same mask in `infos[agent]` |
| reward | 1 to the winner, -1 to the loser, 0 to both in a draw |

Each agent sees the board in its own frame, whether or not it is to move. The mask is all 0 for the agent that is not to
move, and for both when the match is over. A draw by the rules terminates, `max_cycles` truncates. Copies and pickles
keep the position.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ..batch.single import RESET, SingleMatch
from ..engine.observation_form import GRAPH, Form, observation_form
from ..errors import IllegalStepError, UnknownNameError
from ..game.array_check import as_integer
from ..game.game import Game, GameId
from ..game.outcomes import NOBODY, ONGOING
from ..match.match import Match
from ..match.position_text import format_position
from .arguments import action_space, check_max_cycles, game_with_options, observation_space, reset_arguments
from .render_modes import RENDER_FPS, RENDER_MODES, Rendered, check_render_mode

AGENTS = ("player_0", "player_1")
_SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}
VERSION = "v0"


def env(game: Game | GameId = "alquerque", **arguments: Any) -> AECEnv:
    """Makes the environment with PettingZoo's usual wrappers: an illegal action ends the match with reward -1.

    Example:
      >>> environment = env("fetaix")
      >>> environment.reset(seed=0)
      >>> observation, reward, termination, truncation, info = environment.last()
      >>> int(observation["action_mask"].sum())
      4

    Args:
      game: The game, its id, or the path of a game file.
      **arguments: As for `raw_env`: `render_mode`, `max_cycles`, `observation` and rule options.

    Returns:
      A PettingZoo environment of two agents that take turns.

    Raises:
      AlquerqueError: If an argument is wrong, as in `raw_env`.
    """
    return wrap(raw_env(game, **arguments))


def wrap(bare: AECEnv) -> AECEnv:
    """Adds PettingZoo's usual wrappers to an environment."""
    wrapped = wrappers.TerminateIllegalWrapper(bare, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


def raw_env(
    game: Game | GameId = "alquerque",
    render_mode: str | None = None,
    max_cycles: int | None = None,
    observation: str = "planes",
    max_points: int | None = None,
    max_links: int | None = None,
    **options: Any,
) -> "MatchEnv":
    """Makes the environment without wrappers: an illegal action raises `IllegalStepError` and changes nothing.

    Args:
      game: The game, its id, or the path of a game file.
      render_mode: "human", "rgb_array", "ansi", "svg" or None.
      max_cycles: Number of steps after which the match is truncated, each leap of a chain counted; None for no limit.
      observation: "planes", "grid", "flat" or "graph": the form of observations, see `ObservationForm` and `GraphForm`.
      max_points: Points of a graph, so that different games share one space; None for as many as the game has.
      max_links: Links of a graph, likewise.
      **options: Rule options, as in `load_game`.

    Raises:
      UnknownNameError: If there is no such game, option, value, render mode or form.
      RulesError: If the options contradict each other.
      AlquerqueError: If `max_cycles` is not a positive integer or None, or the board is not a grid.
    """
    loaded = game_with_options(game, options, raw_env)
    form = observation_form(loaded, observation, max_points, max_links)
    return MatchEnv(loaded, form, render_mode=render_mode, max_cycles=max_cycles)


class _KnownSinceReset:
    """An attribute that `reset` sets. Until then, reading it raises an error that says so.

    Unlike a `__getattr__`, this does not slow down other attributes.
    """

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, env: AECEnv | None, _owner: type) -> Any:
        raise AttributeError(f"no match has begun, so there is no {self._name!r}: call reset first")


class MatchEnv(Rendered, AECEnv):
    """One match of a game as an AEC environment; the module describes its spaces and rewards.

    The arguments are those of `raw_env`, with a loaded game and the form of its observations; None for planes.
    """

    agents: Any = _KnownSinceReset()
    agent_selection: Any = _KnownSinceReset()
    rewards: Any = _KnownSinceReset()
    terminations: Any = _KnownSinceReset()
    truncations: Any = _KnownSinceReset()
    infos: Any = _KnownSinceReset()

    def __init__(
        self, game: Game, form: Form | None = None, *, render_mode: str | None = None, max_cycles: int | None = None
    ) -> None:
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
        self._form = form = form or observation_form(game)
        self._is_graph = form.name == GRAPH
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": observation_space(form), "action_mask": spaces.Box(0, 1, (form.num_actions,), np.int8)}
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: action_space(form) for agent in AGENTS}
        self._play: Any = None
        self._begin(None)
        self._idle = np.zeros(form.num_actions, np.int8)
        self._is_unseen = False
        self.np_random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space:
        """Returns the space of an agent's observations, the same object at every call."""
        return self.observation_spaces[AGENTS[_seat(agent)]]

    def action_space(self, agent: str) -> spaces.Space:
        """Returns the space of an agent's actions, the same object at every call."""
        return self.action_spaces[AGENTS[_seat(agent)]]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new match.

        Args:
          seed: Seeds `np_random`; nothing else is random in these games.
          options: `position`: text of the position to begin in, as `Match.position` writes it; the start of the game by
            default. Other keys are ignored.

        Raises:
          PositionError: If this is not a position of the game, or one in which the match is over. Nothing is changed.
          AlquerqueError: If the options are no dictionary, or the seed is no natural number. Nothing is changed.
        """
        seed, first = reset_arguments(self.game, seed, options)
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._begin(first)
        self._update()
        self._show()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns the observation of an agent.

        Returns:
          `observation`, in the agent's own frame and in the chosen form, by default int8 `[C, P]`, and `action_mask`,
          int8 `[A]`, 1 for legal actions and all 0 unless the agent is to move.

        Raises:
          UnknownNameError: If there is no such agent.
        """
        play, player, form = self._play, _seat(agent), self._form
        # A wrapper may have ended a match that is not over by the rules.
        if player != play.player or self.terminations.get(agent, True):
            return {"observation": form(play.observe(player)), "action_mask": self._idle.copy()}
        if self._is_unseen:
            self._is_unseen = False
            return {"observation": form(play.observation), "action_mask": play.masks[1]}
        return {"observation": form(play.observe(player)), "action_mask": play.masks[0].copy()}

    def mask_matrix(self) -> np.ndarray:
        """Returns int8 `[P, P]`: 1 where the agent to move may step from the point of the row to that of the column.

        Points are in the frame of this agent; see `Game.mask_matrix`.
        """
        return self.game.mask_matrix(self._play.masks[0])

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move, or removes a finished agent.

        Args:
          action: Index into `game.actions`; None for an agent that is terminated or truncated.

        Raises:
          IllegalStepError: If the action is not legal. The match is unchanged.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._check(action)
        if self._is_graph:
            number = self._form.to_game(number)
        self._taken.append(number)
        self._cumulative_rewards[agent] = 0
        self._play.play(number)
        self._update()
        self._show()

    @property
    def match(self) -> Match:
        """The match since `reset`, as a new `Match`."""
        match = Match(self.game) if self._first is None else self._first.copy()
        for action in self._taken:
            match.push(action)
        return match

    @property
    def position(self) -> str:
        """The position as text."""
        state = [int(word) for word in self._play.state]
        return format_position(self.game.table.words, self.game.board.labels, state)

    def _begin(self, first: Match | None) -> None:
        """Begins a match, `first` or one at the start of the game."""
        self._first = first
        self._taken: list[int] = []
        if self._play is None:
            self._play = SingleMatch(self.game)
        else:
            self._play.play(RESET)
        if first is not None:
            self._play.begin_at(int(word) for word in first.state)

    def _check(self, action: Any) -> int:
        try:
            number = as_integer(action)
        except TypeError:
            raise IllegalStepError(f"action is {action!r}, expected an integer") from None
        play = self._play
        if not 0 <= number < len(self._idle) or not play.masks.item(number):
            raise IllegalStepError(f"action {number} is not legal for {self.agent_selection} in {self.position!r}")
        return number

    def _update(self) -> None:
        """Updates rewards, ends, infos and the agent to move from the engine."""
        play, outcome = self._play, self._play.outcome
        if self._is_graph:
            play.masks = self._form.mask(play.masks)
        if outcome == ONGOING and self.max_cycles is not None and len(self._taken) >= self.max_cycles:
            play.masks[:] = 0
            self.truncations = dict.fromkeys(AGENTS, True)
        if outcome != ONGOING:
            self.terminations = dict.fromkeys(AGENTS, True)
            if outcome & 3 != NOBODY:
                winner = AGENTS[outcome & 3]
                self.rewards = {agent: 1 if agent == winner else -1 for agent in AGENTS}
                self._accumulate_rewards()
        mover, other = AGENTS[play.player], AGENTS[1 - play.player]
        self.agent_selection = mover
        self.infos = {mover: {"action_mask": play.masks[2]}, other: {"action_mask": play.masks[3]}}
        self._is_unseen = True


def _seat(agent: str) -> int:
    try:
        return _SEATS[agent]
    except (KeyError, TypeError):
        raise UnknownNameError("agent", agent, AGENTS) from None
