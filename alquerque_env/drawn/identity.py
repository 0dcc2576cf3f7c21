"""Whether two games are the same but for symmetry and names."""

from hashlib import sha256

import numpy as np

from ..game.game import Game
from ..game.graph import RULE_FACTS, Graph

ROUNDS = 6
"""Rounds in which each point and each link takes in what it touches."""

_WHO_STARTS = [place for place, name in enumerate(RULE_FACTS) if name.startswith("who_starts")]


def identity(game: Game) -> str:
    """Returns 16 hexadecimal digits that games share which are the same but for symmetry and names.

    They are a colouring of the points and links of `game.graph` by Weisfeiler and Leman (1968), as the player who
    begins and as the other one sees them, with the rules. Games that differ may share it, which is rare.
    """
    first = game.first_player
    parts = (_colours(game.graph(player)) for player in (first, 1 - first))
    return sha256("".join(parts).encode()).hexdigest()[:16]


def _colours(graph: Graph) -> str:
    rules = np.delete(graph.rules, _WHO_STARTS)
    points = [_digest(facts) for facts in graph.points]
    links = [_digest(facts) for facts in graph.links]
    members = [[(int(role), point) for point, role in enumerate(row) if role] for row in graph.roles]
    for _ in range(ROUNDS):
        links = [
            _digest(own, *sorted(f"{role}{points[point]}" for role, point in of))
            for own, of in zip(links, members, strict=True)
        ]
        touching: list[list[str]] = [[] for _ in points]
        for colour, of in zip(links, members, strict=True):
            for role, point in of:
                touching[point].append(f"{role}{colour}")
        points = [_digest(own, *sorted(found)) for own, found in zip(points, touching, strict=True)]
    return _digest(rules, *sorted(points), *sorted(links))


def _digest(*parts: np.ndarray | str) -> str:
    text = "|".join(part if isinstance(part, str) else part.tobytes().hex() for part in parts)
    return sha256(text.encode()).hexdigest()[:16]
