"""Compiles the kernels that most tests of a set need: `python .ci/compile_kernels.py default`.

Two workers of pytest would compile them at the same time.
"""

import sys
import tempfile
from importlib import import_module
from pathlib import Path

from alquerque_training.alphazero import AlphaZeroLearner

from alquerque_env import Match, load_game
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.tables import build_table, load_table
from alquerque_env.solve.tables.verify_table import verify_table

sys.path.append(str(Path(__file__).parent.parent))  # last: the installed package comes first

from tests.option_values import CORE, VARIED
from tests.small_games import small_game
from tests.training.heap_game import HeapEnv, heap_config, heap_learner
from tests.training.tiny_runs import settings


def compile_for(games: tuple[str, ...]) -> None:
    """Calls the kernels of environments, bots and tables, of verification, of proofs and of training."""
    for name in games:
        for compile_part in import_module("alquerque_env.cli.commands.compile").TASKS.values():
            compile_part(load_game(name))
    game = small_game("fetaix", "wedge", "a1 b1", "b3", no_progress_result="majority")
    with tempfile.TemporaryDirectory() as folder:
        verify_table(load_table(game, build_table(game, 2, Path(folder, "small.aqt"))))
    solve_position(Match(load_game("alquerque"), "W:Wc3:Bb2,b4,d4"), memory=0.004, verify=True)
    heap_learner(heap_config(), HeapEnv(64)).iterate()
    learner = AlphaZeroLearner(settings(), load_game("alquerque"))
    for _ in range(4):
        learner.iterate()


if __name__ == "__main__":
    compile_for(CORE if sys.argv[1] == "default" else VARIED)
