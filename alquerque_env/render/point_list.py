"""A picture as a list of its points, for boards that are too wide for a terminal."""

import textwrap
from collections.abc import Iterable, Iterator

from .picture import SIDES, Picture


def list_points(picture: Picture, width: int) -> list[str]:
    """Lists what a picture shows: the pieces of each side, the marks, and the lines of the board.

    Args:
      picture: What to list.
      width: Most characters in a line of text.
    """
    return [line for entry in _entries(picture) for line in textwrap.wrap(entry, width, subsequent_indent="  ")]


def _entries(picture: Picture) -> Iterator[str]:
    board = picture.board
    names = [*board.labels]
    for point, (_, promoted) in picture.pieces.items():
        names[point] = f"{'K' if promoted else ''}{board.labels[point]}"

    def listed(points: Iterable[int]) -> str:
        return " ".join(names[point] for point in points) or "none"

    for player, side in enumerate(SIDES):
        mover = " to move" if picture.player == player else ""
        own = (point for point, (owner, _) in sorted(picture.pieces.items()) if owner == player)
        yield f"{side}{mover}: {listed(own)}"
    yield f"Vacant: {listed(point for point in range(len(board.points)) if point not in picture.pieces)}"
    marks = {
        "In a chain": () if picture.chain is None else (picture.chain,),
        "Captured, not yet removed": picture.pending,
        "May move": picture.origins,
        "Targets": picture.targets,
        "Last turn": picture.last_turn,
        "Captured": picture.captured,
    }
    yield from (f"{mark}: {listed(points)}" for mark, points in marks.items() if points)
    drawn = [*board.lines, *board.end_arcs, *(circle + circle[:1] for circle in board.circles)]
    lines = "; ".join(" ".join(board.labels[point] for point in line) for line in drawn)
    yield f"Lines: {lines}"
