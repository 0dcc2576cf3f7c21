"""Outcomes of a match: `4 * reason + winner`; the winner NOBODY is a draw."""

ONGOING = 0
CAPTURED_ALL, BLOCKED, REPETITION, NO_PROGRESS, BY_MAJORITY, REACHED_GOAL = 1, 2, 3, 4, 5, 6
NOBODY = 2
NO_WINNER = -1

OCCURRENCES_TO_DRAW = 3
