"""A match against an opponent as a Gymnasium environment for one agent."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from ..bots import Bot, load_bot
from ..engine.observation_form import observation_form
from ..errors import AlquerqueError, BotError, IllegalStepError, NotationError
from ..game.array_check import as_integer
from ..game.game import Game, GameId
from ..game.planes import plane_scale
from ..game.step import Step
from ..match.match import Match
from .arguments import action_space, check_max_cycles, game_with_options, observation_space, reset_arguments
from .render_modes import RENDER_FPS, RENDER_MODES, Rendered, check_render_mode

Opponent = str | Bot | Callable[[Match], "Step | int | str"]
"""A bot spec, an object with `choose(match)`, or a function that returns a legal step or the text of a turn."""
Opponents = Opponent | Sequence[Opponent]  # one opponent, or several of which one is drawn for each match


def _actions_of(match: Match, answer: Any) -> list[int]:
    """Returns the actions of an answer: a step, its action, or the text of a turn."""
    if isinstance(answer, Step) and answer in match.legal_steps:
        return [answer.action]
    ahead = match.copy()
    ahead.push(answer)
    return [step.action for step in ahead.steps[len(match.steps) :]]


def _choose_one_by_one(choose: Callable[[Match], Any], matches: Sequence[Match]) -> list[Any]:
    return [choose(match) for match in matches]


class AgainstOpponent:
    """What the single and the batched environment against an opponent share: their arguments, checked."""

    def __init__(
        self, game: Game | GameId, opponent: Opponents, seat: int | str, max_cycles: int | None, options: dict[str, Any]
    ) -> None:
        self.game = game_with_options(game, options, type(self))
        is_number = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
        if seat != "random" and not (is_number and seat in (0, 1)):
            raise AlquerqueError(f"seat is {seat!r}, expected 0, 1 or 'random'")
        self.seat = seat
        self.max_cycles = check_max_cycles(max_cycles)
        self._is_pool = isinstance(opponent, Sequence) and not isinstance(opponent, str)
        self._opponents: list[Any] = list(opponent) if self._is_pool else [opponent]  # type: ignore[arg-type]
        if not self._opponents:
            raise AlquerqueError("opponent is an empty list, expected at least one opponent")
        self._choosers = [self._make_choose(each, 0) for each in self._opponents]

    def _seed_opponents(self, generator: np.random.Generator) -> None:
        """Loads the bots that are named by their specs again, each with a seed of its own."""
        for number, opponent in enumerate(self._opponents):
            if isinstance(opponent, str):
                self._choosers[number] = self._make_choose(opponent, int(generator.integers(2**31)))

    def _ask(self, number: int, matches: Sequence[Match], places: Sequence[int] | None = None) -> list[list[int]]:
        """Returns what an opponent plays in several matches: an action, or the actions of a turn.

        Errors name a match by its place in the batch, if it has `places`: `BotError` if it does not answer once for
        each match, `IllegalStepError` or `NotationError` if an answer is not a legal step or turn.
        """
        answers = list(self._choosers[number](matches))
        if len(answers) != len(matches):
            raise BotError(f"the opponent gave {len(answers)} answers in {len(matches)} matches, expected one for each")
        played = []
        for index, (match, answer) in enumerate(zip(matches, answers, strict=True)):
            try:
                played.append(_actions_of(match, answer))
            except (IllegalStepError, NotationError) as error:
                kind = NotationError if isinstance(error, NotationError) else IllegalStepError
                where = "" if places is None else f" of match {places[index]}"
                raise kind(f"the opponent{where} answered wrongly: {error}") from None
        return played

    def _make_choose(self, opponent: Any, seed: int) -> Callable[[Sequence[Match]], Sequence[Any]]:
        """The function by which an opponent chooses in several matches at once; bots from specs get the seed."""
        if isinstance(opponent, str):
            opponent = load_bot(opponent, self.game, seed=seed, tables=False)
        choose = getattr(opponent, "choose", opponent)
        if not callable(choose):
            expected = "a bot spec, a bot or a function from match to step, or a list of these"
            raise AlquerqueError(f"opponent is {opponent!r}, expected {expected}")
        many: Any = getattr(opponent, "choose_many", None)
        return many or partial(_choose_one_by_one, choose)


class VersusEnv(AgainstOpponent, Rendered, gymnasium.Env):
    """One player's side of a match. The opponent plays its turns within `reset` and `step`.

    | | |
    |---|---|
    | observation | int8 `[C, P]`, in the frame of the agent's player; `alquerque describe` lists the planes |
    | action | an index into `game.actions`: one step of the agent; an illegal one loses the match |
    | reward | float: 1 for a win, -1 for a loss, 0 for a draw and while the match is in progress |
    | `info["action_mask"]` | int8 `[A]`, 1 for legal actions; all 0 when the match has ended |
    | `info["player"]` | int, the agent's player |
    | `info["opponent"]` | int, the place of the match's opponent in the list of opponents; only if there is a list |

    A draw by the rules terminates, `max_cycles` truncates.

    Args:
      game: The game, its id, or the path of a game file.
      opponent: Bot spec, bot, or function from a `Match` to a legal step; plays the other side. From a list of these
        one is drawn at every reset.
      seat: 0 or 1, the agent's player, or "random" to draw it at every reset.
      render_mode: "human", "rgb_array", "ansi", "svg" or None.
      max_cycles: Number of steps of both sides after which the match is truncated, but not before the agent has
        played; None for no limit.
      observation: "planes", "grid", "flat" or "graph": the form of observations, see `ObservationForm` and `GraphForm`.
      max_points: Points of a graph, so that different games share one space; None for as many as the game has.
      max_links: Links of a graph, likewise.
      **options: Rule options, as in `load_game`.

    Raises:
      UnknownNameError: If there is no such game, option, value, bot, render mode or form.
      RulesError: If the options contradict each other.
      AlquerqueError: If another argument is wrong.
      BotError: If the opponent cannot play the game.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: Game | GameId = "alquerque",
        opponent: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        max_cycles: int | None = None,
        observation: str = "planes",
        max_points: int | None = None,
        max_links: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(game, opponent, seat, max_cycles, options)
        self.plane_scale = plane_scale(self.game)
        self.render_mode = check_render_mode(render_mode)
        self._form = observation_form(self.game, observation, max_points, max_links)
        self.observation_space = observation_space(self._form)
        self.action_space = action_space(self._form)
        self._match = Match(self.game)
        self._player = 0
        self._drawn = 0
        self._ended = True
        self._is_new = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins a new match. The opponent plays first if the agent's player does not.

        Args:
          seed: Seeds the draws of the seat and of the opponent, and the opponents that are bot specs.
          options: `position`: text of the position to begin in, as `Match.position` writes it; the start of the game by
            default. If the opponent is to move there, it may end the match before the agent has played: then no action
            is legal, and the next `step` ignores its action and returns the result. Other keys are ignored.

        Returns:
          `(observation, info)`.

        Raises:
          PositionError: If this is not a position of the game, or one in which the match is over. Nothing is changed.
          AlquerqueError: If the options are no dictionary, or the seed is no natural number. Nothing is changed.
        """
        seed, first = reset_arguments(self.game, seed, options)
        super().reset(seed=seed)
        if seed is not None or self._is_new:
            self._seed_opponents(self.np_random)
        self._is_new = False
        self._player = int(self.np_random.integers(2)) if self.seat == "random" else int(self.seat)
        if self._is_pool:
            self._drawn = int(self.np_random.integers(len(self._opponents)))
        self._match = first or Match(self.game)
        self._ended = True  # stays so if the opponent fails
        self._answer(None)
        self._ended = False
        self._show()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the opponent's turns until the agent is to move again.

        Args:
          action: Index into `game.actions`. An illegal action ends the match as lost.

        Returns:
          `(observation, reward, terminated, truncated, info)`.

        Raises:
          AlquerqueError: If the action is not an integer. The match is unchanged.
          BotError, IllegalStepError, NotationError: If the opponent fails, or does not answer with a legal step. The
            environment must be reset then.
          gymnasium.error.ResetNeeded: If the match has not begun or has ended.
        """
        if self._ended:
            raise gymnasium.error.ResetNeeded("the match has not begun or has ended: call reset before step")
        try:
            number = self._form.to_game(as_integer(action))
            if not self._match.is_over:
                self._match.push(number)
        except TypeError:
            raise AlquerqueError(f"action is {action!r}, expected an integer") from None
        except IllegalStepError:
            self._ended = True
            return self._observation(), -1.0, True, False, self._info()
        self._ended = True  # stays so if the opponent fails
        self._answer(self.max_cycles)
        terminated = self._match.is_over
        truncated = not terminated and self._has_lasted(self.max_cycles)
        self._ended = terminated or truncated
        self._show()
        winner = None if self._match.outcome is None else self._match.outcome.winner
        reward = 0.0 if winner is None else 1.0 if winner == self._player else -1.0
        return self._observation(), reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """Returns int8 `[A]`, 1 for legal actions; all 0 when the match has ended."""
        mask = np.zeros(self.game.num_actions, np.int8) if self._ended else self._match.action_mask()
        return self._form.mask(mask)

    def mask_matrix(self) -> np.ndarray:
        """Returns int8 `[P, P]`: 1 where the agent may step from the point of the row to that of the column.

        Points are in the frame of the agent; see `Game.mask_matrix`.
        """
        return self.game.mask_matrix(self.action_masks())

    @property
    def match(self) -> Match:
        """A copy of the match so far."""
        return self._match.copy()

    def _answer(self, limit: int | None) -> None:
        while not self._match.is_over and self._match.player != self._player and not self._has_lasted(limit):
            (actions,) = self._ask(self._drawn, [self._match])
            for action in actions:
                self._match.push(action)

    def _has_lasted(self, limit: int | None) -> bool:
        return limit is not None and len(self._match.steps) >= limit

    def _observation(self) -> Any:
        return self._form(self._match.observation(self._player))

    def _info(self) -> dict[str, Any]:
        drawn = {"opponent": self._drawn} if self._is_pool else {}
        return {"action_mask": self.action_masks(), "player": self._player, **drawn}
