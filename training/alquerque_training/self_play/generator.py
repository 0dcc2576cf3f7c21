"""Self-play with a search: many matches side by side, and the positions that they leave to learn from."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from alquerque_env.game import table_layout as e
from alquerque_env.game.game import Game, load_game
from alquerque_env.game.planes import planes
from alquerque_env.match.match import Match
from alquerque_env.search import GUMBEL, PUCT, BatchSearch, Decisions, Evaluate, Rule
from alquerque_env.search.decision_batch import Matches
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import SearchConfig, SelfPlayConfig
from alquerque_training.experience.bot_opponents import Sparring, bot_maker
from alquerque_training.experience.replay_buffer import MAX_CHOICES, Rows
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator
from alquerque_training.experience.table_values import Truth


@dataclass
class Tally:
    """What became of the matches that ended; for their metrics see `games` in `measure.metrics`.

    Attributes:
      games: How many.
      steps: Steps in them from their first decision on, forced ones included.
      player_0_wins: How many `player_0` won.
      draws: How many were drawn by the rules.
      resigned: How many ended by resignation.
      truncated: How many were cut short; they are learned from as if drawn.
      decisions: Positions with a choice.
    """

    games: int = 0
    steps: int = 0
    player_0_wins: int = 0
    draws: int = 0
    resigned: int = 0
    truncated: int = 0
    decisions: int = 0

    def add(self, other: "Tally") -> None:
        """Adds another's numbers."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)


class SelfPlay:
    """Matches in progress with the positions of each that wait for its end.

    Args:
      game: What is played.
      matches: How many at once.
      self_play: How they are played.
      search: How their steps are chosen.
      seed: Of everything random here.
    """

    def __init__(self, game: Game, matches: int, self_play: SelfPlayConfig, search: SearchConfig, seed: int) -> None:
        self._game, self._self_play, self._search = game, self_play, search
        played = hastened(game, self_play.no_progress_limit)
        self._generator = np.random.Generator(np.random.PCG64(seed))
        first = int(self._generator.integers(2**62))
        self._matches = Matches(played, matches, self_play.opening_plies, first)
        most = max(search.simulations, search.final_simulations or 0, search.quick_simulations)
        self._tree = BatchSearch(played, matches, most, make_rule(search, noise=search.root_noise))
        self._shape = len(planes(game)), len(game.board.points)
        self._count = matches
        self._room = 64
        self._waiting = Rows.empty(matches * self._room, self._shape)
        self._movers = np.zeros(matches * self._room, np.int8)
        self._known = np.full(matches * self._room, np.nan, np.float32)
        self._lengths = np.zeros(matches, np.int64)
        self._steps = np.zeros(matches, np.int64)
        self._decisions = np.zeros(matches, np.int64)
        self._may_resign = self._draw_resigners(matches)
        self._sparring = Sparring(bot_maker(self_play, game), self_play, matches)
        self._truth = Truth(game, self_play.discount, self_play.no_progress_limit) if self_play.exact_values else None

    def play(self, evaluate: Evaluate, decisions: int, simulations: int) -> tuple[Rows, Tally]:
        """Makes so many decisions in every match.

        Args:
          evaluate: Policies and values by the network that plays both sides.
          decisions: In each match.
          simulations: For each of them.

        Returns:
          The positions of the matches that ended, and what became of these.
        """
        finished: list[Rows] = []
        tally = Tally(decisions=decisions * self._count)
        self._sparring.begin(int(self._generator.integers(2**31)))
        for _ in range(decisions):
            self._decide(evaluate, simulations, finished, tally)
        if not finished:
            return Rows.empty(0, self._shape), tally
        return Rows(*(np.concatenate(fields) for fields in zip(*finished, strict=True))), tally

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that decides how it goes on."""
        state = {f"matches.{name}": array for name, array in self._matches.get_state().items()}
        state |= {f"waiting.{name}": array for name, array in self._waiting._asdict().items()}
        return state | {
            "generator": pack_generator(self._generator),
            "movers": self._movers,
            "known": self._known,
            "lengths": self._lengths,
            "steps": self._steps,
            "decisions": self._decisions,
            "may_resign": self._may_resign,
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes back to what `get_state` gave."""
        self._matches.set_state({name: state[f"matches.{name}"] for name in self._matches.get_state()})
        self._waiting = Rows(*(np.array(state[f"waiting.{name}"]) for name in Rows._fields))
        unpack_generator(self._generator, state["generator"])
        self._movers, self._known = np.array(state["movers"]), np.array(state["known"])
        self._lengths, self._steps = np.array(state["lengths"]), np.array(state["steps"])
        self._decisions, self._may_resign = np.array(state["decisions"]), np.array(state["may_resign"])
        self._room = len(self._movers) // self._count

    def _decide(self, evaluate: Evaluate, simulations: int, finished: list[Rows], tally: Tally) -> None:
        is_full = self._search.full_share >= 1 or self._generator.random() < self._search.full_share
        spent = simulations if is_full else self._search.quick_simulations
        players = self._matches.players()
        found = self._tree.run(self._matches.states, self._matches.past, evaluate, spent, self._generator)
        actions, is_own = self._choose(found, players)
        self._keep(found, players, is_own & is_full)
        resigns = self._may_resign & is_own & (found.values < -self._search.resign_below)
        overdue = ~resigns & (self._steps >= (self._self_play.max_cycles or np.inf))
        standings, steps = self._matches.advance(actions, resigns | overdue)
        self._steps += steps
        self._decisions += 1
        ended = np.flatnonzero((standings != e.ONGOING) | resigns | overdue)
        if len(ended) == 0:
            return
        winners = np.where(resigns, 1 - players, np.where(overdue, e.NOBODY, standings & 3))[ended]
        tally.games += len(ended)
        tally.steps += int(self._steps[ended].sum())
        tally.player_0_wins += int((winners == 0).sum())
        tally.draws += int(((winners == e.NOBODY) & ~overdue[ended]).sum())
        tally.resigned += int(resigns.sum())
        tally.truncated += int(overdue.sum())
        finished.append(self._finish(ended, winners))
        self._lengths[ended] = self._steps[ended] = self._decisions[ended] = 0
        self._may_resign[ended] = self._draw_resigners(len(ended))

    def _keep(self, found: Decisions, players: np.ndarray, teaches_policy: np.ndarray) -> None:
        """Notes the positions of which there is something to learn."""
        if self._lengths.max() == self._room:
            self._make_room()
        matches = np.flatnonzero(found.counts <= MAX_CHOICES)
        places = matches * self._room + self._lengths[matches]
        width = min(found.legal.shape[1], MAX_CHOICES)
        listed = np.arange(width) < found.counts[matches, None]
        waiting = self._waiting
        waiting.planes[places] = self._tree.roots[matches]
        waiting.actions[places] = -1
        waiting.actions[places, :width] = np.where(listed, found.legal[matches, :width], -1)
        waiting.policy[places] = 0
        waiting.policy[places, :width] = np.where(listed, found.policy[matches, :width], 0)
        waiting.policy_weight[places] = teaches_policy[matches]
        waiting.value[places] = found.values[matches]
        if self._truth is not None:
            known = self._known[places] = self._truth.results(self._matches.states[matches])
            waiting.value[places] = np.where(np.isnan(known), found.values[matches], known)
        self._movers[places] = players[matches]
        self._lengths[matches] += 1

    def _choose(self, found: Decisions, players: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is played in every match, and bool `[B]` where the search chose it and not a bot."""
        actions, is_own = self._choose_by_search(found).copy(), np.ones(self._count, bool)
        for bot, rows in self._sparring.to_move(players):
            is_own[rows] = False
            for row in rows:
                actions[row] = bot.choose(Match.from_state(self._game, self._matches.states[row])).action
        return actions, is_own

    def _choose_by_search(self, found: Decisions) -> np.ndarray:
        """What the search says; under PUCT, early in a match, in proportion to its visits."""
        if self._search.rule == "gumbel" or self._search.sampled_decisions == 0:
            return found.actions
        sums = found.policy.cumsum(1)
        draws = self._generator.random(len(sums)) * sums[:, -1]
        index = np.minimum((sums <= draws[:, None]).sum(1), found.counts - 1)
        drawn = found.legal[np.arange(len(sums)), index]
        return np.where(self._decisions < self._search.sampled_decisions, drawn, found.actions)

    def _finish(self, matches: np.ndarray, winners: np.ndarray) -> Rows:
        """The positions of matches that have ended."""
        lengths = self._lengths[matches]
        which = np.repeat(np.arange(len(matches)), lengths)
        before = np.cumsum(lengths) - lengths
        number = np.arange(len(which))
        places = matches[which] * self._room + number - before[which]
        last = (before + lengths)[which] - 1
        winner = winners[which]
        outcome = np.where(winner == e.NOBODY, 0, np.where(winner == self._movers[places], 1, -1))
        outcome = outcome * self._self_play.discount ** (last - number)
        if self._truth is not None:
            # From where the result is known it counts, whatever came of it.
            known, movers = self._known[places], self._movers[places]
            next_known = np.minimum.accumulate(np.where(np.isnan(known), len(which), number)[::-1])[::-1]
            there = np.minimum(next_known, last)
            told = np.where(movers == movers[there], 1, -1) * known[there]
            outcome = np.where(next_known <= last, told * self._self_play.discount ** (there - number), outcome)
        return self._waiting.take(places)._replace(outcome=outcome.astype(np.float32))

    def _make_room(self) -> None:
        """A match is longer than any before."""
        larger = Rows.empty(2 * self._room * self._count, self._shape)
        movers = np.zeros((self._count, 2 * self._room), np.int8)
        movers[:, : self._room] = self._movers.reshape(self._count, -1)
        known = np.full((self._count, 2 * self._room), np.nan, np.float32)
        known[:, : self._room] = self._known.reshape(self._count, -1)
        for new, old in zip(larger, self._waiting, strict=True):
            rows = new.reshape(self._count, 2 * self._room, *new.shape[1:])
            rows[:, : self._room] = old.reshape(self._count, self._room, *old.shape[1:])
        self._waiting, self._movers, self._known = larger, movers.reshape(-1), known.reshape(-1)
        self._room *= 2

    def _draw_resigners(self, count: int) -> np.ndarray:
        """Which matches may be resigned: the others show whether it was right."""
        if self._search.resign_below >= 1:
            return np.zeros(count, bool)
        return self._generator.random(count) >= self._search.resign_exempt


def hastened(game: Game, limit: int | None) -> Game:
    """The game with a lower limit of plies without progress; as it is for None.

    Raises:
      ConfigError: If its rules have no limit, or none above that.
    """
    if limit is None:
        return game
    given = game.rules.no_progress_limit
    if given == "off" or limit > given:
        raise ConfigError(
            f"self_play.no_progress_limit is {limit}, but {game.name} has "
            f"{'no limit' if given == 'off' else f'a limit of {given}'}; leave it away, or give a lower one"
        )
    played = load_game(game.name, **{**game.options, "no_progress_limit": limit})
    if len(planes(played)) != len(planes(game)):
        raise ConfigError(f"self_play.no_progress_limit is {limit}: {game.name} does not look the same under it")
    return played


def make_rule(search: SearchConfig, *, noise: float) -> Rule:
    """The rule of a search by its settings."""
    return Rule(
        kind=GUMBEL if search.rule == "gumbel" else PUCT,
        considered=search.considered,
        value_offset=search.value_offset,
        value_scale=search.value_scale,
        magnet=search.magnet,
        exploration=search.exploration,
        root_noise=noise,
        dirichlet_total=search.dirichlet_total,
    )
