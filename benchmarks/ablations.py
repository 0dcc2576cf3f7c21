"""What the network for all games owes to its inputs and to the variety of its tasks: one thing at a time is left out.

    python benchmarks/ablations.py                      all variants
    python benchmarks/ablations.py "no drawn games"     some of them

Each variant is `configs/one_network.toml` with one change, trained by one process on as many positions with the same
seed, and measured in the first drawn test games and in the settings that `docs/generalisation.md` holds out. Each
result is a line of `docs/data/ablations.jsonl`, from which the page is made; the same command goes on.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from alquerque_training.run.train import train
from generalisation import DRAWN, SETTING, setting_games, wrong

from alquerque_env.bots.network.family import FamilyEncoder, Inputs, View
from alquerque_env.drawn import draw_game
from alquerque_env.drawn.splits import TEST, seeds_of, table_of
from alquerque_env.files.json_lines import JsonLines
from alquerque_env.game.graph import RULE_FACTS

LEGAL = 2  # the first facts of a link in a position: whether either player could use it
FIVE = '["alquerque", "draughts_english", "pretwa", "seega_5x5", "tiger_and_buffaloes"]'
TEN = FIVE[:-1] + ', "adugo", "felli_simplified", "high_jump", "peralikatuma", "sixteen_soldiers"]'
VARIANTS = {
    "all": (),
    **{f"all, seed {seed}": (f"run.seed={seed}",) for seed in (1, 2)},
    "no search features": ("network.search_features=off",),
    "no rules": (),
    "no legal links": (),
    "no drawn games": ("tasks.drawn_share=0",),
    "5 games": (f"tasks.games={FIVE}",),
    "10 games": (f"tasks.games={TEN}",),
}
"""The settings of each variant that are not those of the config."""

ALONE = "imitation.processes=1", "evaluation.every=1000"
"""Settings of all variants: the result depends on the number of processes, and nothing is measured on the way."""

encode = FamilyEncoder.encode


def encode_without(what: str, encoder: FamilyEncoder, *given: np.ndarray) -> Iterator[tuple[np.ndarray, View, Inputs]]:
    """As `FamilyEncoder.encode`, with the inputs that a variant lacks set to 0."""
    for rows, view, inputs in encode(encoder, *given):
        if what == "no rules":
            inputs.globals[:, : len(RULE_FACTS)] = 0
        if what == "no legal links":
            inputs.links[:, :, :LEGAL] = 0
        yield rows, view, inputs


def results(variant: str, steps: int, games: int) -> dict[str, Any]:
    """Trains a variant and measures it."""
    began = time.process_time()
    FamilyEncoder.encode = lambda *given: encode_without(variant, *given)  # type: ignore[method-assign]
    with TemporaryDirectory() as folder:
        train("one_network", (f"run.total_steps={steps}", f"run.directory={folder}", *ALONE, *VARIANTS[variant]))
        seconds = round(time.process_time() - began)
        (agent,) = map(str, Path(folder).glob("*/checkpoints/final"))
        unseen = map(draw_game, seeds_of(TEST)[:games])
        drawn = [wrong(agent, game, table_of(game), DRAWN[0])["wrong"] for game in unseen]
        places = {
            f"{place['game']}, {place['kind']}": wrong(agent, game, table, SETTING[0], place["kind"])["wrong"]
            for place, game, table in setting_games()
        }
    return {"variant": variant, "steps": steps, "seconds": seconds, "drawn": drawn, "settings": places}


def main() -> None:
    """Goes on with the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("variants", nargs="*", default=list(VARIANTS), metavar="VARIANT", help=", ".join(VARIANTS))
    parser.add_argument("--steps", type=int, default=120_000, help="positions that are labelled for each")
    parser.add_argument("--games", type=int, default=50, help="drawn test games")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/data/ablations.jsonl"))
    given = parser.parse_args()
    if unknown := set(given.variants) - VARIANTS.keys():
        parser.error(f"unknown variants {sorted(unknown)}, expected some of {list(VARIANTS)}")
    with JsonLines(given.output, "ablations", ("ablations", 1), {}) as file:
        known = {(row["variant"], row["steps"]) for row in file.entries}
        for variant in given.variants:
            if (variant, given.steps) not in known:
                file.add(results(variant, given.steps, given.games))


if __name__ == "__main__":
    main()
