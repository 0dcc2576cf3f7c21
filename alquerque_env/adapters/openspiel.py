"""Games as OpenSpiel games, so that its algorithms, tests and playthroughs run on them.

Example:
  from alquerque_env.adapters import openspiel

  openspiel.register()
  game = pyspiel.load_game("python_fetaix(chain=optional)")
  own = openspiel.OpenSpielGame("my_game.toml")
  state = game.new_initial_state()

A chain of captures is several actions in a row by the same player. Actions are those of `Game.actions`, in the frame of
the player to move, and their texts are the steps. Observations are the planes of both players, each in its own frame.

A game from a file has a name of its own, `short_name(game)`: `python_` with its id and a hash. OpenSpiel knows it in
the processes in which an `OpenSpielGame` of it was made or unpickled.

A parameter of OpenSpiel has one type. That of an option with numbers, such as `no_progress_limit`, is a number, and 0
stands for "off".
"""

import hashlib
from typing import Any

import numpy as np

from ..engine.observation_form import ObservationForm
from ..errors import AlquerqueError
from ..game.array_check import check_at_least, python_number
from ..game.game import Game, GameId, as_game, games, load_game, load_text
from ..game.options import OptionValue
from ..match.match import Match
from ..match.replay import first_position
from . import import_library

__all__ = ["OpenSpielGame", "OpenSpielState", "register", "short_name"]

pyspiel = import_library("pyspiel", "open_spiel>=1.6.13")

MAX_GAME_LENGTH = 1000
"""OpenSpiel needs a limit. A match that reaches it is a draw. By random play no shipped game lasts so long."""


class OpenSpielGame(pyspiel.Game):
    """A game of this package as an OpenSpiel game.

    Args:
      game: The game, its id, or the path of a game file.
      params: Parameters of OpenSpiel: rule options by name, with 0 or "off" for no limit, and `max_game_length`.

    Attributes:
      game: The game with these options.

    Raises:
      UnknownNameError: If there is no such game, option or value.
      RulesError: If the options contradict each other.
      AlquerqueError: If the game is neither one of the package nor from a file: OpenSpiel makes copies by name.
    """

    def __init__(self, game: Game | GameId, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        length = check_at_least(1, "max_game_length", given.pop("max_game_length", MAX_GAME_LENGTH))
        chosen = as_game(game)
        options = {name: _option(chosen, name, value) for name, value in given.items()}
        self.game = chosen.with_options(**options) if options else chosen
        _register(self.game)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=length,
        )
        stated = {name: _parameter(self.game, name) for name in self.game.chosen_options}
        super().__init__(game_type(self.game), info, {**stated, "max_game_length": length})

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.game.name, self.game.file_text, str(self))

    def new_initial_state(self, state: Any = None) -> "OpenSpielState":
        """Returns the start of the game, or another state from the text of its position, as `str(state)` writes it.

        Raises:
          PositionError: If the text is not a position of the game.
          AlquerqueError: If anything else is given, such as a struct.
        """
        if state is not None and not isinstance(state, str):
            raise AlquerqueError("a state cannot be made from a struct: give the text of its position")
        begun = OpenSpielState(self)
        if state is not None:
            begun.match = Match(self.game, state)
        return begun

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
        game = self.get_game().game
        if match.game.table_hash != game.table_hash:
            raise AlquerqueError(f"the match is of {match.game!r}, expected one of {game!r}")
        self._match = match
        begun = first_position(match)
        is_start = begun is None and not match.steps
        self._set = "" if is_start else " ".join([begun or Match(game).position, *(step.text for step in match.steps)])
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

    def information_state_string(self, player: int | None = None) -> str:
        """Returns the actions so far; after the start and the steps of a match that has been set, if there is one."""
        told: str = super().information_state_string(*([] if player is None else [player]))
        return " ".join(filter(None, [self._set, told]))

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
        short_name=short_name(game),
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
        parameter_specification={
            **{name: _parameter(game, name) for name in game.options},
            "max_game_length": MAX_GAME_LENGTH,
        },
    )


def short_name(game: Game) -> str:
    """Returns the name by which OpenSpiel loads a game; that of a game from a file ends with a hash of the file."""
    if not game.file_text:
        return f"python_{game.name}"
    return f"python_{game.name.replace('-', '_')}_{hashlib.sha256(game.file_text.encode()).hexdigest()[:8]}"


def register() -> tuple[str, ...]:
    """Registers every game of the package with OpenSpiel; has no effect when called again.

    A game from a file is registered when an `OpenSpielGame` of it is made.

    Returns:
      The names by which `pyspiel.load_game` loads them.
    """
    return tuple(_register(load_game(name)) for name in games())


def _register(game: Game) -> str:
    """Registers a game, unless OpenSpiel has it; returns its name there. Refuses one that copies would not equal."""
    base = load_text(game.name, game.file_text)
    if game != base.with_options(**game.options):
        raise AlquerqueError(
            f"OpenSpiel copies games by their names, and {game!r} has other rules than the game of this name: write it "
            "to a file, and load that"
        )
    name = short_name(base)
    if name not in pyspiel.registered_names():
        pyspiel.register_game(game_type(base), _class_of(base))
    return name


def _load(name: str, file_text: str, text: str) -> OpenSpielGame:
    """Loads a game from its text; the process may not know it yet."""
    _register(load_text(name, file_text))
    game: OpenSpielGame = pyspiel.load_game(text)
    return game


def _parameter(game: Game, name: str) -> OptionValue:
    """Returns the value of an option as OpenSpiel has it."""
    value = game.options[name]
    return 0 if value == "off" and "N" in game.option_table[name].values else value


def _option(game: Game, name: str, value: Any) -> Any:
    """Returns the value of a parameter as this package has it."""
    known = game.option_table.get(name)
    value = python_number(value)
    return "off" if type(value) is int and value == 0 and known is not None and "N" in known.values else value


def _class_of(game: Game) -> type[OpenSpielGame]:
    """Returns the class of a game. OpenSpiel keeps it to the end of the process, where it cannot delete a function."""

    class RegisteredGame(OpenSpielGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(game, params)

    return RegisteredGame
