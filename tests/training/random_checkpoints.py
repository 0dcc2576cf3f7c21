"""Checkpoints of untrained networks, for tests of bots that play checkpoints."""

from pathlib import Path

import torch
from alquerque_training.checkpoints.checkpoint import make_meta, save_checkpoint
from alquerque_training.networks.inference import make_network
from alquerque_training.run.config_file import parse_config

from alquerque_env.game.game import Game


def save_random_checkpoint(
    path: Path,
    game: Game,
    *,
    kind: str = "mlp",
    width: int = 16,
    blocks: int = 1,
    search_features: int | str = "off",
    sees_clock: bool = True,
    canonical: bool = False,
    exploration: float = 0.3,
    seed: int = 1,
) -> Path:
    """An untrained network whose policies and values differ from position to position."""
    network_config = {
        "kind": kind,
        "width": width,
        "blocks": blocks,
        "search_features": search_features,
        "sees_clock": sees_clock,
        "canonical": canonical,
    }
    config = parse_config({"network": network_config, "evaluation": {"exploration": exploration}}, "test")
    generator = torch.Generator().manual_seed(seed)
    network = make_network(config, game, generator)
    for name, parameter in network.named_parameters():
        if name in ("policy.weight", "origin.weight", "target.weight"):
            parameter.data *= 100
        elif name in ("value.weight", "value.2.weight"):
            parameter.data *= 5
    for parameter in network.parameters():
        parameter.data += 0.05 * torch.randn(parameter.shape, generator=generator)
    save_checkpoint(path, make_meta(game, network, config, steps=0, wall_time=0, strength=[]), network)
    return path
