"""The images of a position under the symmetries of its game."""

import re


def rename(piece, label):
    return re.sub("[a-z]+[0-9]+", lambda found: label[found[0]], piece)


def images(game, position):
    """A position's text under every symmetry of the game."""
    for symmetry in game.symmetries:
        label = {old: game.board.labels[symmetry.points[place]] for place, old in enumerate(game.board.labels)}
        mover, *sides = position.split(":")[:3]
        moved = [frozenset(rename(piece, label) for piece in side[1:].split(",")) for side in sides]
        yield mover, *moved
