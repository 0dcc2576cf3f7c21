"""Missed wins of a match, and the lines in which one turn alone wins."""

import random

from alquerque_env import Match, load_table
from alquerque_env.exercises.exercise import find_missed_wins
from tests.lost_match import GAME, lost_match
from tools.lessons import legal_turns


def winning_turns(match: Match) -> set[tuple[str, ...]]:
    """The turns that win, each step by step."""
    table, found = load_table(GAME), set()
    for turn in legal_turns(match):
        after, own = turn.after, match.player
        value = 0 if after.is_over else table.value(after)
        won = after.outcome.winner == own if after.is_over else value == (1 if after.player == own else -1)
        if won:
            found.add(tuple(step.text for step in turn.steps))
    return found


def test_a_missed_win_goes_on_while_one_turn_alone_wins_against_the_longest_resistance() -> None:
    table, lines = load_table(GAME), []
    for seed in range(12):
        match, chance = Match(GAME), random.Random(seed)
        while not match.is_over:
            match.push(chance.choice(match.legal_steps))
        lines += [exercise for _, exercise in find_missed_wins(match, [0, 1], table, None)]
    assert max(len(line) for _, line in lines) > 5
    for position, line in lines:
        match = Match(GAME, position)
        player = match.player
        for number, turn in enumerate(line):
            if match.player == player:
                assert winning_turns(match) == {turn}
            else:
                assert table.distance(match) == max(found.distance for found in table.steps(match))
            before = table.distance(match)
            for text in turn:
                match.push(next(step for step in match.legal_steps if step.text == text))
            assert match.is_over or number % 2 == 0 or table.distance(match) == before - 1
        replies = [] if match.is_over else match.legal_steps
        for reply in replies:  # there is no longest resistance after which one turn alone wins again
            after = match.copy()
            after.push(reply)
            if after.player == player and table.distance(after) == table.distance(match) - 1:
                assert len(winning_turns(after)) > 1


def test_the_match_that_is_looked_through_is_unchanged() -> None:
    match, _ = lost_match()
    before = match.position, match.steps
    list(find_missed_wins(match, [0, 1], load_table(GAME), None))
    assert (match.position, match.steps) == before
