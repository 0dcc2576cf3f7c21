"""The pictures in the rules of the page: examples of the rules, drawn like every board."""

from functools import lru_cache

from ..game.game import Game
from ..match.match import Match
from ..match.rule_examples import RuleExample, rule_examples
from ..render import Picture, draw_svg

SIZE = 320  # pixels of the longer side of a picture, which the page shows smaller


@lru_cache(maxsize=64)
def show_rule_pictures(game: Game) -> dict[str, list[dict[str, str]]]:
    """The examples of a game with its options: name, sentence, the position in words, and the picture as SVG."""
    shown = []
    for example in rule_examples(game):
        picture = example_picture(game, example)
        text = {"name": example.name, "sentence": example.sentence, "position": picture.description}
        shown.append({**text, "svg": draw_svg(picture, size=SIZE)})
    return {"pictures": shown}


def example_picture(game: Game, example: RuleExample) -> Picture:
    """The picture of an example: after its turn, with the way of it; else with what is possible."""
    match = Match(game, position=example.position)
    for text in example.turn:
        match.push(next(step for step in match.legal_steps if step.text == text))
    if example.turn or example.name == "start":
        return match.picture(player=None)
    steps = [step for step in match.legal_steps if step.origin == example.origin]
    targets = tuple({step.target: None for step in steps if step.target is not None})
    removed = tuple({point: None for step in steps if step.target is None for point in step.captured})
    ringed = removed if example.origin is None else (example.origin,)
    return match.picture(player=None, targets=targets, origins=ringed)
