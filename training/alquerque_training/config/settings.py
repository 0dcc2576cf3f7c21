"""The settings of a training run, with their types, bounds and defaults."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, TypeVar

from annotated_types import Ge, Gt, Le, MultipleOf
from pydantic import BaseModel, ConfigDict, Strict

from alquerque_env.bots.network.model_card import NO_FEATURES, describe_network, describe_player
from alquerque_env.bots.shipped import FAMILY
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.toml_text import format_toml
from alquerque_env.game.game import Game, load_text
from alquerque_env.search.puct import EXPLORATION, MOST_EXPLORATION
from alquerque_env.search.quiescence import MAX_DEPTH

OptionValue = str | int | bool

Count = Annotated[int, Ge(1), Le(65_536)]
Share = Annotated[float, Gt(0), Le(1)]
MLP = "mlp"
"""The trainer's own kind of network."""
MOST_PROCESSES = 4096


class ConfigError(AlquerqueError):
    """A config file or an override with an unknown key or an impossible value."""


class Section(BaseModel):
    """A table of the file. Unknown keys are refused, values are not converted, and an instance is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def contradictions(self, _name: str, _config: "Config") -> Iterator[str]:
        """Yields a sentence for each value of this section, called `name`, that another value excludes."""
        yield from ()


class Processes(Section):
    """The division of the games among processes; the sections of learners that play in several inherit it."""

    processes: Annotated[int, Ge(1), Le(MOST_PROCESSES)] = 1

    def own_games(self, games: int) -> int:
        """Returns how many of so many games the process plays that learns."""
        return max(1, games // self.processes)

    def contradictions(self, name: str, config: "Config") -> Iterator[str]:
        """As `Section.contradictions`: all processes but the learning one play equally many games."""
        yield from super().contradictions(name, config)
        games = config.self_play.num_games
        own, others = self.own_games(games), self.processes - 1
        if games < others + (own > 0 or others == 0):
            yield f"self_play.num_games is {games}, expected at least one for each of {name}.processes = {others + 1}"
        if others and (games <= own or (games - own) % others):
            yield from self._unequal(name, games, own)

    def _unequal(self, name: str, games: int, _own: int) -> Iterator[str]:
        yield (
            f"self_play.num_games is {games}, expected a multiple of {name}.processes = {self.processes}, such as "
            f"{round(games / self.processes) * self.processes}"
        )


class RunConfig(Section):
    """What is trained, for how long, and where the results are written.

    Attributes:
      algorithm: `ppo`, `alphazero`, `exact`, `imitation`, or `module:name` of your own learner, see
        `docs/add_an_algorithm.md`.
      game: Id of the game, or the path of a game file.
      game_file: What the run keeps of a game file, so that the run does not need the file. Filled in when `game` is a
        path.
      options: Rule options of the game, by name; the others keep their defaults.
      seed: Seed of all random numbers of the run.
      total_steps: Steps of self-play, rounded up to whole iterations. `alphazero` counts decisions only: steps with
        more than one legal action, `exact` all positions that it draws.
      checkpoint_every: Iterations between checkpoints: the most that a killed run loses.
      keep_checkpoints: Number of newest checkpoints to keep during the run.
      directory: Folder in which the run's folder is created.
      threads: Number of torch threads. The results of a run depend on it through rounding.
      start: Folder of a checkpoint of the same game and network, or the name of a bot of the package; the run begins
        with its weights. If absent, the weights are random.
      licence: Licence of the trained weights, an SPDX identifier.
    """

    algorithm: str = "ppo"
    game: str = "alquerque"
    game_file: str = ""
    options: Mapping[str, OptionValue] = {}
    seed: Annotated[int, Ge(0), Le(2**63 - 1)] = 0
    total_steps: Annotated[int, Ge(1), Le(10**12)] = 4_000_000
    checkpoint_every: Count = 20
    keep_checkpoints: Count = 2
    directory: str = "runs"
    threads: Annotated[int, Ge(1), Le(256)] = 1
    start: str | None = None
    licence: str = "MIT"

    def load_game(self) -> Game:
        """Loads the game with its options.

        Raises:
          UnknownNameError, RulesError: As `load_text`.
        """
        return load_text(self.game, self.game_file, **self.options)


class SelfPlayConfig(Section):
    """Self-play.

    Attributes:
      num_games: Games played at once, `B`.
      rollout_steps: Steps in each of them between two updates, `L`.
      max_cycles: Steps after which a game is truncated; no limit if absent. The steps of the random opening count for
        `ppo` and not for `alphazero`.
      opening_plies: Each game begins with 0 to this many random steps, so that the games of a deterministic policy
        differ.
      discount: Factor of a result for each step between it and the position, a decision of `alphazero` and a ply of
        `exact`. Below 1 the network learns to win soon and to lose late.
      bots: Specs of bots that play one seat in some of the games.
      bots_share: Share of the games with a bot, divided evenly among the bots.
    """

    num_games: Count = 1024
    rollout_steps: Count = 32
    max_cycles: Annotated[int, Ge(1), Le(1_000_000)] | None = None
    opening_plies: Annotated[int, Ge(0), Le(100)] = 4
    discount: Share = 1.0
    bots: Annotated[tuple[str, ...], Strict(False)] = ()
    bots_share: Annotated[float, Ge(0), Le(1)] = 0.0

    def contradictions(self, _name: str, _config: "Config") -> Iterator[str]:
        """As `Section.contradictions`."""
        if bool(self.bots) != (self.bots_share > 0):
            yield (
                f"self_play.bots is {list(self.bots)} and self_play.bots_share is {self.bots_share}, "
                "expected both or neither"
            )


class NetworkConfig(Section):
    """The policy and value network.

    Attributes:
      kind: Architecture: `mlp`; `family`, whose weights belong to no game; or `module:name` of your own, see
        `docs/training.md`.
      width: Units of each layer.
      blocks: Residual blocks, or rounds of messages between points and links.
      search_features: `off`, or the depth of a search whose results `mlp` receives as input: for each legal step the
        pieces that it gains or loses after this many turns of full-width search and the captures that follow. At 0
        only captures are searched.
      sees_clock: Whether the player sees the plies without progress and whether a position occurred before. If not, its
        choice in a position is the same whatever the clock, so that a best response needs to look at each position
        once; see `docs/solved_games.md`.
      canonical: Whether the player sees the canonical image of each position under the symmetries of the game, see
        `docs/training.md`. It judges all images of a position alike and needs no `symmetries` in training.
      weight_bits: If given, the trained weights are rounded to this many bits before they are evaluated and saved, so
        that an exported file is small and exact.
    """

    kind: str = MLP
    width: Annotated[int, Ge(1), Le(4096)] = 128
    blocks: Annotated[int, Ge(0), Le(64)] = 2
    search_features: Literal["off"] | Annotated[int, Ge(0), Le(MAX_DEPTH)] = NO_FEATURES
    sees_clock: bool = True
    canonical: bool = False
    weight_bits: Annotated[int, Ge(2), Le(16)] | None = None

    @property
    def feature_depth(self) -> int | None:
        """Depth in turns of the search features, None without them."""
        return None if isinstance(self.search_features, str) else self.search_features

    def describe_player(self, simulations: int = 0) -> str:
        """Names how the network plays with this many simulations for a step."""
        return describe_player(self.feature_depth, simulations)

    def contradictions(self, _name: str, _config: "Config") -> Iterator[str]:
        """As `Section.contradictions`."""
        if self.kind not in (MLP, FAMILY) and ":" not in self.kind:
            yield f"network.kind is {self.kind!r}, expected {MLP!r}, {FAMILY!r} or module:name of your own"
        if self.feature_depth is not None and self.kind not in (MLP, FAMILY):
            yield (
                f"network.search_features is {self.search_features}, expected 'off' with "
                f"network.kind = {self.kind!r}: only {MLP!r} and {FAMILY!r} take search features"
            )
        if self.canonical and self.kind == FAMILY:
            yield f"network.canonical is true, expected false with network.kind = {FAMILY!r}"

    def __str__(self) -> str:
        return describe_network(self)


class EvaluationConfig(Section):
    """How the player is evaluated: its policy against `random`, and in an arena against bots.

    Attributes:
      games_per_seat: Games against `random` as `player_0`, and as many as `player_1`.
      every: Iterations between two evaluations against `random`.
      max_cycles: Steps after which a game counts as drawn, in the arena too.
      opponents: Specs of the bots in the arena, besides `random`; no arena if empty.
      opponent_games: Games against each of them, an even number: each opening is played from both seats.
      final_games: Games against each of them at the end of the run; `opponent_games` if absent.
      opponents_every: Iterations between two arenas; another one follows at the end of the run.
      simulations: Simulations of the player's search in the arena, 0 for its policy alone.
      exploration: Exploration constant of the player's search in the arena, and of the bot that the run produces.
    """

    games_per_seat: Annotated[int, Ge(1), Le(10_000)] = 100
    every: Count = 20
    max_cycles: Annotated[int, Ge(1), Le(100_000)] = 1000
    opponents: Annotated[tuple[str, ...], Strict(False)] = ()
    opponent_games: Annotated[int, Ge(2), Le(10_000), MultipleOf(2)] = 40
    final_games: Annotated[int, Ge(2), Le(10_000), MultipleOf(2)] | None = None
    opponents_every: Count = 100
    simulations: Annotated[int, Ge(0), Le(4096)] = 0
    exploration: Annotated[float, Gt(0), Le(MOST_EXPLORATION)] = EXPLORATION


LearnerSection = TypeVar("LearnerSection", bound=Section)


@dataclass(frozen=True)
class Config:
    """All settings of a run.

    Attributes:
      run, self_play, network, evaluation: What every run has.
      learner: The sections that the learner of the run declares, by their names.
    """

    run: RunConfig = field(default_factory=RunConfig)
    self_play: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    learner: dict[str, Section] = field(default_factory=dict)

    @property
    def sections(self) -> dict[str, Section]:
        """All sections by their names, in the order of a file."""
        own = {name: getattr(self, name) for name in COMMON}
        return {name: own[name] for name in ("run", "self_play")} | {**self.learner} | own

    def of(self, kind: type[LearnerSection]) -> LearnerSection:
        """Returns a section of the learner, or raises `ConfigError` if it declares none of this kind."""
        for section in self.learner.values():
            if isinstance(section, kind):
                return section
        raise ConfigError(f"run.algorithm is {self.run.algorithm!r}, which does not declare a section {kind.__name__}")

    def replaced(self, section: str, **values: Any) -> Self:
        """Returns the settings with other values in a section, which are not checked."""
        changed: dict[str, Any] = {section: self.sections[section].model_copy(update=values)}
        return replace(self, **(changed if section in COMMON else {"learner": self.learner | changed}))

    def as_data(self) -> dict[str, dict[str, Any]]:
        """Returns the settings as JSON holds them, a table for each section, defaults included."""
        return {name: section.model_dump(mode="json") for name, section in self.sections.items()}

    def toml(self) -> str:
        """Returns the settings as the text of a config file, defaults included."""
        return format_toml(self.as_data())

    @property
    def steps_per_iteration(self) -> int:
        """Steps of one rollout over all games."""
        return self.self_play.num_games * self.self_play.rollout_steps

    @property
    def iterations(self) -> int:
        """Iterations of the whole run, each a rollout and an update."""
        return -(-self.run.total_steps // self.steps_per_iteration)

    @property
    def _division(self) -> Processes:
        return next((section for section in self.learner.values() if isinstance(section, Processes)), Processes())

    @property
    def processes(self) -> int:
        """Number of processes that play."""
        return self._division.processes

    def games_of(self, number: int) -> int:
        """Returns the number of games played by a process; number 0 is the one that learns."""
        games, processes = self.self_play.num_games, self.processes
        if processes == 1:
            return games
        own = self._division.own_games(games)
        return (games - own) // (processes - 1) if number else own


COMMON: Mapping[str, type[Section]] = MappingProxyType(
    {"run": RunConfig, "self_play": SelfPlayConfig, "network": NetworkConfig, "evaluation": EvaluationConfig}
)
"""The sections of every run; the others are those of its learner."""


def first_difference(left: Mapping[str, Any], right: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """The first key on which two results of `Config.as_data` differ, with both values; None if they are equal."""
    for section in {**left, **right}:
        one, other = (side.get(section) or {} for side in (left, right))
        for key in {**one, **other}:
            if one.get(key) != other.get(key):
                return f"{section}.{key}", one.get(key), other.get(key)
    return None


def orders(section: Section, name: str, *pairs: tuple[str, str]) -> Iterator[str]:
    """Yields a sentence for each pair of keys whose first value is greater than the second."""
    for key, most in pairs:
        value, limit = getattr(section, key), getattr(section, most)
        if value > limit:
            yield f"{name}.{key} is {value}, expected at most {name}.{most} = {limit}"
