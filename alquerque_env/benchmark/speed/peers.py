"""Environments of other libraries, played with random legal actions, to compare speeds with.

Each class plays one environment through its library's usual loop. Its work counts steps, with the legal actions of the
next position computed.
"""

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from pettingzoo import AECEnv

from .rate import rates

TRIAL_SECONDS = 1.0


class Peer(ABC):
    """An environment of another library. It is ready to play once it is made.

    Attributes:
      name: What is measured, for people.
      short: The same in one or two words.
      requirement: What pip installs.

    Raises:
      ImportError: If the library is not installed.
    """

    name: ClassVar[str]
    short: ClassVar[str]
    requirement: ClassVar[str]

    @abstractmethod
    def play(self, units: int) -> int:
        """Does so many units of work; returns the number of steps played."""


class OpenSpielCheckers(Peer):
    """OpenSpiel's checkers, stepped in Python with legal actions, mask and observation tensor."""

    name = "OpenSpiel checkers, stepped in Python with mask and tensor"
    short = "OpenSpiel"
    requirement = "open_spiel"

    def __init__(self) -> None:
        self._game = import_module("pyspiel").load_game("checkers")
        self._generator = np.random.default_rng(0)

    def play(self, units: int) -> int:
        """Plays `units` steps."""
        state = self._game.new_initial_state()
        for draw in self._generator.random(units):
            legal = state.legal_actions()
            state.apply_action(legal[int(draw * len(legal))])
            if state.is_terminal():
                state = self._game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor()
        return units


class JaxLoop:
    """A batch of environments stepped in a loop inside `jax.jit`, on one thread of the processor.

    Args:
      init: From a random key to a state.
      step: From a state, an action and a random key to the next state; ended matches start again.
      batch: Matches at once.
    """

    STEPS = 32
    """Steps of the whole batch in a call."""

    def __init__(self, init: Callable[..., Any], step: Callable[..., Any], batch: int) -> None:
        import jax
        import jax.numpy as jnp

        def body(carry: Any, _: None) -> Any:
            state, key = carry
            key, choice, chance = jax.random.split(key, 3)
            action = jax.random.categorical(choice, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=1)
            return (jax.vmap(step)(state, action, jax.random.split(chance, batch)), key), None

        self._play = jax.jit(lambda carry: jax.lax.scan(body, carry, length=self.STEPS)[0])
        key = jax.random.PRNGKey(0)
        self._carry = jax.jit(jax.vmap(init))(jax.random.split(key, batch)), key
        self._batch = batch

    def play(self, units: int) -> int:
        """Plays `units` times `STEPS` steps of the batch."""
        for _ in range(units):
            self._carry = self._play(self._carry)
        self._carry[1].block_until_ready()
        return units * self.STEPS * self._batch


class PgxConnectFour(JaxLoop, Peer):
    """Pgx's connect four, 1024 matches in a jitted loop."""

    name = "Pgx connect four, 1024 matches in a jitted loop"
    short = "Pgx"
    requirement = "pgx"

    def __init__(self) -> None:
        _use_one_thread_of_jax()
        pgx = import_module("pgx")
        env = pgx.make("connect_four")
        step = import_module("pgx.experimental.wrappers").auto_reset(env.step, env.init)
        super().__init__(env.init, step, 1024)


class LudaxDraughts(Peer):
    """Ludax's English draughts in a jitted loop, with whichever of some batch sizes is the fastest here."""

    name = "Ludax English draughts in a jitted loop, its fastest batch size"
    short = "Ludax"
    requirement = "ludax"
    BATCHES = 64, 256, 1024

    def __init__(self) -> None:
        _use_one_thread_of_jax()
        import jax

        ludax = import_module("ludax")
        env = ludax.LudaxEnvironment(game_str=import_module("ludax.games").english_draughts)

        def step(state: Any, action: Any, key: Any) -> Any:
            state = env.step(state, action)
            return jax.lax.cond(state.terminated | state.truncated, lambda: env.init(key), lambda: state)

        loops = [JaxLoop(env.init, step, batch) for batch in self.BATCHES]
        found = rates([loop.play for loop in loops], TRIAL_SECONDS)
        self._loop = loops[found.index(max(found))]

    def play(self, units: int) -> int:
        """Plays `units` calls of the jitted loop."""
        return self._loop.play(units)


class RandomAec:
    """Plays random legal actions through `last` and `step`, as any loop over an AEC environment does.

    Args:
      env: An environment with action masks in its observations.
    """

    def __init__(self, env: AECEnv) -> None:
        self._env = env
        self._generator = np.random.default_rng(0)

    def play(self, units: int) -> int:
        """Plays `units` steps."""
        env = self._env
        env.reset(seed=0)
        for draw in self._generator.random(units):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw * len(legal))]))
        return units


def _make_classic(name: str) -> AECEnv:
    """An environment of PettingZoo with its usual wrappers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # `pettingzoo.make` is missing in older versions
        env: AECEnv = import_module(f"pettingzoo.classic.{name}").env()
    return env


class PettingZooConnectFour(RandomAec, Peer):
    """PettingZoo's connect four, with its usual wrappers."""

    name = "PettingZoo connect_four_v3, env()"
    short = "connect_four_v3"
    requirement = '"pettingzoo[classic]"'

    def __init__(self) -> None:
        super().__init__(_make_classic("connect_four_v3"))


class PettingZooChess(RandomAec, Peer):
    """PettingZoo's chess, with its usual wrappers."""

    name = "PettingZoo chess_v6, env()"
    short = "chess_v6"
    requirement = '"pettingzoo[classic]"'

    def __init__(self) -> None:
        super().__init__(_make_classic("chess_v6"))


BATCH_PEERS: tuple[type[Peer], ...] = (OpenSpielCheckers, PgxConnectFour, LudaxDraughts)
AEC_PEERS: tuple[type[Peer], ...] = (PettingZooConnectFour, PettingZooChess)


def find_installed(kinds: tuple[type[Peer], ...]) -> list[Peer]:
    """Makes the peers that are installed."""
    found = []
    for kind in kinds:
        try:
            found.append(kind())
        except ImportError:
            continue
    return found


def list_missing(peers: list[Peer]) -> list[str]:
    """Says of each peer that is not among `peers` how to install it."""
    names = {peer.name for peer in peers}
    kinds = [kind for kind in (*BATCH_PEERS, *AEC_PEERS) if kind.name not in names]
    return [f"{kind.name}: not installed: pip install {kind.requirement}" for kind in kinds]


def _use_one_thread_of_jax() -> None:
    """Asks JAX, unless it runs already, for one thread of the processor, since rates are those of one core."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
