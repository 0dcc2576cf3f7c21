"""Samples endgame positions from matches between bots of several kinds that also play random steps."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..arena.openings import PositionKeys
from ..arena.seeds import derive_seed
from ..bots import Bot, load_bot
from ..game import state_layout as STATE
from ..game.game import Game
from ..match.match import Match
from .protocol import SuitePlan

LONGEST = 600
"""The most steps of a match."""


def sample_endings(game: Game, plan: SuitePlan, pieces: int) -> Iterator[list[Match]]:
    """For each match, its positions with several legal steps and at most `pieces` pieces.

    They have no plies without progress. Positions that are equal under the symmetries of the game are given once.
    """
    bots = [load_bot(spec, game, seed=derive_seed(plan.seed, "player", spec), tables=False) for spec in plan.players]
    keys = PositionKeys(game)
    seen: set[bytes] = set()
    for number in range(plan.matches):
        generator = np.random.default_rng(derive_seed(plan.seed, "match", number))
        found = []
        for match in _play(game, bots, plan.random_share, generator):
            state = match.state
            count = sum(int(word).bit_count() for word in state[STATE.MEN : STATE.PLAYER])
            if len(match.legal_steps) > 1 and count <= pieces:
                state[STATE.QUIET] = 0
                fresh = Match.from_state(game, state)
                key = keys.key(fresh)
                if key not in seen:
                    seen.add(key)
                    found.append(fresh)
        yield found


def _play(game: Game, bots: Sequence[Bot], random_share: float, generator: np.random.Generator) -> Iterator[Match]:
    """Plays a match and yields it before every step, always the same object."""
    players = [bots[int(place)] for place in generator.integers(len(bots), size=2)]
    match = Match(game)
    while not match.is_over and len(match.steps) < LONGEST:
        yield match
        steps = match.legal_steps
        is_random = generator.random() < random_share
        step = steps[int(generator.integers(len(steps)))] if is_random else players[match.player].choose(match)
        match.push(step)
