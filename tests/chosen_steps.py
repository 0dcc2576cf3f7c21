"""Matches played by a list of numbers, each a choice among the legal steps."""

from alquerque_env import Match


def play_on(match: Match, choices: list[int]) -> Match:
    """Pushes a step for each number, as long as the match is not over; returns the match."""
    for choice in choices:
        if match.is_over:
            break
        match.push(match.legal_steps[choice % len(match.legal_steps)])
    return match
