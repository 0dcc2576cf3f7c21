"""What the page shows of the variations of a match: branches of turns, each beside the turns that it replaces."""

from collections.abc import Sequence
from typing import Any

from ..errors import AlquerqueError, shorten
from ..game.step import Step
from ..match.match import Match
from ..match.replay import push_text
from ..match.variations import arrange, replay_line
from .page_view import show_turns


def show_variations(match: Match, variations: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The branches of some lines, and what is wrong with lines that are not legal to their end."""
    lines, problems = legal_lines(match, variations)
    branches = [
        {
            "parent": branch.parent,
            "start": branch.start,
            "steps": [step.text for step in lines[branch.line]],
            "turns": list(show_turns(match.game, branch.turns, branch.place, branch.start)),
        }
        for branch in arrange(match, lines)
    ]
    return {"lines": [[step.text for step in line] for line in lines], "branches": branches, "problems": problems}


def legal_lines(match: Match, variations: Sequence[Sequence[str]]) -> tuple[list[tuple[Step, ...]], list[str]]:
    """The variations up to the first step that is not legal, and a sentence about each one that is cut off there."""
    ahead, lines, problems = match.copy(), [], []
    for number, texts in enumerate(variations, 1):
        played = [step.text for step in ahead.steps]
        common = 0
        while common < min(len(played), len(texts)) and played[common] == texts[common]:
            common += 1
        replay_line(ahead, ahead.steps[:common])
        for text in texts[common:]:
            try:
                push_text(ahead, text)
            except AlquerqueError:
                done = ahead.num_steps
                kept = f"is kept up to step {done}" if done else "is left out"
                problems.append(f"Variation {number} {kept}: its step {done + 1}, {shorten(text)}, is not legal.")
                break
        if ahead.num_steps:
            lines.append(ahead.steps)
    return lines, problems
