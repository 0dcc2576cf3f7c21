"""The settings of a training run, read from a TOML file and checked."""

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic import ValidationError

from alquerque_env.errors import AlquerqueError
from alquerque_training.config.settings import SECTIONS, Config


class ConfigError(AlquerqueError):
    """A config file or an override with an unknown key or an impossible value."""


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
    _check_together(config, source)
    return config


def _check_together(config: Config, source: str) -> None:
    """Refuses values that do not go together."""
    learner = config.alphazero
    if config.run.algorithm == "alphazero":
        if learner.first_window > learner.window:
            raise ConfigError(
                f"{source}: alphazero.first_window is {learner.first_window}, expected at most alphazero.window = "
                f"{learner.window}"
            )
        if learner.batch_size > learner.first_window:
            raise ConfigError(
                f"{source}: alphazero.batch_size is {learner.batch_size}, expected at most alphazero.first_window = "
                f"{learner.first_window}"
            )
        if learner.final_learning_rate > learner.learning_rate:
            raise ConfigError(
                f"{source}: alphazero.final_learning_rate is {learner.final_learning_rate}, expected at most "
                f"alphazero.learning_rate = {learner.learning_rate}"
            )
        _check_shares(config, source)
        _check_first_window(config, source)
    if config.network.turns and config.network.kind != "quiescent":
        raise ConfigError(
            f"{source}: network.turns is {config.network.turns}, expected 0 with network.kind = "
            f"{config.network.kind!r}: only 'quiescent' looks at turns"
        )
    batch, minibatch = config.steps_per_iteration, config.ppo.minibatch_size
    if config.run.algorithm == "ppo" and batch < minibatch:
        raise ConfigError(
            f"{source}: ppo.minibatch_size is {minibatch}, expected at most "
            f"self_play.num_games x self_play.rollout_steps = {batch}"
        )
    playing, pool_share = config.self_play, config.ppo.pool_share
    if bool(playing.bots) != (playing.bots_share > 0):
        raise ConfigError(
            f"{source}: self_play.bots is {list(playing.bots)} and self_play.bots_share is {playing.bots_share}, "
            "expected both or neither"
        )
    if playing.bots_share + pool_share > 1:
        raise ConfigError(
            f"{source}: self_play.bots_share + ppo.pool_share is {playing.bots_share + pool_share:g}, "
            "expected at most 1"
        )


def _check_shares(config: Config, source: str) -> None:
    """Refuses games that the processes cannot share: those that do not learn play equally many."""
    games, processes, own = config.self_play.num_games, config.alphazero.processes, config.learner_games
    others, rest = processes - 1, games - own
    if games < processes:
        raise ConfigError(
            f"{source}: self_play.num_games is {games}, expected at least one for each of alphazero.processes = "
            f"{processes}"
        )
    if others == 0 or (rest > 0 and rest % others == 0):
        return
    each = max(1, min(round(rest / others), (games - 1) // others))
    fitting = games - each * others
    if config.alphazero.learner_games is not None:
        raise ConfigError(
            f"{source}: alphazero.learner_games is {own}, which leaves {max(0, rest)} of self_play.num_games = {games} "
            f"to the rest of alphazero.processes = {processes}: expected a number that leaves as many to each of them, "
            f"such as {fitting}"
        )
    raise ConfigError(
        f"{source}: self_play.num_games is {games}, expected a multiple of alphazero.processes = {processes}, such as "
        f"{round(games / processes) * processes}, or alphazero.learner_games = {fitting}, which leaves {each} to each "
        "of the others"
    )


def _check_first_window(config: Config, source: str) -> None:
    """Refuses a run that ends before its first gradient."""
    learner, needed = config.alphazero, config.first_gradient
    most = config.iterations * config.steps_per_iteration
    if needed > most:
        highest = learner.first_window - (needed - most)
        lower = f"at most {highest} with it, or " if highest >= learner.batch_size else ""
        raise ConfigError(
            f"{source}: alphazero.first_window is {learner.first_window}, but run.total_steps = "
            f"{config.run.total_steps} gives {most} positions at most, so that nothing would be learned: "
            f"expected {lower}a run.total_steps of {needed} or more"
        )


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
    kinds: dict[object, str] = {
        int: "a whole number",
        float: "a number",
        str: "text",
        tuple[str, ...]: "a list of texts",
    }
    bounds = [
        f"{words} {getattr(bound, attribute)}"
        for bound in metadata
        for form, words, attribute in (
            (Ge, "at least", "ge"),
            (Gt, "above", "gt"),
            (Le, "at most", "le"),
            (Lt, "below", "lt"),
            (MultipleOf, "a multiple of", "multiple_of"),
        )
        if isinstance(bound, form)
    ]
    return ", ".join([kinds.get(annotation, "a table"), *([" and ".join(bounds)] if bounds else [])])
