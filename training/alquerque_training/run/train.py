"""`alquerque train`: a run from its config to a measured checkpoint."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import torch
from rich.console import Console

from alquerque_env.arena.schedule import PLIES
from alquerque_env.bots.network.model_card import CheckpointError, CurvePoint, StartCard
from alquerque_env.bots.shipped import FAMILY
from alquerque_env.bots.trainer import check_tracker
from alquerque_env.engine.forms import compile_at_once
from alquerque_env.errors import AlquerqueError, require
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.search.decision_batch import check_choice
from alquerque_training.checkpoints.checkpoint import fitting_weights, load_checkpoint, load_start
from alquerque_training.config.settings import Config, ConfigError, first_difference
from alquerque_training.learning import Learner
from alquerque_training.measure.gauntlet import check_opponents
from alquerque_training.run.config_file import find_config, load_config, programs
from alquerque_training.run.folder import CHOSEN, CONFIG, create_run, load_own_config, open_run, read_begun
from alquerque_training.run.from_minutes import config_from_minutes
from alquerque_training.run.learner import make_learner, restore
from alquerque_training.run.training_session import Session, TrainingResult
from alquerque_training.self_play.generator import SearchConfig
from alquerque_training.workers.backend import MakeWorkers
from alquerque_training.workers.processes import ProcessWorkers


def train(
    given: str | Path | None,
    overrides: Sequence[str] = (),
    resume: Path | None = None,
    *,
    ray: str | None = None,
    track: str | None = None,
    minutes: float | None = None,
    console: Console | None = None,
) -> TrainingResult:
    """Trains a player and shows the progress.

    Processes that play import the script that calls this, so a script must do so under `if __name__ == "__main__":`.

    Args:
      given: Name of a shipped config, or path of a TOML file; see `config.settings`. With `minutes` a game: its id, or
        the path of its file; with `resume` None for the settings of the run.
      overrides: Texts `section.key=value`.
      resume: Folder of an interrupted run of the same config.
      ray: Address of the Ray cluster on which the other processes of the run play, as for `adapters.ray.connect`; None
        for processes of this machine.
      track: `wandb` to show the run in Weights & Biases as well; see `run.tracking`.
      minutes: Time of the whole run, evaluation included: the settings follow from it and from the speed of this
        machine, are printed, and are written into the run as `config.toml`. Not with `resume` or `ray`.
      console: Where the progress is shown; standard output if None.

    Returns:
      The folders of the run and of the trained player, its strength, and the time that training took.

    Raises:
      ConfigError, CheckpointError, AlquerqueError: If an argument is wrong; then nothing has been written.
      MissingExtraError: If a package of the tracker is not installed.
      TrainingError: If training cannot continue; the message says what is kept and how to resume.
      SystemExit: After Ctrl-C with status 130, after another signal that ends programs with 128 and its number: when
        the iteration is finished and saved, or within an arena.
    """
    check_tracker(track)
    compile_at_once()
    console = console or Console()
    config_path, config = _read_config(given, overrides, resume, minutes, console)
    with ExitStack() as stack:
        make_workers = _connect(stack, ray, config, console)
        if resume is None:
            session = _start(config_path, config, make_workers, is_measured=minutes is not None)
            stack.callback(session.learner.close)
            stack.enter_context(session.run.locked())
        else:
            run, _ = open_run(Path(resume))
            stack.enter_context(run.locked())  # before anything is read that another process may change
            session = _resume(config_path, config, run.path, make_workers)
            stack.callback(session.learner.close)
        if minutes is not None:
            given, overrides = session.run.chosen, ()
        config_name = [] if given is None else [given.as_posix() if isinstance(given, Path) else given]
        given_too = [*([] if ray is None else [f"--ray={ray}"]), *([] if track is None else ["--track", track])]
        session.command = shlex.join(["alquerque", "train", *config_name, *overrides, *given_too])
        # The folder of a run has its settings, but what runs a program is given by the user each time.
        runs_programs = next(programs(config.as_data()), None) is not None
        session.resume = session.command if runs_programs else shlex.join(["alquerque", "train", *given_too])
        session.tracker = track
        result = session.complete(console)
    _announce(console, config, result)
    return result


def _read_config(
    given: str | Path | None, overrides: Sequence[str], resume: Path | None, minutes: float | None, console: Console
) -> tuple[Path, Config]:
    """The settings of a run, and the file that they are from; see `train`."""
    if given is None:
        if resume is None:
            raise ConfigError("a new run needs a config: give one, such as quickstart")
        return Path(resume) / CONFIG, load_own_config(Path(resume), overrides)
    if minutes is not None:
        return Path(given), config_from_minutes(given, minutes, overrides, console)
    begun = None if resume is None else read_begun(Path(resume))
    return find_config(given), load_config(given, overrides, begun=begun)


def _connect(stack: ExitStack, ray: str | None, config: Config, console: Console) -> MakeWorkers:
    """Connects to the Ray cluster that the run uses, if any; returns what makes its workers."""
    if ray is not None:
        require("ray", "ray")
        from alquerque_training.workers.ray_rounds import connect_workers

        cluster, make_workers = stack.enter_context(connect_workers(ray, config))
        console.print(f"Ray at {cluster.address}: {cluster.cpus} CPUs", highlight=False, markup=False)
        return make_workers
    return ProcessWorkers


def _prepare(config_path: Path, config: Config, make_workers: MakeWorkers) -> tuple[Game, Learner]:
    try:
        game = config.run.load_game()
        check_choice(game)
    except AlquerqueError as error:
        raise ConfigError(f"{config_path.name}: [run] {error}") from None
    if JIT and config.network.feature_depth is not None:
        game.check_fits("training with search features", ConfigError)
    if config.evaluation.opponents and config.evaluation.max_cycles <= PLIES[0]:
        raise ConfigError(
            f"{config_path.name}: evaluation.max_cycles is {config.evaluation.max_cycles}, expected more than the "
            f"{PLIES[0]} plies of the arena's openings"
        )
    try:
        check_opponents(config, game)
    except AlquerqueError as error:
        raise ConfigError(f"{config_path.name}: [evaluation] {error}") from None
    torch.set_num_threads(config.run.threads)
    return game, make_learner(config, game, make_workers)


def _start(config_path: Path, config: Config, make_workers: MakeWorkers, *, is_measured: bool) -> Session:
    game, learner = _prepare(config_path, config, make_workers)
    start, curve = _begin(config, game, learner)
    # The settings that an earlier run chose are those of its game.
    name = config.run.game if config_path.name == CHOSEN else config_path.stem
    return Session(create_run(name, config, is_measured=is_measured), game, learner, start, curve)


def _begin(config: Config, game: Game, learner: Learner) -> tuple[StartCard | None, Sequence[CurvePoint]]:
    """Loads the first weights of a run into its learner, unless they are random.

    Returns the checkpoint of these weights, and its strength during training.
    """
    if config.run.start is None:
        return None, ()
    checkpoint = load_start(config.run.start, game)
    learner.begin_with(fitting_weights(config.run.start, checkpoint, learner.network, config.network))
    return checkpoint.meta.as_start(), checkpoint.meta.curve


def _resume(config_path: Path, config: Config, path: Path, make_workers: MakeWorkers) -> Session:
    run, started_with = open_run(path)
    if difference := first_difference(started_with, config.as_data()):
        key, before, now = difference
        if key == "run.game_file":
            raise ConfigError(
                f"run {str(path)!r} was started with another {config.run.game}.toml: its rules or texts have changed "
                "since; put it back to resume, or begin a new run"
            )
        begin = f" with run.start={run.checkpoints()[-1]}" if run.checkpoints() else ""
        raise ConfigError(
            f"run {str(path)!r} was started with {key} = {before!r}, {config_path.name} has {now!r}: "
            f"resume it with the same config, or begin a new run{begin}"
        )
    game, learner = _prepare(config_path, config, make_workers)
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
        session.processor_time = meta.processor_time_of_run
        session.curve = [point for point in meta.curve if point.steps <= meta.steps - meta.steps_of_run]
    else:
        session.start, session.curve = _begin(config, game, learner)
    return session


def _announce(console: Console, config: Config, result: TrainingResult) -> None:
    game, player = config.run.load_game(), f"{result.checkpoint}{_as_it_plays(config)}"
    rules = [game.argument, *game.option_arguments]
    play = shlex.join(["alquerque", "play", *rules, "--opponent", player])
    of_game = f" {shlex.join(['--game', *rules])}" if config.network.kind == FAMILY else ""
    for line in (
        f"trained in {result.seconds:.0f} s; the {config.network.describe_player()} {result.evaluation}",
        *([] if result.measurement is None else [f"in the arena {result.measurement}"]),
        f"checkpoint: {result.checkpoint}",
        f"play it:    {play}",
        f"export it:  alquerque export {result.checkpoint}{of_game} -o bot.py",
    ):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _as_it_plays(config: Config) -> str:
    """The simulations in the spec of the trained player, at least those with which it learned to play."""
    search = config.learner.get("search")
    searching = search.last_simulations if isinstance(search, SearchConfig) else 0
    simulations = config.evaluation.simulations or searching
    return f":{simulations}" if simulations else ""
