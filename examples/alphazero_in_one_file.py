"""AlphaZero in one file, for any game of the package: network, tree search, self-play, learning, matches against a bot.

    python examples/alphazero_in_one_file.py alquerque --minutes 10

Measured on two cores of an AMD EPYC with much other work: in its ten minutes this had 107 s of processor time, one core
at a time, and won 200 of 200 matches against `greedy` (95% interval 98.1% to 100%). It did so in `fetaix`, with 150 s,
and in `alquerque` with `--iterations 11`, which takes 42 s of processor time.

Many matches are played at once, so that one call of the network evaluates a position of each. The search is that of
Gumbel AlphaZero: with 16 simulations for a decision it already improves the policy. A step without alternative is
played at once; it needs no search and teaches nothing.

The player who captures may move several times in a row. Results are therefore kept from the perspective of player_0,
and turned to that of the player to move (`side`) where they are compared.

Sources: https://doi.org/10.1126/science.aar6404 (AlphaZero)
         https://openreview.net/forum?id=bERaNdoegnO (the search: Gumbel AlphaZero)
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import nn

from alquerque_env import Game, SelfPlayVectorEnv, load_bot, load_game
from alquerque_env.errors import AlquerqueError

CHOICES = 64  # room for the legal actions of a position; were there more, the others would not be searched
CONSIDERED = 16  # actions of the root that are searched, at most
OPENING = 4  # random decisions with which a match of self-play begins, at most
DISCOUNT = 0.98  # factor of a result for each decision before the last one: win soon, lose late
SEARCH_SHARE = 0.25  # share of the value of the search in the value that is learned; the rest is the result
CAPACITY = 300_000  # positions in the replay buffer
REUSE = 4  # how often a position is learned, on average
VALUE_OFFSET, VALUE_SCALE = 50, 0.1  # how strongly the values of a search change the policy, `c_visit` and `c_scale`
ILLEGAL = -1e9  # logit of an action that may not be played


class Network(nn.Module):
    """A residual multilayer perceptron from the planes of a position to its policy and value."""

    def __init__(self, game: Game, width: int, blocks: int) -> None:
        super().__init__()
        env = SelfPlayVectorEnv(game, 1)
        self.game, self.width = game, width
        self.register_buffer("scale", torch.tensor(env.plane_scale, dtype=torch.float32).reshape(-1, 1))
        self.stem = nn.Linear(math.prod(env.single_observation_space.shape), width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
            for _ in range(blocks)
        )
        self.policy, self.value = nn.Linear(width, game.num_actions), nn.Linear(width, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits `[B, A]` and values `[B]` in (-1, 1), for the player to move, of positions `[B, C, P]`."""
        hidden = torch.relu(self.stem((planes / self.scale).flatten(1)))
        for block in self.blocks:
            hidden = hidden + block(hidden)
        return self.policy(hidden.relu()), self.value(hidden.relu()).tanh().squeeze(1)

    def save(self, path: str) -> None:
        about = {"game": self.game.path or self.game.name, "width": self.width, "blocks": len(self.blocks)}
        save_file(self.state_dict(), path, {"about": json.dumps(about)})


def load_network(path: str) -> Network:
    """The network that `Network.save` wrote, with its game."""
    with safe_open(path, "pt") as file:
        about = json.loads((file.metadata() or {}).get("about", "null"))
    if about is None:
        raise AlquerqueError(f"{path} has no weights that this program wrote")
    network = Network(load_game(about["game"]), about["width"], about["blocks"])
    network.load_state_dict(load_file(path))
    return network


class Matches:
    """`B` matches, stepped from choice to choice: steps without alternative are played at once.

    A match that has ended stays as it is until `restart`.
    """

    def __init__(self, game: Game, count: int) -> None:
        self.env = SelfPlayVectorEnv(game, count)
        self._go_on(*self.env.reset(seed=0))

    def play(self, actions: np.ndarray) -> None:
        """Plays an action in every match."""
        planes, _, _, _, info = self.env.step(actions)
        self._go_on(planes, info)

    def restart(self, which: np.ndarray) -> None:
        """Begins some matches anew, bool `[B]`."""
        self._go_on(*self.env.reset(options={"reset_mask": which}))

    def get_states(self) -> dict[str, np.ndarray]:
        """What determines how the matches continue, as arrays with a row for each match."""
        state = self.env.get_state()
        return {name: state[name] for name in ("states", "keys", "elapsed", "ended")}

    def set_states(self, states: dict[str, np.ndarray]) -> None:
        """Continues from states, which may come from other matches of the game."""
        self._go_on(*self.env.set_state(self.env.get_state() | states))

    def _go_on(self, planes: np.ndarray, info: dict[str, np.ndarray]) -> None:
        """Plays forced steps until every match has a choice or has ended."""
        while True:
            self.planes, self.mask = planes, info["action_mask"]  # [B, C, P] and [B, A]
            self.side = 1 - 2 * info["player"].astype(np.float32)  # [B], 1 if player_0 is to move, -1 if player_1 is
            self.result = (info["winner"] == 0) * 1.0 - (info["winner"] == 1)  # [B], 1 if player_0 has won, -1, or 0
            self.legal = self.mask.sum(1)  # [B], number of legal actions
            self.over, held = self.legal == 0, self.legal != 1
            if held.all():
                return
            before = self.get_states()
            self.env.step(self.mask.argmax(1))  # steps all matches, also those that should wait
            states = self.get_states()
            for name, rows in before.items():  # `keys`, the earlier positions, get more room as matches go on
                states[name][(held, *map(slice, rows.shape[1:]))] = rows[held]
            planes, info = self.env.set_state(self.env.get_state() | states)


class Search:
    """A tree search in `B` matches at once. Each simulation adds one node, of the same number, to each tree.

    The arrays of a node have a row for each of its choices, which are its legal actions.
    """

    def __init__(self, game: Game, count: int, simulations: int) -> None:
        self.simulator, self.simulations, self.every = Matches(game, count), simulations, np.arange(count)
        nodes = count, simulations + 1
        self.actions, self.child = np.zeros((2, *nodes, CHOICES), np.int64)
        self.logits, self.prior, self.visits, self.total = np.zeros((4, *nodes, CHOICES), np.float32)
        self.value, self.side = np.zeros((2, *nodes), np.float32)
        self.states: dict[str, np.ndarray] = {}
        schedules = [visit_schedule(min(legal, CONSIDERED), simulations) for legal in range(2, CHOICES + 1)]
        self.schedule = np.array([schedules[0], schedules[0], *schedules])

    def run(self, network: Network, matches: Matches, noise: Any = 0.0) -> tuple[np.ndarray, ...]:
        """Searches the positions of matches. Gumbel noise `[B, CHOICES]` makes the chosen action a random one.

        Returns:
          The legal actions `[B, CHOICES]`, padded by -1; the improved policy over them; the place of the chosen one
          among them, `[B]`; and the values of the positions for the player to move, `[B]`.
        """
        self.visits[:], self.total[:], self.child[:], self.states = 0, 0, -1, {}
        self._add_node(0, network, matches)
        every, root, legal = self.every, np.zeros_like(self.every), np.minimum(matches.legal, CHOICES)
        parent, chosen = np.zeros((2, len(every)), np.int64)
        for simulation in range(self.simulations):
            # Follow each tree to a choice that has no node yet, or whose node ends the match.
            rows, nodes, path = every, root, []
            due = self.visits[:, 0] == self.schedule[legal, simulation, None]
            choices = np.where(due, self._improve(every, root)[1] + noise, -np.inf).argmax(1)
            while len(rows):
                path.append((rows, nodes, choices))
                parent[rows], chosen[rows] = nodes, choices
                child = self.child[rows, nodes, choices]
                inner = (child >= 0) & (self.actions[rows, child, 0] >= 0)
                rows, nodes = rows[inner], child[inner]
                visits = self.visits[rows, nodes]  # they come to be in proportion to the improved policy
                wanted = softmax(self._improve(rows, nodes)[1]) - visits / (1 + visits.sum(1, keepdims=True))
                choices = wanted.argmax(1)
            # Play that choice, and add the position as a node.
            self.simulator.set_states({name: array[every, parent] for name, array in self.states.items()})
            self.simulator.play(self.actions[every, parent, chosen])
            self.child[every, parent, chosen] = simulation + 1
            outcome = self._add_node(simulation + 1, network, self.simulator)
            # Add its value to the choices on the way.
            for rows, nodes, choices in path:
                self.visits[rows, nodes, choices] += 1
                self.total[rows, nodes, choices] += outcome[rows] * self.side[rows, nodes]
        values, improved = self._improve(every, root)
        most = self.visits[:, 0] == self.visits[:, 0].max(1, keepdims=True)
        place, policy = np.where(most, improved + noise, -np.inf).argmax(1), softmax(improved)
        return self.actions[:, 0].copy(), policy, place, (policy * values).sum(1)

    def _improve(self, rows: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of the choices of some nodes, and the logits of the policy that these values improve."""
        visits, prior = self.visits[rows, nodes], self.prior[rows, nodes]
        values, visited = self.total[rows, nodes] / np.maximum(visits, 1), visits > 0
        # A choice without a visit gets a mean of the network's value and the values of the others.
        count, weights = visits.sum(1), prior * visited
        known = (weights * values).sum(1) / np.maximum(weights.sum(1), 1e-9)
        mixed = (self.value[rows, nodes] + count * known) / (1 + count)
        values = np.where(visited, values, mixed[:, None])
        weight = VALUE_SCALE * (VALUE_OFFSET + visits.max(1, keepdims=True))
        return values, self.logits[rows, nodes] + weight * values

    @torch.inference_mode()
    def _add_node(self, number: int, network: Network, matches: Matches) -> np.ndarray:
        """Adds the positions of matches as nodes; returns their values for player_0."""
        logits, values = network(torch.from_numpy(matches.planes).to(network.scale.device))
        actions = self.actions[:, number] = list_actions(matches.mask)
        listed = logits.cpu().numpy()[self.every[:, None], actions]
        self.logits[:, number] = np.where(actions >= 0, listed, ILLEGAL)
        self.prior[:, number] = softmax(self.logits[:, number])
        outcome = np.where(matches.over, matches.result, values.cpu().numpy() * matches.side)
        self.value[:, number], self.side[:, number] = outcome * matches.side, matches.side
        for name, rows in matches.get_states().items():
            shape = len(rows), self.simulations + 1, *rows.shape[1:]
            kept = self.states.setdefault(name, np.zeros(shape, rows.dtype))
            if kept.shape != shape:
                kept = self.states[name] = np.pad(kept, ((0, 0), (0, 0), (0, shape[2] - kept.shape[2])))
            kept[:, number] = rows
        return outcome


def list_actions(mask: np.ndarray) -> np.ndarray:
    """The legal actions of masks `[B, A]`, int64 `[B, CHOICES]`, padded by -1."""
    rows, actions = np.nonzero(mask)
    listed = np.full((len(mask), max(CHOICES, mask.sum(1).max())), -1, np.int64)
    listed[rows, np.arange(len(rows)) - np.searchsorted(rows, rows)] = actions
    return listed[:, :CHOICES]


def visit_schedule(considered: int, simulations: int) -> list[int]:
    """Sequential halving, all actions equally often, then the better half: how often the next one has been tried."""
    schedule: list[int] = []
    halvings, visits = math.ceil(math.log2(considered)), 0
    while len(schedule) < simulations:
        for _ in range(max(1, simulations // (halvings * considered))):
            schedule += [visits] * considered
            visits += 1
        considered = max(2, considered // 2)
    return schedule[:simulations]


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


class ReplayBuffer:
    """The newest positions of self-play, each with the actions, the policy and the value to be learned there."""

    def __init__(self, game: Game) -> None:
        shape = SelfPlayVectorEnv(game, 1).single_observation_space.shape
        kinds = ((shape, np.int8), ((CHOICES,), np.int16), ((CHOICES,), np.float16), ((), np.float32))
        self.columns = [np.zeros((CAPACITY, *shape), kind) for shape, kind in kinds]
        self.added = 0
        # A symmetry tells where each plane, point and action goes; an image is read from where they come from.
        self.planes = np.array([np.argsort(symmetry.planes) for symmetry in game.symmetries])
        self.points = np.array([np.argsort(symmetry.points) for symmetry in game.symmetries])
        self.actions = np.array([[*symmetry.actions, -1] for symmetry in game.symmetries])  # -1 stays -1

    def add(self, *row: object) -> None:
        """Adds a position: planes, actions, policy, value."""
        for column, entry in zip(self.columns, row, strict=True):
            column[self.added % CAPACITY] = entry
        self.added += 1

    def sample(self, size: int, rng: np.random.Generator) -> list[torch.Tensor]:
        """Draws positions, each under a random symmetry of the game."""
        # The first positions are soon out of date: no more than the newer half of them is used.
        window = min(CAPACITY, self.added, max(20_000, self.added // 2))
        rows = (self.added - 1 - rng.integers(window, size=size)) % CAPACITY
        planes, actions, policy, value = (column[rows] for column in self.columns)
        drawn = rng.integers(len(self.planes), size=size)
        planes = planes[np.arange(size)[:, None, None], self.planes[drawn][:, :, None], self.points[drawn][:, None]]
        return [*map(torch.from_numpy, (planes, self.actions[drawn[:, None], actions], policy, value))]


def self_play(network: Network, buffer: ReplayBuffer, args: Any, rng: np.random.Generator) -> Iterator[list[int]]:
    """Plays matches of the network against itself into the buffer; yields the lengths of those that ended."""
    every, positions = np.arange(args.matches), [[] for _ in range(args.matches)]  # positions of matches in progress
    matches, search = Matches(network.game, args.matches), Search(network.game, args.matches, args.simulations)
    length, opening = np.zeros_like(every), rng.integers(OPENING + 1, size=args.matches)
    while True:
        ended = []
        for _ in range(args.decisions):
            noise = rng.gumbel(size=(args.matches, CHOICES))
            actions, policy, place, values = search.run(network, matches, noise)
            is_random = length < opening
            place = np.where(is_random, rng.integers(np.minimum(matches.legal, CHOICES)), place)
            for row in np.flatnonzero(~is_random):
                position = matches.planes[row], actions[row], policy[row], values[row], matches.side[row]
                positions[row].append(position)
            length += 1
            matches.play(actions[every, place])
            for row in np.flatnonzero(matches.over):
                result = matches.result[row]
                for *position, value, side in reversed(positions[row]):
                    buffer.add(*position, (1 - SEARCH_SHARE) * result * side + SEARCH_SHARE * value)
                    result *= DISCOUNT
                ended.append(int(length[row]))
                positions[row], length[row], opening[row] = [], 0, rng.integers(OPENING + 1)
            matches.restart(matches.over)
        yield ended


def learn(network: Network, optimizer: torch.optim.Optimizer, batch: list[torch.Tensor]) -> torch.Tensor:
    """Makes one gradient step; returns the losses of policy and value, `[2]`."""
    planes, actions, policy, value = (column.to(network.scale.device) for column in batch)
    logits, predicted = network(planes)
    logits = logits.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, ILLEGAL)
    policy_loss = -(policy.float() * logits.log_softmax(1)).sum(1).mean()
    losses = torch.stack([policy_loss, (predicted - value).square().mean()])
    optimizer.zero_grad()
    losses.sum().backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return losses.detach()


def train(network: Network, args: Any) -> None:
    """Trains a network until the iterations or the minutes are over."""
    rng, buffer = np.random.default_rng(args.seed), ReplayBuffer(network.game)
    optimizer = torch.optim.AdamW(network.parameters(), args.learning_rate, weight_decay=1e-4)
    games, start, iteration, learned, progress = self_play(network, buffer, args, rng), time.monotonic(), 0, 0, 0.0
    while progress < 1:
        lengths, losses = next(games), []
        for settings in optimizer.param_groups:
            settings["lr"] = args.learning_rate * (1 - progress)
        while buffer.added >= 8 * args.batch and learned < REUSE * buffer.added:
            losses.append(learn(network, optimizer, buffer.sample(args.batch, rng)))
            learned += args.batch
        iteration, seconds = iteration + 1, time.monotonic() - start
        progress = iteration / args.iterations if args.iterations else seconds / 60 / args.minutes
        policy_loss, value_loss = torch.stack(losses).mean(0).tolist() if losses else (math.nan, math.nan)
        print(
            f"iteration {iteration}, {seconds:.0f} s: {buffer.added} positions, loss of policy {policy_loss:.3f} "
            f"and value {value_loss:.3f}, {len(lengths)} matches of {np.mean(lengths or 0):.0f} decisions",
            flush=True,
        )
    steps, processor = iteration * args.matches * args.decisions, time.process_time()
    print(f"{network.game.name}: {steps} steps in {seconds:.0f} s ({processor:.0f} s of processor time)")


def play_matches(network: Network, bot: Any, args: Any) -> None:
    """Plays matches against a bot, half of them from either seat, and prints how many the network wins."""
    game, count = network.game, args.opponent_matches
    matches, search = Matches(game, count), Search(game, count, args.simulations)
    own_side, results = np.ones(count), np.full(count, np.nan)
    own_side[1::2] = -1
    while np.isnan(results).any():
        actions, _, place, _ = search.run(network, matches)
        chosen, others = actions[np.arange(count), place], np.flatnonzero(matches.side != own_side)
        chosen[others] = matches.env.choose(bot, others)
        matches.play(chosen)
        first = matches.over & np.isnan(results)  # the first match of each place counts
        results[first] = (matches.result * own_side)[first]
        matches.restart(matches.over)
    won, drawn, z = (results > 0).sum(), (results == 0).sum(), 1.96**2 / count
    centre, margin = won / count + z / 2, math.sqrt(z * (won / count * (1 - won / count) + z / 4))
    low, high = (centre - margin) / (1 + z), (centre + margin) / (1 + z)  # Wilson's interval
    print(f"{game.name}: won {won} of {count} against {args.opponent}, drew {drawn}", end=": ")
    print(f"{won / count:.1%} won (95% interval {low:.1%} to {high:.1%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.formatter_class = argparse.ArgumentDefaultsHelpFormatter
    add = parser.add_argument
    add("game", nargs="?", default="alquerque", help="id of a game, or the path of a game file")
    add("--minutes", type=float, default=10.0, help="how long to train")
    add("--iterations", type=int, help="how long to train, instead of --minutes; then a seed gives the same weights")
    add("--seed", type=int, default=0, help="seed of all random numbers")
    add("--device", default="cpu", help="where the network is evaluated and learns, such as cuda")
    add("--weights", default="alphazero.safetensors", help="file to which the weights are written")
    add("--evaluate", action="store_true", help="read this file and play the matches, without training")
    add("--opponent", default="greedy", help="bot of the matches after the training")
    add("--opponent-matches", type=int, default=200, help="their number")
    add("--matches", type=int, default=256, help="matches of self-play at once")
    add("--decisions", type=int, default=32, help="decisions in each of them in an iteration")
    add("--simulations", type=int, default=16, help="simulations of the search for each decision")
    add("--width", type=int, default=128, help="units of a layer")
    add("--blocks", type=int, default=2, help="residual blocks")
    add("--batch", type=int, default=1024, help="positions of a gradient")
    add("--learning-rate", type=float, default=2e-3, help="at the start; it falls linearly to 0")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # faster for networks as small as these
    try:
        given = load_network(args.weights) if args.evaluate else Network(load_game(args.game), args.width, args.blocks)
        network, bot = given.to(args.device), load_bot(args.opponent, given.game, seed=args.seed)
        if not args.evaluate:
            network.save(args.weights)  # so that a wrong path is found before the training
            try:
                train(network, args)
            finally:
                network.save(args.weights)
        play_matches(network, bot, args)
    except (AlquerqueError, OSError, SafetensorError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        sys.exit("stopped by Ctrl-C")


if __name__ == "__main__":
    main()
