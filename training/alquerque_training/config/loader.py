"""The settings of a training run, read from a TOML file and checked."""

import json
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from alquerque_env.bots.spec import parse_spec
from alquerque_env.errors import AlquerqueError, UnknownNameError, did_you_mean, shorten
from alquerque_env.files.schema import check_texts, read_toml, show
from alquerque_env.game.game import games
from alquerque_env.game.game_source import find_game, names_file
from alquerque_training.config.settings import SECTIONS, Config, RunConfig

_PACKAGE = Path(__file__).parents[1]
FOLDERS = (_PACKAGE / "configs", _PACKAGE.parents[1] / "configs")
"""Folders of the configs: inside the package in a wheel, at the top of a checkout."""

REMOVED: Mapping[str, Mapping[str, Any]] = {
    "search": {"resign_below": 1.0, "resign_exempt": 0.1, "full_share": 1.0, "quick_simulations": 8},
    "alphazero": {"asynchronous": False, "max_staleness": 2},
}
"""Settings of 0.1.0 that are gone, by section, with their defaults. Runs and model cards list all settings."""


def shipped_configs() -> dict[str, Path]:
    """The file of each config, by its name."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    return {} if folder is None else {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_config(given: str | Path) -> Path:
    """The file of a config, from a name or path. A name has precedence: write `./NAME` for a file of the same name."""
    known = shipped_configs()
    if path := known.get(str(given)):
        return path
    if not os.path.exists(given):  # false for names that no file can have, too
        if str(given) in games():
            raise AlquerqueError(f"{given!r} is a game and not a config: alquerque train {given} --minutes 10")
        raise UnknownNameError("config", str(given), known)
    return Path(given)


class ConfigError(AlquerqueError):
    """A config file or an override with an unknown key or an impossible value."""


def load_config(given: str | Path, overrides: Sequence[str] = (), *, begun: RunConfig | None = None) -> Config:
    """Reads the settings of a run, and its game if that is a file.

    Args:
      given: Name of a config in the package, or path of a TOML file with a table for each section. Missing keys have
        their defaults. It is data: settings that start programs or import modules can be given only in overrides.
      overrides: Texts `section.key=value` that override the file. A value that is not TOML is taken as text.
      begun: The section `run` of a run that is resumed, whose game stands for a game file that is gone.

    Returns:
      The settings, checked.

    Raises:
      UnknownNameError: If there is no such config.
      ConfigError: If the file cannot be read or starts programs, a section or key is unknown, or a value is
        impossible.
    """
    path = find_config(given)
    data = read_toml(path, path.name, ConfigError)
    if "start" in data or "extends" in data:  # no section of a config
        raise ConfigError(f"{str(given)!r} is a game file and not a config: alquerque train {given} --minutes 10")
    check_texts(data, path.name, ConfigError)
    _refuse_programs(data, path.name)
    return complete_config(data, overrides, path.name, begun=begun)


def complete_config(
    data: dict[str, Any], overrides: Sequence[str], source: str, *, begun: RunConfig | None = None
) -> Config:
    """Applies overrides to settings, a table for each section, and reads a game that is a file; see `load_config`."""
    for override in overrides:
        _apply(override, data)
    if isinstance(run := data.get("run"), dict) and isinstance(game := run.get("game"), str) and "game_file" not in run:
        data["run"] = run | _read_game(game, source, begun)
    return parse_config(data, source)


def _read_game(game: str, source: str, begun: RunConfig | None) -> dict[str, str]:
    """The keys `game` and `game_file` for the id of a game or the path of its file."""
    is_gone = names_file(game) and not os.path.lexists(game)
    if is_gone and begun is not None and begun.game_file and begun.game == Path(game).stem:
        return {"game": begun.game, "game_file": begun.game_file}
    try:
        found = find_game(game)
    except AlquerqueError as error:
        raise ConfigError(f"{source}: run.game: {error}") from None
    return {"game": found.name, "game_file": found.text}


class ProgramSetting(NamedTuple):
    """A setting that runs code of its author's choice."""

    setting: str  # `section.key`
    value: str  # what runs a program
    given: Any  # the whole setting, text or a list of texts


def programs(data: Mapping[str, Any]) -> Iterator[ProgramSetting]:
    """Yields the settings, of a table for each section, that run code of their author's choice."""
    for section, key in (("run", "algorithm"), ("self_play", "bots"), ("evaluation", "opponents")):
        table = data.get(section)
        given = table.get(key) if isinstance(table, dict) else None
        for value in given if isinstance(given, list) else [given]:
            if isinstance(value, str) and (":" in value if key == "algorithm" else parse_spec(value).starts_program):
                yield ProgramSetting(f"{section}.{key}", value, given)


def _refuse_programs(data: Mapping[str, Any], source: str) -> None:
    """Refuses settings in a file that run code of its author's choice, by an error with the override that allows it."""
    for setting, value, given in programs(data):
        override = shlex.quote(f"{setting}={json.dumps(given)}")
        raise ConfigError(
            f"{source}: {setting} has {shorten(value)!r}, which runs a program, and a config file is data: if you "
            f"trust it, leave it out there and give it on the command line: {shorten(override)}"
        )


def _without_removed(name: str, section: Any) -> Any:
    """A section without settings that are gone where they are at their defaults, as in the files of older runs."""
    removed = REMOVED.get(name, {})
    if not isinstance(section, dict):
        return section
    return {key: value for key, value in section.items() if key not in removed or value != removed[key]}


def parse_config(data: Mapping[str, Any], source: str) -> Config:
    """Checks settings, a table for each section; a `ConfigError` names their source, key, and what is expected."""
    try:
        config = Config.model_validate({name: _without_removed(name, section) for name, section in data.items()})
    except ValidationError as error:
        raise ConfigError(f"{source}: {_explain(error)}") from None
    for contradiction in _contradictions(config):
        raise ConfigError(f"{source}: {contradiction}")
    return config


def _contradictions(config: Config) -> Iterator[str]:
    """Yields a sentence for each pair of values that exclude each other."""
    learner, playing = config.alphazero, config.self_play
    if config.run.algorithm == "alphazero":
        orders = (
            ("warmup_positions", "window"),
            ("batch_size", "warmup_positions"),
            ("final_learning_rate", "learning_rate"),
        )
        for key, most in orders:
            if getattr(learner, key) > getattr(learner, most):
                yield (
                    f"alphazero.{key} is {getattr(learner, key)}, "
                    f"expected at most alphazero.{most} = {getattr(learner, most)}"
                )
        yield from _late_gradient(config)
    if config.run.algorithm in SECTIONS:
        yield from _unequal_shares(config)
    if config.network.feature_depth is not None and config.network.kind != "mlp":
        yield (
            f"network.search_features is {config.network.search_features}, expected 'off' with "
            f"network.kind = {config.network.kind!r}: only 'mlp' takes search features"
        )
    if config.network.masks and (config.network.kind != "mlp" or config.network.feature_depth is not None):
        yield "network.masks is true, expected false but for network.kind = 'mlp' without search_features: leave it out"
    batch, minibatch = config.steps_per_iteration, config.ppo.minibatch_size
    if config.run.algorithm == "ppo" and batch < minibatch:
        yield (
            f"ppo.minibatch_size is {minibatch}, expected at most self_play.num_games x self_play.rollout_steps = "
            f"{batch}"
        )
    if bool(playing.bots) != (playing.bots_share > 0):
        yield (
            f"self_play.bots is {list(playing.bots)} and self_play.bots_share is {playing.bots_share}, "
            "expected both or neither"
        )
    if (shares := playing.bots_share + config.ppo.pool_share) > 1:
        yield f"self_play.bots_share + ppo.pool_share is {shares:g}, expected at most 1"


def _unequal_shares(config: Config) -> Iterator[str]:
    """Checks that the games can be divided: all processes but the learning one play equally many."""
    algorithm, games, processes = config.run.algorithm, config.self_play.num_games, config.processes
    own = config.games_of(0)
    others, rest = processes - 1, games - own
    given = config.alphazero.learner_games if algorithm == "alphazero" else None
    if games < (others if given == 0 else processes):
        yield f"self_play.num_games is {games}, expected at least one for each of {algorithm}.processes = {processes}"
    if others == 0 or (rest > 0 and rest % others == 0):
        return
    each = max(1, min(round(rest / others), (games - 1) // others))
    fitting = games - each * others
    if given is not None:
        yield (
            f"alphazero.learner_games is {own}, which leaves {max(0, rest)} of self_play.num_games = {games} "
            f"to the rest of alphazero.processes = {processes}: expected a number that leaves as many to each of them, "
            f"such as {fitting}"
        )
    instead = f", or alphazero.learner_games = {fitting}, which leaves {each} to each of the others"
    yield (
        f"self_play.num_games is {games}, expected a multiple of {algorithm}.processes = {processes}, such as "
        f"{round(games / processes) * processes}{instead if algorithm == 'alphazero' else ''}"
    )


def _late_gradient(config: Config) -> Iterator[str]:
    """Checks that the run is long enough for a first gradient."""
    learner, needed = config.alphazero, config.first_gradient
    most = config.iterations * config.steps_per_iteration
    if needed > most:
        highest = learner.warmup_positions - (needed - most)
        lower = f"at most {highest} with it, or " if highest >= learner.batch_size else ""
        yield (
            f"alphazero.warmup_positions is {learner.warmup_positions}, but run.total_steps = {config.run.total_steps} "
            f"gives {most} positions at most, so that nothing would be learned: "
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
    """Describes the first error in one line."""
    errors = error.errors()
    first = min(errors, key=lambda entry: entry["type"] != "extra_forbidden")
    section, *rest = (str(part) for part in first["loc"])
    if section not in SECTIONS:
        return f"unknown section {shorten(section)!r}{_suggest(section, SECTIONS)}"
    fields = SECTIONS[section].model_fields
    if not rest:
        return f"{section} is {show(first['input'])}, expected a section [{section}]"
    key = rest[0]
    if key not in fields:
        return f"[{section}] has unknown key {shorten(key)!r}{_suggest(key, fields)}"
    name = ".".join([section, *map(shorten, rest[:2] if key == "options" else rest[:1])])
    # A key that takes one of several types has an error for each of them.
    wanted = [entry["msg"].removeprefix("Input should be ") for entry in errors if entry["loc"][:2] == first["loc"][:2]]
    needed = " or ".join(wanted)
    for theirs, ours in (("tuple", "list"), ("dictionary", "table"), ("a valid integer", "an integer"), ("valid ", "")):
        needed = needed.replace(theirs, ours)
    return f"{name} is {show(first['input'])}, expected {needed}"


def _suggest(name: str, known: Mapping[str, Any]) -> str:
    return f"{did_you_mean(name, known)} (known: {', '.join(known)})"
