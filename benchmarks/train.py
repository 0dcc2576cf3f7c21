"""Steps a second of whole iterations of training, by the clock. Writes no files.

python benchmarks/train.py quickstart
python benchmarks/train.py ppo run.game=fetaix --iterations 5
"""

import argparse
import math
import time
from contextlib import closing

import torch
from alquerque_training.alphazero import AlphaZeroConfig
from alquerque_training.config.settings import Config
from alquerque_training.ppo import PpoConfig
from alquerque_training.run.config_file import load_config
from alquerque_training.run.learner import make_learner

MOST_WARM_UP = 12
"""AlphaZero learns nothing before the first matches end. After this many iterations it is measured all the same."""


def measure(config: Config, iterations: int) -> dict[str, float]:
    """Measures some iterations, after the first one with an update.

    Returns:
      Steps a second by the clock, `steps`, and by the processor time of this process, `steps_of_processor`; the share
      of the time spent playing, `playing`; and positions learned from in a second of the rest, `learned`.
    """
    torch.set_num_threads(config.run.threads)
    with closing(make_learner(config, config.run.load_game())) as learner:
        record = learner.iterate()
        while "policy_loss" not in record and learner.iteration < MOST_WARM_UP:
            record = learner.iterate()
        updates, playing = record.get("updates", 0), 0.0
        start, processor = time.perf_counter(), time.process_time()
        for _ in range(iterations):
            begun = time.perf_counter()
            record = learner.iterate()
            playing += record.get("playing_share", math.nan) * (time.perf_counter() - begun)
        spent, processor = time.perf_counter() - start, time.process_time() - processor
    steps = iterations * config.steps_per_iteration
    if config.run.algorithm == "ppo":
        learned = steps * config.of(PpoConfig).epochs
    else:
        learned = int(record["updates"] - updates) * config.of(AlphaZeroConfig).batch_size
    return {
        "steps": steps / spent,
        "steps_of_processor": steps / processor,
        "playing": playing / spent,
        "learned": learned / max(spent - playing, 1e-9),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("config", help="name or path of a config")
    parser.add_argument("overrides", nargs="*", metavar="SECTION.KEY=VALUE")
    parser.add_argument("--iterations", type=int, default=3)
    chosen = parser.parse_args()
    for name, value in measure(load_config(chosen.config, chosen.overrides), chosen.iterations).items():
        print(f"{name:<20} {value:>12,.2f}")


if __name__ == "__main__":
    main()
