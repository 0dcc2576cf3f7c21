"""Makes the lessons that come with the package, from random play of each game.

    python -m tools.lessons

It writes `alquerque_env/exercises/lessons.json.gz`; the same command writes the same file.
"""

import gzip
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from alquerque_env import Match, games, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises.lessons import (
    FORMAT,
    SENTENCES,
    SHIPPED,
    GameLessons,
    Lesson,
    LessonFile,
    task,
)
from alquerque_env.files.atomic import write_whole
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.step import Step
from alquerque_env.render.geometry import lay_out

COUNT = 5
"""Lessons of a game."""
MATCHES = 40
"""Random matches that are looked through."""
LONGEST = 160
"""Steps after which a random match is broken off."""
MOST_TURNS = 80
"""Legal turns of a position that a lesson begins with, at most."""

_FIRST = "drop", "step"  # shown in the first position that has them, the others in one with few pieces
_AGAIN = "step", "capture", "chain", "win by blocking", "compulsory capture"  # shown twice where a game has few themes

# Left out, in this order, where a game has more themes than lessons.
_LESS = "removal", "promoted piece", "capture", "win by blocking", "compulsory capture", "win by capture", "row"


class Turn(NamedTuple):
    """A legal turn: its steps, and the match after it."""

    steps: tuple[Step, ...]
    after: Match

    @property
    def captured(self) -> int:
        """How many pieces it takes."""
        return sum(len(step.captured) for step in self.steps)

    @property
    def leaps(self) -> int:
        """How many of its steps are captures by a move."""
        return sum(bool(step.captured) and step.origin is not None for step in self.steps)


class Theme(NamedTuple):
    """What a lesson shows: the only legal turn of the position that fits.

    Attributes:
      fits: Whether a turn from a position shows it.
      holds: What else must be true of the position and all its legal turns.
    """

    fits: Callable[[Match, Turn], bool]
    holds: Callable[[Match, list[Turn]], bool] = lambda _match, _turns: True


def legal_turns(match: Match, most: int = MOST_TURNS) -> list[Turn] | None:
    """Returns the legal turns, each path once; None if there are more than `most`."""
    begun = len(match.steps)
    found: list[Turn] = []
    open_ = [match]
    while open_:
        now = open_.pop()
        for step in reversed(now.legal_steps):
            after = now.copy()
            after.push(step)
            if after.turn_goes_on:
                open_.append(after)
            elif len(found) == most:
                return None
            else:
                found.append(Turn(after.steps[begun:], after))
    return found


def is_promoted(match: Match, turn: Turn) -> bool:
    """Whether the piece that moves is a promoted one."""
    origin = turn.steps[0].origin
    return origin is not None and match.picture().pieces[origin][1]


def moves_first(match: Match, turn: Turn) -> bool:
    """The first of the plain steps: one of them, so that the sentence names it."""
    first = next((step for step in match.legal_steps if not step.captured and step.origin is not None), None)
    return turn.steps == (first,) and not turn.steps[0].is_pass and not is_promoted(match, turn)


def drops_in_the_middle(match: Match, turn: Turn) -> bool:
    """The drop in the middle of the list: one of them, so that the sentence names it."""
    drops = [step for step in match.legal_steps if step.origin is None and step.target is not None]
    return len(turn.steps) == 1 and turn.steps[0] in drops[len(drops) // 2 : len(drops) // 2 + 1]


def removes_first(match: Match, turn: Turn) -> bool:
    """The first of the removals."""
    first = next((step for step in match.legal_steps if step.captured and step.target is None), None)
    return turn.steps == (first,) and turn.captured == 1


def must_capture(match: Match, turns: list[Turn]) -> bool:
    """Every turn captures, though pieces of the player stand beside free points."""
    game, pieces = match.game, match.picture().pieces
    if game.rules.capture != "compulsory" or not all(turn.captured for turn in turns):
        return False
    own = [point for point, (player, _) in pieces.items() if player == match.player]
    return sum(any(other not in pieces for other in game.board.neighbours[point]) for point in own) > 1


def bends(match: Match, step: Step) -> bool:
    """Whether a leap goes over a piece that is not between its ends."""
    if step.origin is None or step.target is None or len(step.captured) != 1 or any(match.game.flankers):
        return False
    return lay_out(match.game.board).is_beside(step.captured[0], step.origin, step.target)


def bends_over_one(match: Match, turn: Turn) -> bool:
    """The first of the legal bent leaps that is the only one over its victim, so that the sentence names it."""
    bent = [step for step in match.legal_steps if bends(match, step)]
    over = [step.captured for step in bent]
    return turn.steps[0] == next((step for step in bent if over.count(step.captured) == 1), None)


def promotes(match: Match, turn: Turn) -> bool:
    """Whether the player has more promoted pieces after a turn."""

    def count(each: Match) -> int:
        return sum(piece == (match.player, True) for piece in each.picture().pieces.values())

    return count(turn.after) > count(match)


def wins(match: Match, turn: Turn, reason: str = "") -> bool:
    """Whether a turn wins, for that reason or for any."""
    outcome = turn.after.outcome
    return outcome is not None and outcome.winner == match.player and reason in ("", outcome.reason)


def is_only_win(match: Match, turns: list[Turn]) -> bool:
    """Whether no other turn wins in another way, and there is a choice."""
    return sum(wins(match, turn) for turn in turns) == 1 and len(turns) > 1


def has_choice(_match: Match, turns: list[Turn]) -> bool:
    """Whether there is more than one turn."""
    return len(turns) > 1


THEMES = {
    "drop": Theme(drops_in_the_middle),
    "step": Theme(moves_first),
    "removal": Theme(removes_first),
    "capture": Theme(
        lambda match, turn: turn.captured == turn.leaps == 1 and not is_promoted(match, turn),
        has_choice,
    ),
    "compulsory capture": Theme(lambda _, turn: turn.captured > 0, must_capture),
    "row": Theme(lambda _, turn: len(turn.steps) == 1 and turn.captured > 1),
    "chain": Theme(lambda _, turn: turn.leaps > 1),
    "bent leap": Theme(bends_over_one),
    "promotion": Theme(promotes, has_choice),
    "promoted piece": Theme(lambda match, turn: turn.captured > 0 and is_promoted(match, turn)),
    "goal": Theme(partial(wins, reason="goal"), is_only_win),
    "win by capture": Theme(partial(wins, reason="captured"), is_only_win),
    "win by blocking": Theme(partial(wins, reason="blocked"), is_only_win),
}
"""The themes by their names."""


def find_lessons(game: Game, seed: int = 0) -> tuple[Lesson, ...]:
    """Finds the lessons of a game, the same at every call.

    Of the positions that show a theme it takes one with few pieces, where a beginner finds his way.

    Raises:
      AlquerqueError: If random play shows too few.
    """
    found: dict[str, list[tuple[int, Lesson]]] = {theme: [] for theme in THEMES}
    for match in _positions(game, random.Random(seed)):
        turns = legal_turns(match)
        if not turns:
            continue
        count = len(match.picture().pieces)
        for theme, kind in THEMES.items():
            if theme in _FIRST and len(found[theme]) > 1:
                continue
            fitting = [turn for turn in turns if kind.fits(match, turn)]
            if len(fitting) == 1 and kind.holds(match, turns):
                texts = tuple(step.text for step in fitting[0].steps)
                found[theme].append((count, Lesson(theme, match.position, texts)))
    for theme, lessons in found.items():
        if theme not in _FIRST:
            lessons.sort(key=_clearness)
    chosen: list[Lesson] = []
    for theme in [*_spread([theme for theme in THEMES if found[theme]]), *_AGAIN * COUNT]:
        taken = [lesson.position for lesson in chosen]
        new = (lesson for _, lesson in found[theme] if lesson.position not in taken)
        chosen += [lesson] if len(chosen) < COUNT and (lesson := next(new, None)) else []
    if len(chosen) < COUNT:
        raise AlquerqueError(f"random play of {game.name} shows only {len(chosen)} of {COUNT} lessons")
    order = list(SENTENCES)
    return tuple(sorted(chosen, key=lambda lesson: order.index(lesson.theme)))


_FEWEST = 6  # pieces with which a position is still like one of a match


def _clearness(found: tuple[int, Lesson]) -> tuple[bool, bool, int]:
    """The lower, the easier a position is to see through: without memory, with few pieces but not too few."""
    count, lesson = found
    return ":U" in lesson.position, count < _FEWEST, abs(count - _FEWEST)


def _spread(shown: list[str]) -> list[str]:
    """At most `COUNT` of the themes; more are dropped where others tell the same."""
    for theme in _LESS:
        if len(shown) > COUNT and theme in shown:
            shown = [each for each in shown if each != theme]
    return shown[:COUNT]


def _positions(game: Game, generator: random.Random) -> Iterator[Match]:
    """Positions at the beginning of a turn, of random matches, with a clock of 0."""
    for _ in range(MATCHES):
        match = Match(game)
        for _ in range(LONGEST):
            if match.is_over:
                break
            if not match.turn_goes_on:
                state = list(match.state)
                state[STATE.QUIET] = 0
                yield Match.from_state(game, state)
            match.push(generator.choice(match.legal_steps))


def write_lessons(path: Path, command: str, games: Mapping[Game, tuple[Lesson, ...]]) -> None:
    """Writes the lessons of games; raises `OSError` if it cannot."""
    content = LessonFile(
        FORMAT,
        command,
        {game.name: GameLessons(game.table_hash, lessons) for game, lessons in games.items()},
    )
    write_whole(path, gzip.compress(json.dumps(asdict(content), separators=(",", ":")).encode(), mtime=0))


@click.command()
@click.option("--seed", type=click.IntRange(0), default=42, show_default=True)
def main(seed: int) -> None:
    """Make lessons."""
    made = {}
    for name in games():
        game = load_game(name)
        made[game] = find_lessons(game, seed)
        click.echo(f"{name}: {time.process_time():.0f} s of processor time so far")
        for lesson in made[game]:
            click.echo(f"  {lesson.theme}: {task(game, lesson)} {lesson.position}")
    write_lessons(SHIPPED, f"python -m tools.lessons --seed {seed}", made)


if __name__ == "__main__":
    main()
