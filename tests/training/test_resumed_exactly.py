"""Every learner goes on from a saved state as if it had never stopped."""

from typing import Any

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.checkpoint import CheckpointError
from alquerque_training.run.config_file import parse_config
from alquerque_training.run.learner import make_learner, restore

from tests.training.tiny_runs import compiled

pytestmark = compiled

NETWORK = {"width": 16, "blocks": 1}
PPO = {
    "run": {"game": "fetaix", "total_steps": 10_000},
    "self_play": {"num_games": 48, "rollout_steps": 8, "bots": ["greedy"], "bots_share": 0.25},
    "ppo": {"minibatch_size": 64, "symmetries": True, "pool_share": 0.25, "pool_every": 1},
    "network": NETWORK,
}
ALPHAZERO = {
    "run": {"algorithm": "alphazero", "game": "fetaix", "total_steps": 64 * 40},
    "self_play": {"num_games": 12, "rollout_steps": 20, "bots": ["greedy", "alphabeta:2"], "bots_share": 0.5},
    "search": {"simulations": 4},
    "alphazero": {"batch_size": 64, "warmup_positions": 128, "window": 1000, "precision": "float32"},
    "network": NETWORK,
}
EXACT = {
    "run": {"algorithm": "exact", "game": "felli_simplified"},
    "self_play": {"num_games": 4, "rollout_steps": 5},
    "exact": {"own_share": 0.5},
    "network": NETWORK,
}
IMITATION = {
    "run": {"algorithm": "imitation", "game": "felli_simplified", "total_steps": 8 * 60},
    "self_play": {"num_games": 6, "rollout_steps": 4},
    "tasks": {"games": ["pretwa", "adugo"], "matches": 2, "uniform": 8, "depth": 2, "seeds": [0, 3]},
    "imitation": {"window": 5, "batch_size": 8, "blocks": 2},
    "network": NETWORK | {"kind": "family", "search_features": 0},
}
THREEFOLD = {"algorithm": "alphazero", "game": "fetaix", "options": {"repetition": "threefold_draw"}}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ppo": (PPO, {}),
    "ppo, several processes": (PPO, {"ppo": {**PPO["ppo"], "processes": 3}}),
    "alphazero": (ALPHAZERO, {}),
    "alphazero, several processes": (
        ALPHAZERO,
        {"alphazero": {**ALPHAZERO["alphazero"], "processes": 3, "learner_games": 4}},
    ),
    "puct, repetition": (ALPHAZERO, {"run": THREEFOLD, "search": {"simulations": 4, "rule": "puct"}}),
    "expert, repetition": (
        ALPHAZERO,
        {"run": THREEFOLD, "search": {"rule": "expert_search:ExpertSearch", "depth": 2}},
    ),
    "exact": (EXACT, {}),
    "imitation": (IMITATION, {}),
    "imitation, several processes": (IMITATION, {"imitation": {**IMITATION["imitation"], "processes": 4}}),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name.endswith("processes") else []) for name in CASES],
)
def test_a_restored_learner_continues_as_the_saved_one(name: str) -> None:
    """In the middle of matches, with opponents of all kinds, whose state is partly that of other processes."""
    config = parse_config(CASES[name][0] | CASES[name][1], "test")
    game = config.run.load_game()
    learner, restored = make_learner(config, game), make_learner(config.replaced("run", seed=9), game)
    try:
        for _ in range(3):
            learner.iterate()
        saved = {key: array.copy() for key, array in learner.get_state().items()}
        weights = {key: tensor.clone() for key, tensor in learner.network.state_dict().items()}
        steps = learner.steps
        records = [learner.iterate() for _ in range(3)]
        restore(restored, saved, weights, steps)
        again = [restored.iterate() for _ in range(3)]

        assert records[0] != records[1]
        for one, two in zip(records, again, strict=True):
            assert {**one, "playing_share": 0.0} == {**two, "playing_share": 0.0}
        for key, tensor in learner.network.state_dict().items():
            assert torch.equal(tensor, restored.network.state_dict()[key]), key
        for key, array in learner.get_state().items():
            np.testing.assert_array_equal(array, restored.get_state()[key], key)
        missing = next(key for key in saved if key.endswith("generator"))
        with pytest.raises(CheckpointError, match="training state does not fit"):
            restore(restored, {key: array for key, array in saved.items() if key != missing}, weights, steps)
    finally:
        learner.close()
        restored.close()
