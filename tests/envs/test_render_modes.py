"""Rendering of environments: every mode, in the middle and at the end of matches."""

import copy
import pickle
import warnings
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import alquerque_env
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.render import Window
from tests.option_values import core_or_long, few_games

with warnings.catch_warnings():
    # PettingZoo's test makes a game of its own in a deprecated way and warns of it.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import render_test

every_game = pytest.mark.parametrize("name", few_games())
MODES = ("human", "rgb_array", "ansi", "svg")


@pytest.fixture(autouse=True)
def _quick_window_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    # An hour goes by at every look at the clock, so that no picture has to wait.
    clock = SimpleNamespace(monotonic=count(step=3600.0).__next__, sleep=None)
    monkeypatch.setattr("alquerque_env.render.window.time", clock)
    yield
    pygame.quit()


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[Window]:
    """The windows that were made."""
    made: list[Window] = []
    make = Window.__init__
    monkeypatch.setattr(Window, "__init__", lambda window, **given: made.append(window) or make(window, **given))
    return made


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The pictures that windows have shown."""
    pictures: list[Any] = []
    show = Window.show

    def watched(window: Window, picture: Any) -> bool:
        pictures.append(picture)
        return show(window, picture)

    monkeypatch.setattr(Window, "show", watched)
    return pictures


def begun(name: str, mode: str | None, **arguments: Any) -> Any:
    env = alquerque_env.env(name, render_mode=mode, **arguments)
    env.reset(seed=0)
    return env


def against(name: str, mode: str | None) -> Any:
    env = VersusEnv(name, lambda match: match.legal_steps[0], 0, render_mode=mode)
    env.reset(seed=0)
    return env


both_kinds = pytest.mark.parametrize("begin", [begun, against])


def step(env: Any) -> None:
    env.step(int(env.unwrapped.match.action_mask().argmax()))


def is_svg(picture: Any) -> bool:
    return ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.slow
@pytest.mark.parametrize("name", core_or_long())
def test_the_render_test_passes_in_every_mode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    module = getattr(alquerque_env, f"{name}_v0")
    monkeypatch.setattr(module, "env", lambda *, render_mode: modes.append(render_mode) or begun(name, render_mode))

    render_test(module.env, custom_tests={"svg": is_svg})

    assert modes == ["human", *MODES]


@every_game
def test_the_check_of_gymnasium_passes_in_every_mode(name: str) -> None:
    check_env(gymnasium.make("alquerque/Game-v0", game=name).unwrapped)


@pytest.mark.slow
@every_game
@both_kinds
def test_each_mode_draws_the_position_before_and_after_a_step(begin: Any, name: str) -> None:
    for mode in ("ansi", "svg", "rgb_array"):
        env = begin(name, mode)
        before = env.render()
        assert np.array_equal(before, env.render())
        step(env)
        assert not np.array_equal(env.render(), before)
        env.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_match_is_drawn_to_its_end_and_when_cut_off(mode: str) -> None:
    for limit in (2, None):
        env = begun("alquerque_alfonso_x", mode, max_cycles=limit, no_progress_limit=3)
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            step(env)
            assert (env.render() is None) == (mode == "human")
        assert all(env.terminations.values()) == (limit is None)
        env.step(None)
        env.step(None)
        assert (env.render() is None) == (mode == "human")
        env.close()


@both_kinds
def test_a_window_shows_every_reset_and_step_by_itself(begin: Any, shown: list[Any], windows: list[Window]) -> None:
    env = begin("fetaix", "human")
    for _ in range(2):
        step(env)
    assert len(shown) == 3
    assert shown[-1] == env.unwrapped.match.picture()
    assert [window.fps for window in windows] == [env.metadata["render_fps"]]
    assert [window.is_open for window in windows] == [True]
    for _ in range(2):  # closing twice is fine
        env.close()
    assert [window.is_open for window in windows] == [False]
    step(env)
    assert [window.is_open for window in windows] == [False, True]
    env.close()


@both_kinds
def test_no_other_mode_opens_a_window_and_without_one_a_warning_says_so(begin: Any, shown: list[Any]) -> None:
    for mode in ("rgb_array", "ansi", "svg", None):
        env = begin("fetaix", mode)
        step(env)
        env.close()
        step(env)  # play goes on
    assert shown == []
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_a_window_closed_by_its_user_stays_closed_and_play_goes_on(windows: list[Window]) -> None:
    alquerque_env.env("fetaix", render_mode="human").close()  # before it is open
    env = begun("fetaix", "human")
    windows[0].close()
    for _ in range(3):
        step(env)

    assert [window.is_open for window in windows] == [False]
    assert len(env.match.steps) == 3


@pytest.mark.slow
@pytest.mark.parametrize("make", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_of_a_watched_match_opens_its_own_window(make: Any, shown: list[Any], windows: list[Window]) -> None:
    env = begun("fetaix", "human")
    step(env)
    twin = make(env)
    twin.close()
    assert [window.is_open for window in windows] == [True]
    step(twin)
    step(env)
    assert shown[-1] == shown[-2]
    env.close()
    assert [window.is_open for window in windows] == [False, True]
    twin.close()
