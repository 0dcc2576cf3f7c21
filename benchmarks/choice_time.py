"""Measures the processor time of a choice: `python benchmarks/choice_time.py GAME SPEC ...`.

Each bot plays the same openings against alphabeta:3, and only its choices among several steps are timed.
"""

import random
import sys
import time

from alquerque_env import Match, load_bot, load_game
from alquerque_env.engine.forms import compile_at_once

MATCHES, OPENING = 20, 8


def choice_time(spec: str, name: str) -> tuple[float, int]:
    """The mean time of a choice in seconds, and the number of choices."""
    game = load_game(name)
    bot, opponent = load_bot(spec, game, seed=0, tables=False), load_bot("alphabeta:3", game, seed=1, tables=False)
    bot.choose(Match(game))  # loads the kernels
    seconds, choices = 0.0, 0
    for number in range(MATCHES):
        match, draw = Match(game), random.Random(number)
        for _ in range(OPENING):
            if not match.is_over:
                match.push(draw.choice(match.legal_steps))
        while not match.is_over and len(match.steps) < 300:
            if match.player != number % 2:
                match.push(opponent.choose(match))
                continue
            is_choice = len(match.legal_steps) > 1
            began = time.process_time()
            step = bot.choose(match)
            seconds += is_choice * (time.process_time() - began)
            choices += is_choice
            match.push(step)
    return seconds / choices, choices


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit((__doc__ or "").splitlines()[0])
    name, *specs = sys.argv[1:]
    compile_at_once()  # else bots begin as plain Python
    for spec in specs:
        mean, choices = choice_time(spec, name)
        print(f"{spec}: {1000 * mean:.2f} ms, {choices} choices")


if __name__ == "__main__":
    main()
