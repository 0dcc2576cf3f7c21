"""What is written of a match is read back: each position, each step and turn, its record and its link."""

import pickle
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from itertools import islice
from pathlib import Path

import pytest

from alquerque_env import Match, Record, format_link, games, load_game, read_link, read_records
from alquerque_env.cli.ugi.ugi_engine import play_moves
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import state_rows
from alquerque_env.game.step import join_turn, split_turn
from alquerque_env.match.replay import first_position, push_text
from tests.chosen_steps import random_match
from tests.labelled_games import LABELLED
from tests.match.match_texts import state
from tests.option_values import under_option_values
from tests.own_games import write_hunt

CASES = Path(__file__).parents[1] / "cases"
MOST = 120  # steps of a match


def check_moments(played: Iterable[Match]) -> Match:
    """Checks that every position of a match is read back, and returns the match with its last step."""
    for match in played:
        again = Match(match.game, match.position)
        assert (again.position, state(again)) == (match.position, state(match))
        assert (again.legal_steps, again.turn_goes_on) == (match.legal_steps, match.turn_goes_on)
        assert (":C" in match.position) == (match.chain is not None)
        (same,) = Match.of_engine(match.game, state_rows([match.state], is_wide=match.game.board.is_wide))
        assert (state(same), same.outcome) == (state(match), again.outcome)
    assert Match.from_state(match.game, match.state).position == match.position
    return match


def check_turns(match: Match) -> None:
    """Checks that the turns of a match, and its steps, are played as they were written."""
    first = first_position(match)
    by_turn, by_step, sent = (Match(match.game, first) for _ in range(3))
    for text, (_, steps) in zip(match.turns, match.history, strict=True):
        is_last = len(by_step.steps) + len(steps) == len(match.steps)
        by_turn.push_turn(text, is_whole=not (is_last and match.turn_goes_on))
        for step in steps:
            push_text(by_step, step.text)
        assert len(split_turn(text, match.game.board)) == max(1, sum(not step.is_pass for step in steps))
        assert join_turn([step.text for step in steps]) == text
    if not match.turn_goes_on:
        play_moves(sent, match.turns)
        assert sent.steps == match.steps
    assert by_step.steps == by_turn.steps == match.steps
    for _ in match.steps:
        by_step.pop()
    assert state(by_step) == state(Match(match.game, first))


def check_files(match: Match) -> None:
    """Checks that a match, from its first position on, is read from its record, its link and its pickle."""
    record = Record(match, south="x", north="random", date=date(2026, 11, 21), headers={"Event": "x"})
    (again,) = read_records(str(record))
    assert str(again) == str(record)
    assert all(len(line) <= 80 for line in str(record).split("\n\n")[1].splitlines() if " " in line)
    found = [again.match, pickle.loads(pickle.dumps(match))]
    if not match.game.file_text:
        found.append(read_link(f"https://example.org/play/#{format_link(match)}"))
    for each in found:
        assert (each.game, each.steps, state(each)) == (match.game, match.steps, state(match))
        assert (first_position(each), each.outcome) == (first_position(match), match.outcome)
        assert (each.occurrences(), each.turn_goes_on) == (match.occurrences(), match.turn_goes_on)


def check(game: Game, seed: int, *, is_in_a_file: bool = True) -> bool:
    """Checks a match, and two that begin in it; returns whether one of them stopped in the middle of a turn."""
    texts = [match.position for match in islice(random_match(game, seed), MOST)]
    matches = [check_moments(islice(random_match(game, seed), MOST))]
    for number, start in enumerate((texts[len(texts) // 2], next((text for text in texts if ":C" in text), texts[0]))):
        *_, match = islice(random_match(game, seed, start), 1 + seed % 5 + number)
        matches.append(match)
    for match in matches:
        check_turns(match)
        if is_in_a_file:
            check_files(match)
    return any(match.turn_goes_on for match in matches)


@under_option_values()
def test_every_match_of_the_package_is_read_back(variants):
    for seed, game in enumerate(variants):
        check(game, seed)


@pytest.mark.parametrize("name", LABELLED)
def test_matches_on_boards_with_other_labels_are_read_back(name: str) -> None:
    for seed in range(4):
        check(LABELLED[name], seed, is_in_a_file=False)


@pytest.mark.parametrize("chain", ["compulsory", "optional"])
def test_matches_that_stop_in_the_middle_of_a_turn_are_read_back(chain: str) -> None:
    assert sum(check(load_game("fetaix", chain=chain), seed) for seed in range(20)) > 1


def test_matches_of_games_from_files_are_read_back(tmp_path: Path) -> None:
    hunt = write_hunt(tmp_path, "2 times: first drops 2, second moves", "first moves, second moves")
    for file in (hunt, CASES / "undo_prom.toml", CASES / "wheel_fwd.toml"):
        assert sum(check(load_game(file), seed) for seed in range(12)) > 0 or file != hunt


@pytest.mark.parametrize("scope", ["per_coin", "per_player_last_move", "never_revisit"])
@pytest.mark.parametrize("midchain", ["only_if_turn_ends_there", "promote_and_stop", "promote_and_continue"])
@pytest.mark.parametrize("cleared", [True, False])
def test_matches_with_memory_and_promotion_are_read_back(scope: str, midchain: str, cleared: bool) -> None:
    fetaix = load_game("fetaix", man_capture_dirs="all")
    rules = {"undo_scope": scope, "midchain_promotion": midchain, "undo_cleared_by_jump": cleared, "man_steps": "all"}
    game = replace(fetaix, rules=replace(fetaix.rules, **rules))
    for seed in range(2):
        check(game, seed, is_in_a_file=False)


def test_a_file_of_matches_of_all_games_is_read_one_by_one() -> None:
    matches = [list(islice(random_match(load_game(name), 1), 40))[-1] for name in games()]
    found = [record.match for record in read_records("\n".join(str(Record(match)) for match in matches))]
    assert [(each.game, each.steps) for each in found] == [(match.game, match.steps) for match in matches]
