"""Certificates of proofs: the independent checker accepts honest ones and refuses changed ones."""

import ast
import json
import lzma
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.cli.main import main
from alquerque_env.errors import TableError
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.proof.certificate import open_proof_file
from alquerque_env.solve.proof.dfpn import ProofSearch
from alquerque_env.solve.tables import build_table, load_table
from tests import reference
from tests.solve.proof_cases import MEMORY, few_pieces
from tools import check_certificate as checker
from tools.faults.changed_files import ask_for_memory
from tools.small_proof import SmallProof

pytestmark = pytest.mark.slow  # the kernels of proofs alone take some seconds to compile

CERTIFICATES = Path(__file__).parents[1] / "certificates"


def write(match, path, table=None):
    solution = solve_position(match, table, memory=MEMORY, certificate=path)
    return solution, path.read_text().splitlines(keepends=True)


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """The lines of a certificate with claims of a table."""
    folder = tmp_path_factory.mktemp("certificate")
    game = load_game("alquerque")
    table = load_table(game, build_table(game, 3, folder / "table.aqt"))
    match = few_pieces(game, 6, seed=3, count=8)[2]
    _, lines = write(match, folder / "certificate.txt", table)
    assert sum(line.endswith("?\n") for line in lines) > 3
    assert sum(line.endswith("*\n") for line in lines) > 10
    return lines


def run(path, *arguments):
    """The exit status of the checker as a program, and what it prints."""
    command = [sys.executable, "-m", checker.__name__, str(path), *arguments]
    environment = os.environ | {"PYTHONPATH": str(Path(checker.__file__).parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def refused(tmp_path, lines, message):
    path = tmp_path / "changed.txt"
    path.write_text("".join(lines))
    with pytest.raises(checker.WrongError, match=message):
        checker.check(path)


def test_a_missing_position_is_refused(tmp_path, honest):
    places = random.Random(0).sample(range(3, len(honest) - 1), 25)
    for place in places:
        if honest[place] not in honest[:place] + honest[place + 1 :]:
            refused(tmp_path, honest[:place] + honest[place + 1 :], "leads to a position that is not shown before")


def test_a_truncated_certificate_is_refused(tmp_path, honest):
    for count in (0, 1, 2, 3, 4, len(honest) // 2, len(honest) - 1):
        refused(tmp_path, honest[:count], "no certificate|line 2|neither a win nor a draw|does not end with")
    text = "".join(honest)
    for length in (len(text) - 1, len(text) - 2, len(text) // 2, len(text) // 3):
        refused(tmp_path, [text[:length]], "in the middle of a line|does not end with")


def test_a_wrong_step_is_refused(tmp_path, honest):
    steps = [place for place in range(3, len(honest)) if honest[place][-2] not in "*?"]
    for place in random.Random(1).sample(steps, 10):
        text = honest[place].split()[0]
        for step in ("a1-e5", "pass", "a1xc3^b2", "*", "", "what"):
            changed = [*honest[:place], f"{text} {step}\n", *honest[place + 1 :]]
            refused(tmp_path, changed, f"line {place + 1}: .*(is no legal step|must be answered)")


def test_the_loser_may_not_choose(tmp_path, honest):
    """A step in place of all of them."""
    place = next(place for place in range(3, len(honest)) if honest[place].endswith("*\n"))
    game = load_game("alquerque")
    rules = reference.Reference(game)
    state = rules.parse(honest[place].split()[0])
    step = checker.spell(rules, rules.legal(state)[0])
    changed = [*honest[:place], f"{honest[place].split()[0]} {step}\n", *honest[place + 1 :]]
    refused(tmp_path, changed, "all steps of this player must be answered")


def test_a_cycle_is_refused(tmp_path):
    """Two positions that lead to each other: one of them comes before the one that it leads to."""
    game = load_game("fetaix", no_progress_limit=40)
    header = {"game": "fetaix", "options": dict(game.options), "position": "W:WKa1:BKe5", "table_pieces": 0}
    lines = [
        f"{checker.MAGIC}\n{json.dumps(header)}\n= player_0 wins\n",
        "B:WKa2:BKe5:H1 *\n",
        "W:WKa1:BKe5 a1-a2\n",
    ]
    refused(tmp_path, lines, "line 4: .* leads to a position that is not shown before")
    refused(tmp_path, [lines[0], lines[2], lines[1], lines[2]], "line 4: .* leads to a position that is not shown")


def test_a_wrong_result_is_refused(tmp_path, honest):
    claim = honest[2]
    for player in (0, 1):
        for result in ("wins", "does not win"):
            line = f"= player_{player} {result}\n"
            if line != claim:
                refused(tmp_path, [*honest[:2], line, *honest[3:]], "line|neither a win nor a draw")


def test_a_wrong_claim_is_found(tmp_path, honest):
    """A position of the proof is claimed for the other side."""
    header = json.loads(honest[1])
    places = [place for place in range(3, len(honest)) if honest[place].endswith("?\n")]
    other = {"= player_0 wins\n": "= player_1 wins\n", "= player_1 wins\n": "= player_0 wins\n"}[honest[2]]
    for place in random.Random(2).sample(places, min(3, len(places))):
        text = honest[place].split()[0]
        path = tmp_path / "claim.txt"
        path.write_text("".join([honest[0], json.dumps({**header, "position": text}) + "\n", other, honest[place]]))
        status, told = run(path)
        assert status == 1
        assert "a claim is wrong" in told


@pytest.mark.slow
def test_a_small_file_cannot_take_much_memory(tmp_path, honest):
    """A line of 30 MB, and an .xz file that asks for 1 GiB."""
    path = tmp_path / "large.xz"
    whole = lzma.compress("".join(honest).encode())
    for packed in (lzma.compress("".join(honest)[:-1].encode() + bytes(3 * 10**7)), ask_for_memory(whole, 36)):
        path.write_bytes(packed)
        tracemalloc.start()
        with pytest.raises((checker.WrongError, lzma.LZMAError), match=r"a line has more than|Memory usage limit"):
            checker.check(path)
        assert tracemalloc.get_traced_memory()[1] < 2**24
        tracemalloc.stop()


@pytest.mark.slow
def test_certificates_may_be_compressed(tmp_path):
    match = few_pieces(load_game("alquerque"), 4, seed=8, count=1)[0]
    _, lines = write(match, tmp_path / "certificate.txt")
    solve_position(match, memory=MEMORY, certificate=tmp_path / "certificate.xz")

    assert lzma.decompress((tmp_path / "certificate.xz").read_bytes()).decode() == "".join(lines)
    assert run(tmp_path / "certificate.xz")[0] == 0


def test_the_command_writes_a_certificate(tmp_path, monkeypatch):
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    path = tmp_path / "certificate.txt"
    arguments = ["solve", "alquerque", "--from-start", "--memory", str(MEMORY), "--certificate", str(path)]

    told = CliRunner().invoke(main, [*arguments, "--position", "W:Wc3:Bb2,b4,d4"])
    assert told.exit_code == 0, told.output
    assert f"Certificate: {path}" in told.stdout.replace("\n", "")
    assert run(path)[0] == 0
    path.unlink()
    told = CliRunner().invoke(main, [*arguments, "--seconds", "0"])
    assert "no certificate before the answer is known" in told.stdout
    assert not path.exists()
    assert CliRunner().invoke(main, ["solve", "alquerque", "--pieces", "2", "--certificate", str(path)]).exit_code == 2


def test_a_small_proof_holds_and_goes_on_to_fewer_pieces(tmp_path):
    """The memory of the search is too small to keep all of its proof."""
    game, searched_again = load_game("alquerque"), 0
    table = load_table(game, build_table(game, 4, tmp_path / "table.aqt"))
    for number, match in enumerate(few_pieces(game, 7, seed=3, count=12)):
        solution, _ = write(match, tmp_path / "large.txt", table)
        file = tmp_path / f"{number}.memory"
        search = ProofSearch(match, solution.winner, table, 256, file)
        assert search.run(1 << 24)
        small = SmallProof(search, table, file, 3)
        assert list(small.grow())
        with open_proof_file(tmp_path / "small.txt", match, 3) as opened:
            record = opened.begin_section(solution.winner, True)
            for state, step in small.records():
                record(state.tolist(), step)
        assert "this follows from the rules alone" in run(tmp_path / "small.txt")[1]
        claims = [line for line in (tmp_path / "small.txt").read_text().splitlines() if line.endswith("?")]
        assert all(sum(len(side.split(",")) for side in line.split(" ")[0].split(":")[1:3]) < 4 for line in claims)
        searched_again += small.searched_again
    assert searched_again > 0


def test_a_certificate_that_cannot_be_written_is_refused(tmp_path):
    match = few_pieces(load_game("alquerque"), 4, seed=8, count=1)[0]
    with pytest.raises(TableError, match="cannot write"):
        solve_position(match, memory=MEMORY, certificate=tmp_path)


@pytest.mark.parametrize("module", [checker, reference])
def test_the_checker_shares_no_code_with_what_it_checks(module):
    """Of the package it uses the data of games only."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    used |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    allowed = {"alquerque_env", "alquerque_env.errors", "alquerque_env.game.game", "tests.reference", "numpy"}
    assert {name for name in used if name.partition(".")[0] not in sys.stdlib_module_names} <= allowed


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "awithlaknannai_mosona",
            ["--sample", "5", "--budget", "200"],
            ["2,454 positions hold, 12 ends", "833 ends are claims", "5 checked"],
        ),
        (
            "awithlaknannai_mosona_7",
            ["--pieces", "6", "--sample", "20"],
            ["55,270 positions hold, 3,211 ends", "20 checked, 20 hold"],
        ),
    ],
)
@pytest.mark.slow
def test_the_certificates_of_the_repository_hold(name, arguments, told):
    status, text = run(CERTIFICATES / f"{name}.xz", *arguments)

    assert status == 0, text
    assert "awithlaknannai_mosona, W:Wb1,d1,f1,h1,j1,l1,n1,p1,k2,m2,o2,q2:B" in text
    assert all(part in text for part in told), text
