"""Plays many matches at once: in each round every bot chooses in all matches in which it is to move."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..bots import Bot
from ..errors import BotError, IllegalStepError
from ..game.step import Step
from ..match.match import Match

CUT, FAULT = "cut", "fault"  # reasons of ends that are not by the rules


@dataclass(frozen=True)
class End:
    """How a match ended."""

    winner: int | None  # 0, 1, or None for a draw
    reason: str  # as in `Outcome`, "cut" for a draw at the maximal length, or "fault" for a loss because the bot failed
    fault: str | None = None  # the error of the bot; None without a fault


def play_matches(
    matches: Sequence[Match], seats: Sequence[tuple[Bot, Bot]], max_steps: int
) -> Iterator[tuple[int, End]]:
    """Plays matches to their ends, in a fixed order, so that the same bots give the same results.

    Matches are changed. One of `max_steps` steps is cut and counts as a draw. Yields the index of each match and its
    end, in the order in which they end.
    """
    running = dict(enumerate(matches))
    left = [max_steps - len(match.steps) for match in matches]
    while running:
        ends = dict(_play_forced(running, left))
        for place in ends:
            del running[place]
        yield from ends.items()
        groups: dict[int, tuple[Bot, list[int]]] = {}
        for place, match in running.items():
            bot = seats[place][match.player]
            groups.setdefault(id(bot), (bot, []))[1].append(place)
        for bot, places in groups.values():
            for place, fault in _play_round(bot, places, matches):
                loser = running.pop(place).player
                yield place, End(1 - loser, FAULT, fault)
            for place in places:
                left[place] -= 1


def _play_forced(running: dict[int, Match], left: list[int]) -> Iterator[tuple[int, End]]:
    """Plays the forced steps in each match, within the steps that are left; yields the matches that are over."""
    for place, match in running.items():
        while len(match.legal_steps) == 1 and left[place] > 0:
            match.push(match.legal_steps[0])
            left[place] -= 1
        if match.outcome is not None:
            yield place, End(match.outcome.winner, match.outcome.reason)
        elif left[place] <= 0:
            yield place, End(None, CUT)


def _play_round(bot: Bot, places: list[int], matches: Sequence[Match]) -> Iterator[tuple[int, str]]:
    """Lets a bot play one step in each of its matches; yields the matches in which it failed, and the errors."""
    try:
        steps: list[Step | str] = list(choose_many(bot, [matches[place] for place in places]))
    # Bots of users can fail in any way; one match at a time shows which matches they fail in.
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


def choose_many(bot: Bot, matches: list[Match]) -> Sequence[Step]:
    """Asks a bot for a step in each of several matches, at once if it can."""
    if not hasattr(bot, "choose_many"):
        return [bot.choose(match) for match in matches]
    steps: Sequence[Step] = bot.choose_many(matches)
    if len(steps) != len(matches) or not all(isinstance(step, Step) for step in steps):
        raise BotError(f"{bot.name} did not choose a step for each of {len(matches)} matches")
    return steps


def _choose(bot: Bot, match: Match) -> Step | str:
    """Returns a step, or the bot's error in this match."""
    try:
        return choose_many(bot, [match])[0]
    except BotError as error:
        return str(error)
    except Exception as error:
        return f"{bot.name}: {type(error).__name__}: {error}"
