"""The settings of a training run, with their types, bounds and defaults."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic import BaseModel, ConfigDict, Strict, model_validator

from alquerque_env.bots.analysis import MAX_DEPTH as MOST_DEPTH
from alquerque_env.bots.network.model_card import NO_FEATURES, describe_network, describe_player
from alquerque_env.files.toml_text import format_toml
from alquerque_env.game.game import Game, load_text
from alquerque_env.search.puct import EXPLORATION, MOST_EXPLORATION
from alquerque_env.search.quiescence import MAX_DEPTH

OptionValue = str | int | bool

Count = Annotated[int, Ge(1), Le(65_536)]
Share = Annotated[float, Gt(0), Le(1)]
MOST_PROCESSES = 4096


class Section(BaseModel):
    """A table of the file. Unknown keys are refused, values are not converted, and an instance is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class RunConfig(Section):
    """What is trained, for how long, and where the results are written.

    Attributes:
      algorithm: `ppo`, `alphazero`, `exact`, or `module:name` of your own learner, see
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
      start: Folder of a checkpoint of the same game and network; the run begins with its weights. If absent, the
        weights are random.
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
      no_progress_limit: For `alphazero`: a lower no-progress limit than that of the rules, in plies. It shortens games
        in which pieces move back and forth.
      opening_plies: Each game begins with 0 to this many random steps, so that the games of a deterministic policy
        differ.
      discount: For `alphazero`: factor of a result for each decision between it and the position; for `exact` for each
        ply. Below 1 the network learns to win soon and to lose late.
      exact_values: For `alphazero`: whether the value target is the exact value of the first position that the game's
        endgame table knows. The match itself is played to its end. Each process holds the table in memory.
      backend: For `ppo`: what plays the games: `kernels` for those of the package, on the CPU, where the network then
        learns too; `torch` for PyTorch, which can do both on a GPU; `auto` for `torch` if there is a GPU and a process
        plays at least 8,000 games at once, with fewer the kernels are faster. Both give the same games.
      device: For `ppo` with the backend `torch`: where the games are played and the network learns: `cpu`, `cuda`, or
        `auto` for a GPU if there is one.
      bots: Specs of bots that play one seat in some of the games.
      bots_share: Share of the games with a bot, divided evenly among the bots.
    """

    num_games: Count = 1024
    rollout_steps: Count = 32
    max_cycles: Annotated[int, Ge(1), Le(1_000_000)] | None = None
    no_progress_limit: Annotated[int, Ge(1), Le(10_000)] | None = None
    opening_plies: Annotated[int, Ge(0), Le(100)] = 4
    discount: Share = 1.0
    exact_values: bool = False
    backend: Literal["auto", "kernels", "torch"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    bots: Annotated[tuple[str, ...], Strict(False)] = ()
    bots_share: Annotated[float, Ge(0), Le(1)] = 0.0


class PpoConfig(Section):
    """Proximal policy optimisation, Schulman et al. 2017, arXiv:1707.06347.

    Attributes:
      learning_rate: Learning rate of Adam at the start; it falls linearly to 0.
      discount: Discount factor per step.
      gae_lambda: Lambda of GAE: 0 trusts the values, 1 trusts the outcome.
      clip: The ratio of new to old probability is clipped to [1 - clip, 1 + clip].
      entropy_bonus: Weight of the policy's entropy at the start. Self-play got weaker with 0.01.
      final_entropy_bonus: Weight at the end of the run, approached linearly; `entropy_bonus` if absent.
      value_weight: Weight of the value loss.
      epochs: Passes over each rollout.
      minibatch_size: Largest number of steps in one gradient.
      max_gradient_norm: Gradients are clipped to this norm.
      pool_share: Share of the games in which an earlier version of the network plays one seat. The network does not
        learn from the steps of that seat.
      pool_size: Number of earlier versions kept.
      pool_every: Iterations between two versions.
      symmetries: Whether each match is shown under a random symmetry of the game, drawn when the match begins.
      processes: Number of processes that play, each an equal part of `self_play.num_games`; one of them also learns.
    """

    learning_rate: Share = 1e-3
    discount: Share = 1.0
    gae_lambda: Annotated[float, Ge(0), Le(1)] = 0.95
    clip: Share = 0.2
    entropy_bonus: Annotated[float, Ge(0), Le(10)] = 0.05
    final_entropy_bonus: Annotated[float, Ge(0), Le(10)] | None = None
    value_weight: Annotated[float, Ge(0), Le(10)] = 0.5
    epochs: Annotated[int, Ge(1), Le(100)] = 2
    minibatch_size: Annotated[int, Ge(1), Le(2**24)] = 4096
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 0.5
    pool_share: Annotated[float, Ge(0), Le(1)] = 0.0
    pool_size: Annotated[int, Ge(1), Le(1000)] = 8
    pool_every: Count = 25
    symmetries: bool = False
    processes: Annotated[int, Ge(1), Le(MOST_PROCESSES)] = 1


class SearchConfig(Section):
    """The search of AlphaZero in self-play; see `alquerque_env.search.Rule`.

    Attributes:
      rule: `gumbel`, Danihelka et al. 2022, and `puct`, Silver et al. 2018, search a tree. With `alphabeta` an
        expert values each action, see `docs/training.md`; it takes no simulations, and `depth`, `patterns`,
        `temperature` and `learner_share` are for it alone.
      simulations: Simulations for each decision at the start.
      final_simulations: Simulations at the end of the run, approached geometrically; `simulations` if absent.
      max_considered_actions: For `gumbel`: the most actions of a root that are searched.
      value_offset: `c_visit` of `gumbel`.
      value_scale: `c_scale` of `gumbel`.
      mmd_weight: Weight of the regularisation towards the uniform policy, `gumbel`: magnetic mirror descent, Sokota et
        al. 2023, arXiv:2206.05825. It helps in games in which pieces often move back and forth.
      exploration: Exploration constant of `puct` in self-play; `evaluation.exploration` is the one at play time.
      root_noise: Scale of the Gumbel noise, or share of the Dirichlet noise (`puct`), at the root.
      dirichlet_total: Sum of the parameters of the Dirichlet noise.
      sampled_decisions: Number of first decisions of a match that `puct` samples in proportion to the visit counts: at
        temperature 1, the later ones at temperature 0. With `alphabeta` they are drawn from the policy to learn.
      depth: Turns that `alphabeta` looks ahead after each action.
      patterns: Whether it evaluates positions by the patterns of the game too, as the bot `patterns:DEPTH`.
      temperature: Of the policy to learn, a softmax of the values of the actions, which are in [-1, 1].
      learner_share: Share of the matches in which the network plays one seat, by its policy alone.
    """

    rule: Literal["gumbel", "puct", "alphabeta"] = "gumbel"
    simulations: Annotated[int, Ge(1), Le(4096)] = 32
    final_simulations: Annotated[int, Ge(1), Le(4096)] | None = None
    max_considered_actions: Annotated[int, Ge(1), Le(256)] = 16
    value_offset: Annotated[float, Ge(0), Le(10_000)] = 50.0
    value_scale: Annotated[float, Gt(0), Le(100)] = 0.1
    mmd_weight: Annotated[float, Ge(0), Le(1)] = 0.0
    exploration: Annotated[float, Gt(0), Le(MOST_EXPLORATION)] = 1.5
    root_noise: Annotated[float, Ge(0), Le(10)] = 1.0
    dirichlet_total: Annotated[float, Gt(0), Le(1000)] = 10.0
    sampled_decisions: Annotated[int, Ge(0), Le(1000)] = 12
    depth: Annotated[int, Ge(1), Le(MOST_DEPTH)] = 4
    patterns: bool = False
    temperature: Annotated[float, Gt(0), Le(10)] = 0.05
    learner_share: Annotated[float, Ge(0), Le(1)] = 0.5


class AlphaZeroConfig(Section):
    """Learning from self-play with a tree search: Silver et al. 2018, Science 362.

    Attributes:
      learning_rate: Learning rate of AdamW at the start; it falls by a half cosine to `final_learning_rate`.
      final_learning_rate: Learning rate at the end of the run.
      weight_decay: Weight decay of AdamW.
      batch_size: Positions in one gradient.
      reuse: How often each position is sampled on average.
      window: Capacity of the replay buffer, in positions: the most from which a batch is sampled.
      warmup_positions: Positions in the replay buffer before the first gradient. From then on the window grows by half
        of the positions that are added.
      value_weight: Weight of the value loss.
      search_value_share: Share of the root's value in the value target; the rest is the outcome.
      average_decay: Decay, per gradient, of the running average of the weights. The average plays, is evaluated and is
        saved.
      max_gradient_norm: Gradients are clipped to this norm.
      symmetries: Whether sampled positions are turned and mirrored by the symmetries of the game.
      processes: Number of processes that play; one of them also learns.
      learner_games: Games of `self_play.num_games` that the learning process plays when there are several processes.
        With 0 it only learns.
      precision: Number type of the network in self-play; `auto` is bfloat16 on processors that support it, for networks
        wide enough to gain from it.
      learner_precision: Number type of matrix products while learning; weights and sums stay in single precision.
        `auto` is bfloat16 on processors that support it.
      device: `cpu`, `cuda`, or `auto` for a GPU if there is one.
    """

    learning_rate: Share = 2e-3
    final_learning_rate: Share = 5e-5
    weight_decay: Annotated[float, Ge(0), Le(1)] = 1e-4
    batch_size: Annotated[int, Ge(1), Le(2**20)] = 1024
    reuse: Annotated[float, Gt(0), Le(100)] = 4.0
    window: Annotated[int, Ge(1), Le(50_000_000)] = 400_000
    warmup_positions: Annotated[int, Ge(1), Le(50_000_000)] = 20_000
    value_weight: Annotated[float, Ge(0), Le(100)] = 1.0
    search_value_share: Annotated[float, Ge(0), Le(1)] = 0.25
    average_decay: Annotated[float, Ge(0), Lt(1)] = 0.995
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 1.0
    symmetries: bool = True
    processes: Annotated[int, Ge(1), Le(MOST_PROCESSES)] = 1
    learner_games: Annotated[int, Ge(0), Le(65_536)] | None = None
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    learner_precision: Literal["auto", "float32", "bfloat16"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"


class ExactConfig(Section):
    """Learning from the exact values of a table, of the whole game or with a proof, one process on the CPU.

    Attributes:
      matches_share: Share of `self_play.num_games` that are matches between players who play exactly but for random
        steps. The other positions are drawn uniformly from the table, as many as these games would give.
      own_share: Share of these matches in which the learner plays one seat, by its policy alone.
      uncritical_share: Share of the positions in which no action loses value that is learned from. Of the others, the
        critical ones, all are.
      passes: Passes over the positions of an iteration.
      batch_size: Largest number of positions in one gradient.
      learning_rate: Learning rate of AdamW at the start; it falls by a half cosine to `final_learning_rate`.
      final_learning_rate: Learning rate at the end of the run.
      weight_decay: Weight decay of AdamW.
      max_gradient_norm: Gradients are clipped to this norm.
      value_weight: Weight of the value loss.
      haste_weight: Weight of the cross-entropy to an exact player, beside the probability of keeping the value.
      haste: How much this player prefers quick wins and slow losses: by a factor of e for each ply and unit.
      narrowness: How much it prefers, in drawn positions, steps that leave the opponent few replies: by a factor of e
        for each reply and unit. The fewer lines arise, the sooner it is known that nobody can beat the player.
      closed_set: Whether to learn all choices of a small closed set of positions in each iteration, within which the
        player keeps the value of the start, see `docs/training.md`. Wins are kept only where the side with more pieces
        wins at the limit of plies without progress.
      closed_set_depth: Steps ahead that are counted to choose the steps of the set, so that it is small.
      expand: Whether all values are worked out at the start, which takes about half as long as solving the game did
        and makes drawing positions many times as fast.
      symmetries: Whether positions are turned and mirrored by the symmetries of the game.
      precision: Number type of matrix products while learning; weights and sums stay in single precision. `auto` is
        bfloat16 on processors that support it.
    """

    matches_share: Annotated[float, Ge(0), Le(1)] = 0.5
    own_share: Annotated[float, Ge(0), Le(1)] = 0.0
    uncritical_share: Annotated[float, Ge(0), Le(1)] = 0.25
    passes: Annotated[int, Ge(1), Le(100)] = 4
    batch_size: Annotated[int, Ge(1), Le(2**20)] = 1024
    learning_rate: Share = 2e-3
    final_learning_rate: Share = 1e-5
    weight_decay: Annotated[float, Ge(0), Le(1)] = 1e-4
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 5.0
    value_weight: Annotated[float, Ge(0), Le(100)] = 1.0
    haste_weight: Annotated[float, Ge(0), Le(100)] = 0.1
    haste: Annotated[float, Ge(0), Le(100)] = 0.5
    narrowness: Annotated[float, Ge(0), Le(100)] = 0.0
    closed_set: bool = False
    closed_set_depth: Annotated[int, Ge(0), Le(10)] = 3
    expand: bool = False
    symmetries: bool = True
    precision: Literal["auto", "float32", "bfloat16"] = "auto"


class NetworkConfig(Section):
    """The policy and value network.

    Attributes:
      kind: Architecture: `mlp`, `conv` or `graph`, see `docs/training.md`.
      width: Units of each layer, for each point in `conv` and `graph`; if absent 128 for `mlp`, 32 for `conv` and
        64 for `graph`.
      blocks: Residual blocks; if absent 2 for `mlp` and 4 for the others.
      search_features: `off`, or the depth of a search whose results `mlp` receives as input: for each legal step the
        pieces that it gains or loses after this many turns of full-width search and the captures that follow. At 0
        only captures are searched.
      sees_clock: Whether the player sees the plies without progress and whether a position occurred before. If not, its
        choice in a position is the same whatever the clock, so that a best response needs to look at each position
        once; see `docs/solved_games.md`.
      canonical: Whether the player sees the canonical image of each position under the symmetries of the game, see
        `docs/training.md`. It judges all images of a position alike and needs no `symmetries` in training.
      masks: Whether `mlp` also receives as input which steps either player could make if it were to move.
      weight_bits: If given, the trained weights are rounded to this many bits before they are evaluated and saved, so
        that an exported file is small and exact.
    """

    kind: Literal["mlp", "conv", "graph"] = "mlp"
    width: Annotated[int, Ge(1), Le(4096)] = 128
    blocks: Annotated[int, Ge(0), Le(64)] = 2
    search_features: Literal["off"] | Annotated[int, Ge(0), Le(MAX_DEPTH)] = NO_FEATURES
    sees_clock: bool = True
    canonical: bool = False
    masks: bool = False
    weight_bits: Annotated[int, Ge(2), Le(16)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        """Fills in the default sizes of the kind."""
        sizes = {"conv": {"width": 32, "blocks": 4}, "graph": {"width": 64, "blocks": 4}}
        return sizes.get(str(data.get("kind")), {}) | data if isinstance(data, dict) else data

    @property
    def feature_depth(self) -> int | None:
        """Depth in turns of the search features, None without them."""
        return None if isinstance(self.search_features, str) else self.search_features

    def describe_player(self, simulations: int = 0) -> str:
        """Names how the network plays with this many simulations for a step."""
        return describe_player(self.feature_depth, simulations)

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


class Config(Section):
    """All settings of a run."""

    run: RunConfig = RunConfig()
    self_play: SelfPlayConfig = SelfPlayConfig()
    ppo: PpoConfig = PpoConfig()
    search: SearchConfig = SearchConfig()
    alphazero: AlphaZeroConfig = AlphaZeroConfig()
    exact: ExactConfig = ExactConfig()
    network: NetworkConfig = NetworkConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    def toml(self) -> str:
        """Returns the settings as the text of a config file, defaults included."""
        return format_toml(self.model_dump(mode="json"))

    @property
    def steps_per_iteration(self) -> int:
        """Steps of one rollout over all games."""
        return self.self_play.num_games * self.self_play.rollout_steps

    @property
    def processes(self) -> int:
        """Number of processes that play."""
        counts = {"ppo": self.ppo.processes, "alphazero": self.alphazero.processes}
        return counts.get(self.run.algorithm, 1)

    def games_of(self, number: int) -> int:
        """Returns the number of games played by a process; number 0 is the one that learns."""
        games, processes = self.self_play.num_games, self.processes
        if processes == 1:
            return games
        given = self.alphazero.learner_games if self.run.algorithm == "alphazero" else None
        learner = games // processes if given is None else given
        return (games - learner) // (processes - 1) if number else learner

    @property
    def first_gradient(self) -> int:
        """Positions of ended matches that `alphazero` needs before its first gradient."""
        return self.alphazero.warmup_positions + math.ceil(self.alphazero.batch_size / self.alphazero.reuse)

    @property
    def iterations(self) -> int:
        """Iterations of the whole run, each a rollout and an update."""
        return -(-self.run.total_steps // self.steps_per_iteration)


SECTIONS: Mapping[str, type[Section]] = MappingProxyType(
    {name: type(field.default) for name, field in Config.model_fields.items()}
)


def first_difference(left: Config, right: Config) -> tuple[str, Any, Any] | None:
    """The first key on which two configs differ, as `section.key` with both values; None if they are equal."""
    for section, model in SECTIONS.items():
        one, other = getattr(left, section), getattr(right, section)
        for key in model.model_fields:
            if getattr(one, key) != getattr(other, key):
                return f"{section}.{key}", getattr(one, key), getattr(other, key)
    return None
