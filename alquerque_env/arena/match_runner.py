"""Plays many matches at once: in each round every bot is asked once, for all matches in which it is to move."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..bots import Bot
from ..errors import BotError, IllegalStepError
from ..game.step import Step
from ..match.match import Match

CUT, FAULT = "cut", "fault"
"""Why a match ended, where the rules did not end it."""


@dataclass(frozen=True)
class End:
    """How a match ended.

    Attributes:
      winner: 0, 1, or None for a draw.
      reason: As in `Outcome`, or "cut" for a draw because it went on for too long, or "fault" for a loss because the
        bot could not go on.
      fault: What the bot did wrong, None without a fault.
    """

    winner: int | None
    reason: str
    fault: str | None = None


def play_matches(
    matches: Sequence[Match], seats: Sequence[tuple[Bot, Bot]], max_steps: int
) -> Iterator[tuple[int, End]]:
    """Plays matches to their ends.

    Args:
      matches: Are played on from where they are.
      seats: The bots that play each of them, as player 0 and as player 1.
      max_steps: A match of so many steps is cut and counts as a draw.

    Yields:
      The place of each match in `matches` and its end, as they end. The same bots give the same results: neither
      time nor threads decide anything.
    """
    running = dict(enumerate(matches))
    left = [max_steps - len(match.steps) for match in matches]
    while running:
        ends = dict(_without_thought(running, left))
        for place in ends:
            del running[place]
        yield from ends.items()
        for bot, places in _by_bot(running, seats):
            for place, fault in _play_round(bot, places, matches):
                loser = running.pop(place).player
                yield place, End(1 - loser, FAULT, fault)
            for place in places:
                left[place] -= 1


def _without_thought(running: dict[int, Match], left: list[int]) -> Iterator[tuple[int, End]]:
    """Plays on to the next choice in each match, within the steps that are left; tells which are over."""
    for place, match in running.items():
        while len(match.legal_steps) == 1 and left[place] > 0:
            match.push(match.legal_steps[0])
            left[place] -= 1
        if match.outcome is not None:
            yield place, End(match.outcome.winner, match.outcome.reason)
        elif left[place] <= 0:
            yield place, End(None, CUT)


def _by_bot(running: dict[int, Match], seats: Sequence[tuple[Bot, Bot]]) -> list[tuple[Bot, list[int]]]:
    """The bots that are to move, each with its matches."""
    groups: dict[int, tuple[Bot, list[int]]] = {}
    for place, match in running.items():
        bot = seats[place][match.player]
        groups.setdefault(id(bot), (bot, []))[1].append(place)
    return list(groups.values())


def _play_round(bot: Bot, places: list[int], matches: Sequence[Match]) -> Iterator[tuple[int, str]]:
    """Lets a bot play one step in each of its matches; tells in which it failed, and how."""
    try:
        steps: list[Step | str] = list(_choose_many(bot, [matches[place] for place in places]))
    # A player of somebody's own can fail in any way, and must not take the results of the others with it.
    except Exception:
        steps = [_choose(bot, matches[place]) for place in places]
    for place, step in zip(places, steps, strict=True):
        if isinstance(step, str):
            yield place, step
            continue
        try:
            matches[place].push(step)
        except IllegalStepError as error:
            yield place, f"{bot.name}: {error}"


def _choose_many(bot: Bot, matches: list[Match]) -> Sequence[Step]:
    if not hasattr(bot, "choose_many"):
        return [bot.choose(match) for match in matches]
    steps: Sequence[Step] = bot.choose_many(matches)
    if len(steps) != len(matches) or not all(isinstance(step, Step) for step in steps):
        raise BotError(f"{bot.name} did not choose a step for each of {len(matches)} matches")
    return steps


def _choose(bot: Bot, match: Match) -> Step | str:
    """A step, or what is wrong with the bot in this match."""
    try:
        return _choose_many(bot, [match])[0]
    except BotError as error:
        return str(error)
    except Exception as error:
        return f"{bot.name}: {type(error).__name__}: {error}"
