"""Environments of other libraries, played with random legal actions, to compare speeds with.

Each class plays one environment through its library's usual loop. It counts steps, with the legal actions of the next
position computed.
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
JAX_STEPS = 32  # steps of a whole batch in a call of a jitted loop
ROLLOUTS = 100  # matches in a call of OpenSpiel's rollouts
LENGTHS = 2000  # matches whose mean length is measured


class Peer(ABC):
    """An environment of another library. Making one raises ImportError if the library is not installed."""

    name: ClassVar[str]  # what is measured
    short: ClassVar[str]  # the same in one or two words
    requirement: ClassVar[str]  # what pip installs
    steps_per_match: float | None = None  # mean length of its matches, if it plays whole matches

    @abstractmethod
    def play(self, units: int) -> int:
        """Plays `units` units of work; returns the number of steps."""


class OpenSpielCheckers(Peer):
    """OpenSpiel's checkers, stepped in Python with legal actions, mask and observation tensor."""

    name = "OpenSpiel checkers, stepped in Python with mask and tensor"
    short = requirement = "open_spiel"

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


class OpenSpielRollouts(Peer):
    """OpenSpiel's rollouts of checkers in C++: a search of one simulation, which evaluates the start by many of them.

    OpenSpiel does not say how long these matches are. Their mean length is that of matches played in Python.
    """

    name = "OpenSpiel checkers, rollouts in C++"
    short, requirement = "C++ rollouts", "open_spiel"

    def __init__(self) -> None:
        pyspiel = import_module("pyspiel")
        game = pyspiel.load_game("checkers")
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
        self._bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, 1, False)
        self._start = game.new_initial_state()
        generator = np.random.default_rng(0)
        self._length = sum(_play_match(self._start.clone(), generator) for _ in range(LENGTHS)) / LENGTHS
        self.steps_per_match = self._length

    def play(self, units: int) -> int:
        """Plays `units` times `ROLLOUTS` matches."""
        for _ in range(units):
            self._bot.mcts_search(self._start)
        return round(units * ROLLOUTS * self._length)


def _play_match(state: Any, generator: np.random.Generator) -> int:
    """Plays random actions to the end; returns their number."""
    steps = 0
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(legal[int(generator.integers(len(legal)))])
        steps += 1
    return steps


class JaxPeer(Peer):
    """Environments stepped in a loop inside `jax.jit`, on one thread of the processor, with the fastest batch size."""

    batches: ClassVar[tuple[int, ...]]  # the batch sizes to try

    def __init__(self) -> None:
        # Rates are those of one core. Without effect if JAX runs already.
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        init, step = self.load()
        loops = [_jax_loop(init, step, batch) for batch in self.batches]
        found = rates(loops, TRIAL_SECONDS) if len(loops) > 1 else [0.0]
        self._loop = loops[found.index(max(found))]

    @abstractmethod
    def load(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """`init(key)` makes a state, `step(state, action, key)` the next one; ended matches start again."""

    def play(self, units: int) -> int:
        """Plays `units` calls of the jitted loop."""
        return self._loop(units)


class PgxConnectFour(JaxPeer):
    """Pgx's connect four."""

    name = "Pgx connect four, 1024 matches in a jitted loop"
    short = requirement = "pgx"
    batches = (1024,)

    def load(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """As `JaxPeer.load`."""
        env = import_module("pgx").make("connect_four")
        return env.init, import_module("pgx.experimental.wrappers").auto_reset(env.step, env.init)


class LudaxDraughts(JaxPeer):
    """Ludax's English draughts."""

    name = "Ludax English draughts in a jitted loop, its fastest batch size"
    short = requirement = "ludax"
    batches = 64, 256, 1024

    def load(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """As `JaxPeer.load`."""
        env = import_module("ludax").LudaxEnvironment(game_str=import_module("ludax.games").english_draughts)
        import jax

        def step(state: Any, action: Any, key: Any) -> Any:
            state = env.step(state, action)
            return jax.lax.cond(state.terminated | state.truncated, lambda: env.init(key), lambda: state)

        return env.init, step


def _jax_loop(init: Callable[..., Any], step: Callable[..., Any], batch: int) -> Callable[[int], int]:
    """Work that plays a batch in a jitted loop."""
    import jax
    import jax.numpy as jnp

    def body(carry: Any, _: None) -> Any:
        state, key = carry
        key, choice, chance = jax.random.split(key, 3)
        action = jax.random.categorical(choice, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=1)
        return (jax.vmap(step)(state, action, jax.random.split(chance, batch)), key), None

    run = jax.jit(lambda carry: jax.lax.scan(body, carry, length=JAX_STEPS)[0])
    key = jax.random.PRNGKey(0)
    carry = jax.jit(jax.vmap(init))(jax.random.split(key, batch)), key

    def play(units: int) -> int:
        nonlocal carry
        for _ in range(units):
            carry = run(carry)
        carry[1].block_until_ready()
        return units * JAX_STEPS * batch

    return play


class RandomAec:
    """Plays random legal actions through `last` and `step`, as any loop over an AEC environment does."""

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


class PettingZooPeer(RandomAec, Peer):
    """An environment of PettingZoo with its usual wrappers."""

    requirement = '"pettingzoo[classic]"'

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # `pettingzoo.make` is missing in older versions
            super().__init__(import_module(f"pettingzoo.classic.{self.short}").env())


class PettingZooConnectFour(PettingZooPeer):
    """PettingZoo's connect four."""

    name = "PettingZoo connect_four_v3, env()"
    short = "connect_four_v3"


class PettingZooChess(PettingZooPeer):
    """PettingZoo's chess."""

    name = "PettingZoo chess_v6, env()"
    short = "chess_v6"


BATCH_PEERS: tuple[type[Peer], ...] = (OpenSpielCheckers, PgxConnectFour, LudaxDraughts)
ROLLOUT_PEERS: tuple[type[Peer], ...] = (OpenSpielRollouts,)
# PettingZoo has no draughts. Its chess is nearest: pieces of both sides move and capture, and an observation has the
# planes of each kind of piece and a mask. Its connect four is the fastest of its classic games with a mask.
AEC_PEERS: tuple[type[Peer], ...] = (PettingZooChess, PettingZooConnectFour)


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
    kinds = [kind for kind in (*BATCH_PEERS, *ROLLOUT_PEERS, *AEC_PEERS) if kind.name not in names]
    return [f"{kind.name}: not installed: pip install {kind.requirement}" for kind in kinds]
