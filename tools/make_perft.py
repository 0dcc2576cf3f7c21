"""Writes a perft file of a game from the reference: `python -m tools.make_perft GAME > tests/perft/GAME.perft`.

Its blocks are the start under the defaults, the start under each other value of each option where the counts differ,
positions of random matches in which a chain of captures, or a promoted piece, is to move, and those before and after
the board shrinks for the first time.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from alquerque_env import load_game
from alquerque_env.game.game import Game
from alquerque_env.game.options import spell
from tests.option_values import every_value
from tests.reference import Reference, RefState, positions

MOST = 2500
DEEPEST = 9
POSITIONS = 3

Counts = list[tuple[int, int]]


def counts(reference: Reference, state: RefState, most: int, *, turns: bool, least: int = 1) -> Counts:
    """Depths and numbers of sequences, up to the last number of at most `most`, but at least to the depth `least`
    unless there are 100 before, and never deeper than the first number above `most`.
    """
    found: Counts = []
    for depth in range(1, DEEPEST + 1):
        number = reference.perft_turns(state, depth) if turns else reference.perft(state, depth)
        if (depth > least or (found and found[-1][1] > 100)) and (number > most or number == 0):
            return found
        found.append((depth, number))
        if number > most:  # a deeper count takes many times as long
            return found
    return found


def block(title: str, game: Game, state: RefState | None, most: int = MOST) -> list[str]:
    """The lines of a block."""
    reference = Reference(game)
    lines = [f"id {title}"]
    if game.chosen_options:
        lines.append("options " + " ".join(f"{name}={spell(value)}" for name, value in game.chosen_options.items()))
    if state is not None:
        lines.append(f"position {position_text(game, state)}")
    start = reference.start() if state is None else state
    for word in ("turns", "steps"):
        turns = word == "turns"
        least = 4 if turns and state is None and not game.chosen_options else 1
        lines += [f"{word} {depth} {n}" for depth, n in counts(reference, start, most, turns=turns, least=least)]
    return lines


def position_text(game: Game, state: RefState) -> str:
    """Position text at the start of a turn, without memory."""
    labels = game.board.labels
    sides = [
        ",".join(
            [labels[p] for p in sorted(state.men[player])] + [f"K{labels[p]}" for p in sorted(state.kings[player])]
        )
        for player in (0, 1)
    ]
    clock = f":H{state.quiet}" if state.quiet else ""
    closed = ":Z" + ",".join(labels[point] for point in sorted(state.closed)) if state.closed else ""
    return f"{'WB'[state.player]}:W{sides[0]}:B{sides[1]}{clock}{Reference(game).hands_text(state.stage)}{closed}"


def chosen_positions(game: Game) -> Iterator[tuple[str, RefState]]:
    """Positions with long chains, then with promoted pieces to move, each with what it shows."""
    reference = Reference(game)
    chains: dict[int, RefState] = {}
    kings: list[RefState] = []
    for seed in range(24):
        for state, steps in positions(game, np.random.default_rng(seed), plies=80):
            if state.chain is not None or state.memory or not steps:
                continue
            if steps[0].victim is not None:
                turns = reference.turns(state)
                if len(turns) <= 200:
                    chains.setdefault(max(map(len, turns)), state)
            if state.kings[state.player] and len(kings) < POSITIONS and seed % 7 == len(kings):
                kings.append(state)
    for length in sorted(chains, reverse=True)[:POSITIONS]:
        yield f"a chain of {length}" if length > 1 else "a capture", chains[length]
    for state in kings:
        yield "promoted pieces", state
    if reference.ends:
        matches = (pairwise(positions(game, np.random.default_rng(seed), plies=300)) for seed in range(8))
        (before, _), (after, _) = next(pair for match in matches for pair in match if pair[1][0].closed)
        yield from (("a board that is about to shrink", before), ("a board that has shrunk", after))


def perft_file(name: str) -> str:
    """The text of the perft file."""
    game = load_game(name)
    blocks = [block("start", game, None)]
    seen = {tuple(blocks[0][1:])}
    for other, options in every_value():
        if other == name and options:
            chosen = load_game(name, **options)
            lines = block("start, " + " ".join(chosen.option_texts), chosen, None, most=400)
            plain = tuple(line for line in block("", game, None, most=400)[1:])
            key = tuple(line for line in lines[1:] if not line.startswith("options"))
            if key != plain and key not in seen:
                seen.add(key)
                blocks.append(lines)
    blocks += [block(title, game, state) for title, state in chosen_positions(game)]
    head = ["# All counts: tests/reference.py, which shares no code with the engine."]
    return "\n\n".join("\n".join(lines) for lines in [head, *blocks]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(perft_file(sys.argv[1]))
