"""Links: a whole match in the part of an address after `#`.

A link such as `fetaix;man_capture_dirs=all;c2-c3.c4xc2` has the id of the game and the turns in notation. The options
that differ from their defaults, and the text of the first position unless it is the start, stand between them, each
behind a semicolon. A turn that is not finished ends in `~`. What follows behind `&` is for the page alone.
"""

import re
from collections.abc import Callable

from ..errors import AlquerqueError, LinkError, shorten
from ..game.game import Game, load_game
from .match import Match
from .replay import first_position

MAX_STEPS = 5000
"""Steps of the longest match that a link holds."""

_GAME = re.compile(r"([a-z0-9_]+);")
_UNFINISHED = "~"


def read_link(text: str, load: Callable[..., Game] = load_game) -> Match:
    """Reads a link and replays its match, step by step.

    Args:
      text: A link, or an address that has one behind `#`.
      load: Loads a game by its id and options.

    Returns:
      The match.

    Raises:
      LinkError: If this is no link, or one that leads to no match.
      UnknownNameError, RulesError: If there is no such game or option.

    Example:
      >>> read_link("fetaix;c2-c3.c4xc2").turns
      ('c2-c3', 'c4xc2')
    """
    text = text.strip()
    text = text[text.find("#") + 1 :].partition("&")[0]
    found = _GAME.match(text)
    if found is None:
        raise LinkError(
            f"{shorten(text)!r} is no link to a match; expected something like fetaix;c2-c3.c4xc2, or what Copy link "
            "gives"
        )
    *before, turns = text[found.end() :].split(";")
    positions = [part for part in before if ":" in part]
    if len(positions) > 1:
        raise LinkError("the link has more than one first position; expected GAME;POSITION;TURNS")
    options: dict[str, str] = {}
    for part in before:
        name, mark, value = part.partition("=")
        if part in positions:
            continue
        if not mark:
            raise LinkError(f"cannot read {shorten(part)!r} in the link as an option; expected NAME=VALUE")
        if name in options:
            raise LinkError("the link gives an option of the rules twice; expected each once")
        options[name] = value
    game = load(found.group(1), **options)
    try:
        match = Match(game, positions[0] if positions else None)
        for turn in filter(None, turns.split(".")):
            match.push_turn(turn.rstrip(_UNFINISHED), is_whole=not turn.endswith(_UNFINISHED))
    except AlquerqueError as error:
        raise LinkError(f"the link leads to no match of {game.title}: {error}") from None
    return match


def format_link(match: Match) -> str:
    """Writes the link to a match, the part of an address after `#`.

    Args:
      match: The match, of a game of the package.

    Returns:
      The text of the link, without `#`.

    Raises:
      LinkError: If the game is from a file, which others do not have, or the match is too long.

    Example:
      >>> match = Match("fetaix")
      >>> match.push("c2-c3")
      >>> format_link(match)
      'fetaix;c2-c3'
    """
    game = match.game
    if game.file_text:
        raise LinkError(
            f"{game.title} is from a game file, which a link does not hold: save the match as a file instead"
        )
    if match.num_steps > MAX_STEPS:
        raise LinkError(f"the match has more than {MAX_STEPS} steps: save it as a file instead")
    turns = ".".join(match.turns) + (_UNFINISHED if match.steps and match.turn_goes_on else "")
    first = first_position(match)
    return ";".join([game.name, *game.option_texts, *([] if first is None else [first]), turns])
