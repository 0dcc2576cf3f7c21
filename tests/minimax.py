"""A plain minimax over `Match`: the oracle for the bots that search. It shares nothing with them but the rules."""

from alquerque_env import Match
from alquerque_env.bots import AlphaBetaBot
from alquerque_env.errors import PositionError

WIN = 30_000
SURE = 29_000
INFINITE = 32_000


def static_score(match):
    """Men, kings and the rows that men have before them, read off the position text."""
    board = match.game.board
    rows = sorted({y for _, y in board.points})
    score = 0
    for player, part in enumerate(match.position.split(":")[1:3]):
        for label in filter(None, part[1:].split(",")):
            if label.startswith("K"):
                score += 200 * (1 - 2 * player)
                continue
            row = rows.index(board.points[board.index[label]][1])
            before = row if player else len(rows) - 1 - row
            score += (100 + before) * (1 - 2 * player)
    return score if match.player == 0 else -score


def minimax(match, depth, ply=0, *, low=-INFINITE, high=INFINITE, prune=False):
    """The score for the player to move after looking at every line of `depth` turns and of captures behind them.

    With `prune` it leaves out what cannot matter: where the player has better already, or the opponent has.
    """
    player = match.player
    if match.is_over:
        winner = match.outcome.winner
        return 0 if winner is None else (WIN - ply) * (1 if winner == player else -1)
    steps, best = match.legal_steps, -INFINITE
    if depth == 0 and match.chain is None:
        steps = [step for step in steps if step.captured]
        if not steps or match.game.rules.capture == "optional":
            best = static_score(match)
    for step in steps:
        if prune and best >= high:
            break
        match.push(step)
        turned = match.player != player
        sign, least = -1 if turned else 1, max(low, best)
        window = {"low": -high, "high": -least} if turned else {"low": least, "high": high}
        best = max(best, sign * minimax(match, max(depth - turned, 0), ply + turned, **window, prune=prune))
        match.pop()
    return best


def some_position(game, rng, most=5):
    """A position of 2 to `most` pieces that is not over; often with a clock near its limit."""
    labels, limit = game.board.labels, game.rules.no_progress_limit
    for _ in range(1000):
        count = rng.randint(2, most)
        points = rng.sample(range(len(labels)), count)
        first = rng.randint(1, count - 1)
        sides = []
        for player, own in enumerate((points[:first], points[first:])):
            ends, promotes = game.promotion_points(player), game.rules.promotion != "none"
            kings = {point for point in own if promotes and (point in ends or rng.random() < 0.3)}
            sides.append(",".join("K" * (point in kings) + labels[point] for point in own))
        text = f"{rng.choice('WB')}:W{sides[0]}:B{sides[1]}"
        if limit != "off" and rng.random() < 0.5:
            text += f":H{rng.randrange(max(1, limit - 4), limit)}"
        try:
            match = Match(game, text)
        except PositionError:
            continue
        if not match.is_over:
            return match
    raise AssertionError(f"no position of {game!r} found")


def ab(game, depth, seed=1, time_limit=None):
    return AlphaBetaBot("alphabeta", game, depth, seed, time_limit)
