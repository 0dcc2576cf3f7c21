"""Rollouts on a device: the host asks it for nothing while it plays, so that the two work at the same time."""

from typing import Any

import pytest
import torch
from alquerque_training.experience.numbers_ahead import Place
from alquerque_training.experience.symmetric_env import SymmetricGames
from alquerque_training.networks import Shape, build_network
from alquerque_training.rollout import RolloutGames
from alquerque_training.run.config_file import parse_config
from torch.utils._python_dispatch import TorchDispatchMode

from alquerque_env import SelfPlayVectorEnv, load_game
from tests.sets import first_by_default


class CountCopies(TorchDispatchMode):
    """Counts the operations that bring numbers from the host to another device."""

    count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        given = [each for each in args if isinstance(each, torch.Tensor) and each.ndim and each.device.type == "cpu"]
        self.count += bool(given) and isinstance(result, torch.Tensor) and result.device.type != "cpu"
        return result


@first_by_default
@pytest.mark.parametrize("kind", ["mlp", "conv_network:ResidualConv"])
def test_a_rollout_asks_its_device_for_nothing_in_its_steps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors on the device `meta` have no numbers: whatever asks for one, or for the rows of a flag, fails there.

    `Place.count` is the one thing that may ask: at the end of a rollout, and when symmetries are drawn anew.
    """
    monkeypatch.setattr(Place, "count", lambda _place: 0)
    copied = []
    for steps in (2, 5):
        config = parse_config(
            {
                "self_play": {"num_games": 8, "rollout_steps": steps, "max_cycles": 4},
                "ppo": {"symmetries": True, "pool_share": 0.5, "minibatch_size": 8},
                "network": {"kind": kind, "width": 8, "blocks": 1},
            },
            "test",
        )
        game, device = load_game("felli_simplified"), torch.device("meta")
        env: Any = SelfPlayVectorEnv(game, 8, max_cycles=4, backend="torch", device=device)
        env.checks_at_once = False
        games = RolloutGames(config, SymmetricGames(env, game.symmetries, steps), seed=0)
        scale = torch.ones(games.shape.planes)
        network = build_network(config.network, Shape.of(game), scale, torch.Generator()).to(device)
        with CountCopies() as copies:
            games.play(network, torch.Generator().manual_seed(0), network.state_dict())
        copied.append(copies.count)
    assert copied[0] == copied[1]
