"""Proof-number search: against a plain minimax over whole matches, its lines, going on, and refusals."""

import hashlib
import json
import tracemalloc
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import Match, load_game
from alquerque_env.cli.main import main
from alquerque_env.errors import TableError
from alquerque_env.solve.proof import ProofSearch, dfpn_kernels as k, solve_position
from alquerque_env.solve.proof.dfpn import DISPROVED, PROVED, UNASKED, longest_line
from alquerque_env.solve.proof.verify_proof import verify_proof
from alquerque_env.solve.tables import build_table, load_table
from tests.own_games import write_rules
from tests.sets import first_by_default
from tests.solve.proof_cases import CASES, MEMORY, few_pieces, minimax
from tools import check_certificate as checker
from tools.faults.changed_files import seal_of

IMPOSSIBLE = float("inf"), float("nan"), -1.0


@first_by_default
@pytest.mark.parametrize(("name", "options", "pieces"), CASES)
def test_the_answer_is_that_of_minimax_its_proof_is_verified_and_its_certificate_holds(tmp_path, name, options, pieces):
    game, certificate = load_game(name, **options), tmp_path / "certificate.txt"

    for match in few_pieces(game, pieces, seed=1, count=6):
        solution = solve_position(match, memory=MEMORY, verify=True, certificate=certificate)
        winner = minimax(match)
        assert solution.winner == winner, match.position
        shown = [player for player, answer in solution.answers.items() if answer.nodes]
        assert shown
        assert set(solution.checked) <= set(shown)
        for player, checked in solution.checked.items():
            assert checked.gaps == 0
            assert 0 < checked.positions <= solution.answers[player].nodes
        proved = {(section.player, section.wins) for section in checker.check(certificate)}
        assert proved == ({(0, False), (1, False)} if winner == "draw" else {(winner, True)})
        assert not any(line.endswith("?") for line in certificate.read_text().splitlines())


def test_a_search_has_room_for_the_longest_match(tmp_path):
    """A man's step starts the count of turns without progress again, as often as there are men to walk."""
    columns = [" ".join(f"{column}{row}" for row in range(1, 8)) for column in "abcde"]
    board = {"rows": [[0, 1, 2, 3, 4]] * 7, "lines": [*columns, "a4 b4 c4 d4 e4"]}
    ways = {"man_steps": "forward", "man_capture_dirs": "forward", "promotion": "last_rank"}
    kings = {"mullah_steps": "one_point", "mullah_captures": "next_point"}
    ends = {"progress": "capture_or_man_step", "no_progress_limit": 10}
    file = write_rules(tmp_path, "columns", board, "a1 b1 c1", "c7 d7 e7", **ways, **kings, **ends)
    match = Match(load_game(file), "W:Wa1,b1,Kc1:BKc7,d7,e7")

    while not match.is_over:
        own, other = match.position.split(":")[1 + match.player], match.position.split(":")[2 - match.player]
        clock = int(match.position.partition(":H")[2] or 0)
        is_late = clock == 9 or (clock == 8 and other.count("K") == 3)  # one king is left to the others
        men = [step for step in match.legal_steps if f"K{step.text[:2]}" not in own]
        kings = [step for step in match.legal_steps if f"K{step.text[:2]}" in own]
        match.push((men if is_late and men else kings)[0])

    assert 220 < len(match.steps) < longest_line(match.game)


def test_all_answers_occur_and_a_win_of_one_player_answers_for_the_other():
    game = load_game("fetaix", no_progress_limit=12)

    found = [solve_position(match, memory=MEMORY) for match in few_pieces(game, 3, seed=2, count=25)]

    assert {solution.winner for solution in found} == {0, 1, "draw"}
    answers = next(solution.answers for solution in found if solution.winner == 0)
    assert [answers[player].state for player in (0, 1)] == [PROVED, DISPROVED]


def test_a_table_saves_work_and_keeps_the_answer(tmp_path):
    game = load_game("alquerque")
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))

    matches = few_pieces(game, 6, seed=3, count=8)
    with_table = [solve_position(match, table, memory=MEMORY) for match in matches]
    without = [solve_position(match, memory=MEMORY) for match in matches]

    assert [found.winner for found in with_table] == [found.winner for found in without]
    assert nodes(with_table) < nodes(without)


def nodes(solutions):
    return sum(answer.nodes for found in solutions for answer in found.answers.values())


def test_the_line_can_be_played_and_keeps_the_answer():
    game = load_game("alquerque")

    for match in few_pieces(game, 4, seed=4, count=6):
        solution = solve_position(match, memory=MEMORY)
        ahead = match.copy()
        for turn in solution.line:
            ahead.push(turn)
            if not ahead.is_over and ahead.chain is None:
                assert solve_position(ahead, memory=MEMORY).winner == solution.winner

        assert ahead.is_over
        assert ahead.outcome.winner == solution.winner


def test_answers_of_earlier_runs_are_kept(tmp_path, monkeypatch):
    """A search that begins again does not know at once what it has found out."""
    monkeypatch.setattr("alquerque_env.solve.proof.game_value.NODES_AT_ONCE", 256)
    match = few_pieces(load_game("fetaix", no_progress_limit=12), 3, seed=8, count=1)[0]
    south, north = 0, 1

    first = solve_position(match, memory=MEMORY, seconds=0, folder=tmp_path)
    second = solve_position(match, memory=MEMORY, seconds=0, folder=tmp_path)
    whole = solve_position(match, memory=MEMORY, folder=tmp_path)
    again = solve_position(match, memory=MEMORY, seconds=0, folder=tmp_path)

    assert first.answers[south].nodes >= 256
    assert first.answers[north] == UNASKED
    # Runs that are too short for both players search them in turn.
    assert second.answers[south] == first.answers[south]
    assert second.answers[north].nodes >= 256
    assert whole.winner == again.winner == "draw"
    assert all(whole.answers[player].nodes > second.answers[player].nodes for player in (south, north))
    assert again.answers == whole.answers
    assert again.line == whole.line != ()
    assert again.seconds >= whole.seconds > second.seconds


def test_half_written_entries_do_not_change_the_answer(tmp_path):
    match = few_pieces(load_game("alquerque"), 8, seed=6, count=1)[0]
    winner = solve_position(match, memory=MEMORY, folder=tmp_path).winner
    file = next(tmp_path.glob("*.memory"))
    rng = np.random.default_rng(0)
    words = np.memmap(file, np.int64, "r+")
    # Every other entry has one word of another entry, as if the program had been ended while it wrote.
    entries = words.reshape(-1, 4)
    torn = rng.choice(np.flatnonzero(entries[:, 0]), len(entries[entries[:, 0] != 0]) // 2, replace=False)
    for row in torn:
        entries[row, 2 + rng.integers(2)] = entries[rng.choice(torn), 2 + rng.integers(2)]
    words.flush()
    del entries, words

    assert solve_position(match, memory=MEMORY, folder=tmp_path).winner == winner


def test_the_work_on_something_else_is_refused(tmp_path):
    game = load_game("alquerque")
    first, second = few_pieces(game, 4, seed=7, count=2)
    solve_position(first, memory=MEMORY, folder=tmp_path)

    with pytest.raises(TableError, match="holds the work on"):
        solve_position(second, memory=MEMORY, folder=tmp_path)
    with pytest.raises(TableError, match="another amount of memory"):
        solve_position(first, memory=4 * MEMORY, folder=tmp_path)


def test_the_memory_of_other_code_is_refused(tmp_path, monkeypatch):
    match = few_pieces(load_game("alquerque"), 4, seed=8, count=1)[0]
    solve_position(match, memory=MEMORY, folder=tmp_path)
    solve_position(match, memory=MEMORY, folder=tmp_path)

    monkeypatch.setattr("alquerque_env.solve.proof.game_value.source_digest", lambda file: f"other {file.name}")
    with pytest.raises(TableError, match=r"delete (it|that folder to begin again)$"):
        solve_position(match, memory=MEMORY, folder=tmp_path)


def sealed(notes, **changes):
    """Notes with changes and the right checksum."""
    content = {name: value for name, value in (notes | changes).items() if name != "sha256"}
    checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({**content, "sha256": checksum})


def with_nodes(notes, number):
    return sealed(notes, answers=[answer | {"nodes": number} for answer in notes["answers"]])


@pytest.mark.parametrize(
    "change",
    [
        lambda notes: "{",
        lambda notes: json.dumps(notes).replace('"disproved"', '"open"').replace('"proved"', '"disproved"'),
        *(partial(sealed, seconds=number) for number in IMPOSSIBLE),
        *(partial(with_nodes, number=number) for number in IMPOSSIBLE),
        None,  # without them the memory could be of another table, of which it holds results
    ],
)
def test_notes_that_were_changed_or_are_gone_are_refused(tmp_path, change):
    match = few_pieces(load_game("alquerque"), 4, seed=8, count=1)[0]
    solve_position(match, memory=MEMORY, folder=tmp_path)
    file = tmp_path / "questions.json"
    if change is None:
        file.unlink()
    else:
        file.write_text(change(json.loads(file.read_text())))

    message = "damaged" if change else r"has no questions\.json, which says what was searched: delete it"
    with pytest.raises(TableError, match=message):
        solve_position(match, memory=MEMORY, folder=tmp_path)


def test_rules_with_repetition_are_refused():
    game = load_game("fetaix", repetition="threefold_draw", no_progress_limit="off")

    with pytest.raises(TableError, match="no_progress_limit"):
        solve_position(Match(game), memory=MEMORY)
    with pytest.raises(TableError, match="repetition=threefold_draw"):
        solve_position(Match(load_game("fetaix", repetition="threefold_draw")), memory=MEMORY)


def run(*arguments):
    return CliRunner().invoke(main, ["solve", *arguments])


def test_the_command_prints_the_winner_and_open_questions(tmp_path, monkeypatch):
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    position = "W:Wc3:Bb2,b4,d4"  # two turns take two pieces or one: see the rules' worked position A-W2
    arguments = ("alquerque", "--from-start", "--memory", str(MEMORY))
    found = json.loads(run(*arguments, "--position", position, "--json").stdout)
    assert (found["winner"], found["position"]) == (minimax(Match("alquerque", position)), position)
    assert "wins." in run(*arguments, "--position", position).stdout
    assert "not known yet" in run(*arguments, "--seconds", "0").stdout


@pytest.mark.parametrize("way", ["proof", "disproof"])
def test_a_false_proof_is_detected(way):
    """An entry claims what is not so: the walk comes to an end that says otherwise."""
    match = next(
        match
        for match in few_pieces(load_game("alquerque"), 6, seed=3, count=30)
        if solve_position(match, memory=MEMORY).winner == (0 if way == "disproof" else 1)
    )
    search = ProofSearch(match, 0, None, 1 << 12)
    while not search.run(1 << 10):
        pass
    claimed = PROVED if way == "proof" else DISPROVED
    assert search.answer.state != claimed
    for place in range(0, len(search.memory), k.ENTRY_SIZE):
        key, seal = int(search.memory[place]), int(search.memory[place + 1])
        if not key:
            continue
        proof, rest = int(search.memory[place + k.E_PROOF]), int(search.memory[place + k.E_REST])
        check = seal ^ seal_of(proof, rest)
        work = rest >> k.WORK_AT << k.WORK_AT
        proof, rest = (0, work | k.INFINITE) if way == "proof" else (k.INFINITE, work)
        search.memory[place + k.E_PROOF], search.memory[place + k.E_REST] = proof, rest
        search.memory[place + 1] = check ^ seal_of(proof, rest)

    with pytest.raises(TableError, match="the proof does not hold"):
        verify_proof(search, claimed)


def test_gaps_in_a_proof_are_searched_again_and_leave_none_in_the_certificate(tmp_path):
    match = few_pieces(load_game("alquerque"), 12, seed=5, count=3)[2]
    whole = solve_position(match, memory=MEMORY, verify=True)
    solve_position(match, memory=MEMORY, folder=tmp_path)
    words = np.memmap(next(tmp_path.glob("*.memory")), np.int64, "r+").reshape(-1, 4)
    held = np.flatnonzero(words[:, 0])
    words[np.random.default_rng(0).choice(held, len(held) // 4, replace=False)] = 0
    words.flush()

    certificate = tmp_path / "certificate.txt"
    solution = solve_position(match, memory=MEMORY, folder=tmp_path, verify=True, certificate=certificate)

    assert solution.winner == whole.winner
    (checked,), (untorn,) = solution.checked.values(), whole.checked.values()
    assert checked.gaps > 0 == untorn.gaps
    assert untorn.positions > 100
    assert checked.positions > untorn.positions // 2
    assert checker.check(certificate)


def test_a_gap_takes_no_more_entries_than_the_search():
    """Which would be 8 MB."""
    match = few_pieces(load_game("fetaix", no_progress_limit=2), 3, seed=1, count=1)[0]
    search = ProofSearch(match, 0, None, 1 << 8)
    while not search.run(1 << 10):
        pass
    search.memory[:] = 0
    verify_proof(search, search.answer.state)
    tracemalloc.start()
    assert verify_proof(search, search.answer.state).gaps
    assert tracemalloc.get_traced_memory()[1] < 1 << 23
    tracemalloc.stop()
