"""Wrong choices of a network, by the table of a whole game."""

import copy
from typing import Any

from alquerque_env.arena.exact_errors import KINDS, measure_errors
from alquerque_env.arena.intervals import CONFIDENCE
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.errors import TableError
from alquerque_env.game.game import Game
from alquerque_env.solve.tables.whole import whole_table
from alquerque_training.checkpoints.torch_bot import make_network_bot
from alquerque_training.measure.evaluate import Policy
from alquerque_training.networks import PolicyValueNetwork

POSITIONS = 2_000


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
