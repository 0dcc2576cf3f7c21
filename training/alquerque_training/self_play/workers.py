"""Worker processes that play while the learner learns."""

import multiprocessing as mp
import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alquerque_env import load_game
from alquerque_env.cli.console.memory import keep_freed_memory
from alquerque_env.cli.console.signals import signals_for_parent_only
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.planes import plane_scale
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import Config
from alquerque_training.experience.replay_buffer import Rows
from alquerque_training.experience.state_arrays import group
from alquerque_training.networks import PolicyValueNetwork, Shape, build_network
from alquerque_training.networks.inference import Inference, choose_device, choose_precision
from alquerque_training.self_play.generator import SelfPlay


class WorkerError(AlquerqueError):
    """A worker process has died."""


class Workers:
    """The worker processes of a run, each with its own matches.

    They are spawned rather than forked, so that they behave the same on every system.
    """

    def __init__(self, config: Config) -> None:
        others = config.alphazero.processes - 1
        games = (config.self_play.num_games - config.learner_games) // others if others else 0
        context = mp.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        for number in range(others):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, config, games, number + 1), daemon=True)
            with signals_for_parent_only():  # the learner saves, then ends the workers
                process.start()
            there.close()
            self._pipes.append(here)
            self._processes.append(process)

    def begin(self, weights: Mapping[str, Tensor], decisions: int, simulations: int) -> None:
        """Starts playing in all workers; `collect` waits for the results."""
        arrays = {name: tensor.numpy() for name, tensor in weights.items()}
        for pipe in self._pipes:
            self._send(pipe, ("play", arrays, decisions, simulations))

    def collect(self) -> list[tuple[Rows, Counter[str]]]:
        """The results of all workers, in their order."""
        return [self._receive(pipe) for pipe in self._pipes]

    def get_state(self) -> dict[str, np.ndarray]:
        """The complete state of all workers."""
        state: dict[str, np.ndarray] = {}
        for number, pipe in enumerate(self._pipes):
            self._send(pipe, ("get_state",))
            state |= {f"{number}.{name}": array for name, array in self._receive(pipe).items()}
        return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        for number, pipe in enumerate(self._pipes):
            self._send(pipe, ("set_state", group(state, f"{number}.")))

    def close(self) -> None:
        """Ends the processes."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.kill()

    def _send(self, pipe: Connection, message: tuple[Any, ...]) -> None:
        try:
            pipe.send(message)
        except OSError:
            raise WorkerError("a process of self-play has died") from None

    def _receive(self, pipe: Connection) -> Any:
        try:
            return pipe.recv()
        except (EOFError, OSError):
            raise WorkerError("a process of self-play has died") from None


def _work(pipe: Connection, config: Config, games: int, number: int) -> None:
    """The loop of a worker: plays when asked, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where signals cannot be blocked
    keep_freed_memory()
    torch.set_num_threads(config.run.threads)
    game = load_game(config.run.game, **config.run.options)
    evaluate = make_inference(config, game)
    play = SelfPlay(game, games, config.self_play, config.search, worker_seed(config.run.seed, number))
    with suppress(ConnectionError):  # the learner is gone
        while (message := _next_message(pipe)) is not None:
            command, *values = message
            if command == "set_state":
                play.set_state(values[0])
            elif command == "get_state":
                pipe.send(play.get_state())
            else:
                arrays, decisions, simulations = values
                evaluate.load({name: torch.from_numpy(array) for name, array in arrays.items()})
                pipe.send(play.play(evaluate, decisions, simulations))


def _next_message(pipe: Connection) -> Any:
    """The next message; None if the learner is gone, also if it was killed within a message."""
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return None


def check_device(config: Config) -> None:
    """Checks that the configured device can be used.

    Raises:
      ConfigError: If torch cannot use it.
    """
    wanted = config.alphazero.device
    device = choose_device(wanted)
    if config.run.algorithm != "alphazero" or device.type == "cpu":
        return
    try:
        torch.zeros(1, device=device)
    except (AssertionError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        expected = "'cpu', or 'auto' for a GPU if there is one" if wanted == "cuda" else "'cpu'"
        raise ConfigError(
            f"alphazero.device is {wanted!r}, but torch cannot use a GPU here ({reason}): expected {expected}"
        ) from None


def make_inference(config: Config, game: Game) -> Inference:
    """Inference for self-play; load its weights before use."""
    device = choose_device(config.alphazero.device)
    network = make_network(config, game, torch.Generator().manual_seed(0))
    return Inference(network, device, choose_precision(config.alphazero.precision, device, config.network))


def make_network(config: Config, game: Game, generator: torch.Generator) -> PolicyValueNetwork:
    """A network with random weights for a game."""
    return build_network(config.network, Shape.of(game), torch.from_numpy(plane_scale(game)), generator)


def worker_seed(seed: int, number: int) -> int:
    """The seed of one process; number 0 is the learner."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
