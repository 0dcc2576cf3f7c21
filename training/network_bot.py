"""What the bots of all checkpoints share, whatever evaluates their networks. Needs no torch."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from alquerque_env import layout as e
from alquerque_env.bots.bot import GameBot, step_of
from alquerque_env.errors import BotError
from alquerque_env.game import Game
from alquerque_env.match import Match, Step
from alquerque_env.search import PUCT, BatchSearch, Rule
from alquerque_env.storage import JIT, word_rows
from training.player.choosing import Chooser
from training.player.position import Position
from training.puct import EXPLORATION, MAX_SIMULATIONS

# Searched together: more matches would only need more room, and so would more nodes of all their trees.
MOST_MATCHES, MOST_NODES = 128, 60_000


class Evaluator(Protocol):
    """Policies and values by a network, in double precision."""

    def __call__(self, position: Position) -> tuple[Sequence[float], float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""

    def evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From int8 `[R, C, P]` observations to float64 `[R, A]` logits and `[R]` values for the player to move."""


class NetworkBot(GameBot):
    """Plays by a network: by its policy alone, or by a search with its policy and value. Deterministic.

    Args:
      name: Its spec.
      game: What it plays.
      evaluate: Policies and values.
      simulations: How many for a step, 0 for the policy alone.
      seed: As for every bot; nothing is left to chance here.
    """

    def __init__(self, name: str, game: Game, evaluate: Evaluator, simulations: int, seed: int | None = None) -> None:
        super().__init__(name, game, seed)
        self._evaluator = evaluate
        self._chooser = Chooser(evaluate, simulations)
        self._tree: BatchSearch | None = None
        self._together = max(1, min(MOST_MATCHES, MOST_NODES // (simulations + 1)))

    def choose_many(self, matches: Sequence[Match]) -> list[Step]:
        """A step for each of several matches, as `choose`, but the network is asked for all of them at once.

        Raises:
          BotError: As `choose`.
        """
        # Where repetition counts, a search of one match goes through forced steps and this one does not.
        if not JIT or len(matches) < 2 or self.game.table.words[e.T_THREEFOLD]:
            return super().choose_many(matches)
        for match in matches:
            self._check(match)
        steps = [match.legal_steps[0] for match in matches]
        open_ones = [number for number, match in enumerate(matches) if len(match.legal_steps) > 1]
        for first in range(0, len(open_ones), self._together):
            chosen = open_ones[first : first + self._together]
            actions = self._search([matches[number] for number in chosen])
            for number, action in zip(chosen, actions, strict=True):
                steps[number] = step_of(matches[number], action)
        return steps

    def _search(self, matches: list[Match]) -> list[int]:
        simulations = self._chooser.simulations
        if self._tree is None:
            self._tree = BatchSearch(self.game, self._together, simulations, Rule(kind=PUCT, exploration=EXPLORATION))
        states = word_rows(len(matches), len(matches[0].state))
        room = max(len(match.steps) for match in matches) + 2
        past = word_rows(len(matches), room)
        for row, match in enumerate(matches):
            states[row][:] = match.state
            past[row][:] = match.keys(room)
        found = self._tree.run(states, past, self._evaluator.evaluate, simulations)
        return [int(action) for action in found.actions]

    def evaluate(self, match: Match) -> tuple[dict[str, float], float]:
        """What it thinks of a match that is not over.

        Returns:
          The probability of each legal step by its text, and the value for the player to move, in [-1, 1].

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        decision = self._chooser.decide(match)
        steps = (step.text for step in match.legal_steps)
        return dict(zip(steps, decision.policy, strict=True)), decision.value

    def _decide(self, match: Match) -> Step:
        return self._chooser.choose_step(match)


def check_simulations(simulations: int | None) -> int:
    """The number of simulations, 0 for None.

    Raises:
      BotError: If it is out of range.
    """
    simulations = 0 if simulations is None else simulations
    if isinstance(simulations, bool) or not isinstance(simulations, int) or not 0 <= simulations <= MAX_SIMULATIONS:
        raise BotError(f"simulations is {simulations!r}, expected a whole number from 0 to {MAX_SIMULATIONS}")
    return simulations


def make_name(name: object, simulations: int) -> str:
    """The spec of a bot, by its path or name."""
    return f"{name}:{simulations}" if simulations else str(name)
