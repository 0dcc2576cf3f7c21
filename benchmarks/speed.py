"""Steps a second of the environments on one core, beside other libraries and an environment that does nothing.

    python benchmarks/speed.py draughts_english
    python benchmarks/speed.py alquerque fetaix --seconds 4 --json
    python benchmarks/speed.py                                         a few figures of every game

Rates count the processor time of the process, so that other programs on the machine do not change them. Works that are
compared take turns, since processors change their speed. Libraries that are not installed are named at the end.
"""

import argparse
import json
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from alquerque_env import SelfPlayVectorEnv, games, load_game
from alquerque_env.batch.rollouts import rollouts
from alquerque_env.engine.forms import compile_at_once
from alquerque_env.envs.aec import MatchEnv, wrap
from alquerque_env.game.game import Game

RUNS = 5
BATCHES = (1, 64, 4096, 32768)
CORE_BATCH = 4096
DEVICE_BATCHES = (4096, 65536)
ROLLOUTS = 4096  # matches in a unit of work
PEER_ROLLOUTS = 100  # matches in a call of OpenSpiel's rollouts
LENGTHS = 2000  # matches whose mean length is measured
JAX_STEPS = 32  # steps of a whole batch in a call of a jitted loop

Clock = Callable[[], float]
Work = Callable[[int], int]  # does a number of units and returns how much that was, such as the number of steps


def repeat(task: Callable[[], object], count: int) -> Work:
    """Work whose unit is one call of a task that does `count` things."""

    def work(units: int) -> int:
        for _ in range(units):
            task()
        return units * count

    return work


def rate(work: Work, seconds: float, clock: Clock = time.process_time) -> float:
    """How much `work` does in a second of the clock: the median of `RUNS` runs that take `seconds` together."""
    return rates([work], seconds, clock)[0]


def rates(works: Sequence[Work], seconds: float, clock: Clock = time.process_time) -> list[float]:
    """As `rate`, of several works whose runs take turns."""

    def measure(work: Work, units: int) -> tuple[int, float]:
        begin = clock()
        done = work(units)
        return done, max(clock() - begin, 1e-9)

    def fitting(work: Work) -> int:
        work(1)  # compiles
        units, spent = 1, 0.0
        while spent < seconds / RUNS / 4:
            units *= 2
            _, spent = measure(work, units)
        return max(1, int(units * seconds / RUNS / spent))

    units = [fitting(work) for work in works]
    runs = [[measure(work, count) for work, count in zip(works, units, strict=True)] for _ in range(RUNS)]
    return [statistics.median(done / spent for done, spent in column) for column in zip(*runs, strict=True)]


class Peer(NamedTuple):
    """An environment of another library, played with random legal actions through the library's usual loop."""

    name: str
    kind: str  # what it is compared with: steps, matches, or steps of AEC environments
    requirement: str  # what pip installs
    make: Callable[[], Work]  # raises ImportError if the library is not installed


def open_spiel_steps() -> Work:
    game, generator = import_module("pyspiel").load_game("checkers"), np.random.default_rng(0)

    def play(units: int) -> int:
        state = game.new_initial_state()
        for draw in generator.random(units):
            legal = state.legal_actions()
            state.apply_action(legal[int(draw * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor()
        return units

    return play


def open_spiel_rollouts() -> Work:
    """A search of one simulation, which evaluates the start by many rollouts; their mean length is that in Python."""
    pyspiel = import_module("pyspiel")
    game = pyspiel.load_game("checkers")
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(PEER_ROLLOUTS, 1), 2.0, 1, 10, False, 1, False)
    start, generator = game.new_initial_state(), np.random.default_rng(0)
    steps = 0
    for _ in range(LENGTHS):
        state = start.clone()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(generator.integers(len(legal)))])
            steps += 1
    return repeat(lambda: bot.mcts_search(start), round(PEER_ROLLOUTS * steps / LENGTHS))


def jax_loop(init: Callable[..., Any], step: Callable[..., Any], batch: int) -> Work:
    """Plays a batch in a loop inside `jax.jit`."""
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


def pgx_connect_four() -> Work:
    env = import_module("pgx").make("connect_four")
    return jax_loop(env.init, import_module("pgx.experimental.wrappers").auto_reset(env.step, env.init), 1024)


def ludax_draughts(batch: int) -> Work:
    env = import_module("ludax").LudaxEnvironment(game_str=import_module("ludax.games").english_draughts)
    import jax

    def step(state: Any, action: Any, key: Any) -> Any:
        state = env.step(state, action)
        return jax.lax.cond(state.terminated | state.truncated, lambda: env.init(key), lambda: state)

    return jax_loop(env.init, step, batch)


def aec_loop(env: AECEnv) -> Work:
    """Plays through `last` and `step`, as any loop over an AEC environment does."""
    generator = np.random.default_rng(0)

    def play(units: int) -> int:
        env.reset(seed=0)
        for draw in generator.random(units):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw * len(legal))]))
        return units

    return play


def pettingzoo_classic(name: str) -> Work:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # `pettingzoo.make` is missing in older versions
        return aec_loop(import_module(f"pettingzoo.classic.{name}").env())


STEPS, MATCHES, AEC = "steps", "matches", "AEC"
PEERS = (
    Peer("OpenSpiel checkers, stepped in Python with mask and tensor", STEPS, "open_spiel", open_spiel_steps),
    Peer("OpenSpiel checkers, rollouts in C++", MATCHES, "open_spiel", open_spiel_rollouts),
    Peer("Pgx connect four, 1024 matches in a jitted loop", STEPS, "pgx", pgx_connect_four),
    *(
        Peer(
            f"Ludax English draughts, {batch} matches in a jitted loop", STEPS, "ludax", partial(ludax_draughts, batch)
        )
        for batch in (64, 256, 1024)
    ),
    # PettingZoo has no draughts. Its chess is nearest; connect four is the fastest of its classic games with a mask.
    *(
        Peer(f"PettingZoo {name}, env()", AEC, '"pettingzoo[classic]"', partial(pettingzoo_classic, name))
        for name in ("chess_v6", "connect_four_v3")
    ),
)


class EmptyEnv(AECEnv):
    """Two agents act in turn; all actions are legal; a match lasts 50 steps. It shows the cost of the framework."""

    metadata = {"name": "empty_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        self.possible_agents = ["player_0", "player_1"]
        self.render_mode = None
        self._seen = {"observation": np.ones((4, 25), np.int8), "action_mask": np.ones(num_actions, np.int8)}
        space = spaces.Dict({name: spaces.Box(0, 1, array.shape, np.int8) for name, array in self._seen.items()})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(num_actions))

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._seen["action_mask"]} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._steps = 0

    def observe(self, agent: str) -> dict[str, np.ndarray]:  # noqa: ARG002
        return {name: array.copy() for name, array in self._seen.items()}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self._cumulative_rewards[agent] = 0
        if self._steps == 50:
            self.terminations = dict.fromkeys(self.possible_agents, True)
        self.agent_selection = self.possible_agents[self._steps % 2]
        self._accumulate_rewards()


def batch_steps(env: SelfPlayVectorEnv, batch: int) -> Work:
    env.reset(seed=0)
    return repeat(lambda: env.step(env.sample_actions()), batch)


def random_matches(game: Game) -> Work:
    return lambda units: int(rollouts(game, units * ROLLOUTS, seed=0).length.sum())


def find_works(game: Game, installed: dict[Peer, Work], *, every: bool) -> Iterator[dict[str, Work]]:
    """The works that are compared with each other, by name."""

    def peers(kind: str) -> dict[str, Work]:
        return {peer.name: work for peer, work in installed.items() if peer.kind == kind}

    yield peers(STEPS) | {
        f"SelfPlayVectorEnv, {batch} games": batch_steps(SelfPlayVectorEnv(game, batch), batch)
        for batch in (BATCHES if every else (CORE_BATCH,))
    }
    yield peers(MATCHES) | {"rollouts": random_matches(game)}
    wrapped = {"PettingZoo env()": aec_loop(wrap(MatchEnv(game)))}
    if every:
        wrapped |= {
            "PettingZoo raw_env()": aec_loop(MatchEnv(game)),
            "raw environment that does nothing": aec_loop(EmptyEnv(game.num_actions)),
            "environment that does nothing, in the wrappers of env()": aec_loop(wrap(EmptyEnv(game.num_actions))),
        }
    yield peers(AEC) | wrapped


def measure_device(game: Game, device: str, seconds: float) -> Iterator[tuple[str, float]]:
    """The backend `torch` on a device, by the clock."""
    for batch in DEVICE_BATCHES:
        env = SelfPlayVectorEnv(game, batch, backend="torch", device=device)

        def clock(env: SelfPlayVectorEnv = env) -> float:
            env.get_state()  # waits until the device has done its work
            return time.perf_counter()

        yield f"SelfPlayVectorEnv, torch on {device}, {batch} games", rate(batch_steps(env, batch), seconds, clock)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help="ids or files; without one, a few figures of each game"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="processor time of each figure")
    parser.add_argument("--device", help="also measure the backend 'torch' on this device, by the clock: cpu or cuda")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    # Rates are those of one core. Without effect on JAX if it runs already.
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    compile_at_once()
    installed, missing = {}, []
    for peer in PEERS:
        try:
            installed[peer] = peer.make()
        except ImportError:
            missing.append(f"{peer.name}: not installed: pip install {peer.requirement}")
    found: dict[str, dict[str, float]] = {}
    for game in map(load_game, chosen.games or games()):
        figures = found[game.argument] = {}
        for works in find_works(game, installed, every=bool(chosen.games)):
            figures |= zip(works, rates(list(works.values()), chosen.seconds), strict=True)
        if chosen.device is not None:
            figures |= measure_device(game, chosen.device, chosen.seconds)
        if not chosen.json:
            print(f"\n{game.argument}", *(f"  {name:<64} {speed:>13,.0f}" for name, speed in figures.items()), sep="\n")
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    if chosen.json:
        report = {"machine": machine, "seconds": chosen.seconds, "steps_per_second": found, "not_installed": missing}
        print(json.dumps(report, indent=2))
    else:
        print(f"\nSteps a second of one core; {machine}", *missing, sep="\n")


if __name__ == "__main__":
    main()
