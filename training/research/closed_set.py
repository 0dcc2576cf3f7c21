"""A small closed set of positions in which a player keeps the value of the start, and a learner of the choices in it.

    PYTHONPATH=training/research alquerque train exact run.algorithm=closed_set:ClosedSetLearner run.game=pretwa ...

The learner draws positions as `exact` does, and learns all choices of the set besides in each iteration. Its setting
`exact.closed_set_depth` is the number of steps ahead that are counted to choose the steps of the set.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, NamedTuple

import numpy as np
import torch
from alquerque_training.config.settings import Config, ConfigError, Section
from alquerque_training.exact import ExactConfig, ExactLearner
from alquerque_training.experience.labels import TableLabels, as_positions
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.learning import listed_log_probs
from alquerque_training.measure.metrics import Metric
from annotated_types import Ge, Le

from alquerque_env import Match
from alquerque_env.arena.exploit.walk import Positions as DistinctRows
from alquerque_env.batch.batch import PLAY
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.errors import TableError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.canonical import CanonicalImages
from alquerque_env.game.game import Game
from alquerque_env.game.hidden_clock import hide_clock
from alquerque_env.game.outcomes import NO_WINNER, ONGOING
from alquerque_env.game.planes import clock_planes
from alquerque_env.solve.proved_steps import ProvedSteps
from alquerque_env.solve.tables import EndgameTable

_AT_ONCE = 256  # positions whose steps are chosen together
_UNKNOWN = -2  # in place of what a player gets: less than anything
_WORD = 8  # bytes
_JUDGED = 4096  # choices of the network at once
_SURE = 0.9  # a choice is unsure if the steps that stay in the closed set have together less than this probability
_TIMES = 8  # an unsure choice is learned from so many times more


class _Places(NamedTuple):
    """`N` positions of the set, or beside it.

    Attributes:
      states: int64 `[N, S]`, without plies without progress where the table knows them.
      seats: int64 `[N]`, of the player that keeps the value.
      keys: int64 `[N, K]`, equal for positions that are images of each other, the player to move in place of the seat.
    """

    states: np.ndarray
    seats: np.ndarray
    keys: np.ndarray

    def take(self, index: np.ndarray | slice) -> "_Places":
        return _Places(*(field[index] for field in self))


class _Steps(NamedTuple):
    """Steps from some positions: all of the opponent, and those of the player that keep the value.

    Attributes:
      rows: int64 `[E]`, the places of the positions, ascending.
      actions: int64 `[E]`.
      is_own: bool `[E]`, whether the player makes the step.
      goes_on: bool `[E]`, whether the match goes on.
      after: The positions after those that go on.
    """

    rows: np.ndarray
    actions: np.ndarray
    is_own: np.ndarray
    goes_on: np.ndarray
    after: _Places


class ClosedSet:
    """Positions, with each one those that follow from all steps of the opponent, or from one of the player.

    Each position stands for all of its images, whatever its plies without progress. The steps of the player keep the
    value of the position, so that it never gets less than the start is worth. The set is made from the start, for the
    player that wins, or in a draw for both. For each of the player's positions a step is chosen that leads into the
    set, or from which few new positions follow within some steps. So a player that keeps to the set has few positions
    to be right in. In a symmetric game the seats share the positions that look the same.

    Above a table of a part of the game, the step is that of a proof, which is chosen once for each position: the player
    follows the proof from the start, and so does every line that leads to a new position.

    Args:
      game: A game.
      table: A table of it.
      value: What the start is worth for `player_0`. If the start is won, whoever has more pieces at the limit of plies
        without progress should win: the set does not see to it that progress is made.
      depth: Steps ahead that are counted to choose one.
      proof: A proof of the start; not needed if the table has the whole game.

    Raises:
      TableError: If neither the table nor the proof has a step of the player.
    """

    def __init__(
        self, game: Game, table: EndgameTable, value: int, depth: int, proof: ProvedSteps | None = None
    ) -> None:
        self._game, self._table, self._depth, self._proof = game, table, depth, proof
        self._proved: dict[bytes, int] = {}
        self._images, self._clock = CanonicalImages(game), list(clock_planes(game))
        start = np.array([Match(game).state], np.int64)
        seen = make_batch(game, 1).set(start)
        self._least = np.array([value, -value])  # what each seat gets
        firsts = [
            _Places(start, np.array([seat]), self._keys(seen.observation, seen.player == seat))
            for seat in (1, 0)
            if self._least[seat] >= 0
        ]
        self._known = DistinctRows(firsts[0].keys.shape[1])
        parts = [part for first in firsts for part in self._grow(first)]
        self._all = _Places(*map(np.concatenate, zip(*parts, strict=True)))

    def __len__(self) -> int:
        return len(self._known)

    def choices(self, labels: TableLabels) -> Positions:
        """The player's positions in which it has a choice; the policy has the steps that stay in the set, all alike."""
        own = self._all.take(self._all.states[:, STATE.PLAYER] == self._all.seats)
        judged = labels.label(own.states)
        steps = self._steps(own)
        stays = ~steps.goes_on
        stays[steps.goes_on] = self._known.contains(steps.after.keys)
        allowed = np.zeros(judged.values.shape, bool)
        allowed[steps.rows[stays], steps.actions[stays]] = True
        policy = (allowed / allowed.sum(1, keepdims=True)).astype(np.float32)
        value = np.where(self._in_table(own.states), judged.value, self._least[own.seats]).astype(np.float32)
        rows = as_positions(judged._replace(policy=policy, value=value), np.ones(len(policy), bool))
        rows.policy_weight[:] = 1
        return rows

    def shows(self, planes: np.ndarray) -> np.ndarray:
        """For int8 `[N, C, P]` observations whether the player is to move in such a position of the set, bool `[N]`."""
        return self._known.contains(self._keys(planes, np.ones(len(planes), bool)))

    def _grow(self, first: _Places) -> list[_Places]:
        """Adds a position and what follows from it; returns what is new."""
        found = [self._add(first)]
        left = deque(found)
        while left:
            places = left.popleft()
            if len(places.seats) > _AT_ONCE:
                left.appendleft(places.take(slice(_AT_ONCE, None)))
                places = places.take(slice(_AT_ONCE))
            steps = self._steps(places)
            wanted = ~steps.is_own | self._cheapest(steps)
            found.append(self._add(steps.after.take(wanted[steps.goes_on])))
            if len(found[-1].seats):
                left.append(found[-1])
        return found

    def _add(self, places: _Places) -> _Places:
        return places.take(self._known.add(places.keys)[1])

    def _cheapest(self, steps: _Steps) -> np.ndarray:
        """One step of each position, one with the fewest new positions, as a mask, bool `[E]`."""
        costs = np.zeros(len(steps.rows))
        costs[steps.goes_on] = self._distinct_costs(steps.after, self._depth)
        order = np.lexsort((costs, steps.rows))
        begins = np.ones(len(order), bool)
        begins[1:] = np.diff(steps.rows[order]) > 0
        found = np.zeros(len(order), bool)
        found[order[begins]] = True
        return found

    def _distinct_costs(self, places: _Places, depth: int) -> np.ndarray:
        _, firsts, inverse = np.unique(places.keys, axis=0, return_index=True, return_inverse=True)
        return self._costs(places.take(firsts), depth)[inverse.ravel()]

    def _costs(self, places: _Places, depth: int) -> np.ndarray:
        """float64 `[N]`, new positions from each of some on, if each reply and the player's best step is followed."""
        costs = np.where(self._known.contains(places.keys), 0.0, 1.0)
        new = np.flatnonzero(costs)
        if depth == 0 or not len(new):
            return costs
        steps = self._steps(places.take(new))
        following = np.zeros(len(steps.rows))
        following[steps.goes_on] = self._distinct_costs(steps.after, depth - 1)
        least, sums = np.full(len(new), np.inf), np.zeros(len(new))
        np.minimum.at(least, steps.rows[steps.is_own], following[steps.is_own])
        np.add.at(sums, steps.rows[~steps.is_own], following[~steps.is_own])
        costs[new] += np.where(np.isfinite(least), least, sums)
        return costs

    def _steps(self, places: _Places) -> _Steps:
        states, seats = places.states, places.seats
        seen = make_batch(self._game, len(states)).set(states)
        is_own = seen.player == seats
        rows, actions = np.nonzero(seen.mask == 1)
        batch = make_batch(self._game, len(rows))
        batch.set(states[rows])
        after = batch.step(actions.copy(), np.full(len(rows), PLAY, np.int8))
        states_after, goes_on = np.array(batch.states, np.int64), after.outcome == ONGOING
        gets = np.where(after.winner == NO_WINNER, 0, np.where(after.winner == seats[rows], 1, -1))
        in_table = self._in_table(states_after)
        hidden = states_after[in_table]
        hide_clock(self._game.table.words, hidden.T)
        states_after[in_table] = hidden
        asked = np.flatnonzero(goes_on & is_own[rows])
        if len(asked):
            found = self._table.probe(states_after[asked], clockless=True)
            signed = np.where(after.player[asked] == seats[rows[asked]], found.value, -found.value)
            gets[asked] = np.where(found.known, signed, _UNKNOWN)
        self._follow_proof(states, seats, rows, actions, is_own, gets)
        best = np.full(len(states), _UNKNOWN)
        np.maximum.at(best, rows, gets)
        kept = np.flatnonzero(~is_own[rows] | (gets == best[rows]))
        on = kept[goes_on[kept]]
        keys = self._keys(after.observation[on], after.player[on] == seats[rows[on]])
        following = _Places(states_after[on], seats[rows[on]], keys)
        return _Steps(rows[kept], actions[kept], is_own[rows[kept]], goes_on[kept], following)

    def _follow_proof(
        self,
        states: np.ndarray,
        seats: np.ndarray,
        rows: np.ndarray,
        actions: np.ndarray,
        is_own: np.ndarray,
        gets: np.ndarray,
    ) -> None:
        """Writes into `gets` what the seat gets by the proof's steps where the table does not know enough steps."""
        least = self._least[seats]
        enough = np.zeros(len(states), bool)
        enough[rows[gets >= least[rows]]] = True
        counts = np.bincount(rows, minlength=len(states))
        for row in np.flatnonzero(is_own & ~enough):
            steps = np.flatnonzero(rows == row)
            if counts[row] > 1:
                steps = steps[actions[steps] == self._proved_action(states[row])]
            gets[steps] = least[row]

    def _in_table(self, states: np.ndarray) -> np.ndarray:
        """Whether the table has positions with as many pieces as these, bool `[N]`."""
        occupied = np.bitwise_or.reduce(
            [states[:, kind + seat] for kind in (STATE.MEN, STATE.KINGS) for seat in (0, 1)]
        )
        pieces: np.ndarray = np.bitwise_count(occupied)
        return pieces <= self._table.pieces

    def _proved_action(self, state: np.ndarray) -> int:
        """The proof's action in a state, found once."""
        if (key := state.tobytes()) not in self._proved:
            match = Match.from_state(self._game, state)
            step = None if self._proof is None else self._proof.find(match)
            if step is None:
                raise TableError(
                    f"neither the table nor the proof has a step that keeps the value of {match.position}: build a "
                    f"table of more pieces"
                )
            self._proved[key] = step.action
        return self._proved[key]

    def _keys(self, planes: np.ndarray, is_own: np.ndarray) -> np.ndarray:
        """int64 `[N, K]`, for int8 `[N, C, P]` observations and whether the player is to move."""
        shown = planes.copy()
        shown[:, self._clock] = 0
        places = shown.shape[1] * shown.shape[2]
        counters = np.zeros((len(shown), -(-(places + 1) // _WORD) * _WORD), np.int8)
        counters[:, :places] = self._images.find(shown)[0].reshape(len(shown), places)
        counters[:, places] = is_own
        return counters.view(np.int64)


class ClosedSetConfig(ExactConfig):
    """Learning from exact values and a closed set.

    Attributes:
      closed_set_depth: Steps ahead that are counted to choose the steps of the set, so that it is small.
    """

    closed_set_depth: Annotated[int, Ge(0), Le(10)] = 3


class ClosedSetLearner(ExactLearner):
    """Learns the positions of `ExactLearner`, and all choices of a closed set, unsure ones more often."""

    metrics: Sequence[Metric] = (
        *ExactLearner.metrics,
        Metric("closed_choices", "positions", "Positions of the closed set with a choice for the learner.", "memory"),
        Metric("closed_left", "positions", "Those of them in which its step led out of the set.", "memory"),
    )
    sections: Mapping[str, type[Section]] = MappingProxyType({"exact": ClosedSetConfig})

    def __init__(self, config: Config, game: Game) -> None:
        super().__init__(config, game)
        value = start_value(self.labels)
        if value != 0 and not game.rules.has_majority_at_limit:
            raise ConfigError(
                f"a closed set keeps a draw, or a win of the side that has more pieces at the limit of plies without "
                f"progress, and {game.name} is won from the start: set run.algorithm = 'exact'"
            )
        depth = config.of(ClosedSetConfig).closed_set_depth
        self._closed = ClosedSet(game, self.labels.table, value, depth, self.labels.proof)
        self._choices = self._closed.choices(self.labels)

    def draw(self) -> tuple[Positions, dict[str, float]]:
        """As `ExactLearner.draw`: without the positions of the closed set, with its choices."""
        rows, figures = super().draw()
        share, stays = self._judge_choices()
        unsure = self.generator.permutation(np.flatnonzero(share < _SURE))
        often = np.resize(unsure, min(_TIMES * len(unsure), len(self._choices.outcome)))
        parts = rows.take(~self._closed.shows(rows.planes)), self._choices, self._choices.take(often)
        found = Positions(*map(np.concatenate, zip(*parts, strict=True)))
        return found, {**figures, "closed_choices": len(stays), "closed_left": int((~stays).sum())}

    @torch.inference_mode()
    def _judge_choices(self) -> tuple[np.ndarray, np.ndarray]:
        """For each choice the probability of the steps that stay in the set, and whether the likeliest step does."""
        shares, stays = [], []
        for first in range(0, len(self._choices.outcome), _JUDGED):
            part = self._choices.take(slice(first, first + _JUDGED))
            logits, _ = self.network(torch.from_numpy(part.planes))
            probabilities = listed_log_probs(logits, part).exp().numpy()
            shares.append((probabilities * (part.policy > 0)).sum(1))
            stays.append(np.take_along_axis(part.policy, probabilities.argmax(1)[:, None], 1)[:, 0] > 0)
        return np.concatenate(shares), np.concatenate(stays)


def start_value(labels: TableLabels) -> int:
    """What the start of a game is worth for `player_0`, by its table or its proof."""
    start = Match(labels.game)
    if labels.proof is None:
        value = labels.table.clockless(start)
        assert value is not None
    else:
        value, most = labels.proof.bounds(start) or (-1, 1)
        if value != most:
            raise ConfigError(f"the proof of {start.game.name} does not say what the start is worth")
    return value if start.player == 0 else -value
