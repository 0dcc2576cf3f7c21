"""Observations as graphs, for networks that play more than one game."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import AlquerqueError
from ..game.game import Game
from ..game.graph import LINK_FACTS, POINT_FACTS, RULE_FACTS
from .both_masks import BothMasks

SHOWN = (
    *("own_men", "enemy_men", "own_kings", "enemy_kings"),
    *("chain", "captured", "visited", "chain_start", "ahead", "closed"),
)
"""The planes that are facts of points as they are."""

POSITION_POINT_FACTS = (*SHOWN, "memory", "vacant")
POSITION_LINK_FACTS = ("legal", "enemy_legal")
COUNTS = (
    *("own", "enemy", "lead", "own_kings", "enemy_kings", "own_share", "enemy_share", "clock", "near_limit"),
    *("in_chain", "earlier", "opening", "own_hand", "enemy_hand", "stage", "in_schedule"),
    *("legal", "enemy_legal", "captures", "enemy_captures"),
)
BOUND = 32.0
"""No number is farther from 0."""

_LONG = 1000.0  # plies left where there is no limit


class GraphForm:
    """Observations of a game as graphs: dictionaries of arrays of a fixed shape.

    | array | dtype | shape | |
    |---|---|---|---|
    | `points` | float32 | `[P, 21]` | `POSITION_POINT_FACTS`, then `POINT_FACTS` of `game.graph` |
    | `links` | float32 | `[L, 25]` | `POSITION_LINK_FACTS`, then `LINK_FACTS` |
    | `roles` | int8 | `[L, P]` | the role of each point in each link, see `game.graph.ROLES` |
    | `facts` | float32 | `[126]` | `RULE_FACTS`, then `COUNTS` |

    Link `i` is action `i`. The pass is one more action after all links, which is never legal in a game without it. The
    arrays of games that are smaller than `max_points` and `max_links` are padded by zeros; the facts `is_point` and
    `is_link` tell. The frame is that of the observer, and what it could do is shown as if it were to move. Steps of the
    opponent that are no action of the observer have no link, such as those back in a game of men that go forward.

    Args:
      game: The game.
      max_points: Points of the arrays; None for as many as the game has.
      max_links: Links of the arrays, likewise.

    Attributes:
      name: `graph`.
      num_actions: `max_links + 1`.
      masks: Gives the steps of both players.
      shape: For each array its shape.
      captures: bool `[L]`, which links capture.
      sizes: For each observer that of `count_facts`.
      enemy: int64 `[L]`, for each link of the opponent's frame that of the observer's, -1 for none.

    Raises:
      AlquerqueError: If the game has more points or links.
    """

    name = "graph"

    def __init__(self, game: Game, max_points: int | None = None, max_links: int | None = None) -> None:
        self._game = game
        self._size = points, links = game.graph().roles.shape[::-1]
        most = points if max_points is None else max_points, links if max_links is None else max_links
        if points > most[0] or links > most[1]:
            raise AlquerqueError(
                f"{game.name} has {points} points and {links} links, more than max_points={most[0]} and "
                f"max_links={most[1]}: raise them"
            )
        self.num_actions = most[1] + 1
        self._has_pass = game.num_actions > links
        self.masks = BothMasks(game)
        self._index = {plane.name: number for number, plane in enumerate(game.planes)}
        self._shown = [(place, self._index[name]) for place, name in enumerate(SHOWN) if name in self._index]
        self._memory = [at for name, at in self._index.items() if name.startswith(("no_undo_", "remembered_"))]
        limit = game.rules.no_progress_limit
        pieces, further = game.most_pieces, (None if limit == "off" else limit, len(game.schedule))
        self.sizes = (*pieces, *further), (*pieces[::-1], *further)
        self.captures = np.array([over is not None for over in game.table.over[:links]]) & (
            game.graph().links[:, LINK_FACTS.index("removal")] == 0
        )
        number, at = game.table.number, dict(enumerate(game.turn))
        seen = [number.get((at.get(a), at.get(b), at.get(c)), -1) for a, b, c in number]  # type: ignore[arg-type]
        self.enemy = np.array(seen, np.int64)
        self.shape: Mapping[str, tuple[int, ...]] = {
            "points": (most[0], len(POSITION_POINT_FACTS) + len(POINT_FACTS)),
            "links": (most[1], len(POSITION_LINK_FACTS) + len(LINK_FACTS)),
            "roles": (most[1], most[0]),
            "facts": (len(RULE_FACTS) + len(COUNTS),),
        }

    def converted(self, array: Callable[[np.ndarray], Any]) -> "GraphForm":
        """Returns this form, for arrays of NumPy; others are refused."""
        if not isinstance(array(np.zeros(1)), np.ndarray):
            raise AlquerqueError("observation='graph' gives NumPy arrays, not tensors: expected another backend")
        return self

    def mask(self, mask: np.ndarray) -> np.ndarray:
        """Returns action masks of the game, int8 `[..., A]`, as those of links and pass, int8 `[..., num_actions]`."""
        found = np.zeros((*mask.shape[:-1], self.num_actions), mask.dtype)
        found[..., self.from_game(np.arange(mask.shape[-1]))] = mask
        return found

    def to_game(self, actions: Any) -> Any:
        """Returns the actions of the game, -1 for those that it does not have."""
        links = self._size[1]
        others = np.where((np.asarray(actions) == self.num_actions - 1) & self._has_pass, links, -1)
        found = np.where((np.asarray(actions) < links) & (np.asarray(actions) >= 0), actions, others)
        return int(found) if np.ndim(actions) == 0 else found

    def from_game(self, actions: Any) -> Any:
        """Returns actions of the game as those of the links and the pass."""
        found = np.where(np.asarray(actions) == self._size[1], self.num_actions - 1, actions)
        return int(found) if np.ndim(actions) == 0 else found

    def __call__(self, observation: np.ndarray) -> Any:
        """Returns int8 `[..., C, P]` as a dictionary of arrays `[..., *shape]`."""
        before = observation.shape[:-2]
        planes = observation.reshape(-1, *observation.shape[-2:])
        found: dict[str, np.ndarray] = {
            name: np.zeros((len(planes), *shape), np.int8 if name == "roles" else np.float32)
            for name, shape in self.shape.items()
        }
        players, masks = self.players(planes), self.masks(planes)
        for player in np.unique(players):
            rows = players == player
            self._fill(found, rows, self.facts(planes[rows], masks[rows], int(player)), int(player))
        return {name: array.reshape(*before, *array.shape[1:]) for name, array in found.items()}

    def players(self, planes: np.ndarray) -> np.ndarray:
        """Returns the observers of int8 planes `[N, C, P]`, int8 `[N]`; 0 in a game whose sides are alike."""
        return planes[:, self._index["player"], 0] if "player" in self._index else np.zeros(len(planes), np.int8)

    def facts(self, planes: np.ndarray, masks: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns what changes during a match, without padding.

        Args:
          planes: int8 `[N, C, P]`, what `player` observes.
          masks: int8 `[N, 2, A]`, as `masks` returns them.
          player: The observer, 0 or 1.

        Returns:
          float32 `[N, P, F]`, `POSITION_POINT_FACTS`; `[N, L, F]`, `POSITION_LINK_FACTS`; and `[N, F]`, `COUNTS`.
        """
        size, links = self._size
        points = np.zeros((len(planes), size, len(POSITION_POINT_FACTS)), np.float32)
        for place, plane in self._shown:
            points[:, :, place] = planes[:, plane]
        points[:, :, len(SHOWN)] = planes[:, self._memory].sum(1) / 4
        points[:, :, len(SHOWN) + 1] = 1 - points[:, :, :4].sum(2)
        legal = np.zeros((len(planes), links, len(POSITION_LINK_FACTS)), np.float32)
        legal[:, :, 0] = masks[:, 0, :links]
        has_link = self.enemy >= 0
        legal[:, self.enemy[has_link], 1] = masks[:, 1, :links][:, has_link]
        none = np.zeros(len(planes), np.float32)
        pieces = *points[:, :, :4].sum(1).T, points[:, :, SHOWN.index("chain")].sum(1)
        steps = *masks[:, :, :links].sum(2).T, *masks[:, :, :links][:, :, self.captures].sum(2).T

        def number(name: str) -> np.ndarray:
            return none + (planes[:, self._index[name], 0] if name in self._index else 0)

        counts = count_facts(number, pieces, steps, self.sizes[player], np.exp)
        return points, legal, np.stack([none + count for count in counts], 1).clip(-BOUND, BOUND)

    def _fill(self, found: dict[str, np.ndarray], rows: np.ndarray, facts: tuple[np.ndarray, ...], player: int) -> None:
        """Writes what a player sees to the rows of the arrays."""
        graph, (size, links), (points, legal, counts) = self._game.graph(player), self._size, facts
        for name, parts in (("points", (points, graph.points)), ("links", (legal, graph.links))):
            wide = parts[0].shape[2]
            found[name][rows, : parts[0].shape[1], :wide] = parts[0]
            found[name][rows, : parts[0].shape[1], wide:] = parts[1]
        found["roles"][rows, :links, :size] = graph.roles
        found["facts"][rows, : len(RULE_FACTS)] = graph.rules
        found["facts"][rows, len(RULE_FACTS) :] = counts


def count_facts(number: Any, pieces: Any, steps: Any, sizes: tuple[int, int, int | None, int], exp: Any) -> Any:
    """`COUNTS` from numbers, or from arrays of them. The exported player carries this.

    `number` gives what a plane says of all points, by its name, 0 without such a plane. The pieces are men and kings,
    those of the observer first, and those in a chain; the steps are those of both, and their captures. The sizes are
    the most pieces of both, the limit of plies without progress, and the plies of the schedule.
    """
    most, enemy_most, limit, stages = sizes
    men, enemy_men, kings, enemy_kings, chain = pieces
    own, enemy, hand, enemy_hand = men + kings, enemy_men + enemy_kings, number("own_hand"), number("enemy_hand")
    clock, stage = number("clock") + 128 * number("clock_high"), number("stage") / max(1, stages)
    left = _LONG if limit is None else limit - clock
    return (
        *(own / 16, enemy / 16, (own + hand - enemy - enemy_hand) / 4, kings / 4, enemy_kings / 4),
        *(own / max(1, most), enemy / max(1, enemy_most), clock / (limit or 1), exp(-left / 6), chain),
        *(number("earlier") / 2, number("opening"), hand / 10, enemy_hand / 10),
        *(stage, bool(stages) * (stage < 1)),
        *(count / unit for count, unit in zip(steps, (16, 16, 4, 4), strict=True)),
    )
