"""Rollouts: a policy plays both sides of many games for some steps, and every step is recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from alquerque_training.config.settings import Config
from alquerque_training.experience.numbers_ahead import NumbersAhead, rows_of
from alquerque_training.experience.opponents import BotOpponents, EarlierVersion, MakeBots, RandomOpenings, Weights
from alquerque_training.experience.self_play_games import Observation, SelfPlayGames, play
from alquerque_training.experience.state_arrays import Arrays, group
from alquerque_training.networks import PolicyValueNetwork, Shape, masked_log_probs, sample

CPU = torch.device("cpu")
NUMBERS_A_STEP = 3  # the most random numbers for a step of a match: one for the network and two for an opening


@dataclass(frozen=True)
class Rollout:
    """`L` steps of `B` games.

    Attributes:
      planes: `[L, B, C, P]` int8.
      mask: `[L, B, A]` bool.
      players: `[L + 1, B]` int8, the player to move.
      actions: `[L, B]` int64.
      log_probs: `[L, B]` of the actions, under the policy that chose them.
      values: `[L + 1, B]` for the player to move; undefined for forced steps, except in the last row.
      rewards: `[L, B]` for the player who acted.
      terminated: `[L, B]` bool.
      truncated: `[L, B]` bool.
      own: `[L, B]` bool, false where an opponent or a random opening chose the action.
      opening: `[L, B]` bool, true for the random steps of an opening.
    """

    planes: Tensor
    mask: Tensor
    players: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    rewards: Tensor
    terminated: Tensor
    truncated: Tensor
    own: Tensor
    opening: Tensor

    @classmethod
    def empty(cls, length: int, games: int, shape: Shape, device: torch.device = CPU) -> "Rollout":
        """Returns a rollout of zeros, for `collect` to fill."""
        zeros = partial(torch.zeros, device=device)
        return cls(
            planes=zeros(length, games, shape.planes, shape.points, dtype=torch.int8),
            mask=zeros(length, games, shape.actions, dtype=torch.bool),
            players=zeros(length + 1, games, dtype=torch.int8),
            actions=zeros(length, games, dtype=torch.int64),
            log_probs=zeros(length, games),
            values=zeros(length + 1, games),
            rewards=zeros(length, games),
            terminated=zeros(length, games, dtype=torch.bool),
            truncated=zeros(length, games, dtype=torch.bool),
            own=~zeros(length, games, dtype=torch.bool),
            opening=zeros(length, games, dtype=torch.bool),
        )

    @classmethod
    def join(cls, rollouts: Sequence["Rollout"]) -> "Rollout":
        """Returns all games of several rollouts of the same length, in their order."""
        if len(rollouts) == 1:
            return rollouts[0]
        return cls(*(torch.cat([getattr(each, field.name) for each in rollouts], 1) for field in fields(cls)))

    @classmethod
    def from_arrays(cls, arrays: Arrays, device: torch.device = CPU) -> "Rollout":
        """Returns the rollout whose `as_arrays` gave these arrays."""
        return cls(**{name: torch.from_numpy(array).to(device) for name, array in arrays.items()})

    def as_arrays(self) -> dict[str, np.ndarray]:
        """Returns the fields as arrays, to send to another process. They share the memory of a rollout on the CPU."""
        return {field.name: getattr(self, field.name).cpu().numpy() for field in fields(self)}

    @property
    def live(self) -> Tensor:
        """`[L, B]` false where the step only reset its game."""
        return self.mask.any(-1)

    @property
    def forced(self) -> Tensor:
        """`[L, B]` true where the player had a single legal action: there is nothing to learn there."""
        return without_choice(self.mask)

    @property
    def learned(self) -> Tensor:
        """`[L, B]` true for the steps that the network learns from."""
        return self.live & self.own & ~self.forced


class Chooser(Protocol):
    """Chooses actions instead of the network in some of the games. The network does not learn from these steps."""

    def choose(
        self, games: SelfPlayGames, planes: Tensor, mask: Tensor, players: Tensor, numbers: NumbersAhead
    ) -> tuple[Tensor, Tensor]:
        """Chooses actions where it is to move: bool `[B]` flags of these games, and int64 `[B]` actions there.

        It sees `[B, C, P]` planes, `[B, A]` bool masks, and `[B]` 0 or 1, the player to move.
        """


class RolloutGames:
    """The games of one process in progress, with the opponents and random openings in them.

    The games of `env`, with autoreset NEXT_STEP, are reset from a seed, as are the bots that the network plays against.
    In `pool_share` of them an earlier version of the network may play. `shape` has the sizes of observations and
    actions, without a game.
    """

    def __init__(
        self,
        config: Config,
        env: SelfPlayGames,
        seed: int,
        make_bots: MakeBots = lambda _seed: (),
        pool_share: float = 0.0,
    ) -> None:
        self.env = env
        self._now = Observation.of(*env.reset(seed=seed))
        self.device = self._now.planes.device
        channels, points = self._now.planes.shape[1:]
        self.shape = Shape(planes=channels, points=points, actions=self._now.mask.shape[1])
        self._rollout = Rollout.empty(config.self_play.rollout_steps, env.num_envs, self.shape, self.device)
        self._bots = BotOpponents(make_bots, config.self_play, env.num_envs)
        begin = self._bots.num_games
        self._pooled = range(begin, begin + int(pool_share * env.num_envs))
        self._earlier: EarlierVersion | None = None
        self.openings = RandomOpenings(config.self_play.opening_plies, env.num_envs)

    @property
    def num_pooled(self) -> int:
        """Number of games in which an earlier version of the network plays one seat."""
        return len(self._pooled)

    def play(self, network: PolicyValueNetwork, generator: torch.Generator, opponent: Weights | None = None) -> Rollout:
        """Plays the next steps of all games, sampling both sides from a network; the next call overwrites the result.

        An earlier version, if its weights are given, plays against it in `num_pooled` games, in both seats in turn.
        """
        if self._earlier is None:
            self._earlier = EarlierVersion(network, self._pooled, self.env.num_envs)
        self._earlier.begin(opponent)
        self._bots.begin(int(torch.randint(2**31, (), generator=generator)))
        others = [other for other in (self._earlier, self._bots) if other.plays]
        most = NUMBERS_A_STEP * self.env.num_envs + self.num_pooled
        numbers = NumbersAhead(generator, most * len(self._rollout.actions), self.device)
        self._now = collect(self.env, network, self._now, self._rollout, numbers, others, self.openings)
        numbers.finish()
        return self._rollout

    def get_state(self) -> dict[str, np.ndarray]:
        """The games and their openings."""
        arrays = {f"openings.{key}": array for key, array in self.openings.get_state().items()}
        return arrays | {f"env.{key}": array for key, array in self.env.get_state().items()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        self.openings.set_state(group(state, "openings."))
        self._now = Observation.of(*self.env.set_state(group(state, "env.")))


@torch.inference_mode()
def collect(
    env: SelfPlayGames,
    network: PolicyValueNetwork,
    now: Observation,
    rollout: Rollout,
    numbers: NumbersAhead,
    others: Sequence[Chooser] = (),
    openings: Chooser | None = None,
) -> Observation:
    """Plays both sides of every game and fills a rollout. Only bots wait for the device of the games.

    Args:
      env: The games.
      network: Its policy is sampled.
      now: The observation before the first step.
      rollout: Filled.
      numbers: Source of random numbers.
      others: Opponents that choose instead of the network where they are to move; a later one overrides an earlier one.
      openings: Chooses the random first steps of both players.

    Returns:
      The observation after the last step.
    """
    everyone = torch.ones(env.num_envs, dtype=torch.bool, device=rollout.mask.device)
    for step in range(len(rollout.actions)):
        planes, mask = rollout.planes[step].copy_(now.planes), rollout.mask[step].copy_(now.mask)
        players = rollout.players[step].copy_(now.player)
        asked = rows_of(~without_choice(mask))
        logits = torch.zeros(mask.shape, device=mask.device)
        logits[asked], rollout.values[step, asked] = network(planes[asked])
        log_probs = masked_log_probs(logits, mask)
        actions = sample(log_probs, numbers.uniform(everyone))
        own, opening = rollout.own[step].fill_(True), rollout.opening[step].fill_(False)
        for other in (*others, openings) if openings is not None else others:
            flags, theirs = other.choose(env, planes, mask, players, numbers)
            actions = torch.where(flags, theirs, actions)
            own &= ~flags
            if other is openings:
                opening.copy_(flags)
        rollout.actions[step] = actions
        rollout.log_probs[step] = log_probs.gather(-1, actions[:, None])[:, 0]
        now, rollout.rewards[step], rollout.terminated[step], rollout.truncated[step] = play(env, actions)
    rollout.players[-1] = now.player
    rollout.values[-1] = network(now.planes)[1]
    return now


def without_choice(mask: Tensor) -> Tensor:
    """Whether a mask `[..., A]` has exactly one legal action."""
    return mask.sum(-1) == 1
