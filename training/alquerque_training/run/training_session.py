"""A run in progress: it iterates, evaluates, logs and saves, and can be interrupted and resumed."""

import copy
import math
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from alquerque_env import SelfPlayVectorEnv
from alquerque_env.arena.evaluation import Evaluation
from alquerque_env.bots.network.model_card import CurvePoint, ModelCard, RatingCard, StartCard
from alquerque_env.cli.console.signals import interruptible
from alquerque_env.game.game import Game
from alquerque_env.progress import Progress, Watch, unwatched
from alquerque_training.checkpoints.checkpoint import make_meta, save_checkpoint
from alquerque_training.checkpoints.int8_weights import quantise
from alquerque_training.config.learning_rate import LearningRate
from alquerque_training.experience.state_arrays import Arrays
from alquerque_training.learning import Learner
from alquerque_training.measure.evaluate import as_strength, describe_errors, exact_error, greedy_policy, play_random
from alquerque_training.measure.gauntlet import Gauntlet, Measurement, read_curve
from alquerque_training.measure.metrics import MetricsLog, Record, read_log
from alquerque_training.run.folder import Run, TrainingError
from alquerque_training.run.live_table import TrainingProgress
from alquerque_training.run.tracking import tracked
from alquerque_training.workers.backend import WorkerError, Workers

Stopping = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class TrainingResult:
    """The result of a finished run.

    Attributes:
      run: Folder of the run.
      checkpoint: Folder of the trained player.
      evaluation: Results of the policy, without a tree search, against `random`.
      measurement: Results of the player in the arena; None without opponents.
      seconds: Time spent in training, interruptions excluded.
    """

    run: Path
    checkpoint: Path
    evaluation: Evaluation
    measurement: Measurement | None
    seconds: float


@dataclass
class Session:
    """A run in progress, in one process."""

    run: Run
    game: Game
    learner: Learner
    start: StartCard | None = None  # the checkpoint that gave the run its first weights; None if they were random
    curve: Sequence[CurvePoint] = ()  # strength during the training of these first weights
    seconds: float = 0.0  # time spent in training so far, interruptions excluded
    processor_time: float | None = 0.0  # that of all processes of the run so far; None if it is not known
    command: str = ""  # the command that starts the run
    resume: str = ""  # the command that resumes it, without the folder
    # The service that shows the run elsewhere, one of `bots.trainer.TRACKERS`; None if none does.
    tracker: str | None = None

    def __post_init__(self) -> None:
        config = self.learner.config
        self._gauntlet = Gauntlet(self.game, config, self.run.ladder) if config.evaluation.opponents else None
        self._measured: tuple[int, Measurement] | None = None

    @property
    def _roles(self) -> tuple[str, str] | None:
        """The names of the players; None in a game whose sides are alike."""
        return self.game.seats if self.game.has_roles else None

    def complete(self, console: Console) -> TrainingResult:
        """Trains to the end of the run, evaluates the player and saves it. A folder without results is removed.

        Raises `TrainingError` if training cannot continue, `SystemExit` after Ctrl-C, or a signal that ends programs.
        """
        self.run.clean()
        try:
            with tracked(self.tracker, self.run, self.learner.config, console):
                self.train(console)
                return self.finish()
        except WorkerError as error:
            raise TrainingError(f"{error}; {self.run.kept}: {self.run.way_on(self.command, self.resume)}") from None
        finally:
            self.run.discard_if_empty()

    def train(self, console: Console) -> None:
        """Iterates and evaluates to the end of the run.

        Ctrl-C stops it at the end of the current iteration, or at once within an arena, which is played again when the
        run is resumed.
        """
        config, learner = self.learner.config, self.learner
        with self._writing("log", self.run.log):
            log = MetricsLog(self.run.log, learner.iteration, learner.metrics)
        title = f"{config.run.game}, {config.iterations * config.steps_per_iteration:,} steps, in {self.run.path}"
        with (
            closing(log),
            interruptible() as interrupted,
            TrainingProgress(title, config.iterations, config.steps_per_iteration, console, self._roles) as progress,
        ):

            def stop_if_asked() -> None:
                if interrupted.status is not None:
                    saved = " and saved" if self.run.checkpoints() else ""
                    progress.note(f"interrupted{saved}; {self.run.way_on(self.command, self.resume)}")
                    raise SystemExit(interrupted.status)

            def watch(arena: Progress) -> None:
                progress.show_arena(arena)
                stop_if_asked()

            @contextmanager
            def stopping_at_once() -> Iterator[None]:
                """For matches, which are played again, or go on, when the run is resumed."""
                interrupted.raises = True
                try:
                    yield
                except KeyboardInterrupt:
                    stop_if_asked()
                    raise
                finally:
                    interrupted.raises = False

            self._prepare(progress, watch, stopping_at_once)
            stop_if_asked()
            progress.note(f"training on {title}")
            self._complete_record(log, progress, watch, stopping_at_once)
            while learner.iteration < config.iterations:
                record = self._iterate()
                with self._writing("log", self.run.log):
                    log.write(record)
                progress.show_record(record)
                # Before an arena, so that an interruption loses only the matches of the arena.
                if (
                    interrupted.status is not None
                    or learner.iteration % config.run.checkpoint_every == 0
                    or self._is_arena_due(record)
                ):
                    self.save()
                stop_if_asked()
                self._complete_record(log, progress, watch, stopping_at_once)

    def _prepare(self, progress: TrainingProgress, watch: Watch, stopping_at_once: Stopping) -> None:
        """Plays the matches between the opponents."""
        if self._gauntlet is None:
            return
        opponents = ", ".join(self.learner.config.evaluation.opponents)
        progress.note(f"the opponents, {opponents}, play random and each other first")
        with self._writing("ladder", self.run.ladder), stopping_at_once():
            self._gauntlet.prepare(watch)

    def _iterate(self) -> dict[str, float]:
        """Runs one iteration, and evaluates against `random` when that is due."""
        learner, evaluation = self.learner, self.learner.config.evaluation
        start, before = time.perf_counter(), self._count_processor_time()
        record = learner.iterate()
        record["steps_per_second"] = round(learner.config.steps_per_iteration / (time.perf_counter() - start), 1)
        self._check_finite(record)
        if learner.iteration % evaluation.every == 0:
            seats = self.evaluate().seats
            record |= {f"win_rate_player_{seat}": result.wins / result.games for seat, result in enumerate(seats)}
            if self.game.has_roles:
                record |= {f"draw_rate_player_{seat}": result.draws / result.games for seat, result in enumerate(seats)}
            record |= exact_error(greedy_policy(learner.network), self.game)
        self._add_time(start, before)
        return {**record, "seconds": round(self.seconds, 3)}

    def _count_processor_time(self) -> float | None:
        """Seconds of processor time of this process and of those that play for it, from any moment on."""
        workers: Workers | None = getattr(self.learner, "workers", None)
        others = 0.0 if workers is None else workers.processor_time
        return None if others is None else time.process_time() + others

    def _add_time(self, start: float, before: float | None) -> None:
        """Adds the time since `start`, and the processor time since it was `before`."""
        self.seconds += time.perf_counter() - start
        now, sofar = self._count_processor_time(), self.processor_time
        self.processor_time = None if now is None or before is None or sofar is None else sofar + now - before

    def _is_arena_due(self, record: Record) -> bool:
        """Whether the iteration of a record still needs its arena."""
        config, iteration = self.learner.config, record["iteration"]
        is_due = iteration == config.iterations or iteration % config.evaluation.opponents_every == 0
        return self._gauntlet is not None and is_due and "rating" not in record

    def _complete_record(
        self, log: MetricsLog, progress: TrainingProgress, watch: Watch, stopping_at_once: Stopping
    ) -> None:
        """Plays the arena of the last record of the log, if it still needs one."""
        if log.last is None or not self._is_arena_due(log.last):
            return
        start, before = time.perf_counter(), self._count_processor_time()
        with stopping_at_once():
            measured = self.measure(watch)
        assert measured is not None
        self._add_time(start, before)
        with self._writing("log", self.run.log):
            log.amend(measured.as_record())
        progress.show_rating(measured.rating.value)
        if self.learner.iteration < self.learner.config.iterations:
            progress.note(f"in the arena after {self.learner.steps:,} steps: {measured}")

    def _check_finite(self, record: dict[str, float]) -> None:
        """Raises if a metric or a weight is not finite, before it is saved."""
        for name, number in record.items():
            if not math.isfinite(number):
                raise self._diverged(f"{name} is {number}")
        # The last gradient of an iteration can make weights infinite while its losses are finite.
        for name, tensor in self.learner.network.state_dict().items():
            if not tensor.isfinite().all():
                raise self._diverged(f"{name} of the network is not finite")

    def _diverged(self, what: str) -> TrainingError:
        saved = self.run.checkpoints()
        begin = [f"run.start={saved[-1]}"] if saved else []
        schedules = {
            name: section for name, section in self.learner.config.learner.items() if isinstance(section, LearningRate)
        }
        lower = [override for name, schedule in schedules.items() for override in schedule.halved(name)]
        again = f"{self.command} {shlex.join([*begin, *lower])}"
        return TrainingError(
            f"{what} in iteration {self.learner.iteration}, so the run has stopped; {self.run.kept}. "
            f"Try a lower learning rate in a new run: {again}"
        )

    def evaluate(self) -> Evaluation:
        """Plays against `random`. The matches depend only on the seed and the iteration."""
        config = self.learner.config
        games, max_cycles = 2 * config.evaluation.games_per_seat, config.evaluation.max_cycles
        env = SelfPlayVectorEnv(self.game, games, max_cycles=max_cycles)
        seed = config.run.seed + self.learner.iteration
        return play_random(greedy_policy(self.learner.network), env, seed, self._roles)

    def measure(self, watch: Watch = unwatched) -> Measurement | None:
        """Plays the arena with the weights that would be saved if the run ended now; None without opponents."""
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
            self._measured = iteration, self._gauntlet.measure(network, games, watch)
        return self._measured[1]

    def save(self) -> None:
        """Writes a checkpoint from which the run can be resumed."""
        path = self.run.checkpoint(self.learner.steps)
        self._save(path, self._meta([]), self.learner.get_state())
        with self._writing("folder", path.parent):
            self.run.prune(self.learner.config.run.keep_checkpoints)

    def _save(self, path: Path, meta: ModelCard, training: Arrays | None = None) -> None:
        with self._writing("checkpoint", path):
            save_checkpoint(path, meta, self.learner.network, training)

    def _writing(self, kind: str, path: Path) -> AbstractContextManager[None]:
        return self.run.writing(kind, path, self.command, self.resume)

    def finish(self) -> TrainingResult:
        """Evaluates the trained player and writes the last checkpoint."""
        if bits := self.learner.config.network.weight_bits:
            quantise(self.learner.network, bits)
        evaluation, measurement = self.evaluate(), self.measure()
        if measurement and self._gauntlet:
            measurement = self._gauntlet.compare(measurement)
        name = self.learner.config.network.describe_player
        strength = [as_strength(evaluation, name())]
        if measurement:
            strength += measurement.as_strength(name(measurement.simulations))
        evaluated = self.learner.config.evaluation
        errors = describe_errors(self.learner.network, self.game, evaluated.simulations, evaluated.exploration)
        self._save(self.run.final, self._meta(strength, measurement.as_rating() if measurement else None, errors))
        return TrainingResult(self.run.path, self.run.final, evaluation, measurement, self.seconds)

    def _meta(
        self,
        strength: list[dict[str, Any]],
        rating: RatingCard | None = None,
        exact_errors: Sequence[dict[str, Any]] = (),
    ) -> ModelCard:
        learner = self.learner
        before = (self.start.steps, self.start.wall_time) if self.start else (0, 0.0)
        return make_meta(
            self.game,
            learner.network,
            learner.config,
            steps=learner.steps,
            wall_time=self.seconds,
            processor_time=self.processor_time,
            strength=strength,
            exact_errors=exact_errors,
            start=self.start,
            command=self.command,
            rating=rating,
            curve=[*self.curve, *read_curve(read_log(self.run.log), *before)],
        )
