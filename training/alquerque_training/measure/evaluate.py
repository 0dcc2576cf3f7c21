"""Games of a policy, without a tree search, against uniformly random play; many at once, from both seats."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from alquerque_env import SelfPlayVectorEnv
from alquerque_env.arena.evaluation import Evaluation, SeatResult
from alquerque_env.arena.intervals import CONFIDENCE
from alquerque_training.networks import PolicyValueNetwork, masked_log_probs

Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


def as_strength(evaluation: Evaluation, player: str) -> dict[str, Any]:
    """An entry of `strength` in a model card; `player` names who played."""
    rate = evaluation.win_rate
    return {
        "opponent": evaluation.opponent,
        "player": player,
        "simulations": 0,
        "games": evaluation.games,
        "by_seat": [vars(seat) for seat in evaluation.seats],
        "win_rate": round(rate.value, 4),
        "low": round(rate.low, 4),
        "high": round(rate.high, 4),
        "confidence": CONFIDENCE,
    }


def greedy_policy(network: PolicyValueNetwork) -> Policy:
    """Makes a policy that takes the most probable legal action of a network, the first of equals."""

    @torch.inference_mode()
    def choose(planes: np.ndarray, mask: np.ndarray) -> np.ndarray:
        logits, _ = network(torch.from_numpy(planes))
        return masked_log_probs(logits, torch.from_numpy(mask).bool()).argmax(-1).numpy()

    return choose


def play_random(policy: Policy, env: SelfPlayVectorEnv, seed: int, roles: tuple[str, str] | None = None) -> Evaluation:
    """Plays one game in each row of an environment: as `player_0` in the first half, as `player_1` in the second.

    The policy maps `[B, C, P]` planes and a `[B, A]` mask to `[B]` actions. The environment has an even number of
    games, autoreset NEXT_STEP, and every game ends. `roles` are those of the result.
    """
    seats = np.repeat([0, 1], env.num_envs // 2)
    generator = np.random.default_rng(seed)
    planes, info = env.reset(seed=seed)
    results = np.zeros(env.num_envs, dtype=np.int64)
    running = np.ones(env.num_envs, dtype=bool)
    while running.any():
        mask, mover = info["action_mask"].astype(bool), info["player"].copy()
        actions = random_actions(mask, generator)
        asked = running & (mover == seats)
        if asked.any():
            actions[asked] = policy(planes[asked], mask[asked])
        planes, rewards, terminated, truncated, info = env.step(actions)
        ended = running & (terminated | truncated)
        results[ended] = np.where(mover == seats, rewards, -rewards)[ended]
        running &= ~ended
    return Evaluation((_count(results[seats == 0]), _count(results[seats == 1])), roles=roles)


def random_actions(mask: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Samples a legal action uniformly for each row of a `[B, A]` mask; any action in a row without legal ones."""
    # 1 - random() lies in (0, 1], so that a legal action is never as low as an illegal one.
    actions: np.ndarray = ((1 - generator.random(mask.shape)) * mask).argmax(axis=-1)
    return actions


def _count(results: np.ndarray) -> SeatResult:
    return SeatResult(int((results > 0).sum()), int((results == 0).sum()), int((results < 0).sum()))
