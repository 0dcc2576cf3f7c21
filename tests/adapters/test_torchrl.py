"""Decisions of one agent from TorchRL's rollouts."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

import alquerque_env
from alquerque_env import Match

torchrl = pytest.importorskip("torchrl")
import torch  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torchrl.envs import GymWrapper, PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

from alquerque_env.adapters.torchrl import acting_rows, safe_mask  # noqa: E402
from alquerque_env.errors import AlquerqueError, PositionError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


GROUP = {"both": ["player_0", "player_1"]}


def wrapped(form: str = "flat") -> PettingZooWrapper:
    return PettingZooWrapper(alquerque_env.fetaix_v0.raw_env(observation=form), use_mask=True, group_map=None)


@pytest.mark.parametrize("form", ["planes", "grid", "flat"])
def test_the_check_of_torchrl_passes(form: str) -> None:
    check_env_specs(wrapped(form))


@pytest.mark.slow
def test_rows_lead_from_one_decision_of_an_agent_to_its_next() -> None:
    torch.manual_seed(0)
    rollout = wrapped().rollout(400, break_when_any_done=False)
    total = {}
    for agent in ("player_0", "player_1"):
        rows = acting_rows(rollout, agent)
        acts = rollout[agent, "mask"][:, 0]
        times = acts.nonzero()[:, 0].tolist()
        assert len(rows) in (len(times), len(times) - 1)
        for place in range(len(rows)):
            start, end = times[place], times[place + 1] if place + 1 < len(times) else len(rollout)
            between = range(start, end)
            assert torch.equal(
                rows["observation", "observation"][place], rollout[agent, "observation"]["observation"][start, 0]
            )
            assert rows["action"][place] == rollout[agent, "action"][start, 0]
            reward = sum(float(rollout["next", agent, "reward"][time, 0, 0]) for time in between)
            assert float(rows["next", "reward"][place, 0]) == reward
            done = any(bool(rollout["next", "done"][time, 0]) for time in between)
            assert bool(rows["next", "done"][place, 0]) == done
            if not done:
                following = rollout[agent, "observation"]["observation"][end, 0]
                assert torch.equal(rows["next", "observation", "observation"][place], following)
                assert rows["next", "action_mask"][place].any()
        total[agent] = float(rows["next", "reward"].sum())
        assert int(rows["next", "done"].sum()) >= 3
    assert total["player_0"] == -total["player_1"]


ENDING = "B:WKc3:BKd1,e5:H4"


def test_torchrl_passes_a_position_on() -> None:
    env, match = wrapped("planes"), Match("fetaix", ENDING)
    first = env.reset(options={"position": ENDING})
    assert np.array_equal(first["player_1", "observation"]["observation"][0], match.observation(1))
    assert np.array_equal(first["player_1", "action_mask"][0], match.action_mask())
    with pytest.raises(PositionError):
        env.reset(options={"position": "nonsense"})
    assert env.rollout(3)["player_0", "mask"][0].item()  # later matches begin at the start of the game


def test_torchrl_passes_positions_on_to_a_batch() -> None:
    made = gymnasium.make_vec("alquerque/Fetaix-v0", 2, seat=1, autoreset_mode="Disabled", opponent=by_first)
    first = GymWrapper(made).reset(options={"position": [ENDING, "B:Wa1,Kc3:Be5"]})
    expected = [Match("fetaix", text).observation(1) for text in (ENDING, "B:Wa1,Kc3:Be5")]
    assert np.array_equal(first["observation"], expected)


def by_first(match: Match) -> Any:
    return match.legal_steps[0]


def test_a_mask_without_legal_actions_allows_all() -> None:
    mask = torch.tensor([[True, False], [False, False]])
    assert safe_mask(mask).tolist() == [[True, False], [True, True]]
    assert np.isfinite(torch.log_softmax(torch.where(safe_mask(mask), torch.zeros(2, 2), -torch.inf), -1).max())


def test_a_rollout_of_another_kind_is_refused() -> None:
    rollout = wrapped().rollout(6)
    with pytest.raises(AlquerqueError, match="no agent 'south' with a mask"):
        acting_rows(rollout, "south")
    with pytest.raises(AlquerqueError, match=r"has shape \[1, 6\], expected the time steps of one environment"):
        acting_rows(rollout[None], "player_0")
    both = PettingZooWrapper(alquerque_env.fetaix_v0.raw_env(), use_mask=True, group_map=GROUP).rollout(6)
    with pytest.raises(AlquerqueError, match=r"no agent 'player_0' with a mask.*group_map=None"):
        acting_rows(both, "player_0")
