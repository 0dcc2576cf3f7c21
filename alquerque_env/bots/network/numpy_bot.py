"""Loads a checkpoint as a bot that NumPy evaluates, for installs without torch."""

from pathlib import Path

from ...game.game import Game
from ..shipped import META, WEIGHTS
from .model_card import CheckpointError, check_game, read_card, read_checked
from .network_bot import NetworkBot, check_simulations, make_name
from .numpy_mlp import NumpyMlp, read_weights

KINDS = ("mlp",)


def needs_torch(path: Path) -> bool:
    """Whether NumPy cannot evaluate the network of a checkpoint."""
    try:
        return read_card(path).network.kind not in KINDS
    except CheckpointError:
        return False  # torch would not help; `load_numpy_bot` says what is wrong


def load_numpy_bot(
    path: Path, game: Game, simulations: int | None = 0, seed: int | None = None, *, name: str | None = None
) -> NetworkBot:
    """Loads a checkpoint as `load_checkpoint_bot` does with torch; the bot chooses the same steps."""
    simulations = check_simulations(simulations)
    path = Path(path)
    card = read_card(path)
    check_game(path, card, game)
    if card.network.kind not in KINDS:
        raise CheckpointError(
            f"checkpoint {str(path)!r} has a network of kind {card.network.kind!r}, which needs torch"
        )
    data = read_checked(path, WEIGHTS, card.sha256[WEIGHTS])
    try:
        network = NumpyMlp(game, read_weights(data), search_features=card.network.feature_depth)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {WEIGHTS}: {error}") from None
    if network.size != (asked := (card.network.width, card.network.blocks)):
        raise CheckpointError(
            f"checkpoint {str(path)!r}: {WEIGHTS} holds a network of {'{}x{}'.format(*network.size)}, "
            f"{META} asks for {'{}x{}'.format(*asked)}"
        )
    name = make_name(name or path, simulations)
    return NetworkBot(name, game, network, simulations, seed, exploration=card.exploration)
