"""A batch played by PyTorch on any device. A step copies nothing to the host and does not wait for the device.

All matches take every branch of the rules. On a GPU a step is compiled by `torch.compile`, since it is made of
hundreds of small operations. The tests compare all results with those of the other batches.
"""

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..engine import torch_layout as TORCH
from ..engine.rules_torch import (
    VectorScratch,
    apply_action,
    legal_actions,
    mix,
    observe,
    outcome,
    position_key,
    reward_of,
    winner_of,
)
from ..engine.splitmix import INCREMENT_63
from ..engine.torch_table import TorchTable, make_torch_table
from ..engine.words.torch_words import wrapped_product, wrapped_sum
from ..errors import AlquerqueError, IllegalStepError, RulesError, one_line
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import WORD_BITS
from ..game.outcomes import ONGOING
from ..match.match import Match
from .batch import HOLD, KEYS_AT_FIRST, PLAY, RESET, Batch, StepResult


class Matches(NamedTuple):
    """What determines how matches go on.

    Attributes:
      states: int32 or int64 `[S, B]`.
      keys: int64 `[B, K]`, as `Batch.keys`.
    """

    states: Tensor
    keys: Tensor


class Played(NamedTuple):
    """What a step leaves.

    Attributes:
      matches: The matches after it.
      result: What is seen of them.
      was_illegal: Bool `[]`, whether an action was to be played that is not legal; its match is left where it was.
      drawn: The next result of `TorchBatch.sample` and the state of the sampler after it, if they were asked for.
      is_compiled: Whether compiled code gave this.
    """

    matches: Matches
    result: StepResult
    was_illegal: Tensor
    drawn: tuple[Tensor, Tensor] | None
    is_compiled: bool


def as_device(name: Any) -> torch.device:
    """The device of this name, with its number.

    Raises:
      AlquerqueError: If PyTorch cannot use it.
    """
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, TypeError, AssertionError) as error:
        raise AlquerqueError(f"device is {str(name)!r}, which PyTorch cannot use: {one_line(str(error))}") from None


class TorchBatch(Batch):
    """A batch of tensors on a device.

    Args:
      game: The game.
      num_games: Number of matches, `B`.
      device: Where the tensors are.
      compiled: Whether `torch.compile` compiles a step; by default on a GPU. A compiled step also draws the next
        actions of `sample`, so that random play runs as one piece of compiled code. A `RuntimeWarning` tells if PyTorch
        does not compile it; the results are the same.

    Attributes:
      matches: The matches.
      mask: int8 `[B, A]`, the action masks of the last step.

    Raises:
      RulesError: If a rule of the game cannot be played so.
    """

    def __init__(self, game: Game, num_games: int, device: torch.device, compiled: bool | None = None) -> None:
        self.device = device
        self._compiles = device.type == "cuda" if compiled is None else compiled
        super().__init__(game, num_games)

    def _make_room(self) -> None:
        table = make_torch_table(self.game)
        if table is None:
            raise RulesError(f"{self.game!r} cannot be played by PyTorch: {_obstacle(self.game)}; use another backend")
        games, device = self.num_games, self.device
        self._step = _StepFunction(self.game, table, device)
        keys = torch.zeros(games, KEYS_AT_FIRST if self._step.looks_back else 1, dtype=torch.int64, device=device)
        self.matches = Matches(self._step.start.repeat(1, games), keys)
        self._steps_with_room = 0
        self.mask = torch.zeros(games, self.num_actions, dtype=torch.int8, device=device)
        self.was_illegal = torch.zeros((), dtype=torch.bool, device=device)
        self._rng = torch.zeros(1, dtype=torch.int64, device=device)
        self._drawn: tuple[Tensor, Tensor] | None = None
        self._compiled: Callable[..., Played] | None = None

    @torch.no_grad()
    def step(self, actions: Tensor, commands: Tensor) -> StepResult:
        """See `Batch.step`. A match whose action is not legal is left where it is."""
        self._make_room_for_keys()
        played = self._play(self.matches, self.mask, self._rng, actions, commands)
        self.matches, result, self.was_illegal, self._drawn, _ = played
        self.mask = result.mask
        # The caller may change its mask, and the next step asks this one which actions are legal.
        return result._replace(mask=result.mask.clone())

    def is_legal(self, actions: Tensor) -> Tensor:
        """See `Batch.is_legal`."""
        return _is_legal(self.mask, actions)

    def first_illegal(self, actions: Tensor, commands: Tensor) -> int:
        """See `Batch.first_illegal`. Waits for the device."""
        wrong = (commands == PLAY) & ~self.is_legal(actions)
        return int(wrong.int().argmax()) if wrong.any() else -1

    @torch.no_grad()
    def sample(self) -> Tensor:
        """See `Batch.sample`."""
        actions, self._rng = self._drawn or _draw(self.mask, self._rng)
        self._drawn = None
        return actions

    @property
    def rng(self) -> Tensor:
        """int64 `[1]`, state of the action sampler. The caller may change it."""
        # It was drawn from the state that the caller may now change.
        self._drawn = None
        return self._rng

    @property
    def states(self) -> np.ndarray:
        """int64 `[B, S]`, a copy of the states."""
        return self.matches.states.T.to("cpu", torch.int64).numpy()

    @property
    def keys(self) -> np.ndarray:
        """int64 `[B, K]`, a copy of the hashes."""
        return self.matches.keys.cpu().numpy().copy()

    def restart(self, flags: Tensor, result: StepResult) -> StepResult:
        """See `Batch.restart`."""
        start, first = self._step.first
        keys = self.matches.keys.clone()
        keys[:, 0] = torch.where(flags, start.keys[0, 0], keys[:, 0])
        self.matches = Matches(torch.where(flags, start.states, self.matches.states), keys)
        shown = {
            name: torch.where(flags.view(-1, *[1] * (old.ndim - 1)), getattr(first, name), old)
            for name in ("observation", "mask", "player")
            for old in [getattr(result, name)]
        }
        self.mask, self._drawn = shown["mask"], None
        return result._replace(**shown | {"mask": shown["mask"].clone()})

    def set(self, states: np.ndarray, keys: np.ndarray | None = None, rng: np.ndarray | None = None) -> StepResult:
        """See `Batch.set`."""
        words = self.array(np.array(states.T, np.int64)).to(self._step.start.dtype)
        hashes = self.matches.keys if keys is None else self.array(np.array(keys, np.int64))
        if rng is not None:
            self._rng = self.array(np.array(rng, np.int64))
        self.matches, self._drawn = Matches(words, hashes), None
        self._steps_with_room = 0
        return self.look()

    def _place(self, starts: Mapping[int, Match]) -> None:
        places = torch.tensor(list(starts), device=self.device)
        words = [[int(word) for word in match.state] for match in starts.values()]
        states = torch.tensor(words, dtype=self._step.start.dtype).T.to(self.device)
        self.matches = Matches(
            self.matches.states.index_copy(1, places, states), self.matches.keys.index_fill(0, places, 0)
        )
        self._steps_with_room = 0

    def array(self, values: np.ndarray) -> Tensor:
        """See `Batch.array`."""
        return torch.from_numpy(values).to(self.device)

    def host(self, array: Tensor) -> np.ndarray:
        """See `Batch.host`. Waits for the device."""
        return array.cpu().numpy()

    def as_actions(self, actions: Any) -> Tensor:
        """See `Batch.as_actions`."""
        if not isinstance(actions, Tensor) or actions.is_floating_point() or actions.shape != (self.num_games,):
            expected = f"expected a tensor of integers of shape ({self.num_games},)"
            raise IllegalStepError(f"actions are {type(actions).__name__} {getattr(actions, 'shape', '')}, {expected}")
        return actions.to(self.device, torch.int64)

    def blank(self, mask: Tensor, flags: Tensor) -> Tensor:
        """See `Batch.blank`."""
        return torch.where(flags[:, None], 0, mask)

    def commands(self, flags: Tensor, one: int, other: int) -> Tensor:
        """See `Batch.commands`."""
        return torch.where(flags, one, other).to(torch.int8)

    def __getstate__(self) -> dict[str, Any]:
        """Without compiled code: a copy compiles its own."""
        return self.__dict__ | {"_compiled": None}

    def _play(self, *arguments: Any) -> Played:
        """`_StepFunction.play`, compiled if that is wanted and possible."""
        if not self._compiles:
            return self._step.play(*arguments, draws=False)
        from torch._dynamo.exc import TorchDynamoException  # slow to import

        try:
            self._compiled = self._compiled or torch.compile(self._step.play_alone, dynamic=False)
            played = self._compiled(*arguments, draws=True)
        except TorchDynamoException as error:
            self._go_on_uncompiled(error)
            return self._step.play(*arguments, draws=False)
        if not played.is_compiled:
            self._go_on_uncompiled("the compiler is switched off or has reached its limit")
        return played

    def _go_on_uncompiled(self, reason: Any) -> None:
        self._compiles, self._compiled = False, None
        warnings.warn(
            f"PyTorch does not compile the steps of {self.num_games} matches of {self.game!r}, so they take many times"
            f" as long: {one_line(str(reason))}",
            RuntimeWarning,
            stacklevel=2,
        )

    def _make_room_for_keys(self) -> None:
        """Doubles the room where a match may soon have gone on for longer without progress."""
        if not self._step.looks_back:
            return
        self._steps_with_room -= 1
        while self._steps_with_room < 0:  # asks the device only now and then
            room = self.matches.keys.shape[1]
            self._steps_with_room = room - 3 - int(self.matches.states[STATE.QUIET].max())
            if self._steps_with_room < 0:
                self.matches = self.matches._replace(keys=self.matches.keys.repeat(1, 2))


class _StepFunction:
    """A step of all matches as a function of tensors, and the constants of a game that it uses."""

    def __init__(self, game: Game, table: TorchTable, device: torch.device) -> None:
        self._words = t = game.table.plain_words
        self._code_words = tuple(int(code) for code in table.codes)
        self._maps = torch.from_numpy(table.maps).to(device)
        self._num_vectors = table.num_vectors
        self.start = torch.from_numpy(table.start).to(device)[:, None]
        self.looks_back = bool(t[TABLE.THREEFOLD])
        self.shape = t[TABLE.NUM_PLANES], t[TABLE.POINTS]
        rows = range(t[TABLE.PLANES], t[TABLE.PLANES] + TABLE.PLANE_SIZE * self.shape[0], TABLE.PLANE_SIZE)
        self._is_bitboard = [t[row + TABLE.PLANE_KIND] <= TABLE.PLANE_POINT for row in rows]
        self._frames = [self._frame(player).to(device)[:, None] for player in (0, 1)]
        self._sources = [self._sources_of(table, player) for player in (0, 1)]

    @property
    def play_alone(self) -> Callable[..., Played]:
        """`play` with code of its own.

        PyTorch counts what it has compiled by the code of a function, and after eight variants it runs further ones as
        they are, without a word. The step of another game or number of matches would be a variant of the same code.
        """
        return MethodType(FunctionType(_StepFunction.play.__code__.replace(), _StepFunction.play.__globals__), self)

    # Compiled code would check in every step that the thousands of integers that it reads are what they were.
    @torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
    def _table(self) -> tuple[int, ...]:
        return self._words

    @torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
    def _layout(self) -> tuple[int, ...]:
        return self._code_words

    @cached_property
    def first(self) -> tuple[Matches, StepResult]:
        """A match at the start, and what is seen of it."""
        keys = torch.zeros(1, 1, dtype=torch.int64, device=self.start.device)
        zero = torch.zeros(1, dtype=torch.int64, device=self.start.device)
        return self.advance(Matches(self.start, keys), zero, zero + RESET)

    def _frame(self, player: int) -> Tensor:
        """`[P]`, the point of the board at each point of a player's frame."""
        t, points = self._words, self._words[TABLE.POINTS]
        if t[TABLE.TURN + player] == TABLE.TURNED:
            return torch.tensor(t[t[TABLE.FRAME] + player * points :][:points])
        seen = torch.arange(points)
        return seen.flip(0) if t[TABLE.TURN + player] == TABLE.HALF_TURN else seen

    def _sources_of(self, table: TorchTable, player: int) -> tuple[Tensor, Tensor]:
        """Origin sets and points, each `[R, A]`, whose bits make the mask together. Behind the sets is an empty one."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self._words[TABLE.NUM_ACTIONS])]
        for origins, actions in enumerate(table.actions[player].tolist()):
            for point, action in enumerate(actions):
                if action >= 0:
                    found[action].append((origins, point))
        most = max(map(len, found))
        padded = torch.tensor([pairs + [(len(table.actions[player]), 0)] * (most - len(pairs)) for pairs in found])
        set_rows, point_rows = padded.permute(2, 1, 0).contiguous().to(self.start.device)
        return set_rows, point_rows.to(self.start.dtype)

    def play(
        self, matches: Matches, mask: Tensor, rng: Tensor, actions: Tensor, commands: Tensor, *, draws: bool
    ) -> Played:
        """Plays a step of every match, see `TorchBatch.step`, and draws the actions of the next one if it `draws`."""
        wrong = (commands == PLAY) & ~_is_legal(mask, actions)
        after, result = self.advance(matches, actions, torch.where(wrong, HOLD, commands))
        drawn = _draw(result.mask, rng) if draws else None
        return Played(after, result, wrong.any(), drawn, torch.compiler.is_compiling())

    def advance(self, matches: Matches, actions: Tensor, commands: Tensor) -> tuple[Matches, StepResult]:
        """Plays a step of every match. Actions are legal where the command is PLAY."""
        t, kind = self._table(), matches.states.dtype
        before = list(matches.states.unbind(0))
        mover, plays, resets = before[STATE.PLAYER], commands == PLAY, commands == RESET
        after = list(before)
        # Every match plays an action, also where the old state is kept; an action out of range could not be looked up.
        apply_action(t, after, self._scratch(mover), torch.where(plays, actions, 0).to(kind))
        states = torch.stack([torch.where(plays, new, old) for new, old in zip(after, before, strict=True)])
        states = torch.where(resets, self.start, states)
        now = list(states.unbind(0))
        scratch = self._scratch(now[STATE.PLAYER])
        movable = legal_actions(t, now, scratch, None) != 0
        keys, earlier = self._repeated(now, matches.keys)
        result = outcome(t, now, movable, earlier)
        mask = torch.where(result == ONGOING, self._mask(scratch), 0)
        reward = torch.where(plays, reward_of(result, mover), 0)
        codes = [word.to(torch.int8) for word in (now[STATE.PLAYER], result, winner_of(result))]
        shown = StepResult(
            self._observation(now, earlier), mask.T.contiguous(), codes[0], reward.to(torch.float32), codes[1], codes[2]
        )
        return Matches(states, keys), shown

    def _scratch(self, player: Tensor) -> VectorScratch:
        return VectorScratch(self._layout(), self._maps, [None] * self._num_vectors, player)

    def _repeated(self, state: list[Tensor], keys: Tensor) -> tuple[Tensor, Tensor]:
        """Adds the hashes of the positions to the keys; returns also how often they occurred before."""
        if not self.looks_back:
            return keys, torch.zeros_like(state[STATE.PLAYER])
        key, clock = position_key(self._table(), state)[:, None], state[STATE.QUIET][:, None]
        counts = (state[STATE.CHAIN] < 0)[:, None]
        place = torch.arange(keys.shape[1], device=keys.device)
        is_same = counts & (keys == key) & (place < clock) & ((clock - place) % 2 == 0)
        keys = torch.where(counts & (place == clock), key, keys)
        return keys, is_same.sum(1).to(state[STATE.PLAYER].dtype)

    def _mask(self, scratch: VectorScratch) -> Tensor:
        """int8 `[A, B]`, 1 for legal actions."""
        first, count = self._layout()[TORCH.ORIGIN_SETS], self._layout()[TORCH.NUM_ORIGIN_SETS]
        sets = list(scratch.vectors[first : first + count])
        found = torch.stack([*sets, torch.zeros_like(scratch.player)])
        south, north = (
            sum((found[origins] >> point[:, None]) & 1 for origins, point in zip(*rows, strict=True))
            for rows in self._sources
        )
        return (torch.where(scratch.player == 0, south, north) != 0).to(torch.int8)

    def _observation(self, state: list[Tensor], earlier: Tensor) -> Tensor:
        """int8 `[B, C, P]`, in the frame of the player to move."""
        words: list[Any] = [None] * self.shape[0]
        observe(self._table(), state, earlier, words)
        player, (south, north) = state[STATE.PLAYER], self._frames
        point = torch.where(player == 0, south, north).to(player.dtype)
        shown = [
            word >> point & 1 if is_bitboard else word.expand(self.shape[1], -1)
            for word, is_bitboard in zip(words, self._is_bitboard, strict=True)
        ]
        return torch.stack(shown).to(torch.int8).permute(2, 0, 1).contiguous()


def _is_legal(mask: Tensor, actions: Tensor) -> Tensor:
    """Bool `[B]`, whether each action is legal by its mask."""
    in_range = (actions >= 0) & (actions < mask.shape[1])
    return in_range & (mask.gather(1, torch.where(in_range, actions, 0)[:, None])[:, 0] != 0)


def _draw(mask: Tensor, rng: Tensor) -> tuple[Tensor, Tensor]:
    """The actions of `TorchBatch.sample`, and the state of the sampler after it."""
    below = mask.cumsum(1, dtype=torch.int32)
    counts = below[:, -1].to(torch.int64)
    # As `sample_all`: a match without a legal action draws nothing, so that all batches draw the same actions.
    draws = (counts > 0).cumsum(0)
    states = wrapped_sum(rng, wrapped_product(draws, INCREMENT_63))
    index = (mix(states) >> 31) * counts >> 32
    actions = torch.where(counts > 0, (below <= index.to(torch.int32)[:, None]).sum(1), 0)
    return actions, states[-1:]


def _obstacle(game: Game) -> str:
    """Why there is no vector table for a game, in words."""
    rules = game.rules
    if game.board.is_wide:
        return f"its board has {len(game.board.points)} points, and {WORD_BITS} are the most there"
    if rules.max_capture == "most_pieces" or rules.mullah_landing == "must_continue":
        name = "max_capture" if rules.max_capture == "most_pieces" else "mullah_landing"
        return f"{name}={getattr(rules, name)} compares captures with each other"
    return "its no-undo rule (undo_scope, undo_cleared_by_jump) remembers points for longer than a turn"
