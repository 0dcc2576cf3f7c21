"""Searches and the trees that `search_reference.py` grows by them."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from alquerque_env import Match, load_game
from alquerque_env.engine.player_view import PlayerView
from tests.search_reference import RefGumbel, RefNode, RefPuct, RefTree

# As many as any game here has.
ACTIONS = 512

Search = dict[str, Any]
Evaluator = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def gumbel(simulations: int, evaluator: str = "mixed", **changes: float) -> Search:
    """How to search by sequential halving."""
    rule = {"considered": 16, "value_offset": 50.0, "value_scale": 0.1, "mmd_weight": 0.0, "root_noise": 0.0}
    return {"evaluator": evaluator, "simulations": simulations, "rule": {"kind": "gumbel", **rule, **changes}}


def puct(simulations: int, evaluator: str = "mixed", **changes: float) -> Search:
    """How to search by upper bounds."""
    rule = {"exploration": 1.5, "root_noise": 0.0}
    return {"evaluator": evaluator, "simulations": simulations, "rule": {"kind": "puct", **rule, **changes}}


class Place(NamedTuple):
    """A root and how it is searched."""

    position: str
    searches: tuple[Search, ...]
    steps: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}


BACK_AND_FORTH = ("a1-a2", "c5-d5", "a2-a1", "d5-c5", "a1-a2", "c5-d5", "a2-a1")
THREEFOLD = {"repetition": "threefold_draw", "no_progress_limit": "off"}

PLACES = {
    "alquerque": {
        "middle": Place(
            "W:Wb1,c1,d1,e1,c2,d2,e2,d3,e3:Ba1,a2,b4,c4,e4,a5,b5,c5,d5,e5",
            (gumbel(32, considered=4), gumbel(48, root_noise=1.0), puct(32)),
        ),
        "chain": Place("W:Wc1,c2,c5:Bb4,b5,d5:Cc5:Uc1-d1", (gumbel(24, root_noise=0.5), puct(24, root_noise=0.25))),
        "chain of North": Place("B:Wa1,b1,d1,a2,d2:Bc1,a3,b3,a4,b4,c4,a5:Cc1", (gumbel(32), puct(32))),
        "ending": Place("W:Wb1,e1,a2:Bd4:Ub1-a1", (gumbel(64), puct(64), gumbel(40, "even"), puct(40, "even"))),
        "blockade": Place("B:Wb4,a5:Bc1:Ua5-b5", (gumbel(32), puct(24))),
        "forced": Place("W:Wc1,d1,e1,d2,e3:Ba1,a4,d4,a5:Ud2-c2", (gumbel(16), puct(16))),
    },
    "fetaix": {
        "wide": Place(
            "W:Wb1,c1,e1,a2,e2,Ka5,Kc5:Bb3,e4,d5,e5", (gumbel(16), gumbel(32, considered=6), puct(32), gumbel(3))
        ),
        "chain": Place("W:Wa1,b1,c1,d1,e1,a2,b2,d2,e2,Ke3:Bd3,a4,e4,a5,b5,d5,e5:Ce3", (gumbel(32), puct(32))),
        "chain of North": Place(
            "B:We1,b2,c2,d2,c3:BKd1,a4,c4,b5,c5,d5,e5:Cd1", (gumbel(48, value_scale=1.0, mmd_weight=0.25), puct(48))
        ),
        "last chain": Place("B:Wa2,b2:BKa1,a4,e4,a5,d5,e5:Ca1", (gumbel(32, root_noise=1.0), puct(32))),
        "ending": Place("W:Wd3:BKc1,e5", (gumbel(32), puct(32, root_noise=0.5), gumbel(32, "even"))),
        "nearly drawn": Place("B:WKe1,a3:Ba2:H77", (gumbel(24), puct(24))),
        "second time": Place("W:WKa1:BKc5", (gumbel(32), puct(48)), BACK_AND_FORTH[:6], THREEFOLD),
        "third time": Place("W:WKa1:BKc5", (gumbel(48), puct(32)), BACK_AND_FORTH, THREEFOLD),
        "forced": Place("B:Wa1,b1,d1,a2,c2,c3,e3:BKc1,a4,a5,c5,d5,e5", (gumbel(24), puct(24))),
    },
    "awithlaknannai_mosona": {
        "start": Place("W:Wb1,d1,f1,h1,j1,l1,n1,p1,k2,m2,o2,q2:Ba2,c2,e2,g2,b3,d3,f3,h3,j3,l3,n3,p3", (gumbel(24),)),
        "middle": Place(
            "B:Wb1,d1,j1,l1,n1,p1,e2,k2,m2,o2,q2:Ba2,c2,b3,d3,j3,l3,n3,p3", (gumbel(40, root_noise=1.0), puct(40))
        ),
        "chain": Place(
            "W:Wb1,d1,h1,l1,n1,p1,o2,q2:Ba2,c2,e2,i2,b3,d3,f3,h3,l3,p3:Ch1", (gumbel(32), puct(32, root_noise=0.25))
        ),
        "chain of North": Place("B:Wn1,p1,n3:Bj1,l1,c2,g2,o2,b3,h3,l3:Co2", (gumbel(48), puct(48))),
        "count": Place("W:Wp1,m2,o2:Bb1,d1,a2,h3:H47", (gumbel(64), puct(64))),
        "forced": Place("W:Wn1,p1,q2:Bg2,b3,d3,h3,n3,p3", (gumbel(16), puct(16))),
    },
    "awithlaknannai_mosona_davis": {
        "middle": Place(
            "B:Wb1,d1,f1,h1,j1,l1,n1,p1,i2,o2,q2:Ba2,c2,e2,b3,d3,f3,h3,j3,l3,n3,p3",
            (gumbel(24, considered=3), puct(24)),
        ),
        "chain": Place("W:Wb1,d1,f1,h1,q2,j3,p3:Ba2,e2,b3,d3,h3,l3:Cj3", (gumbel(32, root_noise=1.0), puct(32))),
        "chain of North": Place("B:Wl1,p1,o2,q2:Bd1,h1,n1,c2,f3:Cn1", (gumbel(48), puct(48, exploration=0.75))),
        "count": Place("B:Wo2:Bc2,h3:H47", (gumbel(64), puct(64), gumbel(32, "even"), puct(32, "even"))),
        "forced": Place("W:Wf1,h1,l1,k2,q2,l3,p3:Ba2,e2,b3:H1", (gumbel(16), puct(16))),
    },
    # Whoever captures there may stop, so that there is a choice in every chain.
    "alquerque_murray": {
        "chain": Place("W:Wc1,d1:Bb2,a4,b4,d4,e4,d5,e5:Cc1", (gumbel(48, value_offset=10.0), puct(48))),
        "chain of North": Place("B:Wb1,e1,a2,d2,e4:Ba3,b3,d3,a4,a5,b5,c5:Cd3", (gumbel(32), puct(32))),
    },
}

# Noise as it might be drawn for the steps of a root, as many as there are.
DRAWN = {
    "gumbel": (0.31, -0.72, 2.18, 0.05, 1.37, -0.28, 0.94, -1.11, 3.06, 0.47, -0.53, 1.72),
    "puct": (0.83, 2.41, 0.07, 1.29, 0.46, 3.38, 0.002, 0.91, 1.74, 0.25, 0.58, 0.13),
}


def mixed(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A stand-in for a network: logits in eighths and values in 64ths, by a checksum of what is seen."""
    sums = np.array([zlib.crc32(row.tobytes()) for row in seen], np.int64)
    numbers = sums[:, None] % 65521 * (2 * np.arange(ACTIONS + 1) + 1) + sums[:, None] // 65521
    numbers = numbers * 40503 % (1 << 24) >> 8
    logits, values = numbers[:, :ACTIONS] % 33 - 16, numbers[:, ACTIONS] % 121 - 60
    return (logits / 8).astype(np.float32), (values / 64).astype(np.float32)


def even(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Takes all steps and all positions for equal."""
    return np.zeros((len(seen), ACTIONS), np.float32), np.zeros(len(seen), np.float32)


EVALUATORS: dict[str, Evaluator] = {"mixed": mixed, "even": even}

SEARCHES = {
    (game, f"{name}, {search['rule']['kind']}, {search['evaluator']}, {search['simulations']}"): (place, search)
    for game, places in PLACES.items()
    for name, place in places.items()
    for search in place.searches
}


def noise_of(search: Search, match: Match) -> list[float]:
    """The noise of a root, if its search has any."""
    rule = search["rule"]
    return list(islice(DRAWN[rule["kind"]], len(match.legal_steps))) if rule["root_noise"] else []


@cache
def grow(game: str, name: str) -> RefTree:
    """The tree that the reference grows by a search."""
    place, search = SEARCHES[game, name]
    match = Match(load_game(game, **place.options), place.position)
    for step in place.steps:
        match.push(step)
    view, evaluator = PlayerView(match.game), EVALUATORS[search["evaluator"]]

    def evaluate(at: Match) -> tuple[list[float], float]:
        logits, values = evaluator(view.observe(at.state, at.player, at.occurrences() - 1)[None])
        return [float(logits[0, step.action]) for step in at.legal_steps], float(values[0])

    rule = dict(search["rule"])
    reference = {"gumbel": RefGumbel, "puct": RefPuct}[rule.pop("kind")](**rule)
    return reference.search(match, evaluate, search["simulations"], noise_of(search, match))


def nodes_below(node: RefNode) -> Iterator[tuple[str, tuple[int, float]]]:
    """For each line of steps to a node below one, its visits and its mean value for `player_0`."""
    for edge in node.edges:
        if edge.child is not None:
            yield " ".join(edge.child.line), (edge.visits, edge.totals[0] / edge.visits)
            yield from nodes_below(edge.child)
