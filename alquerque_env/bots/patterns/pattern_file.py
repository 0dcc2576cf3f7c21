"""The patterns of a game, found from its board and symmetries, and files of their learned weights.

A file has the weights as safetensors, with what they are for and how they were made as metadata. Files that come with
the package are named by their game. Others are in the user's cache directory, under the game's name and the hash of its
rules, where `training/research/learn_patterns.py` puts them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ...errors import BotError
from ...files.atomic import write_whole
from ...files.schema import parse
from ...files.user_folders import user_cache_folder
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.game import Game, games
from ...game.kernel_arrays import constants, short_words, words
from ...game.symmetry import Symmetry
from ...search import pattern_kernels as k
from ...search.pattern_kernels import PatternArrays

MAN_DIGITS, KING_DIGITS = 3, 5
"""What can stand on a point, for patterns that see men only, and for those that see kings too."""
_MOST_POINTS = {MAN_DIGITS: 10, KING_DIGITS: 6}

Points = tuple[int, ...]


class Pattern(NamedTuple):
    """A pattern: its points in order, the digits of its numbers, and the first pattern that has the same weights."""

    points: Points
    digits: int
    shared: int

    @property
    def size(self) -> int:
        """How many weights it has."""
        return self.digits ** len(self.points)


def find_patterns(game: Game) -> list[Pattern]:
    """The patterns of a game, those that see men only first.

    Men are seen in the points around each point and in neighbouring rows and columns, kings on the lines of the board.
    Each pattern comes with its images under the symmetries of the game, which share its weights: so images of a
    position have equal values.
    """
    found = _with_images(game, {*_surroundings(game), *_bands(game)}, MAN_DIGITS, 0)
    if game.rules.promotion != "none":
        lines = {part for line in game.board.lines for part in _runs(line, _MOST_POINTS[KING_DIGITS])}
        found += _with_images(game, lines, KING_DIGITS, len(found))
    return found


def _with_images(game: Game, sets: set[Points], digits: int, first: int) -> list[Pattern]:
    """Patterns of the sets of points that do not lie within another set or its image."""
    images = {points: dict.fromkeys(_image(points, each) for each in game.symmetries) for points in sets}
    every = {frozenset(image) for those in images.values() for image in those}
    found: list[Pattern] = []
    known: set[frozenset[int]] = set()
    for points in sorted(sets):
        if frozenset(points) not in known and not any(set(points) < other for other in every):
            known |= set(map(frozenset, images[points]))
            shared = first + len(found)
            found += [Pattern(image, digits, shared) for image in images[points]]
    return found


def _image(points: Points, symmetry: Symmetry) -> Points:
    return tuple(symmetry.points[point] for point in points)


def _surroundings(game: Game) -> Iterator[Points]:
    """For each point its neighbours within the largest distance at which no set has too many points."""
    places = game.board.points
    reaches = sorted({_distance(one, other) for one in places for other in places})
    best: list[Points] = []
    for reach in reaches:
        near = [tuple(p for p, place in enumerate(places) if _distance(place, one) <= reach) for one in places]
        if max(map(len, near)) > _MOST_POINTS[MAN_DIGITS]:
            break
        best = near
    yield from best


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _bands(game: Game) -> Iterator[Points]:
    """The points of each two neighbouring rows or columns, or where they are too many all runs along them."""
    places = game.board.points
    for axis in (0, 1):
        levels = sorted({place[axis] for place in places})
        for levels_of_band in pairwise(levels):
            band = [point for point, place in enumerate(places) if place[axis] in levels_of_band]
            yield from _runs(sorted(band, key=lambda point: places[point][1 - axis]), _MOST_POINTS[MAN_DIGITS])


def _runs(points: Sequence[int], most: int) -> Iterator[Points]:
    """The points, or where they are too many all runs of as many as there may be."""
    for first in range(max(1, len(points) - most + 1)):
        yield tuple(points[first : first + most])


class PatternSet:
    """The patterns of a game.

    Attributes:
      patterns: The patterns.
      num_weights: How many weights they have. Where the game has no half-turn, each player has weights of its own.

    Raises:
      BotError: If the board has more than 63 points, its patterns have too many weights, or positions of the game have
        too many captures to be searched in full.
    """

    def __init__(self, game: Game) -> None:
        if game.board.is_wide:
            raise BotError(f"patterns need a board of at most 63 points, {game.name} has {len(game.board.points)}")
        if game.table.words[TABLE.TAKES] == TABLE.TAKES_ROW:
            raise BotError(f"patterns need full searches, {game.name} has positions with too many captures")
        self.patterns = find_patterns(game)
        own = [pattern.size if pattern.shared == index else 0 for index, pattern in enumerate(self.patterns)]
        firsts = [0, *accumulate(own)]
        points = len(game.board.points)
        same = tuple(range(points))
        self._counts = points + 1
        size = firsts[-1] + self._counts**2  # behind those of the patterns, the weights of the numbers of pieces
        views = [(same, 0), (same, size) if game.turn is None else (game.turn, 0)]
        self.num_weights: int = views[1][1] + size
        self._no_pieces = np.array([first + firsts[-1] for _, first in views])
        if self.num_weights > k.NUMBER:
            raise BotError(f"the patterns of {game.name} have {self.num_weights} weights, expected at most {k.NUMBER}")
        self._firsts = np.array([[first + firsts[each.shared] for each in self.patterns] for _, first in views])
        self._table = np.array([_contributions(self.patterns, seen) for seen, _ in views])
        self._men_only = sum(each.digits == MAN_DIGITS for each in self.patterns)

    def arrays(self, weights: np.ndarray) -> k.PatternArrays:
        """The patterns for kernels, with int16 `[num_weights]` weights in the unit of `WEIGHT_BITS`."""
        return k.PatternArrays(
            self._words, short_words([*weights.tolist(), 0]), words(self._words, self._words[k.WIDTH])
        )

    @cached_property
    def _words(self) -> Any:
        men, parts = self._men_only, []
        for firsts, table in zip(self._firsts, self._table, strict=True):
            # Places without a pattern have the number of the 0 behind the weights.
            begin = [_packed(group, self.num_weights) for group in (firsts[:men], firsts[men:])]
            added = [_packed(group, 0) for group in (table[..., :men], table[..., men:])]
            parts.append(np.concatenate([*begin, np.concatenate(added, -1).reshape(-1)]))
        head = [sum(map(len, begin)), len(begin[0]), len(parts[0]), self._counts, *self._no_pieces.tolist()]
        return constants([*head, *np.concatenate(parts).tolist()])

    def numbers(self, states: np.ndarray) -> np.ndarray:
        """The places of the weights of positions between turns.

        Args:
          states: int64 `[N, S]`, states, or at least their words up to `PLAYER`.

        Returns:
          int32 `[N, patterns + 1]`, last the place of the weight of the numbers of pieces.
        """
        player = states[:, STATE.PLAYER]
        rows = np.arange(len(states))
        found = self._firsts[player].astype(np.int32)
        for digit, kind in enumerate((STATE.MEN, STATE.MEN, STATE.KINGS, STATE.KINGS), 1):
            side = player if digit % 2 else 1 - player
            pieces = states[rows, kind + side]
            least = 0 if kind == STATE.MEN else self._men_only
            for chunk in range(self._table.shape[1] if least < found.shape[1] else 0):
                shown = pieces >> (k.POINTS_AT_ONCE * chunk) & (1 << k.POINTS_AT_ONCE) - 1
                found[:, least:] += digit * self._table[player, chunk, shown, least:].astype(np.int32)
        pieces = states[:, STATE.MEN : STATE.MEN + 2] | states[:, STATE.KINGS : STATE.KINGS + 2]
        bits = np.unpackbits(np.ascontiguousarray(pieces).view(np.uint8).reshape(-1, 2, pieces.itemsize), axis=2)
        counts = bits.sum(2, dtype=np.int64)
        own, theirs = counts[rows, player], counts[rows, 1 - player]
        last = self._no_pieces[player] + own * self._counts + theirs
        return np.column_stack([found, last.astype(np.int32)])


def _packed(numbers: np.ndarray, padding: int) -> np.ndarray:
    """`AT_ONCE` numbers of the last axis in each word."""
    rest = -numbers.shape[-1] % k.AT_ONCE
    padded = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, rest)], constant_values=padding)
    places = np.int64(1) << (k.NUMBER_BITS * np.arange(k.AT_ONCE, dtype=np.int64))
    return padded.reshape(*numbers.shape[:-1], -1, k.AT_ONCE) @ places


def _contributions(patterns: list[Pattern], seen: Any) -> np.ndarray:
    """What a digit of 1 on each set of points adds to the number of each pattern, `[chunks, sets, patterns]`.

    A player sees point `p` of the board as `seen[p]`.
    """
    points = len(seen)
    worth = np.zeros((points, len(patterns)), np.int64)
    for index, pattern in enumerate(patterns):
        place = {point: pattern.digits**at for at, point in enumerate(pattern.points)}
        worth[:, index] = [place.get(seen[point], 0) for point in range(points)]
    chunks = -(-points // k.POINTS_AT_ONCE)
    padded = np.zeros((chunks * k.POINTS_AT_ONCE, len(patterns)), np.int64)
    padded[:points] = worth
    sets = np.arange(1 << k.POINTS_AT_ONCE)[:, None] >> np.arange(k.POINTS_AT_ONCE) & 1
    return np.einsum("sp,cpk->csk", sets, padded.reshape(chunks, k.POINTS_AT_ONCE, -1))


FORMAT = "2"
SHIPPED = Path(__file__).parent / "weights"
_WEIGHTS = "weights"


@dataclass(frozen=True, kw_only=True)
class PatternCard:
    """How the weights of a file were learned.

    Attributes:
      game: Id of the game.
      options: Every rule option with its value.
      table_hash: Hash of the rules.
      command: The command that made the file.
      seed: Its seed.
      rounds: Rounds of learning.
      examples: Examples made in all rounds.
      processor_time: Seconds of processor time.
      same_as: The game whose file has the weights, since the games differ by their names alone; empty if this one has.
    """

    game: str
    options: dict[str, Any]
    table_hash: str
    command: str
    seed: int
    rounds: int
    examples: int
    processor_time: float
    same_as: str = ""


def pattern_path(game: Game) -> Path:
    """The file of a game's patterns in the user's cache directory."""
    name = f"{game.name}-{game.table_hash}.safetensors"
    return user_cache_folder() / "patterns" / name


def find_pattern_file(game: Game) -> Path | None:
    """The file of a game's patterns: the user's own, or the one of the package; None if there is none."""
    own, shipped = pattern_path(game), SHIPPED / f"{game.name}.safetensors"
    if own.is_file():
        return own
    return shipped if shipped.is_file() and read_card(shipped).table_hash == game.table_hash else None


def load_patterns(game: Game) -> PatternArrays:
    """The patterns of a game for a search; `BotError` if there are or can be none, or their file is damaged."""
    found = PatternSet(game)
    path = find_pattern_file(game)
    command = " ".join(["python training/research/learn_patterns.py", game.command_argument, *game.option_arguments])
    if path is None:
        raise BotError(
            f"there are no patterns for {game.name} with these rules yet: in a checkout `{command}` learns them"
        )
    try:
        return found.arrays(read_weights(path, game, found))
    except BotError as error:
        raise BotError(f"{error}; remove it, or learn it anew with `{command} --force`") from None


def write_patterns(path: Path, weights: np.ndarray, card: PatternCard) -> None:
    """Writes int16 `[W]` weights, whole or not at all (`OSError`)."""
    facts = {name: json.dumps(value) for name, value in asdict(card).items() if name != "same_as"}
    write_whole(path, save({_WEIGHTS: weights}, {"format": FORMAT, **facts}))


def read_card(path: Path) -> PatternCard:
    """Reads the metadata of a file; `BotError` if it is damaged."""
    try:
        with safe_open(path, "numpy") as file:
            facts = file.metadata() or {}
        if facts.pop("format", None) != FORMAT:
            raise ValueError(f"its metadata lacks the format {FORMAT!r}")
        card = {name: json.loads(text) for name, text in facts.items()}
    except (SafetensorError, OSError, ValueError, RecursionError) as error:
        raise BotError(f"{str(path)!r} is no file of patterns: {error}") from None
    return parse(PatternCard, card, repr(str(path)), BotError)


def read_weights(path: Path, game: Game, found: PatternSet) -> np.ndarray:
    """Reads the weights of a game's patterns, int16 `[W]`; `BotError` if they are damaged or of other rules."""
    card = read_card(path)
    if card.table_hash != game.table_hash:
        raise BotError(f"{str(path)!r} has patterns of {card.game} with rules {card.table_hash}, not of {game!r}")
    holder = SHIPPED / f"{card.same_as}.safetensors" if card.same_as in games() else path
    with safe_open(holder, "numpy") as file:
        part = file.get_slice(_WEIGHTS) if _WEIGHTS in file.keys() else None  # noqa: SIM118
        if part is None or part.get_dtype() != "I16" or part.get_shape() != [found.num_weights]:
            raise BotError(f"{str(path)!r} is damaged: expected {found.num_weights} weights of 16 bits")
        weights: np.ndarray = part[:]
    return weights
