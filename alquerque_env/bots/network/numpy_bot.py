"""The player of a checkpoint as a bot, evaluated by NumPy: for an install without torch."""

import json
from pathlib import Path

from ...game.game import Game
from .model_card import (
    META,
    QUIESCENT,
    WEIGHTS,
    CheckpointError,
    check_game,
    read_checked,
    read_player_meta,
)
from .network_bot import NetworkBot, check_simulations, make_name
from .numpy_mlp import NumpyMlp, read_weights

KINDS = ("mlp", QUIESCENT)


def needs_torch(path: Path) -> bool:
    """Whether a checkpoint does not say that its network is of a kind that is evaluated here."""
    try:
        data = json.loads((path / META).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False  # torch would not help; `load_numpy_bot` says what is wrong
    match data:
        case {"network": {"kind": str(kind)}}:
            return kind not in KINDS
    return True


def load_numpy_bot(
    path: Path, game: Game, simulations: int | None = 0, seed: int | None = None, *, name: str | None = None
) -> NetworkBot:
    """Loads the player of a checkpoint; it decides as the one that needs torch does.

    Args:
      path: The checkpoint's folder.
      game: What it is to play.
      simulations: How many to search for a step; 0 or None for the most probable step of the policy alone.
      seed: As for every bot; nothing is left to chance here.
      name: What people call it; by default its path.

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
        network = NumpyMlp(game, read_weights(data), turns=meta.turns)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {WEIGHTS}: {error}") from None
    name = make_name(name or path, simulations)
    return NetworkBot(name, game, network, simulations, seed, exploration=meta.exploration)
