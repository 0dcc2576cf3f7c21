"""What `import alquerque_env` offers."""

import doctest
import inspect
import re

import pytest

import alquerque_env
from alquerque_env import games

NAMES = [name for name in alquerque_env.__all__ if name != "__version__"]


def test_everything_that_is_exported_can_be_imported_and_is_listed():
    for name in alquerque_env.__all__:
        assert getattr(alquerque_env, name) is not None
        assert name in dir(alquerque_env)


def test_the_docstring_names_everything_that_is_exported_and_nothing_else():
    named = set(re.findall(r"`(\w+)`", alquerque_env.__doc__))

    assert named == set(NAMES)


def test_every_game_has_its_module():
    for game in games():
        assert f"{game}_v0" in dir(alquerque_env)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'alquerque_env' has no attribute 'nothing'"):
        alquerque_env.nothing  # noqa: B018


@pytest.mark.parametrize("name", NAMES)
def test_what_is_exported_is_documented_with_its_public_members(name):
    exported = getattr(alquerque_env, name)
    members = inspect.getmembers(exported) if inspect.isclass(exported) else []
    own = [(member, value) for member, value in members if not member.startswith("_") and member in vars(exported)]
    documented = [exported, *(value for _, value in own if callable(value) or isinstance(value, property))]

    assert all(inspect.getdoc(each) for each in documented)


@pytest.mark.parametrize("module", ["", ".match.match", ".envs.aec", ".envs.self_play_vector"])
def test_the_examples_of_the_docstrings_run(module):
    found = doctest.testmod(__import__(f"alquerque_env{module}", fromlist=["x"]))

    assert found.attempted > 0
    assert found.failed == 0
