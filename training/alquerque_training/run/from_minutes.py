"""The config of `alquerque train GAME --minutes M`: its numbers follow from the time and the speed of this machine."""

import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console

from alquerque_env import SelfPlayVectorEnv
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game, load_text
from alquerque_env.game.game_file import find_game
from alquerque_env.processors import count_processors
from alquerque_training.checkpoints.checkpoint import load_start
from alquerque_training.config.settings import COMMON, Config, ConfigError
from alquerque_training.measure.evaluate import greedy_policy, play_random
from alquerque_training.run.config_file import complete_config, shipped_configs
from alquerque_training.run.learner import LEARNERS, make_learner

Tables = dict[str, dict[str, Any]]  # settings, by section and key

LEAST_MINUTES, MOST_MINUTES = 0.5, 10_000

# Time of learning for that of self-play, one process each: with one process and search features of
# depth 0, learning took 12 to 19% of an iteration (training/EXPERIMENTS.md, 2026-11-26).
LEARNING = 0.18
# With more processes learning would take longer than their self-play.
MOST_PROCESSES = 6
# Games at once in each process that does not learn, as in `configs/small.toml`.
GAMES = 256
# A run needs several matches in each place to learn anything, so short ones play fewer at once.
DECISIONS_IN_A_PLACE = 300
# Iterations of a short run, so that it too learns from matches of many versions of its weights.
ITERATIONS = 50
EVALUATIONS = 10


class Size(NamedTuple):
    """A network, and how it learns."""

    width: int  # units of each layer
    search_features: str | int  # as `network.search_features`; these change the strength more than any other setting
    batch_size: int  # positions in one gradient
    warmup: int  # most positions before the first gradient
    window: int  # capacity of the replay buffer


# As in `configs/small.toml` and `configs/search_features.toml`.
SMALL = Size(64, "off", 512, 20_000, 400_000)
MEDIUM = Size(128, 0, 1024, 20_000, 400_000)
LARGE = Size(256, 2, 2048, 50_000, 600_000)
# Decisions of MEDIUM in the time of the run. LARGE plays a third as many in it; against `alphabeta:3` in `alquerque` it
# scored .90 after 1 million decisions, MEDIUM .82, 60 matches each (model cards of `strong` and `small`). With fewer
# than LEAST_MEDIUM a network without search features, which is twice as fast, plays enough matches to learn from.
LEAST_LARGE, LEAST_MEDIUM = 3_000_000, 20_000


def choose_size(decisions: float) -> Size:
    """The network for a run in which MEDIUM would play so many decisions."""
    return LARGE if decisions >= LEAST_LARGE else MEDIUM if decisions >= LEAST_MEDIUM else SMALL


def choose_settings(size: Size, decisions: float, minutes: float, processes: int, *, can_shuffle: bool) -> Tables:
    """The settings of a run, without those of the game.

    Args:
      size: The network.
      decisions: Decisions that all processes play in the time.
      minutes: The time.
      processes: Number of processes that play; one of them also learns.
      can_shuffle: Whether pieces of the game can move back and forth.
    """
    others = processes - 1
    share = min(1.0, decisions / DECISIONS_IN_A_PLACE / (GAMES * processes))
    each = max(1, round(GAMES * share))
    # The learning process plays for as long as it would otherwise wait for the others.
    own = max(1, round(each * (1 - LEARNING * others) / (1 + LEARNING))) if others else each
    games = own + each * others
    rollout = int(min(64, max(4, decisions // (games * ITERATIONS))))
    data = _choose_lengths("alphazero", games, rollout, decisions, minutes)
    # Where pieces can move back and forth a match is won sooner if early results count more.
    data["self_play"]["discount"] = 0.98 if can_shuffle else 1.0
    warmup = min(size.warmup, data["run"]["total_steps"] // 10)
    return data | {
        "alphazero": {
            "processes": processes,
            "learner_games": own,
            "batch_size": max(1, min(size.batch_size, warmup)),
            "warmup_positions": max(1, warmup),
            "window": size.window,
        },
        "network": {"width": size.width, "search_features": size.search_features},
    }


def choose_ppo_settings(steps: float, minutes: float) -> Tables:
    """The settings of a run that learns from so many steps without a search, as in `configs/quickstart.toml`."""
    rollout = 32
    games = round(min(1024, max(32, steps / (ITERATIONS * rollout))))
    data = _choose_lengths("ppo", games, rollout, steps, minutes)
    return data | {"ppo": {"minibatch_size": min(4096, games * rollout)}}


def _choose_lengths(algorithm: str, games: int, rollout: int, steps: float, minutes: float) -> Tables:
    """The settings that divide about so many steps, and the time."""
    iterations = max(EVALUATIONS, round(steps / (games * rollout)))
    # A killed run loses a tenth of its time, or ten minutes.
    saved = min(65_536, max(1, round(iterations / max(10.0, minutes / 10))))
    return {
        "run": {"algorithm": algorithm, "total_steps": iterations * games * rollout, "checkpoint_every": saved},
        "self_play": {"num_games": games, "rollout_steps": rollout},
        "evaluation": {"every": min(65_536, max(1, iterations // EVALUATIONS))},
    }


def config_from_minutes(given: str | Path, minutes: float, overrides: Sequence[str], console: Console) -> Config:
    """Measures the speed of this machine for some seconds, and chooses and prints the settings of a run.

    Args:
        given: Id of a game, or path of a game file.
        minutes: Time of the whole command, `LEAST_MINUTES` to `MOST_MINUTES`.
        overrides: Texts `section.key=value` that replace chosen settings, and are respected in the measurement.
        console: Where it is shown.
    """
    start = time.perf_counter()
    if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise ConfigError(f"--minutes is {minutes:g}, expected a number from {LEAST_MINUTES:g} to {MOST_MINUTES:,}")
    algorithm = "ppo" if _is_wide(str(given)) else "alphazero"  # no search plays on such a board
    if twice := next((override for override in overrides if override.startswith("run.game=")), None):
        raise ConfigError(f"the game is given twice, as {str(given)!r} and as {twice!r}: leave the second out")
    source, cores = f"--minutes {minutes:g}", min(count_processors(), MOST_PROCESSES)
    # The overrides may hold options of the rules, and the number of processes, by which the games are divided.
    asked = complete_config({"run": {"game": str(given), "algorithm": algorithm}}, overrides, source, is_whole=False)
    game, processes = asked.run.load_game(), cores if asked.processes == 1 else asked.processes
    network = asdict(load_start(asked.run.start, game).meta.network) if asked.run.start else {}

    def show(line: str) -> None:
        console.print(line, soft_wrap=True, highlight=False, markup=False)

    def settle(size: Size, decisions: float) -> Config:
        if asked.run.algorithm == "ppo":
            data = choose_ppo_settings(decisions, minutes)
        else:
            data = choose_settings(size, decisions, minutes, processes, can_shuffle=game.can_shuffle)
        data["run"] |= {"game": str(given), "algorithm": asked.run.algorithm}
        data["network"] = network or data.get("network", {})
        config = complete_config({name: data[name] for name in data if name in asked.sections}, overrides, source)
        if config.run.algorithm == "alphazero":
            game.check_fits("training by search", ConfigError)
        return config

    # A few seconds, but little of a short run.
    seconds = min(8.0, max(1.0, 1.2 * minutes))
    size, decisions = MEDIUM, float(LEAST_LARGE)
    config = settle(size, decisions)
    for _ in range(3):
        show(f"measuring self-play of {config.run.game} for some seconds: {config.network}, {_count(config)} ...")
        speed, starting, evaluation = measure_speed(config, game, seconds)
        if config.processes == 1 and config.run.algorithm == "alphazero":
            speed /= 1 + LEARNING
        left = 60 * minutes - (time.perf_counter() - start) - starting - (EVALUATIONS + 1) * evaluation
        decisions = speed * max(left, 20 * minutes)
        size = choose_size(decisions) if size is MEDIUM else size
        measured, config = config, settle(size, decisions)
        # With fewer games at once each decision takes longer.
        if config.network == measured.network and 2 * config.self_play.num_games >= measured.self_play.num_games:
            break
    show(
        f"{minutes:g} minutes at {speed:,.0f} decisions/s: {config.run.algorithm}, {config.network}, "
        f"{config.run.total_steps:,} steps in {config.iterations} iterations of {config.self_play.num_games} games, "
        f"{_count(config)}, evaluated against random every {config.evaluation.every} iterations"
    )
    return config


def measure_speed(config: Config, game: Game, seconds: float) -> tuple[float, float, float]:
    """Plays as a run with this config does, without learning of `alphazero`.

    Returns steps of self-play a second of all processes, the seconds until the first, and those of an evaluation.
    """
    begun = time.perf_counter()
    torch.set_num_threads(config.run.threads)
    config = config.replaced("run", total_steps=10**12)
    if config.run.algorithm in ("alphazero", "ppo"):
        config = config.replaced("self_play", rollout_steps=8)
    if "alphazero" in config.learner:
        config = config.replaced("alphazero", warmup_positions=50_000_000)
    learner = make_learner(config, game)
    try:
        learner.iterate()  # loads kernels, and fills the games
        start, before = time.perf_counter(), learner.steps
        starting = start - begun
        while True:
            learner.iterate()
            spent = time.perf_counter() - start
            if spent >= seconds:
                break
        speed = (learner.steps - before) / spent
        start = time.perf_counter()
        env = SelfPlayVectorEnv(game, 2 * config.evaluation.games_per_seat, max_cycles=config.evaluation.max_cycles)
        play_random(greedy_policy(learner.network), env, seed=0)
        return speed, starting, time.perf_counter() - start
    finally:
        learner.close()


def _count(config: Config) -> str:
    return f"{config.processes} {'process' if config.processes == 1 else 'processes'}"


def _is_wide(given: str) -> bool:
    """Whether the board of a game is wide; if no game is given but a config, the error says what to write."""
    try:
        found = find_game(given)
        return load_text(found.name, found.text).board.is_wide
    except AlquerqueError:
        if given in shipped_configs() or _is_config(Path(given)):
            raise ConfigError(
                f"--minutes takes a game and chooses the settings, and {given!r} is a config: leave --minutes out, or "
                "give a game, such as alquerque train fetaix --minutes 5"
            ) from None
        raise


def _is_config(path: Path) -> bool:
    known = {*COMMON, *(name for learner in LEARNERS.values() for name in learner.sections)}
    try:
        return not tomllib.loads(path.read_text(encoding="utf-8")).keys().isdisjoint(known)
    except (OSError, ValueError):
        return False
