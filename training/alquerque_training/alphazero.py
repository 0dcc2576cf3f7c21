"""AlphaZero: self-play with a tree search; a network learns the policy of the search and the outcomes.

One iteration, `AlphaZeroLearner.iterate`, plays (`self_play.generator`), adds the positions to the replay buffer,
learns from samples of it (the loss is `alphazero_loss`), and updates the running average of the weights, which plays.
Every number of a position is from the perspective of the player to move there.

Source: Silver et al. 2018, Science 362, 1140-1144.
"""

import copy
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal

import numpy as np
import torch
from annotated_types import Ge, Gt, Le, Lt
from torch import Tensor

from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_training.config.learning_rate import LearningRate
from alquerque_training.config.settings import Config, Processes, Section, Share, orders
from alquerque_training.experience.replay_buffer import Augmenter, Positions, ReplayBuffer
from alquerque_training.experience.self_play_games import describe_games
from alquerque_training.experience.state_arrays import Arrays, group, weight_arrays, weight_tensors
from alquerque_training.learning import Descent, Learner, Losses, Part, listed_log_probs
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks.inference import (
    Inference,
    checked_device,
    choose_device,
    choose_precision,
    make_network,
)
from alquerque_training.self_play.generator import SearchConfig, SelfPlay
from alquerque_training.workers.backend import MakeWorkers, worker_seed
from alquerque_training.workers.processes import ProcessWorkers


class AlphaZeroConfig(Processes, LearningRate):
    """Learning from self-play with a tree search: Silver et al. 2018, Science 362.

    Attributes:
      learning_rate: Learning rate of AdamW at the start; it falls by a half cosine to `final_learning_rate`.
      final_learning_rate: Learning rate at the end of the run.
      weight_decay: Weight decay of AdamW.
      batch_size: Positions in one gradient.
      reuse: How often each position is sampled on average.
      window: Capacity of the replay buffer, in positions: the most from which a batch is sampled.
      warmup_positions: Positions in the replay buffer before the first gradient. From then on the window grows by half
        of the positions that are added.
      value_weight: Weight of the value loss.
      search_value_share: Share of the root's value in the value target; the rest is the outcome.
      average_decay: Decay, per gradient, of the running average of the weights. The average plays, is evaluated and is
        saved.
      max_gradient_norm: Gradients are clipped to this norm.
      symmetries: Whether sampled positions are turned and mirrored by the symmetries of the game.
      processes: Number of processes that play; one of them also learns.
      learner_games: Games of `self_play.num_games` that the learning process plays when there are several processes.
        With 0 it only learns.
      precision: Number type of the network in self-play; `auto` is bfloat16 on processors that support it, for networks
        wide enough to gain from it.
      learner_precision: Number type of matrix products while learning; weights and sums stay in single precision.
        `auto` is bfloat16 on processors that support it.
      device: `cpu`, `cuda`, or `auto` for a GPU if there is one.
    """

    learning_rate: Share = 2e-3
    final_learning_rate: Annotated[float, Ge(0), Le(1)] = 5e-5
    weight_decay: Annotated[float, Ge(0), Le(1)] = 1e-4
    batch_size: Annotated[int, Ge(1), Le(2**20)] = 1024
    reuse: Annotated[float, Gt(0), Le(100)] = 4.0
    window: Annotated[int, Ge(1), Le(50_000_000)] = 400_000
    warmup_positions: Annotated[int, Ge(1), Le(50_000_000)] = 20_000
    value_weight: Annotated[float, Ge(0), Le(100)] = 1.0
    search_value_share: Annotated[float, Ge(0), Le(1)] = 0.25
    average_decay: Annotated[float, Ge(0), Lt(1)] = 0.995
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 1.0
    symmetries: bool = True
    learner_games: Annotated[int, Ge(0), Le(65_536)] | None = None
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    learner_precision: Literal["auto", "float32", "bfloat16"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"

    @property
    def first_gradient(self) -> int:
        """Positions of ended matches before the first gradient."""
        return self.warmup_positions + math.ceil(self.batch_size / self.reuse)

    def own_games(self, games: int) -> int:
        """As `Processes.own_games`."""
        return super().own_games(games) if self.learner_games is None else self.learner_games

    def contradictions(self, name: str, config: Config) -> Iterator[str]:
        """As `Section.contradictions`."""
        yield from orders(self, name, ("warmup_positions", "window"), ("batch_size", "warmup_positions"))
        yield from super().contradictions(name, config)
        # The run is long enough for a first gradient.
        most = config.iterations * config.steps_per_iteration
        if (needed := self.first_gradient) > most:
            highest = self.warmup_positions - (needed - most)
            lower = f"at most {highest} with it, or " if highest >= self.batch_size else ""
            yield (
                f"{name}.warmup_positions is {self.warmup_positions}, but run.total_steps = {config.run.total_steps} "
                f"gives {most} positions at most, so that nothing would be learned: "
                f"expected {lower}a run.total_steps of {needed} or more"
            )

    def _unequal(self, name: str, games: int, own: int) -> Iterator[str]:
        others, rest = self.processes - 1, games - own
        each = max(1, min(round(rest / others), (games - 1) // others))
        fitting = games - each * others
        if self.learner_games is not None:
            yield (
                f"{name}.learner_games is {own}, which leaves {max(0, rest)} of self_play.num_games = {games} "
                f"to the rest of {name}.processes = {self.processes}: expected a number that leaves as many to each of "
                f"them, such as {fitting}"
            )
        for sentence in super()._unequal(name, games, own):
            yield f"{sentence}, or {name}.learner_games = {fitting}, which leaves {each} to each of the others"


class SelfPlayActor:
    """Plays matches with a tree search, in the learner's process or in another; see `workers.backend.Actor`.

    An order holds the weights that play, `weights.*`, and the number of `simulations` for each decision. Experience
    holds the positions of the matches that ended, `rows.*` as in `Positions`, and counts of the matches, `games.*`.
    """

    def __init__(self, config: Config, number: int) -> None:
        game, own = config.run.load_game(), config.of(AlphaZeroConfig)
        self._decisions = config.self_play.rollout_steps
        device = choose_device(own.device)
        network = make_network(config, game, torch.Generator().manual_seed(0))
        self._inference = Inference(network, device, choose_precision(own.precision, device, config.network))
        seed = worker_seed(config.run.seed, number)
        self._matches = SelfPlay(game, config.games_of(number), config.self_play, config.of(SearchConfig), seed)

    def play(self, order: Arrays) -> dict[str, np.ndarray]:
        """As `Actor.play`."""
        self._inference.load(weight_tensors(group(order, "weights.")))
        rows, tally = self._matches.play(self._inference, self._decisions, int(order["simulations"]))
        counts = {f"games.{name}": np.array(count) for name, count in tally.items()}
        return counts | {f"rows.{name}": array for name, array in rows._asdict().items()}

    def get_state(self) -> dict[str, np.ndarray]:
        """As `Actor.get_state`."""
        return self._matches.get_state()

    def set_state(self, state: Arrays) -> None:
        """As `Actor.set_state`."""
        self._matches.set_state(state)


class AlphaZeroLearner(Learner):
    """Everything that training changes: networks, optimiser, matches, replay buffer and random numbers.

    Args:
      config: The run's settings.
      game: The game.
      make_workers: Makes the workers: the other processes of self-play.

    Attributes:
      network: The running average of the weights, which plays, is evaluated and is saved.
      buffer: The replay buffer.
      workers: The other processes of self-play.
    """

    generator: np.random.Generator
    sections: Mapping[str, type[Section]] = MappingProxyType({"search": SearchConfig, "alphazero": AlphaZeroConfig})

    metrics: Sequence[Metric] = (
        Metric(
            "policy_loss",
            "nat",
            "Cross-entropy of the policy to the improved policy of the search; mean over the update.",
            "policy",
        ),
    )

    def __init__(self, config: Config, game: Game, make_workers: MakeWorkers = ProcessWorkers) -> None:
        own = self._own = config.of(AlphaZeroConfig)
        self._device = checked_device("alphazero.device", own.device)
        self._precision = choose_precision(own.learner_precision, self._device)
        self._trained = make_network(config, game, torch.Generator().manual_seed(config.run.seed)).to(self._device)
        network = copy.deepcopy(self._trained).cpu().requires_grad_(False)
        self._average = copy.deepcopy(self._trained).requires_grad_(False)
        optimizer = torch.optim.AdamW(self._trained.parameters(), own.learning_rate, weight_decay=own.weight_decay)
        self._descent = Descent(optimizer, own.max_gradient_norm)
        self._actor = SelfPlayActor(config, 0) if config.games_of(0) else None
        self.workers = make_workers(config, SelfPlayActor)
        self.buffer = ReplayBuffer(own.window, (network.shape.planes, network.shape.points))
        self._augment = Augmenter(game)
        generator = np.random.Generator(np.random.PCG64(worker_seed(config.run.seed, 2**32)))
        self._owed = 0.0
        self._updates = 0
        parts: dict[str, Part | None] = {"optimizer": self._descent, "play": self._actor, "buffer": self.buffer}
        super().__init__(config, [network, self._average, self._trained], generator, self.workers, **parts)

    def iterate(self) -> dict[str, float]:
        """Plays, then learns.

        Returns:
          The record for the log, without times and strength.
        """
        config, start = self.config, time.perf_counter()
        progress = self.iteration / config.iterations
        search = config.of(SearchConfig)
        simulations = round(search.simulations * (search.last_simulations / search.simulations) ** progress)
        order = {f"weights.{name}": array for name, array in weight_arrays(self._average.state_dict()).items()}
        order["simulations"] = np.array(simulations)

        tally = Counter(games=0, steps=0)
        self.workers.begin(order)
        if self._actor is not None:
            self._remember(self._actor.play(order), tally)
        playing = time.perf_counter() - start

        learning_rate = self._own.learning_rate_at(progress)
        losses = self._learn(learning_rate)

        for played in self.workers.collect():
            self._remember(played, tally)
        self.network.load_state_dict(self._average.state_dict())

        record = self.advance(start, playing)
        if self.iteration == config.iterations and self._updates == 0:
            raise AlquerqueError(
                f"nothing was learned in {self.steps} steps: with alphazero.warmup_positions = "
                f"{self._own.warmup_positions} it takes {self._own.first_gradient} positions of ended matches, and "
                f"there were {self.buffer.added}; set it lower, or run.total_steps higher"
            )
        return {
            **record,
            **describe_games(**tally),
            "simulations": simulations,
            "positions": self.buffer.added,
            "updates": self._updates,
            **losses,
            "learning_rate": learning_rate,
        }

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns what `Learner.get_state` does; the weights of `network` are the averaged ones."""
        state = {f"weights.{name}": array for name, array in weight_arrays(self._trained.state_dict()).items()}
        return super().get_state() | state | {"owed": np.array([self._owed, float(self._updates)])}

    def set_state(self, state: Arrays, weights: Mapping[str, Tensor], steps: int) -> None:
        """As `Learner.set_state`."""
        super().set_state(state, weights, steps)
        self._trained.load_state_dict(weight_tensors(group(state, "weights.")))
        self._owed, self._updates = float(state["owed"][0]), int(state["owed"][1])

    def _remember(self, played: Arrays, tally: Counter[str]) -> None:
        """Adds the experience of one actor to the replay buffer and to the counts of matches."""
        tally.update({name: int(count) for name, count in group(played, "games.").items()})
        before = max(self.buffer.added, self._own.warmup_positions)
        self.buffer.add(Positions(**group(played, "rows.")))
        self._owed += max(0, self.buffer.added - before) * self._own.reuse / self._own.batch_size

    def _learn(self, learning_rate: float) -> dict[str, float]:
        """Makes the updates that the new positions call for; returns the window and the mean of each loss."""
        learner = self._own
        # The window of newest positions grows, since early positions are soon out of date.
        window = min(learner.window, (learner.warmup_positions + self.buffer.added) // 2, len(self.buffer))
        self._descent.begin(learning_rate)
        self._trained.train()
        while self._owed >= 1:
            self._owed -= 1
            rows = self.buffer.sample(learner.batch_size, window, self.generator)
            if learner.symmetries:
                rows = self._augment(rows, self.generator)
            planes = torch.from_numpy(rows.planes).to(self._device)
            with torch.autocast(self._device.type, self._precision, enabled=self._precision != torch.float32):
                logits, values = self._trained(planes)
            self._descent.follow(alphazero_loss(logits.float(), values.float(), rows, learner))
            self._updates += 1
            self._update_average()
        means = self._descent.means()
        return {"window": window, **means} if means else {}

    @torch.no_grad()
    def _update_average(self) -> None:
        """Moves the average towards the trained weights, faster at first so that it does not lag behind."""
        decay = min(self._own.average_decay, self._updates / (self._updates + 10))
        for average, trained in zip(self._average.parameters(), self._trained.parameters(), strict=True):
            average.lerp_(trained, 1 - decay)


def alphazero_loss(logits: Tensor, values: Tensor, rows: Positions, config: AlphaZeroConfig) -> Losses:
    """Cross-entropy to the improved policy over legal actions, and squared error of the value.

    The network gives `[N, A]` logits, illegal actions included, and `[N]` values; the config has the weights of the
    parts.
    """
    device = logits.device
    log_probs = listed_log_probs(logits, rows)
    target = torch.from_numpy(rows.policy).to(device)
    weight = torch.from_numpy(rows.policy_weight).to(device)
    total_weight = weight.sum().clamp(min=1)
    policy_loss = -(weight * (target * log_probs).sum(-1)).sum() / total_weight
    share = config.search_value_share
    wanted = torch.from_numpy((1 - share) * rows.outcome + share * rows.value).to(device)
    value_loss = ((values - wanted) ** 2).mean()
    entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
    return Losses(policy_loss + config.value_weight * value_loss, policy_loss, value_loss, entropy)
