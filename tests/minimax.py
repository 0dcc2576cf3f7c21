"""A plain minimax over `Match`: the oracle for the bots that search. It shares nothing with them but the rules."""

from functools import cache

from alquerque_env import Match
from alquerque_env.bots import AlphaBetaBot
from alquerque_env.errors import PositionError

WIN = 30_000
SURE = 29_000
INFINITE = 32_000


def static_score(match):
    """Men, kings and the rows that men have before them, read off the position text; for hunts the full evaluation."""
    if match.game.has_roles or match.game.schedule:
        return full_score(match)
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


def full_score(match):
    """The full evaluation, by which the start of a game is even."""
    lead = _lead(match) - _lead_at_the_start(match.game)
    return lead if match.player == 0 else -lead


@cache
def _lead_at_the_start(game):
    return _lead(Match(game))


def _lead(match):
    """What South is ahead, in a game without promotion, of men that step in all directions or not at all."""
    game, fields = match.game, match.position.split(":")
    hands = next(([*map(int, each[1:].partition("+")[0].split(","))] for each in fields[3:] if each[0] == "D"), (0, 0))
    sides = [{game.board.index[label] for label in filter(None, part[1:].split(","))} for part in fields[1:3]]
    around = {point: {b for a, b in game.board.edges if a == point} for point in range(len(game.board.points))}
    empty = around.keys() - sides[0] - sides[1]
    worths = []
    for side, (own, hand, others) in enumerate(zip(sides, hands, sides[::-1], strict=True)):
        goal, few = game.sides[side].goal, game.loses_at[side]
        count = len(own) + hand
        worth = 100 * count - 200 // max(count - few, 1)
        if count <= 4 and game.no_moves[side] == "loss":
            free = [around[point] & empty for point in own]
            out = empty - _distances(around, set().union(*free), empty).keys()
            worth += (8 * sum(map(len, free)) - 80 * free.count(set()) - 24 * len(out)) // max(count, 1)
        if goal:
            outside, inside = around.keys() - goal, _distances(around, around.keys() - goal, around)
            deepest = max(inside[point] for point in goal)
            to_go = _distances(around, goal, around)
            worth -= 20 * sum(to_go[p] + deepest if p in outside else deepest - inside[p] for p in own)
        elif len(own) > len(others) and game.step_directions(side) != "none":
            apart = _distances(around, others, around)
            worth -= sum(apart[point] for point in own if others)
        worths.append(worth)
    return worths[0] - worths[1]


def _distances(around, points, among):
    """How many steps from some points others are that can be reached over points `among` them."""
    found, last = dict.fromkeys(points, 0), set(points)
    while last := {other for point in last for other in around[point] if other in among} - found.keys():
        found |= dict.fromkeys(last, 1 + max(found.values()))
    return found


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
        steps = [step for step in steps if step.captured and step.origin is not None]  # no removals
        if not steps or match.game.rules.capture == "optional":
            best = static_score(match)
    for step in steps:
        if prune and best >= high:
            break
        match.push(step)
        turned, played = match.player != player, match.chain is None
        sign, least = -1 if turned else 1, max(low, best)
        window = {"low": -high, "high": -least} if turned else {"low": least, "high": high}
        best = max(best, sign * minimax(match, max(depth - played, 0), ply + played, **window, prune=prune))
        match.pop()
    return best


def some_position(game, rng, most=5):
    """A position of 2 to `most` pieces that is not over, often with a clock near its limit; in hunts a played one."""
    if game.has_roles:
        return played_position(game, rng)
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


def played_position(game, rng):
    """A position after random plies, often while the schedule runs, which is not over."""
    plies = rng.randrange(2 * len(game.schedule) + 20)
    match = Match(game)
    for _ in range(plies):
        match.push(rng.choice(match.legal_steps))
        if match.is_over:
            match.pop()
    return match


def ab(game, depth, seed=1, time_limit=None):
    return AlphaBetaBot("alphabeta", game, depth, seed, time_limit)
