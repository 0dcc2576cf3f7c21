"""The settings of a training run, read from a TOML file and checked."""

import json
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from alquerque_env.bots.spec import parse_spec
from alquerque_env.errors import AlquerqueError, UnknownNameError, did_you_mean, shorten
from alquerque_env.files.schema import check_texts, read_toml, show
from alquerque_env.game.game import games
from alquerque_env.game.game_file import find_game, names_file
from alquerque_training.config.own_code import load_own
from alquerque_training.config.settings import COMMON, Config, ConfigError, RunConfig, Section
from alquerque_training.run.learner import LEARNERS, find_learner

AnySection = TypeVar("AnySection", bound=Section)
_PACKAGE = Path(__file__).parents[1]
FOLDERS = (_PACKAGE / "configs", _PACKAGE.parents[1] / "configs")
"""Folders of the configs: inside the package in a wheel, at the top of a checkout."""


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
    data: dict[str, Any],
    overrides: Sequence[str],
    source: str,
    *,
    begun: RunConfig | None = None,
    is_whole: bool = True,
) -> Config:
    """Applies overrides to settings, a table for each section, and reads a game that is a file; see `load_config`.

    Values of settings that are not whole may exclude each other.
    """
    for override in overrides:
        _apply(override, data)
    if isinstance(run := data.get("run"), dict) and isinstance(game := run.get("game"), str) and "game_file" not in run:
        data["run"] = run | _read_game(game, source, begun)
    return parse_config(data, source, is_whole=is_whole)


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


OWN_CODE = (("run", "algorithm"), ("search", "rule"), ("network", "kind"))
"""The settings that may be `module:name`."""


class ProgramSetting(NamedTuple):
    """A setting that runs code of its author's choice."""

    setting: str  # `section.key`
    value: str  # what runs a program
    given: Any  # the whole setting, text or a list of texts


def programs(data: Mapping[str, Any]) -> Iterator[ProgramSetting]:
    """Yields the settings, of a table for each section, that run code of their author's choice."""
    for section, key in (*OWN_CODE, ("self_play", "bots"), ("evaluation", "opponents")):
        table = data.get(section)
        given = table.get(key) if isinstance(table, dict) else None
        for value in given if isinstance(given, list) else [given]:
            if not isinstance(value, str):
                continue
            if ":" in value if (section, key) in OWN_CODE else parse_spec(value).starts_program:
                yield ProgramSetting(f"{section}.{key}", value, given)


def _refuse_programs(data: Mapping[str, Any], source: str) -> None:
    """Refuses settings in a file that run code of its author's choice, by an error with the override that allows it."""
    for setting, value, given in programs(data):
        override = shlex.quote(f"{setting}={json.dumps(given)}")
        raise ConfigError(
            f"{source}: {setting} has {shorten(value)!r}, which runs a program, and a config file is data: if you "
            f"trust it, leave it out there and give it on the command line: {shorten(override)}"
        )


def parse_config(data: Mapping[str, Any], source: str, *, is_whole: bool = True) -> Config:
    """Checks settings, a table for each section; a `ConfigError` names their source, key, and what is expected.

    It imports the modules of `programs(data)`, whose learner and search say which sections there are.
    """
    try:
        run = _parse_section("run", RunConfig, data)
        kinds = declared_sections(run.algorithm, data)
        if unknown := next((name for name in data if name not in {**COMMON, **kinds}), None):
            raise ConfigError(_explain_section(unknown, run.algorithm, kinds))
        parts: dict[str, Any] = {name: _parse_section(name, kind, data) for name, kind in {**COMMON, **kinds}.items()}
        config = Config(**{name: parts.pop(name) for name in COMMON}, learner=parts)
        for name, section in config.sections.items() if is_whole else ():
            for contradiction in section.contradictions(name, config):
                raise ConfigError(contradiction)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    return config


def parse_run(data: Mapping[str, Any], source: str) -> RunConfig:
    """Checks the section `run` alone, which imports nothing."""
    try:
        return _parse_section("run", RunConfig, data)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def declared_sections(algorithm: str, data: Mapping[str, Any]) -> dict[str, type[Section]]:
    """The sections that a learner declares, and those of the classes that its settings name as `module:name`."""
    sections = dict(getattr(find_learner(algorithm), "sections", {}))
    table = data.get("search")
    rule = table.get("rule") if isinstance(table, dict) and "search" in sections else None
    if isinstance(rule, str) and ":" in rule:
        sections |= getattr(load_own("search.rule", rule), "sections", {})
    return sections


def _parse_section(name: str, kind: type[AnySection], data: Mapping[str, Any]) -> AnySection:
    try:
        return kind.model_validate(data.get(name, {}))
    except ValidationError as error:
        raise ConfigError(_explain(name, kind, error)) from None


def _explain_section(name: str, algorithm: str, kinds: Mapping[str, Any]) -> str:
    """Says that a learner has no section of this name, and which it has."""
    others = [other for other, learner in LEARNERS.items() if name in learner.sections]
    if others:
        return f"[{name}] has settings of {' and '.join(others)}, and run.algorithm is {algorithm!r}: leave them out"
    return f"unknown section {shorten(name)!r}{_suggest(name, {**COMMON, **kinds})}"


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


def _explain(section: str, kind: type[Section], error: ValidationError) -> str:
    """Describes the first error in one line."""
    errors = error.errors()
    first = min(errors, key=lambda entry: entry["type"] != "extra_forbidden")
    rest = [str(part) for part in first["loc"]]
    if not rest:
        return f"{section} is {show(first['input'])}, expected a section [{section}]"
    key, fields = rest[0], kind.model_fields
    if key not in fields:
        return f"[{section}] has unknown key {shorten(key)!r}{_suggest(key, fields)}"
    name = ".".join([section, *map(shorten, rest[:2] if key == "options" else rest[:1])])
    # A key that takes one of several types has an error for each of them.
    wanted = [entry["msg"].removeprefix("Input should be ") for entry in errors if entry["loc"][:1] == first["loc"][:1]]
    needed = " or ".join(wanted)
    for theirs, ours in (("tuple", "list"), ("dictionary", "table"), ("a valid integer", "an integer"), ("valid ", "")):
        needed = needed.replace(theirs, ours)
    return f"{name} is {show(first['input'])}, expected {needed}"


def _suggest(name: str, known: Mapping[str, Any]) -> str:
    return f"{did_you_mean(name, known)} (known: {', '.join(known)})"
