"""Networks with random weights, and positions that they are asked about."""

from functools import cache

import numpy as np
import pytest
import torch
from alquerque_training.config.settings import Config, NetworkConfig
from alquerque_training.networks import PolicyValueNetwork
from alquerque_training.networks.inference import make_network
from torch import Tensor

from alquerque_env import SelfPlayVectorEnv, load_game
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT

FEATURES = "mlp with search features"
CONV, MASKS = "conv_network:ResidualConv", "masks_network:MasksMlp"
FAMILY = "family"
KINDS = ("mlp", FEATURES, FAMILY, CONV, MASKS)


@cache
def load(name: str, *options: tuple[str, object]) -> Game:
    return load_game(name, **dict(options))


def load_for(kind: str, name: str, options: dict[str, object]) -> Game:
    game = load(name, *options.items())
    if kind in (FEATURES, FAMILY, MASKS) and game.board.is_wide and JIT:
        pytest.skip("the compiled search of search features takes at most 63 points")
    return game


def settings(kind: str) -> dict[str, object]:
    known = {FEATURES: {"kind": "mlp", "search_features": 0}, FAMILY: {"kind": FAMILY, "search_features": 0}}
    return known.get(kind, {"kind": kind})


def network(
    kind: str, game: Game, *, width: int = 16, blocks: int = 2, seed: int = 0, **others: bool
) -> PolicyValueNetwork:
    config = Config(network=NetworkConfig(**settings(kind), width=width, blocks=blocks, **others))
    return make_network(config, game, torch.Generator().manual_seed(seed))


def opinionated(kind: str, game: Game, seed: int = 0) -> PolicyValueNetwork:
    """A network that has left its cautious beginnings: logits and values differ from position to position."""
    made, generator = network(kind, game, seed=seed), torch.Generator().manual_seed(seed + 1)
    for name, parameter in made.named_parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=generator)
        if name.split(".")[0] in {"policy", "origin", "target", "stop"}:
            parameter.data *= 3
    return made.eval()


@cache
def positions(game: Game, count: int = 48) -> tuple[Tensor, Tensor]:
    """int8 `[N, C, P]` planes and bool `[N, A]` masks of positions of random play, some of them after all drops."""
    env = SelfPlayVectorEnv(game, 8)
    shown, info = env.reset(seed=3)
    seen = []
    for _ in range(4 * count // 8 + len(game.schedule)):
        seen.append((shown, info["action_mask"].astype(bool)))
        shown, *_, info = env.step(env.sample_actions())
    kept = [(one, mask) for rows in seen[1::4] for one, mask in zip(*rows, strict=True) if mask.any()]
    return torch.from_numpy(np.stack([one for one, _ in kept])), torch.from_numpy(np.stack([mask for _, mask in kept]))
