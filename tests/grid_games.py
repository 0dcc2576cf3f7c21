"""Game files of games on rectangular boards of any size, for tests of what takes long on a large board."""

from pathlib import Path

from tests.own_games import write_rules


def write_grid(folder: Path, width: int, height: int, **rules: object) -> Path:
    """Writes the file of a game on `width` times `height` points, joined as those of Alquerque.

    Each side begins on its half of the board; the point in the middle is vacant.
    """
    labels = [f"{chr(ord('a') + x)}{y + 1}" for y in range(height) for x in range(width)]
    half = (len(labels) - 1) // 2
    board = {"rows": [list(range(width))] * height, "lines": _lines(width, height)}
    rules = {"promotion": "last_rank", "no_progress_limit": 40} | rules
    return write_rules(folder, "grid", board, " ".join(labels[:half]), " ".join(labels[-half:]), **rules)


def _lines(width: int, height: int) -> list[str]:
    across = [[(x, y) for x in range(width)] for y in range(height)]
    along = [[(x, y) for y in range(height)] for x in range(width)]
    slanted = [
        [(x + way * step, step - x * way) for step in range(-width - height, width + height)]
        for way in (1, -1)
        for x in range(-height, width + height)
    ]
    lines = []
    for line in (*across, *along, *slanted):
        inside = [(x, y) for x, y in line if 0 <= x < width and 0 <= y < height]
        if len(inside) > 1:
            lines.append(" ".join(f"{chr(ord('a') + x)}{y + 1}" for x, y in inside))
    return lines
