"""A match of a game whose table the package has, in which a player misses a win."""

from alquerque_env import Match, load_game, load_table

GAME = "felli_simplified"  # the package has the table of the whole game


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
