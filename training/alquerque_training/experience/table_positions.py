"""Positions with the exact value of every action, from a table."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from alquerque_env import Match
from alquerque_env.arena.exact_errors import ILLEGAL
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.batch.step_result import PLAY, RESET, StepResult
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.outcomes import ONGOING
from alquerque_env.solve.proved_steps import present_proof
from alquerque_env.solve.tables.table import present_table
from alquerque_env.solve.tables.whole import whole_command, whole_table
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import Config
from alquerque_training.experience.replay_buffer import MAX_CHOICES, Positions
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator

_FAR = 1 << 16  # more plies than any distance
_NO_SEAT = -1

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The learner's actions, `[N]`, for int8 `[N, C, P]` observations and an int8 `[N, A]` mask of legal actions."""


class Judged(NamedTuple):
    """`N` positions and what a table says of them.

    Attributes:
      seen: What their players observe.
      policy: float32 `[N, A]`, probabilities of the actions that keep the value, higher for quick wins and slow losses,
        and in draws for those that leave the opponent few replies.
      value: float32 `[N]`, exact value for the player to move, discounted for each ply before the end.
      values: int8 `[N, A]`, those of the actions, `ILLEGAL` for actions that are not legal.
      is_critical: bool `[N]`, whether some action loses value.
    """

    seen: StepResult
    policy: np.ndarray
    value: np.ndarray
    values: np.ndarray
    is_critical: np.ndarray


Judge = Callable[[np.ndarray], Judged]
"""What a table says of states, int64 `[N, S]`, that are not over."""


class TablePositions:
    """Draws positions from a table: from matches, and uniformly; `ConfigError` without a table.

    Each player of a match plays exactly but for random steps, whose share is drawn for it when the match begins. In
    some matches the learner plays one of the seats, so that positions arise as they do against it: imitation with the
    learner's own positions (Ross, Gordon and Bagnell 2011, arXiv:1011.0686, DAgger). Values are those without the
    no-progress limit, and uniform positions have a random count of plies without progress, so that a player learns to
    play on whatever the count is. Matches need a table of the whole game. Without one, positions are drawn from the
    largest table, if a proof says what the start is worth.

    Attributes:
      table: The table.
      proof: A proof of the start; None with a table of the whole game.
      start_value: What the start of the game is worth for `player_0`, 1, 0 or -1.
    """

    def __init__(self, game: Game, config: Config, seed: int) -> None:
        table = whole_table(game)
        self.proof = None if table else present_proof(game)[0]
        if table is None and self.proof is not None:
            table = present_table(game)
        if table is None:
            raise ConfigError(
                f"run.algorithm is 'exact', which learns from the table of a whole game, or from a smaller one and a "
                f"proof of the start, and there is none of {game.name}: build it with {whole_command(game)}, or set "
                f"another algorithm"
            )
        if self.proof is not None and config.exact.matches_share:
            raise ConfigError(
                f"exact.matches_share is {config.exact.matches_share}, and matches need the table of a whole game: set "
                f"exact.matches_share = 0, or build it with {whole_command(game)}"
            )
        if config.exact.expand:
            table.expand(1)
        else:
            table.load()
        self.table, self._game, self._config = table, game, config
        self.start_value = self._judge_start(Match(game))
        self._generator = np.random.Generator(np.random.PCG64(seed))
        count = round(config.exact.matches_share * config.self_play.num_games)
        self._uniform = config.steps_per_iteration - count * config.self_play.rollout_steps
        self._matches = make_batch(game, count) if count else None
        self._seats = np.arange(count) % 2  # of the learner
        self._seats[round(config.exact.own_share * count) :] = _NO_SEAT
        self._lapses = self._generator.random((count, 2))  # by match and player, the share of random steps
        if self._matches is not None:
            self._matches.step(np.zeros(count, np.int64), np.full(count, RESET, np.int8))

    def draw(self, choose: Choose) -> Positions:
        """The positions of an iteration in which there is a choice, without some of those that are not critical.

        `choose` plays the learner's seats.
        """
        steps = self._config.self_play.rollout_steps if self._matches is not None else 0
        parts = [self._play(choose) for _ in range(steps)]
        if self._uniform:
            parts.append(self._keep(self.judge(self._draw_states())))
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

    def _judge_start(self, start: Match) -> int:
        if self.proof is None:
            value = self.table.clockless(start)
            assert value is not None
        else:
            value, most = self.proof.bounds(start) or (-1, 1)
            if value != most:
                raise ConfigError(f"the proof of {start.game.name} does not say what the start is worth")
        return value if start.player == 0 else -value

    def _draw_states(self) -> np.ndarray:
        """Draws states uniformly; turns that a random step does not end are also taken up after this step."""
        states = self.table.sample(self._uniform, self._generator)
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
        judged = self.judge(np.array(batch.states, np.int64))
        seen, rows = judged.seen, np.arange(batch.num_games)
        lapses = self._generator.random(len(rows)) < self._lapses[rows, seen.player]
        actions = self._draw_actions(np.where(lapses[:, None], seen.mask, judged.policy))
        own = np.flatnonzero(seen.player == self._seats)
        if len(own):
            actions[own] = choose(seen.observation[own], seen.mask[own])
        after = batch.step(actions, np.full(len(rows), PLAY, np.int8))
        ended = after.outcome != ONGOING
        batch.restart(ended, after)
        self._lapses[ended] = self._generator.random((int(ended.sum()), 2))
        return self._keep(judged)

    def _draw_actions(self, weights: np.ndarray) -> np.ndarray:
        """Draws an action in each row with these weights, which need not sum to 1."""
        sums = weights.cumsum(1, dtype=np.float64)
        actions: np.ndarray = (sums <= self._generator.random((len(sums), 1)) * sums[:, -1:]).sum(1)
        return actions

    def judge(self, states: np.ndarray) -> Judged:
        """What the table says of some positions that are not over, int64 `[N, S]`."""
        seen = make_batch(self._game, len(states)).set(states)
        found = self.table.action_values(states, clockless=True)
        legal = seen.mask == 1
        values = np.where(legal, found.value, ILLEGAL)
        best = values.max(1)
        keeps = values == best[:, None]
        # From the side of who keeps the value: plies to a win count against an action, and plies to a loss for it.
        plies = np.where(keeps, np.maximum(found.distance, 0) * best[:, None], _FAR)
        weights = np.exp(-self._config.exact.haste * (plies - plies.min(1, keepdims=True))) * keeps
        if self._config.exact.narrowness:
            is_drawn = np.flatnonzero(best == 0)
            replies = self._count_replies(states[is_drawn], keeps[is_drawn])
            fewer = replies - replies.min(1, keepdims=True)
            weights[is_drawn] = np.exp(-self._config.exact.narrowness * fewer) * keeps[is_drawn]
        value = best * self._config.self_play.discount ** np.abs(plies.min(1))
        policy = weights / weights.sum(1, keepdims=True)
        is_critical = (legal & ~keeps).any(1)
        return Judged(seen, policy.astype(np.float32), value.astype(np.float32), values, is_critical)

    def _count_replies(self, states: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """int64 `[N, A]`, how many actions the next player has after the `wanted` ones, `_FAR` in place of others."""
        found = np.full(wanted.shape, _FAR)
        rows, actions = np.nonzero(wanted)
        if len(rows):
            batch = make_batch(self._game, len(rows))
            before = batch.set(states[rows]).player.copy()
            after = batch.step(actions.copy(), np.full(len(rows), PLAY, np.int8))
            # A turn that goes on is not over with: it counts as one reply.
            found[rows, actions] = np.where(after.player == before, 1, after.mask.sum(1, dtype=np.int64))
        return found

    def _keep(self, judged: Judged) -> Positions:
        """The positions to learn from."""
        is_drawn = self._generator.random(len(judged.value)) < self._config.exact.uncritical_share
        return as_positions(judged, judged.is_critical | is_drawn)


def as_positions(judged: Judged, is_kept: np.ndarray) -> Positions:
    """Those of some positions in which there is a choice, and which are to be kept, bool `[N]`, to learn from."""
    counts = judged.seen.mask.sum(1, dtype=np.int64)
    kept = np.flatnonzero((counts > 1) & (counts <= MAX_CHOICES) & is_kept)
    rows = Positions.empty(len(kept), judged.seen.observation.shape[1:])
    places, actions = np.nonzero(judged.seen.mask[kept])
    columns = np.arange(len(places)) - np.repeat(counts[kept].cumsum() - counts[kept], counts[kept])
    rows.planes[:] = judged.seen.observation[kept]
    rows.actions[places, columns] = actions
    rows.policy[places, columns] = judged.policy[kept[places], actions]
    rows.policy_weight[:] = judged.is_critical[kept]
    rows.outcome[:] = judged.value[kept]
    return rows
