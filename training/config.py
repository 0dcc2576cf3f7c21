"""The settings of a training run: what there is to set, read from a TOML file and checked."""

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, ConfigDict, ValidationError

from alquerque_env.errors import AlquerqueError

OptionValue = str | int | bool

Count = Annotated[int, Ge(1), Le(65_536)]
Share = Annotated[float, Gt(0), Le(1)]


class ConfigError(AlquerqueError):
    """A config file or an override with an unknown key or an impossible value."""


class Section(BaseModel):
    """A table of the file: unknown keys are refused, values are neither converted nor changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class RunConfig(Section):
    """What is trained, for how long, and where it is written.

    Attributes:
      game: Id of the game.
      options: Rule options of the game, by name; the others keep their defaults.
      seed: Start of every random number of the run.
      total_steps: Steps (actions) of self-play, rounded up to whole iterations.
      checkpoint_every: Iterations between checkpoints; a killed run loses at most so many.
      keep_checkpoints: Newest checkpoints kept while the run goes on.
      directory: Folder in which the run's own folder is made.
      threads: Threads of torch. Another number gives another run, by rounding.
      licence: Under which the trained weights are passed on; an SPDX identifier.
    """

    game: str = "alquerque"
    options: Mapping[str, OptionValue] = {}
    seed: Annotated[int, Ge(0), Le(2**63 - 1)] = 0
    total_steps: Annotated[int, Ge(1), Le(10**12)] = 4_000_000
    checkpoint_every: Count = 20
    keep_checkpoints: Count = 2
    directory: str = "runs"
    threads: Annotated[int, Ge(1), Le(256)] = 1
    licence: str = "MIT"


class SelfPlayConfig(Section):
    """How experience is made.

    Attributes:
      num_games: Games played at once, `B`.
      rollout_steps: Steps in each of them between two updates, `L`.
      max_cycles: Steps after which a game is cut short; none if absent.
    """

    num_games: Count = 1024
    rollout_steps: Count = 32
    max_cycles: Annotated[int, Ge(1), Le(1_000_000)] | None = None


class PpoConfig(Section):
    """Proximal policy optimisation, Schulman et al. 2017, arXiv:1707.06347.

    Attributes:
      learning_rate: Of Adam at the start; falls linearly to 0.
      discount: Factor per step; 1 because a win late is a win.
      gae_lambda: 0 trusts the values, 1 trusts the outcome.
      clip: How far the ratio of new to old probability counts.
      entropy_bonus: Weight of the policy's entropy. 0.01, usual elsewhere, makes self-play decline here.
      value_weight: Weight of the value loss.
      epochs: Passes over each rollout.
      minibatch_size: Steps in one gradient; divides num_games x rollout_steps.
      max_gradient_norm: Longer gradients are shortened to this.
    """

    learning_rate: Share = 1e-3
    discount: Share = 1.0
    gae_lambda: Annotated[float, Ge(0), Le(1)] = 0.95
    clip: Share = 0.2
    entropy_bonus: Annotated[float, Ge(0), Le(10)] = 0.05
    value_weight: Annotated[float, Ge(0), Le(10)] = 0.5
    epochs: Annotated[int, Ge(1), Le(100)] = 2
    minibatch_size: Annotated[int, Ge(1), Le(2**24)] = 4096
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 0.5


class NetworkConfig(Section):
    """The policy and value network.

    Attributes:
      kind: Architecture, one of `training.network.NETWORKS`.
      width: Units of every layer.
      blocks: Residual blocks.
    """

    kind: Literal["mlp"] = "mlp"
    width: Annotated[int, Ge(1), Le(4096)] = 128
    blocks: Annotated[int, Ge(0), Le(64)] = 2


class EvaluationConfig(Section):
    """The matches against `random` that measure the policy alone, without search.

    Attributes:
      games_per_seat: Games as `player_0`, and as many as `player_1`.
      every: Iterations between two measurements in the course of training.
      max_cycles: Steps after which a game counts as drawn.
    """

    games_per_seat: Annotated[int, Ge(1), Le(10_000)] = 100
    every: Count = 20
    max_cycles: Annotated[int, Ge(1), Le(100_000)] = 1000


class Config(Section):
    """All settings of a run."""

    run: RunConfig = RunConfig()
    self_play: SelfPlayConfig = SelfPlayConfig()
    ppo: PpoConfig = PpoConfig()
    network: NetworkConfig = NetworkConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @property
    def steps_per_iteration(self) -> int:
        """Steps of one rollout over all games."""
        return self.self_play.num_games * self.self_play.rollout_steps

    @property
    def iterations(self) -> int:
        """Rollouts, each followed by an update, in the whole run."""
        return -(-self.run.total_steps // self.steps_per_iteration)


SECTIONS: Mapping[str, type[Section]] = MappingProxyType(
    {
        "run": RunConfig,
        "self_play": SelfPlayConfig,
        "ppo": PpoConfig,
        "network": NetworkConfig,
        "evaluation": EvaluationConfig,
    }
)


def load_config(path: Path, overrides: Sequence[str] = ()) -> Config:
    """Reads the settings of a run.

    Args:
      path: A TOML file with a table for each section; what it leaves out keeps its default.
      overrides: Texts `section.key=value` that replace what the file says. A value that is not TOML is taken as text.

    Raises:
      ConfigError: If the file cannot be read, a section or key is unknown, or a value is impossible.
    """
    data = read_toml(path)
    for override in overrides:
        _apply(override, data)
    return parse_config(data, path.name)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
      ConfigError: If there is no such file or it is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no config {str(path)!r}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {str(path)!r} cannot be read: {error}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}") from None


def parse_config(data: Mapping[str, Any], source: str) -> Config:
    """Checks settings.

    Args:
      data: A table for each section.
      source: Where they come from, for errors.

    Raises:
      ConfigError: If a section or key is unknown or a value is impossible.
    """
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_explain(error)}") from None
    batch, minibatch = config.steps_per_iteration, config.ppo.minibatch_size
    if batch % minibatch:
        raise ConfigError(
            f"{source}: ppo.minibatch_size is {minibatch}, expected a divisor of "
            f"self_play.num_games x self_play.rollout_steps = {batch}"
        )
    return config


def first_difference(left: Config, right: Config) -> tuple[str, Any, Any] | None:
    """The first key on which two configs differ, as `section.key` with both values; None if they are equal."""
    for section, model in SECTIONS.items():
        one, other = getattr(left, section), getattr(right, section)
        for key in model.model_fields:
            if getattr(one, key) != getattr(other, key):
                return f"{section}.{key}", getattr(one, key), getattr(other, key)
    return None


def _apply(override: str, data: dict[str, Any]) -> None:
    name, equals, text = override.partition("=")
    keys = name.strip().split(".")
    if not equals or len(keys) < 2 or not all(keys):
        raise ConfigError(f"override {override!r} is not of the form section.key=value")
    table = data
    for key in keys[:-1]:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise ConfigError(f"override {override!r} goes into {key!r}, which is a value and not a section")
    try:
        table[keys[-1]] = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        table[keys[-1]] = text.strip()


def _explain(error: ValidationError) -> str:
    """One line for the first thing that is wrong."""
    first = min(error.errors(), key=lambda entry: entry["type"] != "extra_forbidden")
    section, *rest = (str(part) for part in first["loc"])
    if section not in SECTIONS:
        return f"unknown section {section!r}{_suggest(section, SECTIONS)}"
    model = SECTIONS[section]
    if not rest:
        return f"{section} is {first['input']!r}, expected a section [{section}]"
    key = rest[0]
    if key not in model.model_fields:
        return f"[{section}] has unknown key {key!r}{_suggest(key, model.model_fields)}"
    nested = f".{rest[1]}" if key == "options" and len(rest) > 1 else ""
    field = model.model_fields[key]
    expected = "true, false, a whole number or text" if nested else _describe(field.annotation, field.metadata)
    return f"{section}.{key}{nested} is {first['input']!r}, expected {expected}"


def _suggest(name: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    return f"{hint} known: {', '.join(known)}"


def _describe(annotation: object, metadata: Sequence[Any]) -> str:
    """What a field takes, in words."""
    if get_origin(annotation) is Literal:
        return f"one of: {', '.join(get_args(annotation))}"
    for part in get_args(annotation):
        if get_origin(part) is Annotated:
            number, *metadata = get_args(part)
            return _describe(number, metadata)
    kinds: dict[object, str] = {int: "a whole number", float: "a number", str: "text"}
    bounds = [
        f"{words} {getattr(bound, attribute)}"
        for bound in metadata
        for form, words, attribute in ((Ge, "at least", "ge"), (Gt, "above", "gt"), (Le, "at most", "le"))
        if isinstance(bound, form)
    ]
    return ", ".join([kinds.get(annotation, "a table"), *([" and ".join(bounds)] if bounds else [])])
