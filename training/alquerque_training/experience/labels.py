"""Labels: positions with the values of all actions, by a table or by a search, for a network to learn from.

`TableLabels` gives the exact values of a table, and `TablePositions` draws positions to
label with it; `SearchLabels` gives the values of an alpha-beta search, in whatever positions a learner meets.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from alquerque_env.arena.exact_errors import ILLEGAL
from alquerque_env.batch.batch import PLAY, RESET, StepResult
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.outcomes import ONGOING
from alquerque_env.search.alphabeta_batch import MOST_NODES, BatchAlphaBeta, scores_to_values
from alquerque_env.search.pattern_kernels import NO_PATTERNS, PatternArrays
from alquerque_env.solve.proved_steps import present_proof
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.table import present_table
from alquerque_env.solve.tables.whole import whole_command, whole_table
from alquerque_training.config.settings import ConfigError
from alquerque_training.experience.replay_buffer import MAX_CHOICES, Positions
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator

_FAR = 1 << 16  # more plies than any distance
_NO_SEAT = -1

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The learner's actions, `[N]`, for int8 `[N, C, P]` observations and an int8 `[N, A]` mask of legal actions."""


class Labels(NamedTuple):
    """`N` positions and what a source says of them, all for the player to move.

    Attributes:
      seen: What the players observe.
      values: `[N, A]`, in [-1, 1], of each action; `ILLEGAL` for actions that are not legal.
      value: float32 `[N]`, of the position.
      policy: float32 `[N, A]`, probabilities to learn.
      best: int64 `[N]`, the action that the source plays: of equal values the quickest win or the slowest loss.
    """

    seen: StepResult
    values: np.ndarray
    value: np.ndarray
    policy: np.ndarray
    best: np.ndarray

    @property
    def is_critical(self) -> np.ndarray:
        """Bool `[N]`, whether some action loses value."""
        lost: np.ndarray = ((self.seen.mask == 1) & (self.values < self.values.max(1, keepdims=True))).any(1)
        return lost


class TableLabels:
    """Exact values, without the no-progress limit, of the table of a whole game, or of a smaller one with a proof.

    Args:
      game: A game.
      discount: Factor of a value for each ply before the end.
      haste: How much quick wins and slow losses are preferred: by a factor of e for each ply and unit.
      expand: Whether all values are worked out at once.
      table: The table of the whole game; None for the one of the package or of the user.

    Attributes:
      table: The table.
      proof: The proof of the start, if the table has not the whole game.

    Raises:
      ConfigError: If there is no such table.
    """

    def __init__(
        self,
        game: Game,
        discount: float,
        haste: float,
        *,
        expand: bool = False,
        table: EndgameTable | None = None,
    ) -> None:
        table = table or whole_table(game)
        self.proof = None if table else present_proof(game)[0]
        if table is None and self.proof is not None:
            table = present_table(game)
        if table is None:
            raise ConfigError(
                f"run.algorithm is 'exact', which learns from the table of a whole game, and there is none of "
                f"{game.name}: build it with {whole_command(game)}, or where a proof of the start is known a smaller "
                f"one with --pieces in place of --whole, or set another algorithm"
            )
        if expand:
            table.expand(1)
        else:
            table.load()
        self.table, self.game = table, game
        self._discount, self._haste = discount, haste

    def label(self, states: np.ndarray) -> Labels:
        """Labels states that are not over, int64 `[N, S]`."""
        seen = make_batch(self.game, len(states)).set(states)
        found = self.table.action_values(states, clockless=True)
        values = np.where(seen.mask == 1, found.value, ILLEGAL)
        best = values.max(1)
        keeps = values == best[:, None]
        # From the side of who keeps the value: plies to a win count against an action, and plies to a loss for it.
        plies = np.where(keeps, np.maximum(found.distance, 0) * best[:, None], _FAR)
        weights = np.exp(-self._haste * (plies - plies.min(1, keepdims=True))) * keeps
        policy = (weights / weights.sum(1, keepdims=True)).astype(np.float32)
        value = (best * self._discount ** np.abs(plies.min(1))).astype(np.float32)
        return Labels(seen, values, value, policy, plies.argmin(1))


class SearchLabels:
    """Values of an alpha-beta search.

    Args:
      game: A game.
      depth: Turns to look ahead, that of the action included.
      temperature: Of the policy, a softmax of the values.
      table: An endgame table whose values are exact, or None.
      patterns: As in `AlphaBetaBot`.
      most_nodes: As in `BatchAlphaBeta`.
    """

    def __init__(
        self,
        game: Game,
        depth: int,
        temperature: float,
        table: EndgameTable | None = None,
        patterns: PatternArrays = NO_PATTERNS,
        *,
        most_nodes: int = MOST_NODES,
    ) -> None:
        self._game, self._temperature = game, temperature
        self._search = BatchAlphaBeta(game, depth, table, patterns, most_nodes=most_nodes)

    def label(self, states: np.ndarray, past: np.ndarray) -> Labels:
        """Labels states that are not over, int64 `[N, S]`; `past` are hashes since the last progress, `[N, K]`."""
        seen = make_batch(self._game, len(states)).set(states)
        scores, legal = self._search.run(states, past), seen.mask == 1
        values = np.where(legal, scores_to_values(scores), ILLEGAL)
        best = values.max(1, keepdims=True)
        weights = np.where(legal, np.exp((values - best) / self._temperature), 0)
        policy = weights / weights.sum(1, keepdims=True)
        # Of equal values, a sooner win has the greater score, and so has a later loss.
        chosen = scores.argmax(1)
        return Labels(seen, values, best[:, 0].astype(np.float32), policy.astype(np.float32), chosen)


class TablePositions:
    """Draws labelled positions: from matches, and uniformly from the table.

    Each player of a match plays exactly but for random steps, whose share is drawn for it when the match begins. In
    some matches the learner plays one of the seats, so that positions arise as they do against it: imitation with the
    learner's own positions (Ross, Gordon and Bagnell 2011, arXiv:1011.0686, DAgger). Uniform positions have a random
    count of plies without progress, so that a player learns to play on whatever the count is. Matches need the table of
    the whole game.

    Args:
      labels: Labels the positions.
      matches: Matches at once.
      steps: Steps in each of them for a draw.
      uniform: Positions drawn uniformly in a draw.
      own_share: Share of the matches in which the learner plays one seat.
      uncritical_share: Share of the positions in which no action loses value that is kept.
      seed: Of all random numbers.
    """

    def __init__(
        self,
        labels: TableLabels,
        *,
        matches: int,
        steps: int,
        uniform: int,
        own_share: float,
        uncritical_share: float,
        seed: int,
    ) -> None:
        self._labels, self._game = labels, labels.game
        self._steps, self._uniform, self._uncritical_share = steps, uniform, uncritical_share
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._matches = make_batch(self._game, matches) if matches else None
        self._seats = np.arange(matches) % 2  # of the learner
        self._seats[round(own_share * matches) :] = _NO_SEAT
        self._lapses = self._generator.random((matches, 2))  # by match and player, the share of random steps
        if self._matches is not None:
            self._matches.step(np.zeros(matches, np.int64), np.full(matches, RESET, np.int8))

    def draw(self, choose: Choose) -> Positions:
        """The positions of an iteration in which there is a choice, without some of those that are not critical.

        `choose` plays the learner's seats.
        """
        parts = [self._play(choose) for _ in range(self._steps if self._matches is not None else 0)]
        if self._uniform:
            parts.append(self._keep(self._labels.label(self._draw_states())))
        return Positions(*map(np.concatenate, zip(*parts, strict=True)))

    def get_state(self) -> dict[str, np.ndarray]:
        """The matches in progress, and the random numbers."""
        states = np.zeros(0, np.int64) if self._matches is None else np.array(self._matches.states, np.int64)
        return {"generator": pack_generator(self._generator), "states": states, "lapses": self._lapses}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        unpack_generator(self._generator, state["generator"])
        self._lapses = np.array(state["lapses"])
        if self._matches is not None:
            self._matches.set(np.array(state["states"]))

    def _draw_states(self) -> np.ndarray:
        """Draws states uniformly; turns that a random step does not end are also taken up after this step."""
        states = self._labels.table.sample(self._uniform, self._generator)
        limit = self._game.rules.no_progress_limit
        if limit != "off":
            states[:, STATE.QUIET] = self._generator.integers(limit, size=len(states))
        states = states[make_batch(self._game, len(states)).set(states).outcome == ONGOING]
        batch = make_batch(self._game, len(states))
        before = batch.set(states)
        after = batch.step(self._draw_actions(before.mask), np.full(len(states), PLAY, np.int8))
        goes_on = (after.outcome == ONGOING) & (after.player == before.player)
        return np.concatenate([states, np.array(batch.states, np.int64)[goes_on]])

    def _play(self, choose: Choose) -> Positions:
        """Plays a step in every match; returns the positions before it."""
        batch = self._matches
        assert batch is not None
        labels = self._labels.label(np.array(batch.states, np.int64))
        seen, rows = labels.seen, np.arange(batch.num_games)
        lapses = self._generator.random(len(rows)) < self._lapses[rows, seen.player]
        actions = self._draw_actions(np.where(lapses[:, None], seen.mask, labels.policy))
        own = np.flatnonzero(seen.player == self._seats)
        if len(own):
            actions[own] = choose(seen.observation[own], seen.mask[own])
        after = batch.step(actions, np.full(len(rows), PLAY, np.int8))
        ended = after.outcome != ONGOING
        batch.restart(ended, after)
        self._lapses[ended] = self._generator.random((int(ended.sum()), 2))
        return self._keep(labels)

    def _draw_actions(self, weights: np.ndarray) -> np.ndarray:
        """Draws an action in each row with these weights, which need not sum to 1."""
        sums = weights.cumsum(1, dtype=np.float64)
        actions: np.ndarray = (sums <= self._generator.random((len(sums), 1)) * sums[:, -1:]).sum(1)
        return actions

    def _keep(self, labels: Labels) -> Positions:
        """The positions to learn from."""
        is_drawn = self._generator.random(len(labels.value)) < self._uncritical_share
        return as_positions(labels, labels.is_critical | is_drawn)


def as_positions(labels: Labels, is_kept: np.ndarray) -> Positions:
    """Those of some positions in which there is a choice, and which are to be kept, bool `[N]`, to learn from."""
    counts = labels.seen.mask.sum(1, dtype=np.int64)
    kept = np.flatnonzero((counts > 1) & (counts <= MAX_CHOICES) & is_kept)
    rows = Positions.empty(len(kept), labels.seen.observation.shape[1:])
    places, actions = np.nonzero(labels.seen.mask[kept])
    columns = np.arange(len(places)) - np.repeat(counts[kept].cumsum() - counts[kept], counts[kept])
    rows.planes[:] = labels.seen.observation[kept]
    rows.actions[places, columns] = actions
    rows.policy[places, columns] = labels.policy[kept[places], actions]
    rows.policy_weight[:] = labels.is_critical[kept]
    rows.outcome[:] = labels.value[kept]
    return rows
