"""Loads a checkpoint as a bot that NumPy evaluates, for installs without torch."""

import json
from pathlib import Path

from ...game.game import Game
from .model_card import (
    META,
    WEIGHTS,
    CheckpointError,
    check_game,
    read_checked,
    read_player_meta,
)
from .network_bot import NetworkBot, check_simulations, make_name
from .numpy_mlp import NumpyMlp, read_weights

KINDS = ("mlp",)


def needs_torch(path: Path) -> bool:
    """Whether NumPy cannot evaluate the network of a checkpoint."""
    try:
        data = json.loads((path / META).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False  # `load_numpy_bot` reports the error
    match data:
        case {"network": {"kind": str(kind)}}:
            return kind not in (*KINDS, "quiescent")  # `load_numpy_bot` gives the new name of the latter
    return True


def load_numpy_bot(
    path: Path, game: Game, simulations: int | None = 0, seed: int | None = None, *, name: str | None = None
) -> NetworkBot:
    """Loads a checkpoint. The bot chooses the same steps as with torch.

    Args:
      path: The checkpoint's folder.
      game: The game that it plays.
      simulations: Simulations for a step; 0 or None for the most probable step of the policy alone.
      seed: Has no effect; every bot has it.
      name: The bot's name; None for its path.

    Raises:
      CheckpointError: If the checkpoint is missing or damaged, was trained on another action table, or has a network
        of another kind.
      BotError: If the number of simulations is out of range.
    """
    simulations = check_simulations(simulations)
    path = Path(path)
    meta = read_player_meta(path)
    check_game(path, meta, game)
    if meta.kind not in KINDS:
        raise CheckpointError(f"checkpoint {str(path)!r} has a network of kind {meta.kind!r}, which needs torch")
    data = read_checked(path, WEIGHTS, meta.weights_sha256)
    try:
        network = NumpyMlp(game, read_weights(data), search_features=meta.search_features)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {WEIGHTS}: {error}") from None
    name = make_name(name or path, simulations)
    return NetworkBot(name, game, network, simulations, seed, exploration=meta.exploration)
