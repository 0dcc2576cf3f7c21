"""Ray Tune: trials of this package's own trainer, `alquerque train quickstart`, with fewer steps and other settings.

Source: https://docs.ray.io/en/latest/tune/getting-started.html
"""

import argparse
import time
from pathlib import Path

import ray
from alquerque_training import train
from ray import tune

GAMES = ("alquerque", "fetaix")
SEARCHED = {"ppo.learning_rate": [3e-4, 1e-3, 3e-3], "ppo.entropy_bonus": [0.01, 0.05]}
FOLDER = Path("runs").absolute()


def trial(settings: dict[str, object]) -> None:
    """Trains with some settings, and reports how the policy plays against `random` without a search."""
    result = train("quickstart", [f"{key}={value}" for key, value in settings.items()])
    found = result.evaluation
    tune.report({"wins": found.wins, "games": found.games, "checkpoint": str(result.checkpoint)})


def sweep(game: str, steps: int) -> tune.ResultGrid:
    """Tries every combination of the settings, as many at once as there are CPUs."""
    fixed = {"run.game": game, "run.total_steps": steps, "run.directory": str(FOLDER)}
    space = {**fixed, **{key: tune.grid_search(values) for key, values in SEARCHED.items()}}
    stored = tune.RunConfig(name=f"sweep-{game}", storage_path=str(FOLDER), verbose=0)
    return tune.Tuner(tune.with_resources(trial, {"cpu": 1}), param_space=space, run_config=stored).fit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--steps", type=int, default=100_000)
    arguments = parser.parse_args()
    ray.init(address="local", include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    for game in arguments.games:
        start = time.monotonic()
        results = sweep(game, arguments.steps)
        print(f"{game}: {len(results) * arguments.steps} steps in {time.monotonic() - start:.0f} s")
        for result in results:
            print(*(f"{key}={result.config[key]}" for key in SEARCHED), f"won {result.metrics['wins']}")
        best = results.get_best_result("wins", "max").metrics
        print(f"{game}: won {best['wins']} of {best['games']} (the best of {len(results)} trials)", flush=True)
