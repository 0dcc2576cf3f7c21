"""The checker of the exercise *Compute an exact best response*."""

from collections.abc import Callable

import numpy as np

from alquerque_env import Match, Step, best_response, load_bot
from alquerque_env.adapters.bots import PolicyBot
from alquerque_env.errors import AlquerqueError

GAME = "felli_simplified"


def first_legal(_: np.ndarray, action_mask: np.ndarray) -> int:
    """An agent that takes the first legal action."""
    return int(action_mask.argmax())


def check(respond: Callable[[Callable[[Match], Step], int], tuple[int, list[str]]]) -> str:
    """Says whether a function is right that gives an agent's result against its best response and a line, and why."""
    simple, perfect = PolicyBot(GAME, first_legal), load_bot("perfect", GAME, seed=0)
    for agent, seat in ((simple, 0), (simple, 1), (perfect, 0)):
        result, line = respond(agent.choose, seat)
        who = f"{agent.name} as player_{seat}"
        match = Match(GAME)
        for text in line:
            if not match.is_over and match.player == seat and str(agent.choose(match)) != text:
                return f"Wrong: after {match.turns} {who} plays {agent.choose(match)}, and your line says {text}."
            try:
                match.push(text)
            except AlquerqueError as error:
                return f"Wrong: the line against {who} cannot be played: {error}"
        if match.outcome is None:
            return f"Wrong: after your line against {who} the match is not over."
        winner = match.outcome.winner
        reached = 0 if winner is None else 1 if winner == seat else -1
        if reached != result:
            return f"Wrong: you say that {who} gets {result}, and your line gives it {reached}."
        [known] = best_response(agent, GAME, seat=seat)
        expected = known.value if seat == 0 else -known.value
        if result != expected:
            return f"Wrong: you say that {who} gets {result} at least, but the best response leaves it {expected}."
    return "Right: the results of three best responses are exact, and your lines reach them."
