"""How well a policy plays: games against uniformly random play from both seats, and its wrong choices by a table."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from alquerque_env import SelfPlayVectorEnv
from alquerque_env.arena.evaluation import Evaluation
from alquerque_env.arena.exact_errors import KINDS, measure_errors
from alquerque_env.arena.score import CONFIDENCE, Score
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.errors import TableError
from alquerque_env.game.game import Game
from alquerque_env.solve.tables.whole import whole_table
from alquerque_training.checkpoints.torch_bot import make_network_bot
from alquerque_training.networks import PolicyValueNetwork, masked_log_probs

POSITIONS = 2_000
"""Positions in which wrong choices are counted."""

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
    first, second = (Score.of((results[seats == seat] + 1) / 2) for seat in (0, 1))
    return Evaluation.of_seats(first, second, roles=roles)


def random_actions(mask: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Samples a legal action uniformly for each row of a `[B, A]` mask; any action in a row without legal ones."""
    # 1 - random() lies in (0, 1], so that a legal action is never as low as an illegal one.
    actions: np.ndarray = ((1 - generator.random(mask.shape)) * mask).argmax(axis=-1)
    return actions


def exact_error(policy: Policy, game: Game) -> dict[str, float]:
    """The metric `exact_error` of a policy; nothing if no table of the whole game has positions with wrong choices."""
    if (table := whole_table(game)) is None:
        return {}
    try:
        found = measure_errors(PolicyBot(game, policy, batched=True), game, POSITIONS, table=table)
    except TableError:
        return {}
    return {"exact_error": found.wrong.value}


def describe_errors(
    network: PolicyValueNetwork, game: Game, simulations: int, exploration: float
) -> list[dict[str, Any]]:
    """Entries of `exact_errors` in a model card: of the policy alone, and of a search if there are simulations."""
    if (table := whole_table(game)) is None:
        return []
    entries = []
    network = copy.deepcopy(network)
    for number in dict.fromkeys((0, simulations)):
        bot = make_network_bot("player", game, network, number, exploration=exploration)
        for kind in KINDS:
            try:
                found = measure_errors(bot, game, POSITIONS, kind=kind, table=table)
            except TableError:
                continue
            entries.append(
                {
                    "kind": kind,
                    "simulations": number,
                    "positions": found.positions,
                    "wrong": round(found.wrong.value, 4),
                    "low": round(found.wrong.low, 4),
                    "high": round(found.wrong.high, 4),
                    "regret": round(found.regret.value, 4),
                    "confidence": CONFIDENCE,
                }
            )
    return entries
