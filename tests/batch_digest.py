"""Games under option values whose matches are played many at once, and digests of what is played."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from alquerque_env import load_game
from alquerque_env.batch.batch import Batch
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.batch.step_result import RESET
from alquerque_env.engine.torch_table import make_torch_table
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import Game
from tests.all_forms import PlainBatch, TorchAsNumpy
from tests.option_values import CORE, every_value

SIZE = 16
STEPS = 60


def sampled_games(every: int) -> Iterator[tuple[str, Game]]:
    """Games under one in `every` option values, one whose points need longer words, and one with memory and promotion.

    Those of `CORE` under their defaults too; where `every` is 1 all games under all values.
    """
    for place, (name, options) in enumerate(every_value()):
        if every == 1 or (name in CORE and (not options or place % every == 0)):
            yield f"{name} {options}", load_game(name, **options)
    yield "wide", wide_game()
    fetaix = load_game("fetaix")
    yield "forgetful", replace(fetaix, rules=replace(fetaix.rules, undo_scope="per_coin", mullah_steps="one_point"))


def wide_game() -> Game:
    """Fetaix on seven lines instead of five."""
    size = range(7)
    labels = [[f"{'abcdefg'[x]}{y + 1}" for x in size] for y in size]
    lines = [*labels, *zip(*labels, strict=True)]
    for first in range(-4, 11, 2):
        lines.append([labels[first - x][x] for x in size if 0 <= first - x <= 6])
        lines.append([labels[first - 6 + x][x] for x in size if 0 <= first - 6 + x <= 6])
    drawn = [" ".join(line) for line in lines if len(line) > 2]
    board = parse_board({"title": "wide", "rows": [list(size)] * 7, "lines": drawn}, "wide")
    points = range(len(board.points))
    given = load_game("fetaix")
    start = frozenset(points[:24]), frozenset(points[25:])
    return replace(given, name="wide_fetaix", board=board, start=start)


def play(game: Game, batch: int, make: Callable[[Game, int], Batch] = make_batch) -> Iterator[str]:
    """A digest of the results of each step of a batch; `make` makes the batch."""
    matches = make(game, batch)
    matches.rng[0] = 5
    result = matches.step(np.zeros(batch, np.int64), np.full(batch, RESET, np.int8))
    for _ in range(STEPS):
        content = hashlib.sha256(matches.states.astype(np.int64).tobytes())
        for name, array in zip(result._fields, result, strict=True):
            content.update(f"{name} {array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        actions = matches.sample()
        content.update(actions.tobytes())
        yield content.hexdigest()[:12]
        assert matches.first_illegal(actions, (result.outcome == 0).astype(np.int8)) < 0
        result = matches.step(actions, (result.outcome == 0).astype(np.int8))


def compare_batches(game: Game) -> None:
    """Plays matches by PyTorch and by plain Python, where both can; raises an error at a difference."""
    if make_torch_table(game) is None:
        return
    batches = TorchAsNumpy(game, SIZE), PlainBatch(game, SIZE)
    actions, commands = np.zeros(SIZE, np.int64), np.full(SIZE, RESET, np.int8)
    for batch in batches:
        batch.rng[0] = 5
    for _ in range(STEPS):
        result, expected = (batch.step(actions, commands) for batch in batches)
        for field, array in result._asdict().items():
            assert (array == getattr(expected, field)).all(), field
        assert (batches[0].states == batches[1].states).all()
        actions, commands = batches[1].sample(), (result.outcome == 0).astype(np.int8)
