"""`alquerque train`: a run from its config to a measured checkpoint."""

import copy
import math
import os
import shlex
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from rich.console import Console

from alquerque_env import SelfPlayVectorEnv, load_game
from alquerque_env.arena.settings import PLIES
from alquerque_env.errors import AlquerqueError
from alquerque_env.game import Game
from training.checkpoint import (
    Arrays,
    CheckpointError,
    fitting_weights,
    load_checkpoint,
    load_start,
    save_checkpoint,
)
from training.config import ConfigError, load_config
from training.curve import read_curve
from training.evaluate import Evaluation, greedy_policy, play_random
from training.gauntlet import Gauntlet, Measurement, check_opponents
from training.learners import Learner, make_learner, restore
from training.meta import CurvePoint, Meta, RatingMeta, StartMeta, make_meta
from training.metrics import MetricsLog, read_log
from training.progress import TrainingProgress
from training.quantise import quantise
from training.runs import Run, TrainingError, create_run, open_run
from training.settings import Config, first_difference
from training.workers import WorkerError, check_device

INTERRUPTED = 130


@dataclass(frozen=True)
class TrainingResult:
    """What a finished run achieved.

    Attributes:
      run: The run's folder.
      checkpoint: The trained player.
      evaluation: The policy alone against random.
      measurement: The player in the arena, None without opponents.
      seconds: Time spent in training, interruptions left out.
    """

    run: Path
    checkpoint: Path
    evaluation: Evaluation
    measurement: Measurement | None
    seconds: float


def train(
    config_path: Path, overrides: Sequence[str] = (), resume: Path | None = None, *, console: Console | None = None
) -> TrainingResult:
    """Trains a player and shows how it goes.

    Args:
      config_path: A TOML file; see `training.settings`.
      overrides: Texts `section.key=value`.
      resume: Folder of an interrupted run of the same config, to go on with.
      console: Where to show it; standard output if None.

    Raises:
      ConfigError, CheckpointError, AlquerqueError: If something given is wrong; then nothing has been written.
      TrainingError: If training cannot go on; it says what is kept, and which command goes on with it.
      SystemExit: With status 130 after Ctrl-C, when the iteration is finished and saved.
    """
    config_path, console = Path(config_path), console or Console()
    config = load_config(config_path, overrides)
    session = _start(config_path, config) if resume is None else _resume(config_path, config, Path(resume))
    session.command = shlex.join(["alquerque", "train", config_path.as_posix(), *overrides])
    try:
        with session.run.locked():
            result = session.complete(console)
    finally:
        session.learner.close()
    _announce(console, config, result)
    return result


@dataclass
class Session:
    """A run in progress, in one process.

    Attributes:
      run: Its folder.
      game: What is played.
      learner: What learns.
      start: The checkpoint with whose weights it began; None where they were random.
      curve: Strength on the way to the weights with which it began.
      seconds: Time spent in training so far, interruptions left out.
      command: What starts it.
    """

    run: Run
    game: Game
    learner: Learner
    start: StartMeta | None = None
    curve: Sequence[CurvePoint] = ()
    seconds: float = 0.0
    command: str = ""

    def __post_init__(self) -> None:
        config = self.learner.config
        self._gauntlet = Gauntlet(self.game, config, self.run.ladder) if config.evaluation.opponents else None
        self._measured: tuple[int, Measurement] | None = None

    def complete(self, console: Console) -> TrainingResult:
        """Does all that is left of the run.

        Raises:
          TrainingError: If it cannot go on. The folder of a run that has got nowhere is removed.
          SystemExit: After Ctrl-C.
        """
        self.run.clean()
        try:
            self.train(console)
            return self.finish()
        except WorkerError as error:
            raise TrainingError(f"{error}; {self.run.kept}: {self.run.way_on(self.command)}") from None
        finally:
            self.run.discard_if_empty()

    def train(self, console: Console) -> None:
        """Iterates to the end of the run, or to the end of the iteration in which Ctrl-C is pressed."""
        config, learner = self.learner.config, self.learner
        with self._writing("log", self.run.log):
            log = MetricsLog(self.run.log, learner.iteration, learner.metrics)
        if self._gauntlet is not None:
            opponents = ", ".join(config.evaluation.opponents)
            text = f"the opponents, {opponents}, play random and each other first"
            console.print(text, soft_wrap=True, highlight=False, markup=False)
            with self._writing("ladder", self.run.ladder):
                self._gauntlet.prepare()
        title = f"{config.run.game}, {config.iterations * config.steps_per_iteration:,} steps, in {self.run.path}"
        with (
            _interruptible() as interrupted,
            TrainingProgress(title, config.iterations, config.steps_per_iteration, console) as progress,
        ):
            progress.note(f"training on {title}")
            while learner.iteration < config.iterations:
                record = self._iterate()
                self._log(log, record)
                progress.show(record)
                if "rating" in record and learner.iteration < config.iterations:
                    progress.note(f"in the arena after {learner.steps:,} steps: {self.measure()}")
                if interrupted.is_set() or learner.iteration % config.run.checkpoint_every == 0:
                    self.save()
                if interrupted.is_set():
                    progress.note(f"interrupted and saved; {self.run.way_on(self.command)}")
                    raise SystemExit(INTERRUPTED)

    def _iterate(self) -> dict[str, float]:
        learner, evaluation = self.learner, self.learner.config.evaluation
        start = time.perf_counter()
        record = learner.iterate()
        record["steps_per_second"] = round(learner.config.steps_per_iteration / (time.perf_counter() - start), 1)
        is_last = learner.iteration == learner.config.iterations
        self._check_finite(record)
        if is_last:
            self._check_learned(record)
        if learner.iteration % evaluation.every == 0:
            seats = self.evaluate().seats
            record |= {f"win_rate_player_{seat}": result.wins / result.games for seat, result in enumerate(seats)}
        if (is_last or learner.iteration % evaluation.opponents_every == 0) and (measured := self.measure()):
            record |= measured.as_record()
        self.seconds += time.perf_counter() - start
        return {**record, "seconds": round(self.seconds, 3)}

    def _log(self, log: MetricsLog, record: dict[str, float]) -> None:
        """Writes a line of the log, whole or not at all."""
        with self._writing("log", self.run.log):
            size = self.run.log.stat().st_size
            try:
                log.write(record)
            except OSError:
                os.truncate(self.run.log, size)
                raise

    def _check_finite(self, record: dict[str, float]) -> None:
        """Stops where the numbers have run away, before they are saved."""
        for name, number in record.items():
            if not math.isfinite(number):
                raise self._run_away(f"{name} is {number}")
        # The last gradient of an iteration may spoil weights while its losses are still good.
        for name, tensor in self.learner.network.state_dict().items():
            if not tensor.isfinite().all():
                raise self._run_away(f"{name} of the network is not finite")

    def _run_away(self, what: str) -> TrainingError:
        saved = self.run.checkpoints()
        begin = [f"run.start={saved[-1]}"] if saved else []
        again = f"{self.command} {shlex.join([*begin, *_lower_learning_rate(self.learner.config)])}"
        return TrainingError(
            f"{what} in iteration {self.learner.iteration}, so the run has stopped; {self.run.kept}. "
            f"A lower learning rate helps most often, in a new run: {again}"
        )

    def _check_learned(self, record: dict[str, float]) -> None:
        """Refuses to keep weights that nothing was learned into: positions count when their match has ended."""
        config = self.learner.config
        if config.run.algorithm == "alphazero" and record["updates"] == 0:
            raise TrainingError(
                f"nothing was learned in {self.learner.steps} steps: with alphazero.first_window = "
                f"{config.alphazero.first_window} it takes {config.first_gradient} positions of matches that ended, "
                f"and there were {record['positions']:.0f}; set it lower, or run.total_steps higher"
            )

    def evaluate(self) -> Evaluation:
        """Plays against random; the same matches each time at the same iteration."""
        config = self.learner.config
        env = make_env(self.game, 2 * config.evaluation.games_per_seat, config.evaluation.max_cycles)
        return play_random(greedy_policy(self.learner.network), env, seed=config.run.seed + self.learner.iteration)

    def measure(self) -> Measurement | None:
        """Plays in the arena with what would be kept if the run ended now; None without opponents."""
        config, iteration = self.learner.config, self.learner.iteration
        if self._gauntlet is None:
            return None
        if self._measured is None or self._measured[0] != iteration:
            network = copy.deepcopy(self.learner.network)
            if bits := config.network.weight_bits:
                quantise(network, bits)
            games = config.evaluation.opponent_games
            if iteration == config.iterations:
                games = config.evaluation.final_games or games
            self._measured = iteration, self._gauntlet.measure(network, games)
        return self._measured[1]

    def save(self) -> None:
        """Writes a checkpoint from which the run can go on."""
        path = self.run.checkpoint(self.learner.steps)
        self._save(path, self._meta([]), self.learner.get_state())
        with self._writing("folder", path.parent):
            self.run.prune(self.learner.config.run.keep_checkpoints)

    def _save(self, path: Path, meta: Meta, training: Arrays | None = None) -> None:
        with self._writing("checkpoint", path):
            save_checkpoint(path, meta, self.learner.network, training)

    def _writing(self, kind: str, path: Path) -> AbstractContextManager[None]:
        return self.run.writing(kind, path, self.command)

    def finish(self) -> TrainingResult:
        """Measures the trained player and writes the last checkpoint."""
        if bits := self.learner.config.network.weight_bits:
            quantise(self.learner.network, bits)
        evaluation, measurement = self.evaluate(), self.measure()
        strength = [evaluation.as_strength(), *(measurement.as_strength() if measurement else [])]
        self._save(self.run.final, self._meta(strength, measurement.as_rating() if measurement else None))
        return TrainingResult(self.run.path, self.run.final, evaluation, measurement, self.seconds)

    def _meta(self, strength: list[dict[str, Any]], rating: RatingMeta | None = None) -> Meta:
        learner = self.learner
        before = (self.start.steps, self.start.wall_time) if self.start else (0, 0.0)
        return make_meta(
            self.game,
            learner.network,
            learner.config,
            steps=learner.steps,
            wall_time=self.seconds,
            strength=strength,
            start=self.start,
            command=self.command,
            rating=rating,
            curve=[*self.curve, *read_curve(read_log(self.run.log), *before)],
        )


def make_env(game: Game, num_games: int, max_cycles: int | None) -> SelfPlayVectorEnv:
    """Games side by side, as training and evaluation play them."""
    return SelfPlayVectorEnv(game, num_games, max_cycles=max_cycles)


def _prepare(config_path: Path, config: Config) -> tuple[Game, Learner]:
    try:
        game = load_game(config.run.game, **config.run.options)
    except AlquerqueError as error:
        raise ConfigError(f"{config_path.name}: [run] {error}") from None
    check_device(config)
    if config.evaluation.opponents and config.evaluation.max_cycles <= PLIES[0]:
        raise ConfigError(
            f"{config_path.name}: evaluation.max_cycles is {config.evaluation.max_cycles}, expected more than the "
            f"{PLIES[0]} plies of the openings from which evaluation.opponents are met"
        )
    try:
        check_opponents(config, game)
    except AlquerqueError as error:
        raise ConfigError(f"{config_path.name}: [evaluation] {error}") from None
    torch.set_num_threads(config.run.threads)
    return game, make_learner(config, game)


def _lower_learning_rate(config: Config) -> list[str]:
    """Overrides that halve the learning rate; none for a learner of one's own, who knows what it learns by."""
    if config.run.algorithm == "ppo":
        return [f"ppo.learning_rate={config.ppo.learning_rate / 2:g}"]
    if config.run.algorithm != "alphazero":
        return []
    rate, final = config.alphazero.learning_rate / 2, config.alphazero.final_learning_rate
    return [
        f"alphazero.learning_rate={rate:g}",
        *([f"alphazero.final_learning_rate={rate:g}"] if final > rate else []),
    ]


def _start(config_path: Path, config: Config) -> Session:
    game, learner = _prepare(config_path, config)
    start, curve = _begin(config, game, learner)
    return Session(create_run(config_path.stem, config), game, learner, start, curve)


def _begin(config: Config, game: Game, learner: Learner) -> tuple[StartMeta | None, Sequence[CurvePoint]]:
    """Gives a fresh learner the weights that its run is to begin with, if these are not random.

    Returns:
      What their checkpoint was, and its strength on the way.

    Raises:
      CheckpointError: If there is no such checkpoint, or it is of another game or network.
    """
    if config.run.start is None:
        return None, ()
    path = Path(config.run.start)
    checkpoint = load_start(path, game)
    learner.begin_with(fitting_weights(path, checkpoint, learner.network, config.network))
    return checkpoint.meta.as_start(), checkpoint.meta.curve


def _resume(config_path: Path, config: Config, path: Path) -> Session:
    run, started_with = open_run(path)
    if difference := first_difference(started_with, config):
        key, before, now = difference
        begin = f" with run.start={run.checkpoints()[-1]}" if run.checkpoints() else ""
        raise ConfigError(
            f"run {str(path)!r} was started with {key} = {before!r}, {config_path.name} has {now!r}: "
            f"go on with what it was started with, or begin a new run{begin}"
        )
    game, learner = _prepare(config_path, config)
    session = Session(run, game, learner)
    if checkpoints := run.checkpoints():
        try:
            checkpoint = load_checkpoint(checkpoints[-1], game)
        except CheckpointError as error:
            raise CheckpointError(f"{error}; {run.without_last}") from None
        try:
            restore(learner, checkpoint.training, checkpoint.network.state_dict(), checkpoint.meta.steps_of_run)
        except CheckpointError as error:
            raise CheckpointError(f"checkpoint {str(checkpoints[-1])!r}: {error}; {run.without_last}") from None
        meta = checkpoint.meta
        session.start, session.seconds = meta.start, meta.seconds_of_run
        session.curve = [point for point in meta.curve if point.steps <= meta.steps - meta.steps_of_run]
    else:
        session.start, session.curve = _begin(config, game, learner)
    return session


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Sets an event at the first Ctrl-C; a second one interrupts as usual."""
    event = threading.Event()

    def handle(_number: int, _frame: FrameType | None) -> None:
        event.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def _announce(console: Console, config: Config, result: TrainingResult) -> None:
    for line in (
        f"trained in {result.seconds:.0f} s; the policy alone {result.evaluation}",
        *([] if result.measurement is None else [f"in the arena {result.measurement}"]),
        f"checkpoint: {result.checkpoint}",
        f"play it:    alquerque play {config.run.game} --opponent {result.checkpoint}",
        f"export it:  alquerque export {result.checkpoint} -o bot.py",
    ):
        console.print(line, soft_wrap=True, highlight=False, markup=False)
