"""One network for all boards, trained in some games and measured in others.

    python benchmarks/graph_network.py
    alquerque benchmark run benchmarks.graph_network:choose felli_simplified pretwa lau_kata_kati \\
      --name "graph network" --trained-on "felli_simplified, pretwa" -o benchmarks/graph-network.json

The first command trains the network with the exact values of `felli_simplified` and `pretwa` and writes its weights
beside this file. It passes messages along the steps and captures of a board, with weights that belong to no point, so
that it plays on boards that it has not seen.
"""

import time
from functools import cache
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from alquerque_env import Game, load_game
from alquerque_env.arena.exact_errors import ILLEGAL, KINDS, draw_critical
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.solve.tables.whole import whole_command, whole_table

WEIGHTS = Path(__file__).with_suffix(".safetensors")
TRAINED_ON = "felli_simplified", "pretwa"
PLAYED = (*TRAINED_ON, "lau_kata_kati")
"""Games whose numbers of actions differ, by which `choose` tells them apart."""
POSITIONS = 150_000  # of each kind and game
ITERATIONS, BATCH, RATE = 5_000, 256, 2e-3
WIDTH, ROUNDS = 48, 5
SEED = 1  # not that of the protocol, which draws other positions

PLANES, CHAIN = 4, 2  # own men, enemy men, the piece that goes on capturing, the clock
FROM, TARGET, OVER = range(3)


class Graph(nn.Module):
    """The steps of a game as matrices: for each role of a point in a step, `[A, P]`, 1 where it has that role."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        roles = np.zeros((3, game.num_actions, len(game.board.points)), np.float32)
        for step in game.steps[0]:
            roles[FROM, step.action, step.origin] = roles[TARGET, step.action, step.target] = 1
            roles[OVER, step.action, list(step.captured)] = 1
        self.register_buffer("roles", torch.from_numpy(roles))
        back = self.roles / self.roles.sum(1, keepdim=True).clamp(1)
        self.register_buffer("back", back.transpose(1, 2).contiguous())  # means over the steps of a point
        self.register_buffer("captures", self.roles[OVER].sum(1, keepdim=True))


class GraphNetwork(nn.Module):
    """From planes `[B, PLANES, P]` to logits `[B, A]`, whatever the board."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(PLANES, WIDTH)
        self.to_steps = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(ROUNDS))
        self.of_kind = nn.ModuleList(nn.Linear(1, WIDTH) for _ in range(ROUNDS))
        self.to_points = nn.ModuleList(nn.Linear(4 * WIDTH, WIDTH) for _ in range(ROUNDS - 1))
        self.leave = nn.Linear(WIDTH, 1)

    def forward(self, planes: torch.Tensor, graph: Graph) -> torch.Tensor:
        """Each round tells every step about its points, and every point about its steps."""
        scale = planes.new_tensor([1, 1, 1, 50])[:, None]
        points = self.enter((planes / scale).transpose(1, 2)).relu()
        for number, (to_steps, of_kind) in enumerate(zip(self.to_steps, self.of_kind, strict=True)):
            told = to_steps(points).chunk(3, -1)
            parts = [role @ part for role, part in zip(graph.roles, told, strict=True)]
            steps = (sum(parts) + of_kind(graph.captures)).relu()
            if number < len(self.to_points):
                heard = torch.cat([points, *(back @ steps for back in graph.back)], -1)
                points = points + self.to_points[number](heard).relu()
        return self.leave(steps).squeeze(-1)


@cache
def _load() -> tuple[GraphNetwork, dict[int, Graph]]:
    torch.set_num_threads(1)
    network = GraphNetwork()
    network.load_state_dict(load_file(WEIGHTS))
    games = (load_game(name) for name in PLAYED)
    return network.eval(), {game.num_actions: Graph(game) for game in games}


def choose(observation: np.ndarray, action_mask: np.ndarray) -> int:
    """The action with the highest logit in one position: int8 planes `[C, P]`, int8 mask `[A]`."""
    network, graphs = _load()
    if len(observation) < PLANES:  # where a capture ends the turn, there is no plane of the piece that goes on
        observation = np.insert(observation, CHAIN, 0, axis=0)
    if len(action_mask) not in graphs:
        raise ValueError(f"no game with {len(action_mask)} actions is known: add its name to PLAYED")
    with torch.inference_mode():
        logits = network(torch.from_numpy(observation[None]).float(), graphs[len(action_mask)])[0]
    return int(np.where(action_mask == 1, logits.numpy(), -np.inf).argmax())


def lessons(name: str) -> tuple[Graph, torch.Tensor, torch.Tensor]:
    """Critical positions of a game: its graph, their planes, and the values of actions, `ILLEGAL` if not legal."""
    game = load_game(name)
    table = whole_table(game)
    if table is None:
        raise SystemExit(f"there is no table of {name}: build it with `{whole_command(game)}`")
    drawn = [draw_critical(table, POSITIONS, kind, SEED) for kind in KINDS]
    states, values = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    seen = make_batch(game, len(states)).set(states).observation
    return Graph(game), torch.from_numpy(seen), torch.from_numpy(values)


def train() -> GraphNetwork:
    """Learns to choose a step that keeps the value, in all games in turn."""
    torch.manual_seed(SEED)
    network = GraphNetwork()
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, ITERATIONS)
    games = [lessons(name) for name in TRAINED_ON]
    for iteration in range(1, ITERATIONS + 1):
        graph, planes, values = games[iteration % len(games)]
        chosen = torch.randint(len(planes), (BATCH,))
        value = values[chosen]
        legal = value > ILLEGAL
        logits = network(planes[chosen].float(), graph).masked_fill(~legal, -torch.inf)
        kept = logits.masked_fill(value < value.amax(1, keepdim=True), -torch.inf)
        loss = (logits.logsumexp(1) - kept.logsumexp(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if iteration % 200 == 0:
            print(f"{iteration:,} iterations, loss {loss.item():.3f}, {time.process_time():.0f} s", flush=True)
    return network


if __name__ == "__main__":
    torch.set_num_threads(1)
    save_file(train().state_dict(), WEIGHTS)
