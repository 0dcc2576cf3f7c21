"""Search over many matches against the trees that a plain reference grows, node by node."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.game.game import Game
from alquerque_env.game.outcomes import ONGOING
from alquerque_env.match.position_text import format_position
from alquerque_env.search import GUMBEL, PUCT, BatchSearch, Decisions, Evaluate, Rule, mcts_batch_kernels as k
from tests.search_reference import RefTree
from tests.search_rows import positions, rows_of
from tests.search_trees import EVALUATORS, SEARCHES, grow, nodes_below, noise_of

KINDS = {"gumbel": GUMBEL, "puct": PUCT}
CLOSE = 1e-9
SOME_BY_DEFAULT = [
    pytest.param(*search, marks=pytest.mark.slow if number % 3 else ()) for number, search in enumerate(SEARCHES)
]
ROOM = 128


class Drawn:
    """A source of noise that has been drawn already, for the last of some matches."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def gumbel(self, size: tuple[int, int]) -> np.ndarray:
        noise = np.ones(size)
        noise[-1, : len(self.numbers)] = self.numbers
        return noise

    def standard_gamma(self, _: np.ndarray, size: tuple[int, int]) -> np.ndarray:
        return self.gumbel(size)


def evaluator(game: Game, name: str) -> Evaluate:
    """An evaluator of the searches, for the actions of a game."""

    def evaluate(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits, values = EVALUATORS[name](seen)
        return logits[:, : game.num_actions], values

    return evaluate


@cache
def searched(game: str, name: str) -> tuple[RefTree, BatchSearch, Decisions]:
    """The tree of the reference, a search of its root in the second row beside another match, and its decisions."""
    _, given = SEARCHES[game, name]
    expected = grow(game, name)
    root = expected.root.match
    states, past = rows_of([Match(root.game), root], ROOM)
    search = BatchSearch(
        root.game, 2, given["simulations"], Rule(**given["rule"] | {"kind": KINDS[given["rule"]["kind"]]})
    )
    evaluate, drawn = evaluator(root.game, given["evaluator"]), Drawn(noise_of(given, root))
    return expected, search, search.run(states, past, evaluate, given["simulations"], drawn)


def along(root: Match, line: str) -> Iterator[Match]:
    """A match after each step of a line."""
    match = root.copy()
    for text in line.split():
        match.push(next(step for step in match.legal_steps if step.text == text))
        yield match


class Node(NamedTuple):
    """A position in a search tree: its parent by place, -1 for the root, and how the search got here and valued it."""

    parent: int
    action: int
    visits: int
    value: float
    state: list[int]
    choices: int
    is_over: bool


def tree_of(search: BatchSearch, row: int) -> list[Node]:
    """The nodes of the tree of a match, parents before children."""
    trees, found = search.trees, []
    first = row * trees.settings[k.NODES]
    for index in range(first, first + trees.sizes[row][0]):
        node, state = trees.nodes[index], [int(word) for word in trees.states[index]]
        parent, action, visits, total = -1, -1, 0, 0.0
        if (edge := node[k.PARENT_EDGE]) != k.NONE:
            parent, total = int(node[k.PARENT]) - first, float(trees.reals[edge][k.TOTAL])
            action, visits = (int(trees.edges[edge][place]) for place in (k.ACTION, k.VISITS))
        is_over = bool(node[k.OUTCOME] != ONGOING)
        found.append(Node(parent, action, visits, total / max(visits, 1), state, int(node[k.COUNT]), is_over))
    return found


def nodes_of(search: BatchSearch, row: int, root: Match) -> dict[str, tuple[int, float]]:
    """For each line of steps to a node of a tree, its visits and its mean value for `player_0`."""
    nodes = tree_of(search, row)
    reached, found = [root], {}
    for node in nodes[1:]:
        ahead = reached[node.parent].copy()
        ahead.push(node.action)
        while ahead.position != position_of(search, node):
            (step,) = ahead.legal_steps
            ahead.push(step)
        reached.append(ahead)
        found[" ".join(step.text for step in ahead.steps[len(root.steps) :])] = node.visits, node.value
    assert len(found) + 1 == len(nodes)
    return found


def position_of(search: BatchSearch, node: Node) -> str:
    return format_position(search.game.table.words, search.game.board.labels, node.state)


def root_visits(search: BatchSearch, row: int, actions: list[int]) -> list[int]:
    visits = {node.action: node.visits for node in tree_of(search, row) if node.parent == 0}
    return [visits.get(action, 0) for action in actions]


@pytest.mark.parametrize(("game", "name"), SOME_BY_DEFAULT)
def test_the_search_grows_the_tree_of_the_reference_node_by_node(game, name):
    grown, search, _ = searched(game, name)
    expected, found = dict(nodes_below(grown.root)), nodes_of(search, 1, grown.root.match)
    visits, wanted = ({line: row[0] for line, row in tree.items()} for tree in (found, expected))
    assert visits == wanted
    assert [line for line in expected if abs(found[line][1] - expected[line][1]) > CLOSE] == []


@pytest.mark.parametrize(("game", "name"), SOME_BY_DEFAULT)
def test_the_search_decides_as_the_reference(game, name):
    grown, search, decisions = searched(game, name)
    count, actions = decisions.counts[1], [edge.step.action for edge in grown.root.edges]
    assert decisions.legal[1, :count].tolist() == actions
    assert root_visits(search, 1, actions) == [edge.visits for edge in grown.root.edges]
    assert decisions.policy[1, :count].tolist() == pytest.approx(grown.policy, abs=CLOSE)
    assert decisions.actions[1] == grown.step.action
    assert decisions.values[1] == pytest.approx(grown.value, abs=CLOSE)


def test_the_searches_cover_the_difficult_cases():
    """Chains of either player, at roots and below; all kinds of ends; forced steps; and noise, by either rule."""
    seen = Counter()
    for game, name in SEARCHES:
        tree, rule = grow(game, name).root, SEARCHES[game, name][1]["rule"]
        root, kind = tree.match, rule["kind"]
        seen[kind, "noise" if rule["root_noise"] else "no noise"] += 1
        seen[kind, "forced" if len(root.legal_steps) == 1 else "free"] += 1
        seen[kind, "chain", root.player] += root.chain is not None
        for line, _ in nodes_below(tree):
            choices = []
            for end in along(root, line):
                choices.append(len(end.legal_steps))
            seen[kind, "forced below"] += 1 in choices[:-1]
            seen[kind, "goes on", end.player] += end.chain is not None and not end.is_over
            if end.is_over:
                seen[kind, "end", end.outcome.winner] += 1
                seen["end", end.outcome.reason] += 1
    reasons = ("captured", "blocked", "no_progress", "repetition", "majority")
    expected = [
        *product(KINDS, ["noise", "no noise", "forced", "free", "forced below"]),
        *product(KINDS, ["chain", "goes on", "end"], [0, 1]),
        *product(KINDS, ["end"], [None]),
        *product(["end"], reasons),
    ]
    assert [fact for fact in expected if not seen[fact]] == []


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_long_search_has_room_for_the_edges_of_all_nodes(kind):
    """A leaf without edges would be evaluated again and again, and never looked beyond."""
    game = load_game("alquerque_murray")
    found = positions(game, 60)
    states, past = rows_of(found, ROOM)
    search = BatchSearch(game, len(found), 256, Rule(kind=kind))
    search.run(states, past, evaluator(game, "mixed"), 256)
    nodes = [node for row in range(len(found)) for node in tree_of(search, row)]
    assert len(nodes) > 100 * len(found)
    assert all(node.is_over == (node.choices == 0) for node in nodes)
