"""Games as OpenSpiel games, so that its algorithms, tests and playthroughs run on them.

Example:
  from alquerque_env.adapters import openspiel

  openspiel.register()
  game = pyspiel.load_game("python_fetaix(chain=optional)")
  state = game.new_initial_state()

A chain of captures is several actions in a row by the same player. Actions are those of `Game.actions`, in the frame of
the player to move, and their texts are the steps. Observations are the planes of both players, each in its own frame.
"""

from typing import Any

import numpy as np

from ..errors import AlquerqueError
from ..game.game import Game, as_game, games, load_game
from ..game.observation_form import ObservationForm
from ..match.match import Match
from . import import_library

pyspiel = import_library("pyspiel", "open_spiel>=1.6.13")

MAX_GAME_LENGTH = 1000
"""OpenSpiel needs a limit. A match that reaches it is a draw. By random play no shipped game lasts so long."""


class OpenSpielGame(pyspiel.Game):
    """A game of this package as an OpenSpiel game.

    Args:
      game: The game, or its id.
      params: Parameters of OpenSpiel: rule options by name, and `max_game_length`.

    Attributes:
      game: The game with these options.

    Raises:
      UnknownNameError: If there is no such game, option or value.
      RulesError: If the options contradict each other.
    """

    def __init__(self, game: Game | str, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        length = int(given.pop("max_game_length", MAX_GAME_LENGTH))
        if length < 1:
            raise AlquerqueError(f"max_game_length is {length}, expected at least 1")
        chosen = as_game(game)
        self.game = chosen.with_options(**given) if given else chosen
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=length,
        )
        super().__init__(game_type(self.game), info, params or {})

    def new_initial_state(self, state: Any = None) -> "OpenSpielState":
        """Returns the start of the game.

        Raises:
          AlquerqueError: If a state is given: states are set by `OpenSpielState.match`.
        """
        if state is not None:
            raise AlquerqueError("a state cannot be made from a struct: play its actions, or set its match")
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Returns what writes observations."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.game, params)
        observation = import_library("open_spiel.python.observation", "open_spiel>=1.6.13")
        return observation.IIGObserverForPublicInfoGame(iig_obs_type, params)


class OpenSpielState(pyspiel.State):
    """A match as an OpenSpiel state."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._length = game.max_game_length()
        self.match = Match(game.game)

    @property
    def match(self) -> Match:
        """The match. To change the state, set another one or apply actions: do not push steps onto this one."""
        return self._match

    @match.setter
    def match(self, match: Match) -> None:
        self._match = match
        self._count = len(match.steps)
        self._update()

    def current_player(self) -> int:
        """Returns the player to move, or TERMINAL."""
        return self._player

    def is_terminal(self) -> bool:
        """Returns whether the match has ended, by the rules or by its length."""
        return self._is_over

    def returns(self) -> list[float]:
        """Returns 1 for the winner and -1 for the loser, 0 in a draw and while the match is in progress."""
        outcome = self.match.outcome
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == 0 else [-1.0, 1.0]

    def _legal_actions(self, player: int) -> list[int]:
        return [] if player != self._player else [step.action for step in self._match.legal_steps]

    def _apply_action(self, action: int) -> None:
        self._match.push(action)
        self._count += 1
        self._update()

    def _update(self) -> None:
        """Notes who is to move: OpenSpiel asks for it several times at every step."""
        self._is_over = self._match.is_over or self._count >= self._length
        self._player = int(pyspiel.PlayerId.TERMINAL) if self._is_over else self._match.player

    def _action_to_string(self, player: int, action: int) -> str:
        step = self.match.game.steps[player][action]
        return "pass" if step is None else step.text

    def __str__(self) -> str:
        return self.match.position


class _Observer:
    """Writes observations, as OpenSpiel's observers do.

    Attributes:
      tensor: float32 `[C * P]`, the planes, each divided by its maximum.
      dict: `observation`, the same memory as `[C, P]`.
    """

    def __init__(self, game: Game, params: dict[str, Any] | None) -> None:
        if params:
            raise AlquerqueError(f"observations have no parameters, not {params}")
        self._form = ObservationForm(game, "flat")
        self.tensor = np.zeros(self._form.shape, np.float32)
        self.dict = {"observation": self.tensor.reshape(self._form.scale.shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Writes what a player sees of a state."""
        self.tensor[:] = self._form(state.match.observation(player))

    def string_from(self, state: OpenSpielState, _player: int) -> str:
        """Returns the position as text, which is the same for both players."""
        return state.match.position


def game_type(game: Game) -> Any:
    """Returns OpenSpiel's description of a game, with its options as parameters."""
    return pyspiel.GameType(
        short_name=short_name(game.name),
        long_name=game.name.replace("_", " ").title(),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**game.options, "max_game_length": MAX_GAME_LENGTH},
    )


def short_name(game: str) -> str:
    """Returns the name by which OpenSpiel loads a game."""
    return f"python_{game}"


def register() -> tuple[str, ...]:
    """Registers every game with OpenSpiel; has no effect when called again.

    Returns:
      The names by which `pyspiel.load_game` loads them.
    """
    known = set(pyspiel.registered_names())
    for name in games():
        if short_name(name) not in known:
            pyspiel.register_game(game_type(load_game(name)), _class_of(name))
    return tuple(map(short_name, games()))


def _class_of(name: str) -> type[OpenSpielGame]:
    """Returns the class of a game. OpenSpiel keeps it to the end of the process, where it cannot delete a function."""

    class RegisteredGame(OpenSpielGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(name, params)

    return RegisteredGame
