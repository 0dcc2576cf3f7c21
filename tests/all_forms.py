"""Plays matches of a game in every form at once: all must agree at every step, and every match must end.

The forms are `Match`, the reference, PettingZoo, batches of every kind, `SelfPlayVectorEnv`, position text and records.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

from alquerque_env import Match, Record, SelfPlayVectorEnv, Step, perft, read_records, rollouts
from alquerque_env.batch.batch import HOLD, PLAY, RESET, Batch, StepResult
from alquerque_env.engine.compiler import EntryKernel
from alquerque_env.engine.rules.compared_captures import MOST_CHAIN_POSITIONS
from alquerque_env.engine.torch_table import make_torch_table
from alquerque_env.envs.aec import AGENTS, raw_env
from alquerque_env.errors import PositionError
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import state_rows
from alquerque_env.game.planes import planes
from alquerque_env.match.match import REASONS
from tests.reference import Reference, RefMatch, RefStep
from tests.reference_planes import Sight

MATCHES = 16
"""Matches that the fast forms play."""

WATCHED = 2
"""Matches that are played in the slow forms too."""

STEPS = 40
"""Steps in which all forms are compared."""

LONGEST = 5000
"""Steps after which a match is left, though it has not come to the end that its rules promise."""

FEW = 1500
"""Steps of random play that plain Python repeats."""

PLAIN, TORCH = "plain Python", "PyTorch"
"""Slow kinds of batches, to be played with some of the games."""


def check_game(game: Game, seed: int, slow_kinds: tuple[str, ...] = ()) -> None:
    """Plays random matches from the start and from random positions.

    Raises:
      AssertionError: If two forms differ, or a match does not end.
    """
    reference = Reference(game)
    if len(Match(game).legal_steps) < 12:
        start = reference.start()
        assert perft(game, 2) == reference.perft(start, 2)
        assert perft(game, 2, turns=True) == reference.perft_turns(start, 2)
    Table(game, reference, seed, slow_kinds).play()
    _check_rollouts(game, seed, slow_kinds)
    check_positions(game, reference, np.random.default_rng(seed))


def assert_equal(found: Any, expected: Any, where: str = "") -> None:
    """Checks that two arrays are equal; many times faster than NumPy's own test."""
    found, expected = np.asarray(found), np.asarray(expected)
    if not (found.dtype == expected.dtype and np.array_equal(found, expected)):
        np.testing.assert_array_equal(found, expected, where, strict=True)


class Watched:
    """One match as `Match`, by the reference and in PettingZoo."""

    def __init__(self, game: Game, reference: Reference, position: str | None = None) -> None:
        self.game = game
        self.match = Match(game, position)
        self.other = RefMatch(reference, None if position is None else reference.parse(position))
        self.env = raw_env(game)
        self.env.reset(options={"position": position})
        self._names = [plane.name for plane in planes(game)]
        self._space = self.env.observation_space(AGENTS[0])["observation"]
        self.compare()

    def push(self, action: int) -> None:
        """Plays an action, in the `Match` by the text of its step."""
        (step,) = [step for step in self.match.legal_steps if step.action == action]
        self.match.push_turn(step.text, is_whole=False)
        assert self.match.steps[-1] == step
        self.other.push(ref_step(step))
        self.env.step(action)
        self.compare()

    def compare(self) -> None:
        """Compares the forms, and what is written with what is read."""
        match, other = self.match, self.other
        assert_same(self.game, match, other)
        texts = [step.text for step in match.legal_steps]
        assert len(set(texts)) == len(texts), texts
        seen = match.observation()
        assert seen in self._space
        sight = Sight(self.game, other.state, 0 if match.chain is not None else other.occurrences - 1)
        for name, plane in zip(self._names, seen, strict=True):
            expected = sight.plane(name)
            if isinstance(expected, set):
                assert set(np.flatnonzero(plane)) == expected, name
                assert plane.max() <= 1
            else:
                assert (plane == expected).all(), name
        self._compare_env()

    def _compare_env(self) -> None:
        env, match = self.env, self.match
        assert env.position == match.position
        assert env.agent_selection == AGENTS[match.player]
        winner = None if match.outcome is None else match.outcome.winner
        for player, agent in enumerate(AGENTS):
            mask = match.action_mask() if player == match.player else np.zeros(self.game.num_actions, np.int8)
            found = env.observe(agent)
            assert_equal(found["observation"], match.observation(player))
            assert_equal(found["action_mask"], mask)
            assert_equal(env.infos[agent]["action_mask"], mask)
            assert env.terminations[agent] == match.is_over
            assert not env.truncations[agent]
            assert env.rewards[agent] == (0 if winner is None else 1 if winner == player else -1)

    def check_record(self) -> None:
        """Checks that the match comes back from its record."""
        text = str(Record(self.match))
        (record,) = read_records(text)
        assert record.match.game == self.game
        assert record.match.steps == self.match.steps
        assert (record.match.position, record.match.outcome) == (self.match.position, self.match.outcome)
        assert str(record) == text


def assert_same(game: Game, match: Match, other: RefMatch) -> None:
    """Checks that a match is in the state of the reference, and that its position comes back from its text."""
    state = other.state
    listed = {(s.origin, s.target, s.captured) for s in match.legal_steps}
    expected = {(s.origin, s.target, other.reference.victims(state, s)) for s in other.legal}
    if listed > expected:  # captures stay that chains would beat which the engine does not look at any more
        assert other.reference.has_many_chains(state, MOST_CHAIN_POSITIONS), match.position
    else:
        assert listed == expected, match.position
    outcome = None if match.outcome is None else (match.outcome.winner, match.outcome.reason)
    assert outcome == other.outcome, match.position
    assert (match.player, match.chain) == (state.player, state.chain)
    assert match.chain is not None or match.occurrences() == other.occurrences, match.position
    pieces = match.picture().pieces
    for player in (0, 1):
        mine = {point: piece[1] for point, piece in pieces.items() if piece[0] == player}
        assert {point for point, king in mine.items() if not king} == state.men[player]
        assert {point for point, king in mine.items() if king} == state.kings[player]
    again = Match(game, position=match.position)
    assert again.position == match.position
    if game.rules.repetition == "off":  # else the clock counts, and is not in the text where there is no limit
        assert list(again.state) == list(match.state), match.position
    if match.outcome is None or match.outcome.reason != "repetition":
        assert again.legal_steps == match.legal_steps
        assert again.outcome == match.outcome
    assert other.reference.parse(match.position) == state, match.position


def _check_rollouts(game: Game, seed: int, slow_kinds: tuple[str, ...]) -> None:
    """Checks that matches of random play end, and that they are the same as plain Python."""
    found, bound = rollouts(game, MATCHES, seed=seed), most_steps(game)
    assert bound is None or found.length.max() <= bound
    if PLAIN in slow_kinds and found.length.sum() < FEW:
        with plain_kernels():
            plain = rollouts(game, MATCHES, seed=seed)
        for kind, array, other in zip(found._fields, found, plain, strict=True):
            assert_equal(array, other, kind)


class Form(NamedTuple):
    """A batch of the first `count` matches."""

    name: str
    batch: Any
    count: int


def forms(game: Game, slow_kinds: tuple[str, ...]) -> Iterator[Form]:
    """The game in batches of every kind, those that are slow only if they are asked for, or without Numba."""
    yield Form("fast", Batch(game, MATCHES), MATCHES)
    if PLAIN in slow_kinds:
        yield Form(PLAIN, PlainBatch(game, WATCHED), WATCHED)
    if TORCH in slow_kinds and make_torch_table(game) is not None:
        yield Form(TORCH, TorchAsNumpy(game, MATCHES), MATCHES)


@contextmanager
def plain_kernels() -> Iterator[None]:
    """Runs all kernels as plain Python, during the context."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EntryKernel, "form_for", lambda kernel, _first: kernel.run_plain)
        yield


class PlainBatch(Batch):
    """A batch by plain Python."""

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """Advances every match."""
        with plain_kernels():
            return super().step(actions, commands)

    def sample(self) -> np.ndarray:
        """A legal action for each match."""
        with plain_kernels():
            return super().sample()


class TorchAsNumpy:
    """A batch by PyTorch that takes and gives NumPy's arrays."""

    def __init__(self, game: Game, count: int, compiled: bool | None = None) -> None:
        import torch

        from alquerque_env.batch.torch_batch import TorchBatch

        self._tensor = torch.from_numpy
        self.batch = TorchBatch(game, count, torch.device("cpu"), compiled)
        self.rng = self.batch.rng.numpy()  # the memory of the tensor

    @property
    def states(self) -> np.ndarray:
        return self.batch.states

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        return StepResult(*(each.numpy() for each in self.batch.step(self._tensor(actions), self._tensor(commands))))

    def sample(self) -> np.ndarray:
        return self.batch.sample().numpy()

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        return self.batch.is_legal(self._tensor(actions)).numpy()


class Table:
    """Matches of a game in all forms, those that have ended begun anew."""

    def __init__(self, game: Game, reference: Reference, seed: int, slow_kinds: tuple[str, ...]) -> None:
        self.game = game
        self.reference = reference
        self.env = SelfPlayVectorEnv(game, MATCHES)
        self.seen: Any = self.env.reset(seed=seed)
        self.forms = list(forms(game, slow_kinds))
        for form in self.forms:
            form.batch.rng[:] = self.env.get_state()["rng"]
        self.watched: list[Watched] = []
        self.records_left = WATCHED  # a record holds the text of the game, which takes long to read
        self.plies = np.zeros(MATCHES, np.int64)
        self.has_ended = np.zeros(MATCHES, bool)
        self.actions = np.zeros(MATCHES, np.int64)
        self.commands = np.full(MATCHES, RESET, np.int8)

    def play(self) -> None:
        """Plays until all forms have been compared for a while and every match has ended once."""
        bound = most_steps(self.game)
        try:
            for _ in range(STEPS):
                self._step()
                assert bound is None or self.plies.max() <= bound, f"no end after {bound} steps"
            for watched in self.watched:
                self._check_record(watched)
        except Exception as error:
            for watched in self.watched:
                error.add_note(f"steps: {' '.join(step.text for step in watched.match.steps)}")
            raise
        batch = self.forms[0].batch
        while bound is not None and not self.has_ended.all() and self.plies.max() < LONGEST:
            self._note(batch.step(self.actions, self.commands).outcome)
            self.actions = batch.sample()
            assert self.plies.max() <= bound, f"no end after {bound} steps"

    def _step(self) -> None:
        """Plays a step of every match in all forms."""
        results = [form.batch.step(self.actions[: form.count], self.commands[: form.count]) for form in self.forms]
        first, states = results[0], self.forms[0].batch.states.tolist()
        for form, result in zip(self.forms, results, strict=True):
            for name, found, expected in zip(first._fields, result, first, strict=True):
                assert_equal(found, expected[: form.count], f"{form.name}: {name}")
            assert form.batch.states.tolist() == states[: form.count], form.name
        self._compare_env(first)
        self._push_watched(first)
        self._note(first.outcome)
        sampled = [form.batch.sample() for form in self.forms if form.count == MATCHES]
        for drawn in [*sampled, self.env.sample_actions()]:
            assert_equal(drawn, sampled[0])
        self.actions = sampled[0]

    def _note(self, outcome: np.ndarray) -> None:
        """Notes how long the matches are, and begins those anew that have ended."""
        self.plies = np.where(self.commands == PLAY, self.plies + 1, 0)
        self.has_ended |= outcome != 0
        self.commands = np.where(outcome != 0, RESET, PLAY).astype(np.int8)

    def _compare_env(self, expected: StepResult) -> None:
        """Compares the environment, which begins ended matches anew by itself."""
        if self.plies.any() or (self.commands == PLAY).any():
            seen, reward, terminated, truncated, info = self.env.step(self.actions)
            assert_equal(reward, expected.reward)
            assert_equal(terminated, expected.outcome != 0)
            assert not truncated.any()
        else:
            seen, info = self.seen
        assert_equal(seen, expected.observation)
        for name, known in (("action_mask", expected.mask), ("player", expected.player), ("winner", expected.winner)):
            assert_equal(info[name], known, name)

    def _push_watched(self, expected: StepResult) -> None:
        if not self.watched:
            self.watched = [Watched(self.game, self.reference) for _ in range(WATCHED)]
            return
        for place, watched in enumerate(self.watched):
            if self.commands[place] == PLAY:
                watched.push(int(self.actions[place]))
                assert self.env.match(place).position == watched.match.position
            else:
                self._check_record(watched)
                self.watched[place] = Watched(self.game, self.reference)
            match = self.watched[place].match
            assert_equal(match.observation(), expected.observation[place])
            assert_equal(match.action_mask(), expected.mask[place])
            outcome = match.outcome
            reason, winner = (None, None) if outcome is None else (outcome.reason, outcome.winner)
            assert REASONS.get(expected.outcome[place] // 4) == reason
            assert expected.winner[place] == (-1 if winner is None else winner)
            assert match.player == expected.player[place]

    def _check_record(self, watched: Watched) -> None:
        if self.records_left > 0:
            self.records_left -= 1
            watched.check_record()


def most_steps(game: Game) -> int | None:
    """The most steps that a match can have; None where only repetition ends play without progress.

    A capture takes a piece off the board, and a man is promoted once. Between two captures a man that cannot go round
    comes to no point twice. A turn without a move ends a chain, or counts as one without progress.
    """
    rules = game.rules
    drops = sum(game.hands)
    pieces = sum(len(side) for side in game.start) + drops
    promotions = pieces if rules.promotion != "none" else 0
    man_steps = (pieces + 1) * pieces * len(game.board.points)
    if rules.no_progress_limit == "off":
        return None if rules.repetition != "off" else drops + 2 * pieces + man_steps
    progress = (
        drops
        + pieces
        + {
            "capture": 0,
            "capture_or_promotion": promotions,
            "capture_or_man_step": man_steps,
        }[rules.progress]
    )
    return progress + pieces + (progress + 1) * rules.no_progress_limit


def compare_matches(game: Game, matches: int) -> None:
    """Plays random matches as `Match` and by the reference."""
    rng = np.random.default_rng(0)
    for _ in range(matches):
        play_on(game, Match(game), RefMatch(Reference(game)), rng, LONGEST, captures=False)


def compare_batches(game: Game) -> None:
    """Plays random matches by PyTorch and by plain Python, where both can."""
    if make_torch_table(game) is not None:
        compare_steps(TorchAsNumpy(game, MATCHES), PlainBatch(game, MATCHES))


def compare_steps(batch: Any, other: Any, steps: int = STEPS, *, begins: bool = True) -> None:
    """Plays, holds and resets the same random matches in two batches."""
    count, generator = len(other.states), np.random.default_rng(0)
    actions, commands = np.zeros(count, np.int64), np.full(count, RESET if begins else HOLD, np.int8)
    for _ in range(steps):
        before = other.states.copy()
        result, expected = batch.step(actions, commands), other.step(actions, commands)
        for field, found, known in zip(expected._fields, result, expected, strict=True):
            assert_equal(found, known, field)
        assert_equal(batch.states, other.states)
        assert_equal(other.states[commands == HOLD], before[commands == HOLD])
        assert not expected.reward[commands != PLAY].any()
        actions = other.sample()
        assert_equal(batch.sample(), actions)
        assert_equal(batch.is_legal(actions), other.is_legal(actions))
        commands = generator.choice(np.array([PLAY] * 9 + [HOLD, RESET], np.int8), count)
        commands[(expected.outcome != 0) & (commands == PLAY)] = RESET
        actions[commands != PLAY] = generator.integers(-(2**40), 2**40)  # must not be read


# Positions that no match may come to.

POSITIONS = 12


def compare_positions(game: Game) -> None:
    """Compares random positions and six sub-steps after each."""
    assert check_positions(game, Reference(game), np.random.default_rng(1), 20) > 0


def check_positions(game: Game, reference: Reference, rng: np.random.Generator, count: int = POSITIONS) -> int:
    """Compares random positions and the next steps from them; returns how many could be read."""
    found = []
    for _ in range(count):
        try:
            match = Match(game, random_position(game, rng))
        except PositionError:  # a man on its promotion points, for one
            continue
        found.append(match)
        play_on(game, match.copy(), RefMatch(reference, reference.parse(match.position)), rng)
    if found:
        _check_batch(game, found)
    return len(found)


def _check_batch(game: Game, found: list[Match]) -> None:
    """Compares what a batch shows of positions, and the next step from each."""
    states = state_rows((match.state for match in found), game.board.is_wide)
    batch = Batch(game, len(found))
    result = batch.set(states)
    now = [match.copy() for match in found]
    for _ in range(2):
        for place, match in enumerate(now):
            assert_equal(result.mask[place], match.action_mask(), match.position)
            assert_equal(result.observation[place], match.observation(), match.position)
            assert (result.outcome[place] == 0) == (match.outcome is None), match.position
        steps = [match.legal_steps[-1:] for match in now]
        for match, step in zip(now, steps, strict=True):
            if step:
                match.push(step[0])
        actions = np.array([step[0].action if step else 0 for step in steps])
        result = batch.step(actions, np.array([PLAY if step else HOLD for step in steps], np.int8))


def random_position(game: Game, rng: np.random.Generator) -> str:
    """Text of a position with pieces anywhere, a random mover, hands, a clock up to the limit, and a memory."""
    promotes = game.rules.promotion != "none"
    density, kings = rng.uniform(0.05, 0.9), rng.uniform(0, 0.5) if promotes else 0.0
    sides: tuple[list[str], list[str]] = [], []
    men = []
    mover, hands, most = _random_ply(game, rng)
    for point in rng.permutation(len(game.board.points)).tolist():
        label, player = game.board.labels[point], int(rng.integers(2))
        if rng.random() < density and len(sides[player]) < most[player]:
            is_king = rng.random() < kings or (promotes and point in game.promotion_points(player))
            sides[player].append(("K" if is_king else "") + label)
            if not is_king:
                men.append(point)
    limit = game.rules.no_progress_limit
    clock = f":H{rng.integers(1, limit + 1)}" if isinstance(limit, int) and rng.random() < 0.5 else ""
    memory = ""
    if men and game.rules.undo_scope != "off" and rng.random() < 0.5:
        piece = men[rng.integers(len(men))]
        around = game.board.neighbours[piece]
        memory = f":U{game.board.labels[piece]}-{game.board.labels[around[rng.integers(len(around))]]}"
    return f"{'WB'[mover]}:W{','.join(sides[0])}:B{','.join(sides[1])}{hands}{clock}{memory}"


def _random_ply(game: Game, rng: np.random.Generator) -> tuple[int, str, list[int]]:
    """A player to move, the text of the hands in some ply of the schedule, and the most pieces of each side then."""
    plies, reference = game.schedule, Reference(game)
    if not plies:
        return int(rng.integers(2)), "", [len(game.board.points)] * 2
    stage = int(rng.integers(len(plies))) if rng.random() < 0.5 else len(plies)
    mover = plies[stage].player if stage < len(plies) else int(rng.integers(2))
    dropped = np.subtract(reference.hands_at(0), reference.hands_at(stage))
    return (
        mover,
        reference.hands_text(stage),
        [len(side) + int(more) for side, more in zip(game.start, dropped, strict=True)],
    )


def play_on(
    game: Game, match: Match, other: RefMatch, rng: np.random.Generator, most: int = 6, *, captures: bool = True
) -> None:
    """Compares the next sub-steps, those that capture before others if asked."""
    for _ in range(most):
        assert_same(game, match, other)
        if match.is_over:
            return
        steps = [step for step in match.legal_steps if captures and step.captured] or match.legal_steps
        step = steps[rng.integers(len(steps))]
        match.push(step)
        other.push(ref_step(step))
    assert_same(game, match, other)


def ref_step(step: Step) -> RefStep:
    """A step as the reference has it."""
    return RefStep(step.origin, step.target, step.captured[0] if step.captured else None)
