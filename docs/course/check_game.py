"""The checker of the exercise *Invent a game and solve it*."""

from pathlib import Path
from tempfile import TemporaryDirectory

from alquerque_env import Match, load_game, load_table, rollouts
from alquerque_env.errors import AlquerqueError
from alquerque_env.solve.tables import build_table

POINTS = range(10, 13)
SHARE = 0.05


def check(file: str | Path, value: int) -> str:
    """Says whether a game file is a game worth playing and whether the value of its start is right, and why."""
    try:
        game = load_game(file)
        if len(game.board.points) not in POINTS:
            return f"Wrong: the board has {len(game.board.points)} points, expected {POINTS[0]} to {POINTS[-1]}."
        random = rollouts(game, 2000, seed=0)
        start = Match(game)
        pieces = start.position.count(",") + 2
        with TemporaryDirectory() as folder:
            table = load_table(game, build_table(game, pieces, Path(folder) / "game.aqt"))
            exact, plies = table.clockless(start), table.distance(start)
    except AlquerqueError as error:
        return f"Wrong: {error}"
    for seat, side in enumerate(("South", "North")):
        if random.share(seat) < SHARE:
            return f"Wrong: {side} wins {random.share(seat):.1%} of random matches, expected at least {SHARE:.0%}."
    if plies is not None and plies < 5:
        return f"Wrong: the match is decided in {plies} plies. Move the pieces apart, or add some."
    if value != exact:
        return f"Wrong: the start is worth {exact} for the player who begins, and you say {value}."
    how = "a draw" if plies is None else f"decided in {plies} plies"
    return f"Right: with best play the match is {how}, and at random South wins {random.share(0):.0%}."
