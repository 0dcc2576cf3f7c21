"""Counts how often a table cannot say who wins because of the no-progress limit.

    python docs/count_open_values.py GAME [--pieces K] [--option NAME=VALUE ...]

Takes positions at random: so many pieces on random points, and a random number of turns without progress.
"""

import argparse
import random
from collections.abc import Iterator

from alquerque_env import Match, load_game, load_table
from alquerque_env.game.game import Game
from alquerque_env.solve.tables import build_table


def main() -> None:
    """Prints the share of positions without a value."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--pieces", type=int, default=4)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    options = dict(option.split("=", 1) for option in arguments.option)
    game = load_game(arguments.game, **options)
    table = load_table(game, build_table(game, arguments.pieces))
    matches = list(_sample(game, arguments.pieces, arguments.positions))
    late = [match for match in matches if table.value(match) is None]
    won = sum(table.clockless(match) != 0 for match in late)
    print(
        f"{game.name} {' '.join(arguments.option)}: {len(late)} of {len(matches)} positions have no value; "
        f"{won} of these are won without the limit"
    )


def _sample(game: Game, pieces: int, count: int) -> Iterator[Match]:
    rng = random.Random(0)
    limit = game.rules.no_progress_limit
    while count:
        number = rng.randint(2, pieces)
        points = rng.sample(range(len(game.board.points)), number)
        first = rng.randint(1, number - 1)
        sides = []
        for player, own in enumerate((points[:first], points[first:])):
            promotes = game.promotion_points(player) if game.rules.promotion != "none" else ()
            kings = {point for point in own if point in promotes or (promotes and rng.random() < 0.3)}
            sides.append(",".join("K" * (point in kings) + game.board.labels[point] for point in own))
        clock = 0 if limit == "off" else rng.randrange(limit)
        match = Match(game, f"{rng.choice('WB')}:W{sides[0]}:B{sides[1]}" + (f":H{clock}" if clock else ""))
        if not match.is_over:
            count -= 1
            yield match


if __name__ == "__main__":
    main()
