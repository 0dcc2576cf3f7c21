"""MCTS of OpenSpiel: nothing is learned, the bot searches for every step that it plays.

Source: https://github.com/google-deepmind/open_spiel/blob/master/open_spiel/python/examples/mcts.py

OpenSpiel has this bot in C++ too, as `pyspiel.MCTSBot`. In version 2.0.2 it crashes on games written in Python.
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.bots import uniform_random

from alquerque_env.adapters import openspiel

GAMES = {"alquerque": "python_alquerque", "fetaix": "python_fetaix"}


def count_wins(name: str, games: int, simulations: int) -> int:
    """Plays against random steps, half of the games from either seat, and returns the number of wins."""
    game = pyspiel.load_game(GAMES[name])
    rng = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = mcts.MCTSBot(game, uct_c=1.4, max_simulations=simulations, evaluator=evaluator, random_state=rng)
    wins = 0
    for number in range(games):
        seat = number % 2
        bots = [uniform_random.UniformRandomBot(player, rng) for player in (0, 1)]
        bots[seat] = bot
        returns = evaluate_bots(game.new_initial_state(), bots, rng)
        wins += returns[seat] > 0
    return wins


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--simulations", type=int, default=30)
    arguments = parser.parse_args()
    openspiel.register()
    for name in arguments.games:
        start = time.monotonic()
        wins = count_wins(name, 200, arguments.simulations)
        print(f"{name}: 200 games in {time.monotonic() - start:.0f} s")
        print(f"{name}: won {wins} of 200 (search with {arguments.simulations} simulations)", flush=True)
