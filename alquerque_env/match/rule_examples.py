"""Examples of the rules of a game: small positions in which a piece steps, captures or is promoted.

They are found in random play by the game's own engine and then emptied piece by piece, as long as they show the same.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..errors import AlquerqueError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.options import with_article
from ..game.rules_text import SIDES
from ..game.ruleset import NORTH, SOUTH
from ..game.step import Step, join_turn
from .match import Match
from .replay import replay

MATCHES = 40
"""Random matches that are played at most."""
ENOUGH = 10
"""Matches after which one example of each kind is enough."""
PLIES = 120
"""Steps of each of them at most."""
CANDIDATES = 6
"""Positions with the same example that are emptied, of which the one with the fewest pieces is kept."""
_LONGEST_CHAIN = 5


class RuleExample(NamedTuple):
    """A position that shows a rule."""

    # `start`, `drop`, `removal`, `step`, `capture`, `compulsory`, `chain`, `promotion`, `king_step` or
    # `king_capture`; in games of two roles with the side, as `step_south`
    name: str
    position: str | None  # the position text; None for the start of the game
    turn: tuple[str, ...]  # the texts of the steps that are played from it; empty if the example shows what is possible
    origin: int | None  # the point of the piece whose targets are shown; None for drops, and where a turn is played
    sentence: str  # what is seen


class _Candidate(NamedTuple):
    """A turn or a piece in a position that may be an example."""

    match: Match
    steps: tuple[Step, ...]

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def after(self) -> Match:
        after = self.match.copy()
        for step in self.steps:
            after.push(step)
        return after


def rule_examples(game: Game) -> list[RuleExample]:
    """Returns the examples that random play leads to, in the order in which they are told; always the same ones."""
    begins = f"{SIDES[game.first_player]} moves first."
    examples = [RuleExample("start", None, (), None, f"The start. {begins}")]
    for name, found in _search(game).items():
        small = min((_emptied(candidate, name) for candidate in found), key=_size)
        examples.append(_example(game, name, small))
    return examples


def _wanted(game: Game) -> list[str]:
    """The names of the examples that are wanted. Where the sides are alike, South shows it."""
    rules = game.rules
    sides = [(f"_{side.lower()}", player) for player, side in enumerate(SIDES)] if game.has_roles else [("", SOUTH)]
    arise = {
        "drop": any(game.hands),
        "removal": any(ply.does == TABLE.REMOVES for ply in game.schedule),
        **{f"step{suffix}": game.step_directions(player) != "none" for suffix, player in sides},
        **{f"capture{suffix}": game.captures(player) != "none" for suffix, player in sides},
        "compulsory": rules.capture == "compulsory",
        "chain": rules.chain != "single",
        **dict.fromkeys(("promotion", "king_step", "king_capture"), rules.promotion != "none"),
    }
    return [name for name, arises in arise.items() if arises]


def _kind(name: str) -> str:
    return name.removesuffix("_south").removesuffix("_north")


def _fits(found: _Candidate, name: str) -> bool:
    """Whether a candidate shows what an example of this name does."""
    kind, player = _kind(name), NORTH if name.endswith("_north") else SOUTH
    return (kind in _OF_BOTH or found.match.player == player) and _SHOWS[kind](found)


def _is_king(found: _Candidate) -> bool:
    return found.steps[0].origin is not None and _has_king(found.match, found.match.player, found.steps[0].origin)


def _has_king(match: Match, player: int, point: int) -> bool:
    return bool(int(match.state[STATE.KINGS + player]) >> point & 1)


def _is_quiet(found: _Candidate) -> bool:
    """Whether the piece may step to two points at least, and captures nothing."""
    origin = found.steps[0].origin
    steps = [step for step in found.match.legal_steps if step.origin == origin]
    return origin is not None and len(steps) > 1 and not any(step.captured for step in found.match.legal_steps)


def _captures_always(steps: Sequence[Step]) -> bool:
    return all(step.origin is not None and step.captured for step in steps)


def _captures_once(found: _Candidate) -> bool:
    return len(found.steps) == 1 and _captures_always(found.steps)


def _is_chain(found: _Candidate) -> bool:
    """Whether several captures are seen, none of them below the piece that has made them."""
    captured = {point for step in found.steps for point in step.captured}
    return len(found.steps) > 1 and _captures_always(found.steps) and found.last.target not in captured


def _is_compulsory(found: _Candidate) -> bool:
    """Whether the one piece that can capture must move, and another piece stands beside."""
    match = found.match
    own = sum(player == match.player for player, _ in match.picture().pieces.values())
    origins = {step.origin for step in match.legal_steps}
    return len(origins) == 1 and own > 1 and _captures_always(match.legal_steps) and _could_step(match, origins)


def _could_step(match: Match, origins: set[int | None]) -> bool:
    """Whether another piece of the player has a free neighbour in a direction in which it may step."""
    pieces, game = match.picture().pieces, match.game
    return any(
        player == match.player
        and point not in origins
        and any(
            other not in pieces and game.goes(game.step_directions(player), player, point, other)
            for other in game.board.neighbours[point]
        )
        for point, (player, promoted) in pieces.items()
        if not promoted
    )


def _is_promotion(found: _Candidate) -> bool:
    target, player, game = found.last.target, found.match.player, found.match.game
    zone = game.promotion[player] or game.last_rank(player)
    if target is None or target not in zone or found.steps[0].origin is None or _is_king(found):
        return False
    return _has_king(found.after, player, target)


_SHOWS: dict[str, Callable[[_Candidate], bool]] = {
    "drop": lambda found: found.last.origin is None and found.last.target is not None,
    "removal": lambda found: found.last.target is None and bool(found.last.captured),
    "step": lambda found: _is_quiet(found) and not _is_king(found),
    "capture": lambda found: _captures_once(found) and not _is_king(found),
    "compulsory": _is_compulsory,
    "chain": _is_chain,
    "promotion": _is_promotion,
    "king_step": lambda found: _is_quiet(found) and _is_king(found),
    "king_capture": lambda found: _captures_once(found) and _is_king(found),
}
_OF_BOTH = ("drop", "removal")  # whichever side shows it


def _search(game: Game) -> dict[str, list[_Candidate]]:
    """Candidates from random matches, for everything that is wanted and occurs."""
    found: dict[str, list[_Candidate]] = {name: [] for name in _wanted(game)}
    for seed in range(MATCHES):
        match, chance = Match(game), random.Random(seed)
        seen = set()
        while not match.is_over and len(match.steps) < PLIES:
            missing = [name for name in found if name not in seen and len(found[name]) < CANDIDATES]
            if not missing:
                break
            here = Match(game, position=match.position) if match.chain is None else None
            if here is not None and not here.is_over:
                for candidate in _candidates(here):
                    for name in missing:
                        if name not in seen and _fits(candidate, name):
                            found[name].append(candidate)
                            seen.add(name)  # each match gives one
            match.push(chance.choice(match.legal_steps))
        least = min((len(each) for each in found.values()), default=CANDIDATES)
        if least == CANDIDATES or (seed >= ENOUGH and least > 0):
            break
    return {name: each for name, each in found.items() if each}


def _candidates(match: Match) -> Iterator[_Candidate]:
    """Every step, and the turns that it begins."""
    for step in match.legal_steps:
        yield _Candidate(match, (step,))
        yield from _longer(match, (step,))


def _longer(match: Match, steps: tuple[Step, ...]) -> Iterator[_Candidate]:
    if not steps[-1].captured or len(steps) == _LONGEST_CHAIN:
        return
    after = _Candidate(match, steps).after
    if after.is_over or after.player != match.player or after.chain is None:
        return
    for step in after.legal_steps:
        if step.captured:
            yield _Candidate(match, (*steps, step))
            yield from _longer(match, (*steps, step))


def _emptied(found: _Candidate, name: str) -> _Candidate:
    """The candidate without the pieces, clocks and memory that it does not need."""
    labels = found.match.game.board.labels
    for point in sorted(found.match.picture().pieces):
        mover, south, north, *fields = found.match.position.split(":")
        fewer = [_without(side, labels[point]) for side in (south, north)]
        found = _again(found, name, ":".join([mover, *fewer, *fields])) or found
    return _again(found, name, ":".join(found.match.position.split(":")[:3])) or found


def _without(side: str, label: str) -> str:
    return side[0] + ",".join(piece for piece in side[1:].split(",") if piece.removeprefix("K") != label)


def _again(found: _Candidate, name: str, position: str) -> _Candidate | None:
    """The same turn from another position; None if it is no example there."""
    try:
        match = Match(found.match.game, position=position)
        steps = replay(match.game, position, [step.text for step in found.steps]).steps
    except AlquerqueError:
        return None
    again = _Candidate(match, steps)
    return again if not match.is_over and _fits(again, name) else None


def _size(found: _Candidate) -> tuple[int, int]:
    """Few pieces, then many steps of the piece that moves."""
    origin = found.steps[0].origin
    reach = sum(step.origin == origin for step in found.match.legal_steps)
    return len(found.match.picture().pieces), -reach


def _example(game: Game, name: str, found: _Candidate) -> RuleExample:
    kind = _kind(name)
    match, (first, *_), labels = found.match, found.steps, game.board.labels
    is_alike = not game.has_roles and game.rules.promotion == "none"
    mover, enemy = ("piece" if is_alike else game.sides[player].piece for player in (match.player, 1 - match.player))
    king = game.promoted_piece
    victims = " and ".join(labels[point] for step in found.steps for point in step.captured)
    origin, target = (labels[point] if point is not None else "" for point in (first.origin, found.last.target))
    who = with_article(king if "king" in kind else mover).capitalize()
    whole = join_turn([step.text for step in found.steps])
    sentence = {
        "drop": f"{SIDES[match.player]} puts {with_article(mover)} on one of the marked points.",
        "removal": f"{SIDES[match.player]} removes a ringed {enemy}.",
        "step": f"{who} may step to the marked points.",
        "king_step": f"{who} may step to the marked points.",
        "capture": f"{who} goes from {origin} to {target} and captures the {enemy} on {victims}.",
        "king_capture": f"{who} goes from {origin} to {target} and captures the piece on {victims}.",
        "compulsory": "Capture is compulsory: only the ringed piece may move.",
        "chain": f"A chain of {len(found.steps)} captures in one turn: {whole}.",
        "promotion": f"{who} that reaches {target} becomes {with_article(king)}.",
    }[kind]
    shows_turn = kind in ("capture", "king_capture", "chain", "promotion")
    turn = tuple(step.text for step in found.steps) if shows_turn else ()
    shows_targets = kind in ("step", "king_step", "compulsory")
    return RuleExample(name, match.position, turn, first.origin if shows_targets else None, sentence)
