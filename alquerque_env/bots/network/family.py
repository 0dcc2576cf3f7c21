"""The network for all games: its inputs for a position, and its evaluation with NumPy.

Its weights belong to no game. The nodes are the points of the board and the links those of `game.graph`, so that a link
is an action. With `layer(h) = weight @ h + bias`, roles `r` and rounds `k`:

    h = input(facts of a point) + globals(facts of rules and position)
    link = relu(kind(facts of a link) + dyn @ position facts of a link + sum over its points of to_links[r] @ relu(h))
    h = h + second(relu(sum over links of from_links[r] @ link * P / L
                        + self(relu(h)) + pool(mean and maximum of relu(h)) + rules(facts of rules and position)))
    logit of a link = policy(link of a last round) + worth[code of the action]

The pass and the value have a hidden layer each over the pooled points. A search feature is as in `mlp`: `worth` starts
at FIRST_WORTH for each piece that is gained, so that an untrained network plays for material. Links and points send
sums to each other as in Gilmer et al. 2017, Neural message passing for quantum chemistry (arXiv:1704.01212).
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine.graph_form import COUNTS, POSITION_LINK_FACTS, POSITION_POINT_FACTS, GraphForm
from ...game.game import Game
from ...game.graph import LINK_FACTS, POINT_FACTS, ROLES, RULE_FACTS
from ...game.planes import clock_planes
from ...search import SearchFeatures
from ...search.quiescence import CODES
from .network_bot import Evaluator

DECIMALS = 9
"""To which logits in double precision are rounded, since images of a step have the same one but for the last digits."""

NUM_ROLES = len(ROLES)
POINT_INPUTS = len(POSITION_POINT_FACTS) + len(POINT_FACTS)
LINK_INPUTS = len(LINK_FACTS)
GLOBAL_INPUTS = len(RULE_FACTS) + len(COUNTS)
_GAINS = np.array(CODES, np.float32)
POSITION_LINK_INPUTS = len(POSITION_LINK_FACTS) + _GAINS.shape[1]


class RowSums:
    """Sums of rows: row `rows[j]` is part of sum `sums[j]`, one of `count`.

    Attributes:
      index: The rows of all sums, one sum after the other.
      first: For each sum where its rows begin.
    """

    def __init__(self, sums: np.ndarray, rows: np.ndarray, count: int) -> None:
        order = np.lexsort((rows, sums))
        self.index = rows[order].astype(np.int64)
        self.first = np.searchsorted(sums[order], np.arange(count)).astype(np.int64)
        sizes = np.diff(self.first, append=len(rows))
        # Of all sums that have as many the first row, the second, and so on: much faster than np.add.reduceat.
        bigger = [np.flatnonzero(sizes > number) for number in range(sizes.max(initial=0))]
        self._columns = [(places, self.index[self.first[places] + number]) for number, places in enumerate(bigger)]

    def sum(self, rows: np.ndarray) -> np.ndarray:
        """The sums of rows `[N, ...]`."""
        sums = np.zeros((len(self.first), *rows.shape[1:]), rows.dtype)
        for places, index in self._columns:
            sums[places] += rows[index]
        return sums


class View:
    """What stays the same during a match, as one player sees it.

    Attributes:
      points: float32 `[P, F]`.
      links: float32 `[L, F]`.
      rules: float32 `[F]`.
      to_links: For each link the rows of its points, of `[roles * P]`.
      to_points: For each of these rows the links in which that point has that role.
    """

    def __init__(self, game: Game, player: int) -> None:
        self.points, self.links, roles, self.rules = game.graph(player)
        links, points = np.nonzero(roles)
        rows = (roles[links, points].astype(np.int64) - 1) * len(self.points) + points
        self.to_links = RowSums(links, rows, len(self.links))
        self.to_points = RowSums(rows, links, NUM_ROLES * len(self.points))

    def as_data(self) -> dict[str, Any]:
        """The view for JSON; links with the same facts share them."""
        kinds, kind = np.unique(self.links, axis=0, return_inverse=True)
        facts = {"points": self.points, "rules": self.rules, "kinds": kinds, "kind": kind.ravel()}
        sums = {"to_links": self.to_links, "to_points": self.to_points}
        return {name: array.tolist() for name, array in facts.items()} | {
            name: [rows.tolist() for rows in np.split(each.index, each.first[1:])] for name, each in sums.items()
        }


def graph_data(game: Game, *, sees_clock: bool) -> dict[str, Any]:
    """What `plain_inputs` needs of a game, and its views, for JSON."""
    form = GraphForm(game)
    return {
        "planes": {plane.name: number for number, plane in enumerate(game.planes)},
        "hidden": () if sees_clock else clock_planes(game),
        "captures": form.captures.tolist(),
        "enemy": form.enemy.tolist(),
        "counts": form.sizes,
        "views": [View(game, player).as_data() for player in (0, 1)],
    }


class Inputs(NamedTuple):
    """The inputs of the network for `N` positions, all seen by one player.

    Attributes:
      points: float32 `[P, N, POINT_INPUTS]`.
      links: float32 `[L, N, POSITION_LINK_INPUTS]`.
      globals: float32 `[N, GLOBAL_INPUTS]`.
      codes: int64 `[N, A]`, the codes of the search features; 0 without them.
    """

    points: np.ndarray
    links: np.ndarray
    globals: np.ndarray
    codes: np.ndarray


class FamilyEncoder:
    """Encodes positions of a game as inputs of the network.

    Args:
      game: The game.
      depth: Depth in turns of the search features, None without them.
      sees_clock: Whether the network sees the plies without progress and earlier positions.

    Attributes:
      views: What each player sees.
    """

    def __init__(self, game: Game, depth: int | None, *, sees_clock: bool = True) -> None:
        self._form = GraphForm(game)
        self._hidden = [] if sees_clock else list(clock_planes(game))
        self._depth, self._gains = depth, SearchFeatures(game)
        self.num_actions = game.num_actions
        self.views = View(game, 0), View(game, 1)

    def masks_and_codes(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the steps of both players, int8 `[N, 2, A]`, and the search features, int8 `[N, A]`."""
        planes, nothing = self._shown(planes), np.zeros((len(planes), self.num_actions), np.int8)
        return self._form.masks(planes), nothing if self._depth is None else self._gains(planes, self._depth)

    def encode(
        self, planes: np.ndarray, masks: np.ndarray, codes: np.ndarray
    ) -> Iterator[tuple[np.ndarray, View, Inputs]]:
        """Yields for each player who observes any of the positions the rows of these, its view, and the inputs."""
        planes, players = self._shown(planes), self._form.players(planes)
        for player in np.unique(players):
            rows, view = np.flatnonzero(players == player), self.views[player]
            points, links, counts = self._form.facts(planes[rows], masks[rows], int(player))
            seen = codes[rows].astype(np.int64)
            fixed = np.broadcast_to(view.points, (len(rows), *view.points.shape))
            inputs = Inputs(
                _by_node(points, fixed),
                _by_node(links, _GAINS[seen[:, : len(view.links)]]),
                np.concatenate([np.broadcast_to(view.rules, (len(rows), len(view.rules))), counts], 1),
                seen,
            )
            yield rows, view, inputs

    def _shown(self, planes: np.ndarray) -> np.ndarray:
        planes = planes.copy()
        planes[:, self._hidden] = 0
        return planes


def _by_node(*facts: np.ndarray) -> np.ndarray:
    """Facts `[N, M, F]` of the nodes of positions beside each other, `[M, N, F]`."""
    return np.ascontiguousarray(np.concatenate(facts, 2).transpose(1, 0, 2))


def weight_shapes(width: int, rounds: int, *, has_features: bool) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor of a network."""
    half = width // 2
    pooled = 2 * width + GLOBAL_INPUTS
    shapes: dict[str, tuple[int, ...]] = {}

    def layer(name: str, inputs: int, outputs: int) -> None:
        shapes.update({f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)})

    layer("input", POINT_INPUTS, width)
    layer("globals", GLOBAL_INPUTS, width)
    for block in (*(f"rounds.{number}" for number in range(rounds)), "last"):
        shapes[f"{block}.to_links"] = (NUM_ROLES, width, half)
        layer(f"{block}.kind", LINK_INPUTS, half)
        shapes[f"{block}.dyn"] = (POSITION_LINK_INPUTS, half)
        if block != "last":
            shapes[f"{block}.from_links"] = (NUM_ROLES, half, width)
            layer(f"{block}.self", width, width)
            layer(f"{block}.pool", 2 * width, width)
            layer(f"{block}.rules", GLOBAL_INPUTS, width)
            layer(f"{block}.second", width, width)
    layer("policy", half, 1)
    for head in ("stop", "value"):
        layer(f"{head}.first", pooled, width)
        layer(f"{head}.second", width, 1)
    return shapes | ({"worth": (len(CODES),)} if has_features else {})


class NumpyFamily(Evaluator):
    """Policy and value of positions of a game by the network for all games, in double precision.

    Raises `ValueError` if the tensors are not those of such a network.
    """

    def __init__(
        self, game: Game, tensors: Mapping[str, np.ndarray], *, search_features: int | None, sees_clock: bool = True
    ) -> None:
        super().__init__(game, self._evaluate, sees_clock=sees_clock)
        width = tensors["input.bias"].size if "input.bias" in tensors else 0
        rounds = sum(name.endswith(".from_links") for name in tensors)
        check_tensors(tensors, weight_shapes(width, rounds, has_features=search_features is not None))
        self.size = width, rounds
        self._weights = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
        self._encoder = FamilyEncoder(game, search_features, sees_clock=sees_clock)

    def _evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits, values = np.zeros((len(seen), self._encoder.num_actions)), np.zeros(len(seen))
        for rows, view, inputs in self._encoder.encode(seen, *self._encoder.masks_and_codes(seen)):
            logits[rows], values[rows] = self._judge(view, inputs)
        return logits.round(DECIMALS), values

    def _apply(self, layer: str, inputs: np.ndarray) -> np.ndarray:
        outputs: np.ndarray = inputs @ self._weights[f"{layer}.weight"].T + self._weights[f"{layer}.bias"]
        return outputs

    def _links(self, block: str, seen: np.ndarray, view: View, inputs: Inputs) -> np.ndarray:
        """The links `[L, N, half]` of a round, for points `[P, N, width]`."""
        sent = np.matmul(seen.reshape(1, -1, seen.shape[2]), self._weights[f"{block}.to_links"])
        sums = view.to_links.sum(sent.reshape(-1, len(inputs.globals), sent.shape[2]))
        sums += inputs.links @ self._weights[f"{block}.dyn"]
        sums += self._apply(f"{block}.kind", view.links)[:, None]
        return relu(sums)

    def _judge(self, view: View, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
        count, (width, rounds) = len(inputs.globals), self.size
        hidden = self._apply("input", inputs.points) + self._apply("globals", inputs.globals)
        for block in (f"rounds.{number}" for number in range(rounds)):
            seen = relu(hidden)
            heard = view.to_points.sum(self._links(block, seen, view, inputs))
            heard = heard.reshape(NUM_ROLES, -1, heard.shape[2])
            inner = np.matmul(heard, self._weights[f"{block}.from_links"]).sum(0).reshape(-1, count, width)
            inner *= len(view.points) / len(view.links)
            inner += self._apply(f"{block}.self", seen) + self._apply(f"{block}.pool", _pooled(seen))
            inner += self._apply(f"{block}.rules", inputs.globals)
            hidden = hidden + self._apply(f"{block}.second", relu(inner))
        seen = relu(hidden)
        logits = self._apply("policy", self._links("last", seen, view, inputs))[:, :, 0].T
        pooled = np.concatenate([_pooled(seen), inputs.globals], 1)
        if self._encoder.num_actions > len(view.links):
            logits = np.concatenate([logits, self._head("stop", pooled)], 1)
        if "worth" in self._weights:
            logits = logits + self._weights["worth"][inputs.codes]
        return logits, np.tanh(self._head("value", pooled)[:, 0])

    def _head(self, name: str, pooled: np.ndarray) -> np.ndarray:
        return self._apply(f"{name}.second", relu(self._apply(f"{name}.first", pooled)))


def check_tensors(tensors: Mapping[str, np.ndarray], expected: Mapping[str, tuple[int, ...]]) -> None:
    """Raises `ValueError` if a tensor is missing, superfluous, of another shape, or not finite."""
    for name in sorted(expected.keys() | tensors.keys()):
        shape = tensors[name].shape if name in tensors else None
        if shape != expected.get(name):
            raise ValueError(f"{name} has shape {shape}, expected {expected.get(name)}")
        if not np.isfinite(tensors[name]).all():
            raise ValueError(f"{name} is not finite")


def relu(numbers: np.ndarray) -> np.ndarray:
    """Negative numbers become 0."""
    return np.maximum(numbers, 0)


def _pooled(seen: np.ndarray) -> np.ndarray:
    """Mean and maximum over the points, `[N, 2 * width]`."""
    return np.concatenate([seen.mean(0), seen.max(0)], 1)
