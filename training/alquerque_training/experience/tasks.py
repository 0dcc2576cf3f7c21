"""Tasks: labelled positions of one game each, in games and rule sets that are drawn anew all the time.

A task is drawn from a seed. Its game is one of the package, perhaps with other options, or one that is drawn. The
positions are those of matches between players who search, but for random steps, and are labelled by the same search;
in a small drawn game the exact values say which steps keep the value.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Le
from pydantic import Strict

from alquerque_env.drawn import draw_game
from alquerque_env.drawn.splits import SPLITS, TRAIN, table_of
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game, games, load_game
from alquerque_env.game.options import OptionValue
from alquerque_env.search.decision_batch import DecisionBatch
from alquerque_training.config.settings import Config, ConfigError, Section
from alquerque_training.experience.labels import (
    Labels,
    SearchLabels,
    TableLabels,
    TablePositions,
    as_positions,
)
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.experience.state_arrays import Arrays, group

Share = Annotated[float, Ge(0), Le(1)]

NOT_VARIED = ("repetition", "no_progress_limit", "who_starts")
"""Options that a task leaves as they are."""

MOST_TRIES = 40
"""Draws of options before a game is played with its defaults."""

LAPSES = (0.0, 0.05, 0.15, 0.4, 1.0)
"""Shares of random steps of a player; one is drawn for each player of a match."""

LONGEST = 200
"""Choices after which a match is given up."""


class TaskConfig(Section):
    """Where the positions come from that a network for all games learns from.

    Attributes:
      games: Ids of games of the package; if empty, all on boards that a compiled search takes.
      held_out: Settings in which these games are not played, each a text such as `pretwa capture=optional`.
      options_share: Share of the tasks in these games that have one or two other options.
      drawn_share: Share of the tasks in drawn games.
      large_share: Share of the drawn games that are large. The others have exact values.
      seeds: Drawn games have seeds from the first one to the one before the second; only training seeds.
      matches: Matches at once in a task.
      uniform: Positions of a task with exact values that are drawn uniformly from the table, besides its matches.
      depth: Turns that the search looks ahead.
      most_nodes: Nodes of a search after which the depth that was finished last counts.
      temperature: Of the policy of the search, a softmax of the values of the steps.
      haste: How much an exact player prefers quick wins and slow losses: by a factor of e for each ply and unit.
    """

    games: Annotated[tuple[str, ...], Strict(False)] = ()
    held_out: Annotated[tuple[str, ...], Strict(False)] = ()
    options_share: Share = 0.5
    drawn_share: Share = 0.5
    large_share: Share = 0.2
    seeds: Annotated[tuple[int, int], Strict(False)] = (0, len(SPLITS[TRAIN]))
    matches: Annotated[int, Ge(1), Le(65_536)] = 16
    uniform: Annotated[int, Ge(0), Le(65_536)] = 256
    depth: Annotated[int, Ge(1), Le(20)] = 4
    most_nodes: Annotated[int, Ge(1), Le(10**9)] = 20_000
    temperature: Annotated[float, Ge(0.001), Le(10)] = 0.1
    haste: Annotated[float, Ge(0), Le(10)] = 0.1

    def contradictions(self, name: str, config: Config) -> Iterator[str]:
        """As `Section.contradictions`."""
        yield from super().contradictions(name, config)
        first, last = self.seeds
        allowed = SPLITS[TRAIN]
        if not allowed.start <= first < last <= allowed.stop:
            yield f"{name}.seeds is {list(self.seeds)}, expected two numbers from 0 to {allowed.stop}, the greater last"
        for number in range(min(2, config.processes)):
            if (games := config.games_of(number)) % self.matches:
                yield (
                    f"self_play.num_games is {config.self_play.num_games}, which gives {games} to a process, expected "
                    f"a multiple of {name}.matches = {self.matches}"
                )


class Task(NamedTuple):
    """Positions of a game with their labels.

    Attributes:
      game: The game.
      source: From which `load_source` makes it again.
      rows: The positions.
    """

    game: Game
    source: Mapping[str, Any]
    rows: Positions

    def as_arrays(self) -> dict[str, np.ndarray]:
        """The task as arrays by name."""
        text = np.frombuffer(json.dumps(self.source).encode(), np.uint8)
        return {"source": text} | {f"rows.{name}": array for name, array in self.rows._asdict().items()}

    @classmethod
    def of(cls, arrays: Arrays) -> "Task":
        """Restores a result of `as_arrays`."""
        source = json.loads(bytes(arrays["source"]))
        return cls(load_source(source), source, Positions(**group(arrays, "rows.")))


def load_source(source: Mapping[str, Any]) -> Game:
    """The game that a task is about."""
    if "seed" in source:
        return draw_game(source["seed"], source["size"])
    return load_game(source["game"], **source["options"])


class TaskSource:
    """Draws tasks, by the settings of a run.

    Raises:
      UnknownNameError, ConfigError: If there is no such game or setting.
    """

    def __init__(self, config: Config) -> None:
        self._own, self._steps = config.of(TaskConfig), config.self_play.rollout_steps
        self._opening = config.self_play.opening_plies
        self._held_out = [_parse_setting(text) for text in self._own.held_out]
        chosen = [load_game(name) for name in self._own.games or games()]
        self._games = [game.name for game in chosen if self._own.games or not game.board.is_wide]

    def draw(self, generator: np.random.Generator) -> Task:
        """Draws a task."""
        own, exact = self._own, None
        source = self._source(generator)
        game = load_source(source)
        if source.get("size") == "small":
            exact = TableLabels(game, 1.0, own.haste, table=table_of(game))
        rows = [self._play(game, exact, generator)]
        if exact is not None and own.uniform:
            seed = int(generator.integers(2**63))
            drawn = TablePositions(
                exact, matches=0, steps=0, uniform=own.uniform, own_share=0.0, uncritical_share=0.2, seed=seed
            )
            rows.append(drawn.draw(lambda planes, _mask: np.zeros(len(planes), np.int64)))
        return Task(game, source, Positions(*map(np.concatenate, zip(*rows, strict=True))))

    def _source(self, generator: np.random.Generator) -> Mapping[str, Any]:
        own = self._own
        if generator.random() < own.drawn_share:
            is_large = generator.random() < own.large_share
            return {"seed": int(generator.integers(*own.seeds)), "size": "large" if is_large else "small"}
        name = self._games[generator.integers(len(self._games))]
        if generator.random() < own.options_share:
            for _ in range(MOST_TRIES):
                if (options := self._options(name, generator)) is not None:
                    return {"game": name, "options": options}
        return {"game": name, "options": {}}

    def _options(self, name: str, generator: np.random.Generator) -> dict[str, OptionValue] | None:
        """One or two options with other values than in the rules, or None if what was drawn is not played."""
        game = load_game(name)
        others = [
            (option.name, value)
            for option in game.option_table.values()
            for value in option.values
            if option.name not in NOT_VARIED and value not in ("N", option.default)
        ]
        if not others:
            return {}
        chosen = dict(others[number] for number in generator.integers(len(others), size=generator.integers(1, 3)))
        if any(name == held and options.items() <= chosen.items() for held, options in self._held_out):
            return None
        try:
            DecisionBatch(game.with_options(**chosen), 1, 0, 0)
        except AlquerqueError:  # values that exclude each other, or a game without a choice
            return None
        return chosen

    def _play(self, game: Game, exact: TableLabels | None, generator: np.random.Generator) -> Positions:
        """Plays matches, and labels their positions."""
        own = self._own
        matches = DecisionBatch(game, own.matches, self._opening, int(generator.integers(2**62)))
        search = SearchLabels(game, own.depth, own.temperature, most_nodes=own.most_nodes)
        rows, everyone = [], np.arange(own.matches)
        lapses, ages = generator.choice(LAPSES, size=(own.matches, 2)), np.zeros(own.matches, np.int64)
        for _ in range(self._steps):
            states = np.array(matches.states, np.int64)
            labels = search.label(states, np.array(matches.past, np.int64))
            players = matches.players()
            if exact is not None:
                labels = _confirmed(labels, exact.label(states))
            rows.append(as_positions(labels, np.ones(len(states), bool)))
            weights = np.where(
                (generator.random(len(states)) < lapses[everyone, players])[:, None], labels.seen.mask, labels.policy
            ).cumsum(1, dtype=np.float64)
            drawn = generator.random((len(states), 1)) * weights[:, -1:]
            ages += 1
            outcomes, _ = matches.advance((weights <= drawn).sum(1), ages > LONGEST)
            ended = (outcomes != 0) | (ages > LONGEST)
            ages[ended], lapses[ended] = 0, generator.choice(LAPSES, size=(int(ended.sum()), 2))
        return Positions(*map(np.concatenate, zip(*rows, strict=True)))


def _confirmed(searched: Labels, exact: Labels) -> Labels:
    """Labels by the table. Of the steps that keep the value, those that a search likes are more probable."""
    policy = exact.policy * (searched.policy + 1e-3)
    policy /= policy.sum(1, keepdims=True)
    return exact._replace(policy=policy, best=policy.argmax(1))


def _parse_setting(text: str) -> tuple[str, dict[str, OptionValue]]:
    """The game and the options of a text such as `pretwa capture=optional`; `ConfigError` if it is none."""
    name, *pairs = text.split()
    try:
        game = load_game(name, **dict(pair.split("=", 1) for pair in pairs))
    except (AlquerqueError, ValueError) as error:
        raise ConfigError(f"tasks.held_out has {text!r}, expected GAME OPTION=VALUE: {error}") from None
    return name, dict(game.chosen_options)
