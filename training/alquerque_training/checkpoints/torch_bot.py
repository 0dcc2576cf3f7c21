"""The bot that plays a checkpoint with torch."""

from functools import partial
from pathlib import Path

import numpy as np
import torch

from alquerque_env.bots.network.model_card import CheckpointError, read_card
from alquerque_env.bots.network.network_bot import Evaluator, NetworkBot, check_simulations, make_name
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game, load_text
from alquerque_training.checkpoints.checkpoint import Checkpoint, load_checkpoint
from alquerque_training.networks import PolicyValueNetwork


def make_network_bot(
    name: str,
    game: Game,
    network: PolicyValueNetwork,
    simulations: int = 0,
    seed: int | None = None,
    *,
    exploration: float,
) -> NetworkBot:
    """The bot of a network, which it converts to double precision; see `NetworkBot`."""
    evaluate = partial(_evaluate, network.double().eval())
    evaluator = Evaluator(game, evaluate, sees_clock=network.sees_clock, canonical=network.canonical)
    return NetworkBot(name, game, evaluator, simulations, seed, exploration=exploration)


@torch.inference_mode()
def _evaluate(network: PolicyValueNetwork, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    logits, values = network(torch.from_numpy(seen))
    return logits.numpy(), values.numpy()


def load_checkpoint_bot(
    path: Path, game: Game, simulations: int | None = 0, seed: int | None = None, *, name: str | None = None
) -> NetworkBot:
    """Loads the player of a checkpoint, by default called by its path.

    Without simulations for a step it plays the most probable step of the policy. It is deterministic: the seed, which
    every bot has, has no effect. Raises `CheckpointError` if the checkpoint is damaged, or was trained on another
    action table.
    """
    simulations = check_simulations(simulations)
    checkpoint = load_checkpoint(Path(path), game)
    name, exploration = make_name(name or path, simulations), checkpoint.meta.exploration
    return make_network_bot(name, game, checkpoint.network, simulations, seed, exploration=exploration)


def load_playable(path: Path, game: Game | None = None) -> tuple[Game, Checkpoint]:
    """Loads a checkpoint and the game, or the one that its model card names, or that of its run if it plays all games.

    Raises `CheckpointError` as `load_checkpoint`, and if there is no such game.
    """
    meta = read_card(path)
    run = meta.config.get("run", {}) if meta.plays_all else vars(meta)
    try:
        game = game or load_text(run["game"], run["game_file"], **run["options"])
    except AlquerqueError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {error}") from None
    return game, load_checkpoint(path, game)
