"""Checkpoints of untrained networks, for tests of bots that play checkpoints."""

from pathlib import Path

import torch
from alquerque_training.checkpoints.checkpoint import make_meta, save_checkpoint
from alquerque_training.networks.inference import make_network
from alquerque_training.run.config_file import parse_config

from alquerque_env.game.game import Game


def save_random_checkpoint(
    path: Path, game: Game, *, exploration: float = 0.3, seed: int = 1, **network: object
) -> Path:
    """An untrained network, of these settings, whose policies and values differ from position to position."""
    sections = {"network": {"width": 16, "blocks": 1, **network}, "evaluation": {"exploration": exploration}}
    config = parse_config(sections, "test")
    generator = torch.Generator().manual_seed(seed)
    made = make_network(config, game, generator)
    for name, parameter in made.named_parameters():
        if name in ("policy.weight", "origin.weight", "target.weight"):
            parameter.data *= 100
        elif name in ("value.weight", "value.2.weight"):
            parameter.data *= 5
    for parameter in made.parameters():
        parameter.data += 0.05 * torch.randn(parameter.shape, generator=generator)
    save_checkpoint(path, make_meta(game, made, config, steps=0, wall_time=0, strength=[]), made)
    return path
