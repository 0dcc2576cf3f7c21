"""Certificates: the checker, which knows only the reference, confirms those of the solver and refuses altered ones."""

import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import check_certificate
import pytest
from check_certificate import CertificateError, check
from click.testing import CliRunner
from reference import Reference
from test_proof import CASES, MEMORY, few_pieces, minimax

from alquerque_env import Match, load_game
from alquerque_env.cli.main import main
from alquerque_env.solve.proof import solve_position

SHIPPED = "awithlaknannai_mosona.txt.gz"
POSITION = "W:Wc1,b1:Bc4,d5"
RULES = {"no_progress_limit": 5, "undo_scope": "per_player_last_move"}


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of a small position of Alquerque without a table."""
    path = tmp_path / "proof.txt"
    solve_position(Match(load_game("alquerque", **RULES), POSITION), memory=MEMORY, certificate=path)
    check(path)
    return path


@pytest.mark.parametrize(("name", "options", "pieces"), CASES, ids=str)
def test_the_checker_confirms_what_the_solver_writes(name, options, pieces, tmp_path):
    for number, match in enumerate(few_pieces(load_game(name, **options), pieces, seed=7, count=3)):
        path = tmp_path / f"{number}.txt.gz"
        solution = solve_position(match, memory=MEMORY, certificate=path)
        value, proofs = check(path)
        winner = minimax(match)
        assert solution.winner == winner
        assert value == ("draw" if winner == "draw" else f"{check_certificate.SIDES[winner]} wins")
        assert all(proof.claims == 0 for proof in proofs)


def test_the_shipped_certificate_holds():
    with resources.as_file(resources.files("alquerque_env.solve") / "certificates" / SHIPPED) as path:
        value, [proof] = check(path, claims=4)
    assert value == "South wins"
    assert proof.positions > 20_000
    assert proof.confirmed > 0


def test_a_missing_position_is_refused(certificate):
    lines = certificate.read_text().splitlines(keepends=True)
    for place in range(3, len(lines), 1 + len(lines) // 12):
        if check_certificate.CLAIM.fullmatch(lines[place].strip()):
            continue
        certificate.write_text("".join(lines[:place] + lines[place + 1 :]))
        with pytest.raises(CertificateError, match="is missing"):
            check(certificate)


def test_a_step_that_does_not_succeed_is_refused(certificate):
    lines = certificate.read_text().splitlines(keepends=True)
    game = load_game("alquerque", **RULES)
    refused = 0
    for place, line in list(enumerate(lines))[3 :: 1 + len(lines) // 12]:
        position, _, text = line.strip().partition(" ")
        if not text or check_certificate.CLAIM.fullmatch(line.strip()):
            continue
        for other in Match(game, position).legal_steps:
            if other.text != text:
                changed = [*lines[:place], f"{position} {other.text}\n", *lines[place + 1 :]]
                certificate.write_text("".join(changed))
                try:
                    check(certificate)
                except CertificateError:
                    refused += 1
    assert refused > 0


@pytest.mark.parametrize(
    ("altered", "message"),
    [
        (lambda text: text[: len(text) // 2], "not a whole certificate|does not|is missing"),
        (lambda text: text.replace("alquerque certificate 1", "alquerque certificate 2"), "must begin with"),
        (lambda text: re.sub(r'"winner": "draw"', '"winner": 0', text), "and proves"),
        (lambda text: re.sub(r'"table_hash": "\w+"', '"table_hash": "0000000000000000"', text), "about other rules"),
        (lambda text: re.sub(r'"game": "\w+"', '"game": "chess"', text), "not its header"),
        (lambda text: re.sub(r" [a-e]\d-[a-e]\d\n", " a1-a1\n", text, count=1), "does not name one legal step"),
        (lambda text: text + "nonsense\n", "does not begin with a position"),
        (lambda text: re.sub("(South|North) (wins|does not win)\n", "Nobody wins\n", text), "must be a statement"),
    ],
)
def test_an_altered_file_is_refused(certificate, altered, message):
    certificate.write_text(altered(certificate.read_text()))
    with pytest.raises(CertificateError, match=message):
        check(certificate)


def test_a_false_claim_about_an_endgame_is_refused(certificate):
    """It says of the start itself that a side wins that does not."""
    lines = certificate.read_text().splitlines()
    header = json.loads(lines[1])
    header["winner"] = 1 if header["winner"] == 0 else 0
    turned = f"{check_certificate.SIDES[header['winner']]} wins"
    certificate.write_text("\n".join([lines[0], json.dumps(header), turned, f"{POSITION} table", ""]))
    with pytest.raises(CertificateError, match=r"the claim about the position .* is false"):
        check(certificate)


def test_play_in_a_circle_proves_nothing(tmp_path):
    """Two mullahs walk about: South avoids captures for ever, which is no result under any rule."""
    game = load_game("fetaix", no_progress_limit="off", repetition="threefold_draw")
    reference = Reference(game)
    position = "W:WKa1:BKe4"
    waiting, lines, seen = [Match(game, position)], [], set()
    while waiting:
        match = waiting.pop()
        if match.position in seen or match.is_over:
            continue
        seen.add(match.position)
        steps = match.legal_steps
        if match.player == 0:
            safe = [step for step in steps if not _can_capture(match, step)]
            steps = (safe or steps)[:1]
            lines.append(f"{match.position} {steps[0].text}")
        for step in steps:
            after = match.copy()
            after.push(step)
            waiting.append(Match(game, after.position) if not after.is_over else after)
    header = {"game": "fetaix", "options": dict(game.options), "table_hash": game.table_hash, "position": position}
    path = tmp_path / "circle.txt"
    content = [check_certificate.MAGIC, json.dumps({**header, "winner": 0}), "North does not win", *lines, ""]
    path.write_text("\n".join(content))
    assert reference.outcome(reference.parse(position)) is None
    with pytest.raises(CertificateError, match="circle"):
        check(path)


def _can_capture(match, step):
    after = match.copy()
    after.push(step)
    return any(reply.captured for reply in after.legal_steps)


def test_the_program_writes_a_certificate_and_the_checker_is_a_program(tmp_path):
    path = tmp_path / "proof.txt"
    command = ["solve", "alquerque", "--from-start", "--certificate", str(path), "--memory", "0.01"]
    options = load_game("alquerque", **RULES).option_arguments
    result = CliRunner().invoke(main, [*command, "--position", POSITION, *options])
    assert result.exit_code == 0, result.output
    assert f"The proof is in {path}." in result.output
    program = [sys.executable, check_certificate.__file__, str(path)]
    # Python puts the folder of a script on the path unless this is set.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(program, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "proved" in done.stdout
    path.write_text(path.read_text()[:-20])
    done = subprocess.run(program, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert done.stderr.startswith("not proved: ")


def test_a_certificate_needs_a_proof(tmp_path):
    path = tmp_path / "proof.txt"
    result = CliRunner().invoke(main, ["solve", "alquerque", "--pieces", "2", "--certificate", str(path)])
    assert result.exit_code == 2
    assert "--certificate needs --from-start" in result.output
    assert not path.exists()
