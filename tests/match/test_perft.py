"""Counts of turns and steps: perft files (`perft/*.perft`), `perft` and `divide`.

A perft file is made of blocks with an empty line between: `id` and, where they are not the default, `options` and
`position`; then `turns DEPTH COUNT` and `steps DEPTH COUNT`.
"""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, games, load_game, perft
from alquerque_env.errors import AlquerqueError, PositionError
from alquerque_env.game.game import Game
from alquerque_env.match.perft import divide
from tests.option_values import VARIED, core_games
from tests.reference import Reference

FOLDER = Path(__file__).parents[1] / "perft"


@dataclass
class Block:
    """One position of one game with the counts behind it."""

    name: str
    title: str = ""
    options: dict[str, str] = field(default_factory=dict)
    position: str | None = None
    counts: list[tuple[bool, int, int]] = field(default_factory=list)

    @cached_property
    def game(self) -> Game:
        return load_game(self.name, **self.options)

    def read(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "id":
            self.title = rest
        elif word == "options":
            self.options = dict(pair.split("=") for pair in rest.split())
        elif word == "position":
            self.position = rest
        else:
            assert word in ("turns", "steps"), f"{self.name}.perft: cannot read {line!r}"
            depth, count = map(int, rest.split())
            self.counts.append((word == "turns", depth, count))


def read_blocks(file: Path) -> list[Block]:
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    blocks = []
    for is_text, group in groupby(lines, bool):
        if is_text:
            block = Block(file.stem)
            for line in group:
                block.read(line)
            blocks.append(block)
    return blocks


FILES = sorted(FOLDER.glob("*.perft"))
every_file = pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.stem, marks=() if file.stem in VARIED else pytest.mark.slow) for file in FILES]
)


def test_every_game_has_a_perft_file_with_counts_from_its_start_and_their_source():
    assert {file.stem for file in FILES} == set(games())
    for file in FILES:
        assert file.read_text().startswith("# "), f"{file.name} does not say where its counts are from"
        blocks = read_blocks(file)
        assert all(block.title and block.counts for block in blocks), file
        start = [block for block in blocks if not block.options and block.position is None]
        assert any(turns for block in start for turns, _, _ in block.counts), file


@every_file
def test_the_engine_counts_what_the_perft_file_says(file):
    for block in read_blocks(file):
        for turns, depth, count in block.counts:
            counted = perft(block.game, depth, block.position, turns=turns)
            assert counted == count, f"{block.title}: {turns=}, {depth=}"


def test_the_pages_of_games_show_what_the_perft_files_say():
    """The counts of the pages are the engine's, those of the files the reference's."""
    pages = json.loads((FOLDER.parents[1] / "docs" / "games" / "measured.json").read_text(encoding="utf-8"))
    for file in FILES:
        start = [block for block in read_blocks(file) if not block.options and block.position is None]
        for turns, depth, count in (counted for block in start for counted in block.counts):
            shown = pages[file.stem]["perft"]["turns" if turns else "steps"]
            assert [count] == shown[depth - 1 : depth] or depth > len(shown), f"{file.stem}: {turns=}, {depth=}"


@pytest.mark.parametrize("most", [150, pytest.param(10_000, marks=pytest.mark.slow)])
@every_file
def test_the_reference_counts_what_the_perft_file_says(file, most):
    for block in read_blocks(file):
        reference = Reference(block.game)
        state = reference.start() if block.position is None else reference.parse(block.position)
        for turns, depth, count in block.counts:
            if count <= most:
                counted = reference.perft_turns(state, depth) if turns else reference.perft(state, depth)
                assert counted == count, f"{block.title}: {turns=}, {depth=}"


@pytest.mark.parametrize("name", core_games())
@pytest.mark.slow
def test_the_counts_behind_each_first_step_or_turn_add_up(name):
    for block in read_blocks(FOLDER / f"{name}.perft"):
        deepest = {turns: (depth, count) for turns, depth, count in block.counts if count <= 100}
        for turns, (depth, count) in deepest.items():
            behind = divide(block.game, depth, block.position, turns=turns)
            assert sum(behind.values()) == count, block.title
            steps = {step.text for step in Match(block.game, block.position).legal_steps}
            # The first step of a turn is its text as far as the second leap.
            assert {re.match(r"pass|@[^@x]+|x[^@x]+|[^x]+(x[^x]+)?", path)[0] for path in behind} == steps


def test_ludiis_kolowis_where_the_first_player_has_the_west_half_is_that_of_north_upside_down(tmp_path):
    file = tmp_path / "ludii.toml"
    file.write_text(
        """
        title = "Kolowis Awithlaknannai on the slab, as Ludii begins it"
        version = 1
        extends = "kolowis_awithlaknannai"

        [start]
        south = "b1 d1 f1 h1 j1 l1 n1 p1 r1 t1 v1 x1 z1 ab1 ad1 af1 c2 e2 g2 i2 k2 m2 o2"
        north = "s2 u2 w2 y2 aa2 ac2 ae2 b3 d3 f3 h3 j3 l3 n3 p3 r3 t3 v3 x3 z3 ab3 ad3 af3"
        """,
        encoding="utf-8",
    )
    options = {"board": "slab", "leap": "straight", "end_arc": False, "opening": "any"}
    options |= {"capture": "optional", "chain": "single"}
    ludii = load_game(str(file), **options)
    game = load_game("kolowis_awithlaknannai", **options, who_starts="player_1")

    assert {step.text for step in Match(ludii).legal_steps} == {"b1-a2", "c2-a2", "o2-q2", "p1-q2", "r1-q2"}
    assert [perft(game, depth) for depth in range(5)] == [perft(ludii, depth) for depth in range(5)]
    assert perft(load_game("kolowis_awithlaknannai", **options), 1) == 4


@pytest.mark.parametrize("turns", [True, False])
def test_at_depth_0_there_is_one_sequence_and_in_a_match_that_is_over_no_other(turns):
    game = load_game("fetaix")

    assert perft(game, 0, turns=turns) == perft(game, 0, "W:Wa1:B", turns=turns) == 1
    for over in ("B:Wa1:B", "W:WKa1:BKc5:H80", "W:Wa4:Ba5,b4,c4"):
        assert [perft(game, depth, over, turns=turns) for depth in range(3)] == [1, 0, 0]


def test_to_finish_a_chain_is_a_turn():
    game = load_game("fetaix", chain="optional")
    middle = "W:Wa1,d4:Bd3,c4:Cd4"

    assert perft(game, 1, middle) == perft(game, 1, middle, turns=True) == 2
    assert divide(game, 1, middle, turns=True) == {"d4xb4": 1, "pass": 1}


def test_repetition_is_not_looked_at():
    """North shuffles, South passes: the position comes back for the third time at depth 8."""
    options = {"no_moves": "pass", "no_progress_limit": 40, "capture": "compulsory"}
    position = "B:Wa1,b1,c1,d1,e1,a2,b2,c2,d2,e2,a3,b3:Bc3,d3,e3,a4,b4,c4,d4,e4,a5,b5,c5,d5"
    off, on = (load_game("alquerque_murray", **options, repetition=value) for value in ("off", "threefold_draw"))
    match = Match(on, position)
    for step in ("d5-e5", "pass", "e5-d5", "pass") * 2:
        match.push(step)

    assert match.outcome.reason == "repetition"
    assert perft(on, 9, position) == perft(off, 9, position) > 100


@pytest.mark.parametrize("turns", [True, False])
def test_bad_arguments_are_refused(turns):
    game = load_game("fetaix")

    for depth in (-1, 1001, 2.5, None, "2", True, np.True_):
        with pytest.raises(AlquerqueError, match=f"depth is {depth!r}, expected a whole number from 0 to 1000"):
            perft(game, depth, turns=turns)
    for depth in (0, 1001, 2.5, True):
        with pytest.raises(AlquerqueError, match=f"depth is {depth!r}, expected a whole number from 1 to 1000"):
            divide(game, depth, turns=turns)
    with pytest.raises(PositionError, match="unknown point 'z9'"):
        perft(game, 2, "W:Wz9:B", turns=turns)
