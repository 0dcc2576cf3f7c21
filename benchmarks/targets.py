"""Trains one network with different settings for equal processor time, and measures how strong it becomes.

    PYTHONPATH=training/research python benchmarks/targets.py run          what has no result yet
    PYTHONPATH=training/research python benchmarks/targets.py run expert --game fetaix --seed 1
    python benchmarks/targets.py report                                    a table for training/EXPERIMENTS.md

A player is measured in matches against `alphabeta:5`, by its policy alone and with 64 simulations, and by its regret:
the mean value that a choice loses, by alpha-beta to depth 7, in positions of matches against a bot that searches.
`expert_tables` needs endgame tables: `alquerque solve alquerque --pieces 5`, and the same of `fetaix`.
Results are in `benchmarks/targets`, one file a run. What has a file is skipped, so the same command resumes after
Ctrl-C; the run that was stopped begins again.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from alquerque_training import load_config
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.run.learner import make_learner
from strength import as_list, measure_scores

from alquerque_env import load_game
from alquerque_env.arena.score import estimate_mean
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.benchmark.report.leaderboard import table_of
from alquerque_env.cli.console.signals import exit_on_signals
from alquerque_env.files.atomic import write_whole
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.search.alphabeta_batch import ILLEGAL, BatchAlphaBeta, scores_to_values
from alquerque_env.search.decision_batch import DecisionBatch

RESULTS = Path(__file__).resolve().parent / "targets"
GAMES = ("alquerque", "fetaix")
SEEDS = (0, 1, 2)
SECONDS = 1200.0
MATCHES = 200

COMMON = ("self_play.num_games=256", "self_play.rollout_steps=32")
ALPHAZERO = ("strong", "alphazero.processes=1", "alphazero.warmup_positions=20_000", "alphazero.batch_size=1024")
PPO = (
    *("quickstart", "network.width=256", "self_play.discount=0.98", "ppo.minibatch_size=1024"),
    "self_play.opening_plies=8",
)
EXPERT = ("search.rule=expert_search:ExpertSearch", "alphazero.search_value_share=0.5", "self_play.opening_plies=8")
TARGETS: dict[str, tuple[str, ...]] = {
    "gumbel": (),
    "ppo": PPO,
    "expert": EXPERT,
    "expert_outcomes": (*EXPERT, "alphazero.search_value_share=0.0"),
    "expert_tables": (*EXPERT, "search.exact_values=true"),
    "expert_patterns": (*EXPERT, "search.patterns=true"),
    "expert_alone": (*EXPERT, "search.learner_share=0.0"),
    "masks": (*EXPERT, "network.kind=masks_network:MasksMlp"),
    "patterns_masks": (*EXPERT, "search.patterns=true", "network.kind=masks_network:MasksMlp"),
    "gumbel_masks": ("network.kind=masks_network:MasksMlp",),
}
"""What is compared with `gumbel`, the way in which the strong bots are trained, or with `expert` if it adds to that."""


class Ruler:
    """Positions of matches between a bot that searches and one that sees a turn ahead, with the values of all actions.

    Source of the labels: `BatchAlphaBeta` to depth 7.
    """

    POSITIONS, SHALLOW, DEEP, LABELS = 2000, 1, 5, 7
    TEMPERATURE = 0.1

    def __init__(self, game: Game) -> None:
        generator = np.random.Generator(np.random.PCG64(7))
        matches = DecisionBatch(game, 64, 8, 7)
        searches = [BatchAlphaBeta(game, depth) for depth in (self.SHALLOW, self.DEEP)]
        states, past = [], []
        while sum(map(len, states)) < self.POSITIONS:
            now, keys = np.array(matches.states, np.int64), np.array(matches.past, np.int64)
            shallow, deep = (search.run(now, keys) for search in searches)
            # Where every step loses, illegal ones have the same value.
            wanted = np.where(shallow == ILLEGAL, -np.inf, scores_to_values(shallow) / self.TEMPERATURE)
            drawn = (wanted + generator.gumbel(size=wanted.shape)).argmax(1)
            is_shallow = now[:, STATE.PLAYER] == np.arange(len(now)) % 2
            states.append(now[is_shallow])
            past.append(keys[is_shallow])
            matches.advance(np.where(is_shallow, drawn, deep.argmax(1)), np.zeros(len(now), bool))
        self._game = game
        self._states = np.concatenate(states)[: self.POSITIONS]
        scores = BatchAlphaBeta(game, self.LABELS).run(self._states, np.concatenate(past)[: self.POSITIONS])
        self._values = scores_to_values(scores)

    def regrets(self, network: Any) -> np.ndarray:
        """The value that the policy of a network loses in each position."""
        seen = make_batch(self._game, len(self._states)).set(self._states)
        chosen = greedy_policy(network)(seen.observation, seen.mask)
        regrets: np.ndarray = self._values.max(1) - self._values[np.arange(len(chosen)), chosen]
        return regrets


def train(name: str, game: Game, seed: int, seconds: float) -> tuple[Any, int, float]:
    """Trains for so much processor time; returns the network, the steps, and the time that they took.

    Before each iteration the steps of the whole run are set to what the time spent so far foretells, so that schedules
    follow the time.
    """
    given = [f"run.game={game.name}", f"run.seed={seed}", "run.total_steps=1_000_000_000"]
    first, *overrides = TARGETS[name] if name == "ppo" else (*ALPHAZERO, *TARGETS[name])
    config = load_config(first, [*COMMON, *overrides, *given])
    trial = make_learner(
        config.replaced("alphazero", warmup_positions=1) if "alphazero" in config.learner else config, game
    )
    while "value_loss" not in trial.iterate():
        pass  # loads kernels
    learner = make_learner(config, game)
    begun, spent, last = time.process_time(), 0.0, 0.0
    while spent + last / 2 < seconds:
        if spent:
            learner.config = config.replaced("run", total_steps=round(learner.steps * seconds / spent))
        learner.iterate()
        now = time.process_time() - begun
        spent, last = now, now - spent
    return learner.network, learner.steps, spent


@cache
def make_ruler(game: str) -> Ruler:
    """The ruler of a game, made once."""
    return Ruler(load_game(game))


def measure(name: str, game: Game, seed: int, seconds: float) -> dict[str, Any]:
    """Trains and measures."""
    torch.set_num_threads(1)
    network, steps, spent = train(name, game, seed, seconds)
    regrets = make_ruler(game.name).regrets(network)
    result: dict[str, Any] = {
        "name": name,
        "game": game.name,
        "seed": seed,
        "budget": seconds,
        "steps": steps,
        "seconds": round(spent, 1),
        "regret": as_list(estimate_mean(regrets.tolist(), 2.0, seed, 200)),
    }
    return result | measure_scores(game, network, MATCHES)


def write_table(results: Iterable[Mapping[str, Any]]) -> str:
    """The mean over the seeds with half the width of its 95% interval, and each of them.

    Intervals are those of the matches and positions; how much runs differ is seen from the seeds.
    """
    rows: list[list[str]] = []
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in results:
        groups.setdefault((each["game"], each["name"]), []).append(each)
    known = [*TARGETS, *{name for _, name in groups} - TARGETS.keys()]  # settings that are gone come last
    for game, name in sorted(groups, key=lambda each: (each[0], known.index(each[1]))):
        runs = groups[game, name]
        cells = [f"`{game}`", f"`{name}`", str(len(runs)), f"{np.mean([run['steps'] for run in runs]):,.0f}"]
        cells.append(f"{np.mean([run['seconds'] for run in runs]):.1f}")
        cells += [_spread([run[key] for run in runs]) for key in ("0", "64", "regret")]
        rows.append(cells)
    return table_of(["game", "settings", "seeds", "steps", "seconds", "policy alone", "64 simulations", "regret"], rows)


def _spread(figures: Sequence[Sequence[float]]) -> str:
    values, low, high = np.transpose(figures)
    error = np.sqrt((((high - low) / 2) ** 2).sum()) / len(values)
    return f"{values.mean():.3f} ±{error:.3f} ({', '.join(f'{value:.3f}' for value in values)})"


@click.group()
def main() -> None:
    """Compares what a network learns from."""


@main.command()
@click.argument("names", nargs=-1, type=click.Choice(list(TARGETS)))
@click.option("--game", "games", multiple=True, type=click.Choice(GAMES), help="A game; both by default.")
@click.option("--seed", "seeds", multiple=True, type=int, help="A seed; 0, 1 and 2 by default.")
@click.option(
    "--seconds", type=click.FloatRange(1), default=SECONDS, help="Processor time of a run.", show_default=True
)
@click.option("--folder", type=click.Path(path_type=Path), default=RESULTS, help="Where the results are.")
@exit_on_signals()
def run(names: tuple[str, ...], games: tuple[str, ...], seeds: tuple[int, ...], seconds: float, folder: Path) -> None:
    """Trains and measures what has no result yet; NAMES are settings, all by default."""
    for seed in seeds or SEEDS:
        for game in games or GAMES:
            for name in names or TARGETS:
                path = folder / game / f"{name}-{seed}.json"
                if path.exists():
                    if (had := json.loads(path.read_text(encoding="utf-8"))["budget"]) != seconds:
                        raise click.UsageError(
                            f"{str(path)!r} is of runs of {had:g} s, expected {seconds:g}: choose another --folder"
                        )
                    continue
                found = measure(name, load_game(game), seed, seconds)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, (json.dumps(found) + "\n").encode())
                click.echo(f"{name} in {game}, seed {seed}: {found['0'][0]:.3f} alone, {found['64'][0]:.3f} with 64")


@main.command()
@click.option("--folder", type=click.Path(path_type=Path), default=RESULTS, help="Where the results are.")
def report(folder: Path) -> None:
    """Prints the table."""
    click.echo(write_table(json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*/*.json"))))


if __name__ == "__main__":
    main()
