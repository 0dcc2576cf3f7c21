"""Draws games at random and plays them in every form, for as long as asked; prints the first that fails, made simpler.

python -m tools.play_random_games --minutes 10
"""

import argparse
import sys
import tempfile
import time
import traceback
from importlib.util import find_spec
from pathlib import Path

from alquerque_env import load_game
from alquerque_env.errors import RulesError
from alquerque_env.game.game import Game
from tests.all_forms import PLAIN, TORCH, check_game
from tests.random_games import Tables, game_text, random_game, random_options, simpler

SHRINKING = 60
"""Seconds to look for a simpler game that fails too."""


def check_random_game(number: int, *, with_torch: bool = False) -> bool:
    """Plays the game with a number in every form, in some of the slow ones only every few games.

    Returns:
      Whether there is one: many games that are drawn contradict themselves, and the package must say how.

    Raises:
      Exception: If forms differ, a match does not end, or anything but a sentence refuses the game; with the game.
    """
    kinds = {PLAIN: number % 4 == 1, TORCH: with_torch and number % 12 == 6}
    return check_tables(random_game(number), number, tuple(kind for kind, is_due in kinds.items() if is_due))


def check_tables(tables: Tables, seed: int, kinds: tuple[str, ...]) -> bool:
    """As `check_random_game`, for a game by the tables of its file."""
    options = random_options(tables, seed)
    try:
        game = load_tables(tables, options)
        if game is not None:
            check_game(game, seed, kinds)
    except Exception as error:
        error.add_note(f"\nseed {seed}, options {options}, kinds {kinds}, game:\n\n{game_text(tables)}")
        raise
    return game is not None


def load_tables(tables: Tables, options: dict[str, object]) -> Game | None:
    """The game with these tables; None if a sentence refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.toml"
        file.write_text(game_text(tables), encoding="utf-8")
        try:
            return load_game(file, **options)
        except RulesError as error:
            refusal = str(error)
    assert refusal.splitlines() == [refusal], "the refusal is not one line"
    return None


def shrink(tables: Tables, seed: int, kinds: tuple[str, ...]) -> Tables:
    """A game as simple as can be found in a while that fails too."""
    end = time.monotonic() + SHRINKING
    while time.monotonic() < end:
        failing = (each for each in simpler(tables) if time.monotonic() < end and _fails(each, seed, kinds))
        simplest = next(failing, None)
        if simplest is None:
            break
        tables = simplest
    return tables


def _fails(tables: Tables, seed: int, kinds: tuple[str, ...]) -> bool:
    try:
        check_tables(tables, seed, kinds)
    except Exception:
        return True
    return False


def main() -> int:
    """Plays games until one fails or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    number, played = arguments.first, 0
    has_torch = find_spec("torch") is not None
    while time.monotonic() < end:
        try:
            played += check_random_game(number, with_torch=has_torch)
        except Exception:
            traceback.print_exc()
            simplest = shrink(random_game(number), number, (PLAIN,))
            print(f"\nA simpler game, which fails with the seed {number} too:\n\n{game_text(simplest)}")
            return 1
        number += 1
    print(f"{number - arguments.first} games drawn, {played} played in every form: all agree and end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
