"""What there is to set in a training run, and what is set where nothing is said."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic import BaseModel, ConfigDict, Strict, model_validator
from pydantic_core import PydanticCustomError

from alquerque_env.bots.network.model_card import NO_FEATURES, describe_network, find_renamed
from alquerque_env.search.puct import EXPLORATION, MOST_EXPLORATION
from alquerque_env.search.quiescence import MOST_TURNS
from alquerque_training.config.toml_text import format_toml

OptionValue = str | int | bool

Count = Annotated[int, Ge(1), Le(65_536)]
Share = Annotated[float, Gt(0), Le(1)]


class Section(BaseModel):
    """A table of the file: unknown keys are refused, values are neither converted nor changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class RunConfig(Section):
    """What is trained, for how long, and where it is written.

    Attributes:
      algorithm: `ppo`, or `alphazero`, which looks ahead, or `module:name` of a learner of your own; see
        `run.learner`.
      game: Id of the game.
      options: Rule options of the game, by name; the others keep their defaults.
      seed: Start of every random number of the run.
      total_steps: Steps (actions) of self-play, rounded up to whole iterations; those without a choice are not counted
        by `alphazero`.
      checkpoint_every: Iterations between checkpoints; a killed run loses at most so many.
      keep_checkpoints: Newest checkpoints kept while the run goes on.
      directory: Folder in which the run's own folder is made.
      threads: Threads of torch. Another number gives another run, by rounding.
      start: Folder of a checkpoint of the same game and network whose weights the run begins with; if absent they are
        fresh.
      licence: Under which the trained weights are passed on; an SPDX identifier.
    """

    algorithm: str = "ppo"
    game: str = "alquerque"
    options: Mapping[str, OptionValue] = {}
    seed: Annotated[int, Ge(0), Le(2**63 - 1)] = 0
    total_steps: Annotated[int, Ge(1), Le(10**12)] = 4_000_000
    checkpoint_every: Count = 20
    keep_checkpoints: Count = 2
    directory: str = "runs"
    threads: Annotated[int, Ge(1), Le(256)] = 1
    start: str | None = None
    licence: str = "MIT"


class SelfPlayConfig(Section):
    """How experience is made.

    Attributes:
      num_games: Games played at once, `B`.
      rollout_steps: Steps in each of them between two updates, `L`.
      max_cycles: Steps after which a game is cut short, none if absent; those of its random opening count for `ppo` and
        not for `alphazero`.
      no_progress_limit: Plies without progress after which a game ends as the rules say, if sooner than they do,
        `alphazero`. Where play may go to and fro for long, little else is learned from otherwise.
      opening_plies: A game begins with 0 to so many random steps; else the games of a policy that has become sure of
        itself all go the same way.
      discount: What a result is worth one decision earlier, `alphazero`. Below 1 a player who is losing holds out, so
        that the other may still go wrong, and one who is winning makes haste.
      exact_values: Whether a result is what the endgame table of the game says where it first knows, `alphazero`. The
        match is played on, so that winning what is won is learned too. Each process holds the table.
      bots: Specs of bots that play one seat in some of the games.
      bots_share: Share of the games in which they do; as many for each.
    """

    num_games: Count = 1024
    rollout_steps: Count = 32
    max_cycles: Annotated[int, Ge(1), Le(1_000_000)] | None = None
    no_progress_limit: Annotated[int, Ge(1), Le(10_000)] | None = None
    opening_plies: Annotated[int, Ge(0), Le(100)] = 4
    discount: Share = 1.0
    exact_values: bool = False
    bots: Annotated[tuple[str, ...], Strict(False)] = ()
    bots_share: Annotated[float, Ge(0), Le(1)] = 0.0


class PpoConfig(Section):
    """Proximal policy optimisation, Schulman et al. 2017, arXiv:1707.06347.

    Attributes:
      learning_rate: Of Adam at the start; falls linearly to 0.
      discount: Factor per step; 1 because a win late is a win.
      gae_lambda: 0 trusts the values, 1 trusts the outcome.
      clip: How far the ratio of new to old probability counts.
      entropy_bonus: Weight of the policy's entropy. 0.01, usual elsewhere, makes self-play decline here.
      final_entropy_bonus: At the end of the run, approached linearly; `entropy_bonus` if absent.
      value_weight: Weight of the value loss.
      epochs: Passes over each rollout.
      minibatch_size: Most steps in one gradient.
      max_gradient_norm: Longer gradients are shortened to this.
      pool_share: Share of the games in which one seat is played by an earlier self, from which nothing is learned.
      pool_size: Earlier selves kept.
      pool_every: Iterations between two of them.
      symmetries: Whether each match is seen through a symmetry of the game, drawn when it begins.
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


class SearchConfig(Section):
    """How AlphaZero looks ahead in self-play; see `alquerque_env.search.Rule`.

    Attributes:
      rule: `gumbel`, Danihelka et al. 2022, or `puct`, Silver et al. 2018.
      simulations: For each decision.
      final_simulations: At the end of the run, approached by equal factors; `simulations` if absent.
      considered: Actions of a root that `gumbel` looks at.
      value_offset: `c_visit` of `gumbel`.
      value_scale: `c_scale` of `gumbel`.
      mmd_weight: Weight of the regularisation towards the uniform policy, `gumbel`: magnetic mirror descent, Sokota et
        al. 2023, arXiv:2206.05825. It helps in games in which pieces often move to and fro.
      exploration: Weight of the policy against values, `puct`; more than in `evaluation`, since self-play is to
        try things out.
      root_noise: Scale of Gumbel noise, or share of Dirichlet noise (`puct`).
      dirichlet_total: Sum of the parameters of Dirichlet noise.
      sampled_decisions: First decisions of a match that `puct` draws in proportion to the visits.
      full_share: Share of the decisions that get all simulations; the others are quick ones and teach the value only.
        Wu 2019, arXiv:1902.10565, section 3.1.
      quick_simulations: For these.
      resign_below: A player who expects less than the negative of this resigns; 1 for never.
      resign_exempt: Share of the matches that are played to their end all the same.
    """

    rule: Literal["gumbel", "puct"] = "gumbel"
    simulations: Annotated[int, Ge(1), Le(4096)] = 32
    final_simulations: Annotated[int, Ge(1), Le(4096)] | None = None
    considered: Annotated[int, Ge(1), Le(256)] = 16
    value_offset: Annotated[float, Ge(0), Le(10_000)] = 50.0
    value_scale: Annotated[float, Gt(0), Le(100)] = 0.1
    mmd_weight: Annotated[float, Ge(0), Le(1)] = 0.0
    exploration: Annotated[float, Gt(0), Le(MOST_EXPLORATION)] = 1.5
    root_noise: Annotated[float, Ge(0), Le(10)] = 1.0
    dirichlet_total: Annotated[float, Gt(0), Le(1000)] = 10.0
    sampled_decisions: Annotated[int, Ge(0), Le(1000)] = 12
    full_share: Share = 1.0
    quick_simulations: Annotated[int, Ge(1), Le(4096)] = 8
    resign_below: Share = 1.0
    resign_exempt: Annotated[float, Ge(0), Le(1)] = 0.1


class AlphaZeroConfig(Section):
    """Learning from self-play with a search: Silver et al. 2018, Science 362.

    Attributes:
      learning_rate: Of AdamW at the start; falls by a half cosine to `final_learning_rate`.
      final_learning_rate: At the end of the run.
      weight_decay: Of AdamW.
      batch_size: Positions in one gradient.
      reuse: How often a position is learned from, on average.
      window: Newest positions to learn from.
      first_window: Positions before the first gradient; from then on the window grows by half of what is added.
      value_weight: Weight of the value loss.
      search_value_share: Share of the search's value in the target of the value; the rest is the outcome.
      average_decay: Of the running average of the weights, per gradient: it plays, is measured and kept.
      max_gradient_norm: Longer gradients are shortened to this.
      symmetries: Whether positions are turned and mirrored by the symmetries of the game.
      processes: That play; one of them also learns. With one, a run can be repeated to the bit.
      learner_games: Of `self_play.num_games`, those that the learning process plays, if there are others.
      precision: Of the network in self-play; `auto` is bfloat16 where the processor has it and the network is wide
        enough to gain by it.
      learner_precision: Of the products of matrices while learning; weights and sums are in single precision in any
        case. `auto` is bfloat16 where the processor has it.
      device: `cpu`, `cuda`, or `auto` for a GPU where there is one.
    """

    learning_rate: Share = 2e-3
    final_learning_rate: Share = 5e-5
    weight_decay: Annotated[float, Ge(0), Le(1)] = 1e-4
    batch_size: Annotated[int, Ge(1), Le(2**20)] = 1024
    reuse: Annotated[float, Gt(0), Le(100)] = 4.0
    window: Annotated[int, Ge(1), Le(50_000_000)] = 400_000
    first_window: Annotated[int, Ge(1), Le(50_000_000)] = 20_000
    value_weight: Annotated[float, Ge(0), Le(100)] = 1.0
    search_value_share: Annotated[float, Ge(0), Le(1)] = 0.25
    average_decay: Annotated[float, Ge(0), Lt(1)] = 0.995
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 1.0
    symmetries: bool = True
    processes: Annotated[int, Ge(1), Le(256)] = 1
    learner_games: Annotated[int, Ge(1), Le(65_536)] | None = None
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    learner_precision: Literal["auto", "float32", "bfloat16"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"


class NetworkConfig(Section):
    """The policy and value network.

    Attributes:
      kind: Architecture, one of `networks.NETWORKS`.
      width: Units of every layer, at every point for `conv` and `graph`; if absent 128 for `mlp`, 32 for `conv` and
        64 for `graph`.
      blocks: Residual blocks; if absent 2 for `mlp` and 4 for the others.
      search_features: `off`, or the depth of a search whose results `mlp` receives as input: for each legal step the
        pieces that it gains or loses after this many turns of full-width search and the captures that follow. At 0
        only captures are searched.
      weight_bits: If given, the trained weights are rounded to so many bits before they are measured and kept, so that
        an exported file holds them exactly and is small: see `checkpoints.quantise`.
    """

    kind: Literal["mlp", "conv", "graph"] = "mlp"
    width: Annotated[int, Ge(1), Le(4096)] = 128
    blocks: Annotated[int, Ge(0), Le(64)] = 2
    search_features: Literal["off"] | Annotated[int, Ge(0), Le(MOST_TURNS)] = NO_FEATURES
    weight_bits: Annotated[int, Ge(2), Le(16)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        """Refuses names of older versions; sizes that are left out are those that suit the kind."""
        if isinstance(data, dict) and (message := find_renamed(data)):
            raise PydanticCustomError("renamed", "{message}", {"message": message})
        sizes = {"conv": {"width": 32, "blocks": 4}, "graph": {"width": 64, "blocks": 4}}
        return sizes.get(str(data.get("kind")), {}) | data if isinstance(data, dict) else data

    @property
    def feature_depth(self) -> int | None:
        """Depth in turns of the search features, None without them."""
        return None if isinstance(self.search_features, str) else self.search_features

    def __str__(self) -> str:
        return describe_network(self.kind, self.width, self.blocks, self.feature_depth)


class EvaluationConfig(Section):
    """How the player is measured: often by its policy alone against `random`, now and then in an arena.

    Attributes:
      games_per_seat: Games against `random` as `player_0`, and as many as `player_1`.
      every: Iterations between two measurements in the course of training.
      max_cycles: Steps after which a game counts as drawn, in the arena too.
      opponents: Specs of the bots that it meets in the arena beside `random`; no arena if there are none.
      opponent_games: Games against each of them, even: each opening is played from both seats.
      final_games: As many at the end of the run; if absent, `opponent_games`.
      opponents_every: Iterations between two arenas; there is one at the end in any case.
      simulations: With which it searches there, 0 for its policy alone.
      exploration: Weight of the policy against values in these searches, and in those of the bot that comes of it; that
        of self-play is `search.exploration`.
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
    network: NetworkConfig = NetworkConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    def toml(self) -> str:
        """The settings as a config file, defaults included."""
        return format_toml(self.model_dump(mode="json"))

    @property
    def steps_per_iteration(self) -> int:
        """Steps of one rollout over all games."""
        return self.self_play.num_games * self.self_play.rollout_steps

    @property
    def learner_games(self) -> int:
        """Games played by the process that learns."""
        games, learner = self.self_play.num_games, self.alphazero
        if learner.processes == 1:
            return games
        return learner.learner_games or games // learner.processes

    @property
    def first_gradient(self) -> int:
        """Positions of matches that ended before `alphazero` makes its first gradient."""
        return self.alphazero.first_window + math.ceil(self.alphazero.batch_size / self.alphazero.reuse)

    @property
    def iterations(self) -> int:
        """Rollouts, each followed by an update, in the whole run."""
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
