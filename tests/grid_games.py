"""Game files of games on rectangular boards of any size, for tests of what takes long on a large board."""

from pathlib import Path

_GAME = """
title = "Grid"
version = 1
sources = ["an example"]
[board]
title = "Grid"
rows = {rows}
lines = {lines}
[start]
south = "{south}"
north = "{north}"
[options]
[rules]
"""
_RULES: dict[str, object] = {
    "man_steps": "all",
    "man_capture_dirs": "all",
    "promotion": "last_rank",
    "progress": "capture",
    "capture": "compulsory",
    "chain": "compulsory",
    "capture_removal": "immediate",
    "no_moves": "loss",
    "repetition": "off",
    "no_progress_limit": 40,
    "no_progress_result": "draw",
    "who_starts": "player_0",
}


def write_grid(folder: Path, width: int, height: int, **rules: object) -> Path:
    """Writes the file of a game on `width` times `height` points, joined as those of Alquerque.

    Each side begins on its half of the board; the point in the middle is vacant.
    """
    labels = [f"{chr(ord('a') + x)}{y + 1}" for y in range(height) for x in range(width)]
    half = (len(labels) - 1) // 2
    text = _GAME.format(
        rows=[list(range(width))] * height,
        lines=_lines(width, height),
        south=" ".join(labels[:half]),
        north=" ".join(labels[-half:]),
    )
    answers = "\n".join(f"{name} = {_spell(value)}" for name, value in (_RULES | rules).items())
    file = folder / "grid.toml"
    file.write_text(text + answers, encoding="utf-8")
    return file


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


def _spell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'
