"""Matches and the texts of match files, as tests of records write them."""

import pytest

from alquerque_env import Match, Record, load_game, read_records
from alquerque_env.errors import RecordError
from alquerque_env.game import state_layout as STATE
from alquerque_env.match.replay import first_position

MURRAY_CHAIN = "W:Wa1:Bb1,d1,e5"


def record(text: str) -> Record:
    """The one match of a text."""
    (found,) = read_records(text)
    return found


def text_of(turns: str, game: str = "fetaix", result: str = "*", **headers: str) -> str:
    lines = [f'[{name} "{value}"]' for name, value in {"Game": game, **headers}.items()]
    return "\n".join([*lines, "", f"{turns} {result}", ""])


def played(game: str, *turns: str, position: str | None = None, **options: object) -> Match:
    match = Match(load_game(game, **options), position)
    for turn in turns:
        match.push(turn)
    return match


def refused(text: str) -> str:
    """Returns the message with which a text is refused."""
    with pytest.raises(RecordError) as caught:
        list(read_records(text))
    message = str(caught.value)
    assert "\n" not in message
    return message


def same(one: Match, other: Match) -> bool:
    """Whether two matches have the same game, start, steps and position."""
    return (
        one.game.table_hash == other.game.table_hash
        and one.steps == other.steps
        and one.position == other.position
        and one.outcome == other.outcome
        and one.occurrences() == other.occurrences()
        and first_position(one) == first_position(other)
    )


def state(match: Match) -> list[int]:
    """The engine's state; the clock only where the text has it."""
    words = [int(word) for word in match.state]
    if match.game.rules.no_progress_limit == "off":
        words[STATE.QUIET] = 0
    return words
