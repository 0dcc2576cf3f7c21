"""Settings of AlphaZero runs that take seconds."""

from alquerque_training.config.settings import Config
from alquerque_training.run.config_file import parse_config


def settings(game: str = "alquerque", **sections: dict[str, object]) -> Config:
    base: dict[str, dict[str, object]] = {
        "run": {"algorithm": "alphazero", "game": game, "total_steps": 64 * 40},
        "self_play": {"num_games": 16, "rollout_steps": 20},
        "search": {"simulations": 4},
        "alphazero": {"batch_size": 64, "warmup_positions": 128, "window": 1000, "precision": "float32"},
        "network": {"width": 16, "blocks": 1},
    }
    return parse_config({name: base.get(name, {}) | sections.get(name, {}) for name in {**base, **sections}}, "test")
