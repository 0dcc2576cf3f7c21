"""Scores in words."""

from alquerque_env.search.scores import MAN_SCORE, WIN, score_to_value, turns_to_end, value_in_words


def in_words(score: int) -> str:
    return value_in_words(score_to_value(score), turns_to_end(score))


def test_a_score_is_said_in_pieces_and_a_certain_end_in_turns():
    words = {
        0: "level",
        24: "level",
        50: "a little better",
        MAN_SCORE: "a piece up",
        -2 * MAN_SCORE: "two pieces down",
        3 * MAN_SCORE: "three pieces up",
        -9 * MAN_SCORE: "far behind",
        WIN - 13: "wins in 13",
        4 - WIN: "loses in 4",
    }
    assert {score: in_words(score) for score in words} == words
    assert (value_in_words(1.0), value_in_words(-1.0)) == ("wins", "loses")
