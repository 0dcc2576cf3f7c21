"""Callers may change all that an environment hands out: no two calls share memory with each other or with a match."""

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import alquerque_env
from alquerque_env import SelfPlayVectorEnv
from alquerque_env.envs.aec import AGENTS, raw_env
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from tests.all_forms import assert_equal
from tests.envs.drawn import leaves

KINDS: dict[str, Callable[..., Any]] = {
    "env": partial(alquerque_env.env, "fetaix"),
    "raw": partial(raw_env, "fetaix"),
    "one": partial(VersusEnv, "fetaix", lambda match: match.legal_steps[0], 0),
    "many": partial(VersusVectorEnv, 2, "fetaix", "random"),
    **{mode.name: partial(SelfPlayVectorEnv, "fetaix", 2, autoreset_mode=mode) for mode in AutoresetMode},
    "torch": partial(SelfPlayVectorEnv, "fetaix", 2, backend="torch"),
}


def play(env: Any, number: int) -> list[Any]:
    """Plays a step that depends on the matches alone, some after a reset; returns all that is handed out."""
    if isinstance(env, SelfPlayVectorEnv):
        actions = env.sample_actions()
        told = env.step(actions)
        found = [actions, told, env.get_state()]
        if env.autoreset_mode is AutoresetMode.DISABLED:
            found.append(env.reset(options={"reset_mask": np.asarray(told[2] | told[3])}))
        return [*found, env.set_state(env.get_state())]
    found = [env.reset() or ()] if number % 10 == 0 else []
    if isinstance(env, VersusVectorEnv):
        if found:
            env.legal = found[0][1]["action_mask"].copy()
        found.append(env.step(env.legal.argmax(1)))
        env.legal = found[-1][-1]["action_mask"].copy()
        return found
    match = env.unwrapped.match
    action = match.legal_steps[number % len(match.legal_steps)].action
    if isinstance(env, VersusEnv):
        env.match.push(action)
        return [*found, env.step(action), env.action_masks()]
    found += [env.last()[0], dict(env.infos), *(env.observe(agent) for agent in AGENTS * 2)]
    env.step(action)
    return found


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind == "torch" else ()) for kind in KINDS]
)
def test_what_is_handed_out_may_be_changed(kind: str) -> None:
    if kind == "torch":
        pytest.importorskip("torch")
    env, twin = (KINDS[kind](max_cycles=50) for _ in range(2))
    for each in (env, twin):
        each.reset(seed=0)
    seen: list[np.ndarray] = []
    for number in range(60):
        found, expected = (list(leaves(play(each, number))) for each in (env, twin))
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
            one[...] = ~one if one.dtype == bool else 99
        seen += found if number < 6 else []
    for one, other in combinations(seen, 2):
        assert not np.shares_memory(one, other)
