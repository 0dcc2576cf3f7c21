"""Self-play with a tree search: many matches at once, and their positions as training data."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Protocol

import numpy as np
from annotated_types import Ge, Gt, Le

from alquerque_env.errors import TableError
from alquerque_env.game.game import Game
from alquerque_env.game.outcomes import NOBODY, ONGOING
from alquerque_env.match.match import Match
from alquerque_env.search import GUMBEL, PUCT, BatchSearch, Decisions, Evaluate, Rule
from alquerque_env.search.decision_batch import DecisionBatch
from alquerque_env.search.puct import MOST_EXPLORATION
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.whole import large_table
from alquerque_training.config.own_code import load_own
from alquerque_training.config.settings import Config, ConfigError, Section, SelfPlayConfig
from alquerque_training.experience.opponents import BotOpponents, bot_maker
from alquerque_training.experience.replay_buffer import MAX_CHOICES, Positions
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator


class SearchConfig(Section):
    """Self-play with a search; see `alquerque_env.search.Rule`.

    Attributes:
      rule: `gumbel`, Danihelka et al. 2022, and `puct`, Silver et al. 2018, search a tree. `module:name` is a search of
        your own, see `docs/add_an_algorithm.md`.
      simulations: Simulations for each decision at the start.
      final_simulations: Simulations at the end of the run, approached geometrically; `simulations` if absent.
      max_considered_actions: For `gumbel`: the most actions of a root that are searched.
      mmd_weight: Weight of the regularisation towards the uniform policy, `gumbel`: magnetic mirror descent, Sokota et
        al. 2023, arXiv:2206.05825. It helps in games in which pieces often move back and forth.
      exploration: Exploration constant of `puct` in self-play; `evaluation.exploration` is the one at play time.
      root_noise: Scale of the Gumbel noise, or share of the Dirichlet noise (`puct`), at the root.
      dirichlet_total: Sum of the parameters of the Dirichlet noise.
      sampled_decisions: Number of first decisions of a match that are sampled from the policy to learn, but for
        `gumbel`: `puct` samples in proportion to the visit counts, at temperature 1, and later ones at temperature 0.
      no_progress_limit: A lower no-progress limit than that of the rules, in plies. It shortens games in which pieces
        move back and forth.
      exact_values: Whether the value target is the exact value of the first position that the game's endgame table
        knows. The match itself is played to its end. Each process holds the table in memory.
    """

    rule: str = "gumbel"
    simulations: Annotated[int, Ge(1), Le(4096)] = 32
    final_simulations: Annotated[int, Ge(1), Le(4096)] | None = None
    max_considered_actions: Annotated[int, Ge(1), Le(256)] = 16
    mmd_weight: Annotated[float, Ge(0), Le(1)] = 0.0
    exploration: Annotated[float, Gt(0), Le(MOST_EXPLORATION)] = 1.5
    root_noise: Annotated[float, Ge(0), Le(10)] = 1.0
    dirichlet_total: Annotated[float, Gt(0), Le(1000)] = 10.0
    sampled_decisions: Annotated[int, Ge(0), Le(1000)] = 12
    no_progress_limit: Annotated[int, Ge(1), Le(10_000)] | None = None
    exact_values: bool = False

    @property
    def last_simulations(self) -> int:
        """Simulations for each decision at the end of the run."""
        return self.final_simulations or self.simulations

    def contradictions(self, name: str, _config: Config) -> Iterator[str]:
        """As `Section.contradictions`."""
        if self.rule not in ("gumbel", "puct") and ":" not in self.rule:
            yield f"{name}.rule is {self.rule!r}, expected 'gumbel', 'puct' or module:name of your own"


class Search(Protocol):
    """Decides in many matches at once, as `BatchSearch` does.

    Attributes:
      roots: int8 `[B, C, P]`, observations of the positions of the last search.
    """

    roots: np.ndarray

    def run(
        self,
        states: np.ndarray,
        past: np.ndarray,
        evaluate: Evaluate,
        simulations: int,
        generator: np.random.Generator | None = None,
    ) -> Decisions:
        """As `BatchSearch.run`."""


class TableValues:
    """Looks up exact results, discounted per ply before the end, of positions with few pieces.

    `limit` are the plies without progress after which a match ends, if lower than in the rules. `ConfigError` without a
    table.
    """

    def __init__(self, game: Game, discount: float, limit: int | None = None) -> None:
        self._table = table_of(game)
        self._table.load()
        usual = game.rules.no_progress_limit
        # Plies until a match without progress ends and the majority wins.
        self._patience = limit or (0 if usual == "off" else usual)
        self._discount = discount

    def results(self, states: np.ndarray) -> np.ndarray:
        """Discounted exact values in [-1, 1], float32 `[B]`, of int64 `[B, S]` states not over; NaN where unknown."""
        found = self._table.probe(states)
        plies = np.where(found.distance < 0, self._patience, found.distance)
        return np.where(found.known, found.value * self._discount**plies, np.nan).astype(np.float32)


_KEPT = ("movers", "known", "lengths", "steps", "decisions")
"""Attributes of `SelfPlay` that are part of its state, without their stroke."""


class SelfPlay:
    """Matches in progress, each with the positions whose outcome is not known yet."""

    def __init__(self, game: Game, matches: int, self_play: SelfPlayConfig, search: SearchConfig, seed: int) -> None:
        self.game, self._self_play, self._search = game, self_play, search
        played = with_progress_limit(game, search.no_progress_limit)
        self._generator = np.random.Generator(np.random.PCG64(seed))
        first = int(self._generator.integers(2**62))
        self.matches = DecisionBatch(played, matches, self_play.opening_plies, first)
        self._tree = make_search(played, matches, search)
        self._shape = len(game.planes), len(game.board.points)
        self._count = matches
        self._room = 64
        self._waiting = Positions.empty(matches * self._room, self._shape)
        self._movers = np.zeros(matches * self._room, np.int8)
        self._known = np.full(matches * self._room, np.nan, np.float32)
        self._lengths = np.zeros(matches, np.int64)
        self._steps = np.zeros(matches, np.int64)
        self._decisions = np.zeros(matches, np.int64)
        self._bots = BotOpponents(bot_maker(self_play, game), self_play, matches)
        self._table = TableValues(game, self_play.discount, search.no_progress_limit) if search.exact_values else None

    def play(self, evaluate: Evaluate, decisions: int, simulations: int) -> tuple[Positions, Counter[str]]:
        """Plays `decisions` decisions in every match, each with so many simulations.

        Returns the positions of the matches that ended, and the arguments of `describe_games` for these matches.
        Positions of truncated ones are learned as draws.
        """
        finished: list[Positions] = []
        tally = Counter(games=0, steps=0)
        self._bots.begin(int(self._generator.integers(2**31)))
        for _ in range(decisions):
            self._decide(evaluate, simulations, finished, tally)
        if not finished:
            return Positions.empty(0, self._shape), tally
        return Positions(*(np.concatenate(fields) for fields in zip(*finished, strict=True))), tally

    def get_state(self) -> dict[str, np.ndarray]:
        """The complete state, random numbers included."""
        state = {f"matches.{name}": array for name, array in self.matches.get_state().items()}
        state |= {f"waiting.{name}": array for name, array in self._waiting._asdict().items()}
        state |= {name: getattr(self, f"_{name}") for name in _KEPT}
        return state | {"generator": pack_generator(self._generator)}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        self.matches.set_state({name: state[f"matches.{name}"] for name in self.matches.get_state()})
        self._waiting = Positions(*(np.array(state[f"waiting.{name}"]) for name in Positions._fields))
        unpack_generator(self._generator, state["generator"])
        for name in _KEPT:
            setattr(self, f"_{name}", np.array(state[name]))
        self._room = len(self._movers) // self._count

    def _decide(self, evaluate: Evaluate, simulations: int, finished: list[Positions], tally: Counter[str]) -> None:
        players = self.matches.players()
        found = self._tree.run(self.matches.states, self.matches.past, evaluate, simulations, self._generator)
        actions, is_own = self._choose(found, players)
        self._keep(found, self._tree.roots, players, is_own)
        overdue = self._steps >= (self._self_play.max_cycles or np.inf)
        standings, steps = self.matches.advance(actions, overdue)
        self._steps += steps
        self._decisions += 1
        ended = np.flatnonzero((standings != ONGOING) | overdue)
        if len(ended) == 0:
            return
        winners = np.where(overdue, NOBODY, standings & 3)[ended]
        tally.update(
            games=len(ended),
            steps=int(self._steps[ended].sum()),
            player_0_wins=int((winners == 0).sum()),
            draws=int(((winners == NOBODY) & ~overdue[ended]).sum()),
            truncated=int(overdue.sum()),
        )
        finished.append(self._finish(ended, winners))
        self._lengths[ended] = self._steps[ended] = self._decisions[ended] = 0

    def _keep(self, found: Decisions, roots: np.ndarray, players: np.ndarray, teaches_policy: np.ndarray) -> None:
        """Keeps the positions to learn from until their matches end."""
        if self._lengths.max() == self._room:
            self._make_room()
        matches = np.flatnonzero(found.counts <= MAX_CHOICES)
        places = matches * self._room + self._lengths[matches]
        width = min(found.legal.shape[1], MAX_CHOICES)
        listed = np.arange(width) < found.counts[matches, None]
        waiting = self._waiting
        waiting.planes[places] = roots[matches]
        waiting.actions[places] = -1
        waiting.actions[places, :width] = np.where(listed, found.legal[matches, :width], -1)
        waiting.policy[places] = 0
        waiting.policy[places, :width] = np.where(listed, found.policy[matches, :width], 0)
        waiting.policy_weight[places] = teaches_policy[matches]
        waiting.value[places] = found.values[matches]
        if self._table is not None:
            known = self._known[places] = self._table.results(self.matches.states[matches])
            waiting.value[places] = np.where(np.isnan(known), found.values[matches], known)
        self._movers[places] = players[matches]
        self._lengths[matches] += 1

    def _choose(self, found: Decisions, players: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The action in every match, and bool `[B]`: whether the search chose it rather than a bot."""
        actions, is_own = self._choose_by_search(found).copy(), np.ones(self._count, bool)
        for bot, rows in self._bots.to_move(players):
            is_own[rows] = False
            for row in rows:
                actions[row] = bot.choose(Match.from_state(self.game, self.matches.states[row])).action
        return actions, is_own

    def _choose_by_search(self, found: Decisions) -> np.ndarray:
        """The actions of the search; but for Gumbel's, early in a match, drawn from the policy to learn."""
        if self._search.rule == "gumbel" or self._search.sampled_decisions == 0:
            return found.actions
        sums = found.policy.cumsum(1)
        draws = self._generator.random(len(sums)) * sums[:, -1]
        index = np.minimum((sums <= draws[:, None]).sum(1), found.counts - 1)
        drawn = found.legal[np.arange(len(sums)), index]
        return np.where(self._decisions < self._search.sampled_decisions, drawn, found.actions)

    def _finish(self, matches: np.ndarray, winners: np.ndarray) -> Positions:
        """The positions of matches that have ended, with their outcomes."""
        lengths = self._lengths[matches]
        which = np.repeat(np.arange(len(matches)), lengths)
        before = np.cumsum(lengths) - lengths
        number = np.arange(len(which))
        places = matches[which] * self._room + number - before[which]
        last = (before + lengths)[which] - 1
        winner = winners[which]
        outcome = np.where(winner == NOBODY, 0, np.where(winner == self._movers[places], 1, -1))
        outcome = outcome * self._self_play.discount ** (last - number)
        if self._table is not None:
            # From the first position with an exact value on, that value is the outcome, however the match was played.
            known, movers = self._known[places], self._movers[places]
            next_known = np.minimum.accumulate(np.where(np.isnan(known), len(which), number)[::-1])[::-1]
            there = np.minimum(next_known, last)
            value = np.where(movers == movers[there], 1, -1) * known[there]
            outcome = np.where(next_known <= last, value * self._self_play.discount ** (there - number), outcome)
        return self._waiting.take(places)._replace(outcome=outcome.astype(np.float32))

    def _make_room(self) -> None:
        """Doubles the room for waiting positions, when a match is longer than any before."""

        def doubled(array: np.ndarray) -> np.ndarray:
            rows = array.reshape(self._count, self._room, *array.shape[1:])
            return np.concatenate([rows, np.zeros_like(rows)], axis=1).reshape(-1, *array.shape[1:])

        self._waiting = Positions(*map(doubled, self._waiting))
        self._movers, self._known = doubled(self._movers), doubled(self._known)
        self._room *= 2


def table_of(game: Game) -> EndgameTable:
    """The endgame table of a game; `ConfigError` without one."""
    try:
        return large_table(game)
    except TableError as error:
        raise ConfigError(f"search.exact_values needs an endgame table: {error}") from None


def with_progress_limit(game: Game, limit: int | None) -> Game:
    """The game with a lower limit of plies without progress; the game itself if the limit is None."""
    if limit is None:
        return game
    given = game.rules.no_progress_limit
    if given == "off" or limit > given:
        raise ConfigError(
            f"search.no_progress_limit is {limit}, but {game.name} has "
            f"{'no limit' if given == 'off' else f'a limit of {given}'}; remove it or set a lower one"
        )
    played = game.with_options(no_progress_limit=limit)
    if len(played.planes) != len(game.planes):
        raise ConfigError(f"search.no_progress_limit is {limit}: {game.name} has other observation planes with it")
    return played


def make_search(game: Game, matches: int, search: SearchConfig) -> Search:
    """What decides in self-play: a tree search, or one of a user's own."""
    if ":" in search.rule:
        own: Search = load_own("search.rule", search.rule)(game, matches, search)
        return own
    most = max(search.simulations, search.last_simulations)
    return BatchSearch(game, matches, most, make_rule(search))


def make_rule(search: SearchConfig) -> Rule:
    """The search rule of a config."""
    return Rule(
        kind=GUMBEL if search.rule == "gumbel" else PUCT,
        considered=search.max_considered_actions,
        mmd_weight=search.mmd_weight,
        exploration=search.exploration,
        root_noise=search.root_noise,
        dirichlet_total=search.dirichlet_total,
    )
