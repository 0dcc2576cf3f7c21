"""Matches of a game whose table the package has, in which a player misses a win."""

from alquerque_env import Match, load_game, load_table

GAME = "felli_simplified"  # the package has the table of the whole game
LOST = (
    "b2-c3 d4xb2 a1xc3 c4-d4 c1-a1 d4xb2 a1xc3 c5-c4 c3xc5 e5-d4 c5-c4 b4-c3 d2xb4 a5xc3xc5 e1-d2 d4-c3 c2xc4 c5xc3xe1"
)
"""The turns of a whole match with mistakes of both players: South could win, and was given the win again."""
LOST_RECORD = f'[Game "{GAME}"]\n[South "human"]\n[North "random"]\n\n{LOST} 0-1\n'


def lost_match() -> tuple[Match, int]:
    """A match in which South, to win from the start, misses the only win of a later turn; and the turn."""
    game, table = load_game(GAME), load_table(GAME)
    match = Match(game)
    for _ in range(40):
        ranked = table.steps(match)
        wins = [found for found in ranked if found.value == 1]
        if match.player == 0 and len(wins) == 1 and len(ranked) > 1 and len(match.history) > 0:
            missed = len(match.history)
            match.push(ranked[-1].step)
            return match, missed
        match.push(ranked[0].step)
    raise AssertionError("no such position")
