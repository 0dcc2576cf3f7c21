"""Draws the pictures of README and documentation: `python docs/make_pictures.py`.

    docs/images/<game>.svg   the start of each game, small, as in the list of games
    docs/images/chain.svg    a chain of captures, with the points on which it may go on
    docs/images/match.gif    a match of Fetaix
    docs/images/curves.png   how the strength of trained bots grew during their training
    docs/images/drawn.png    the starts of twelve games drawn at random

And `alquerque_env/web/static/icon.png`, the icon of the page for the home screens of telephones, from `icon.svg`.

Needs the extras `render` and `train`; Matplotlib, which `train` installs, brings Pillow.
"""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from alquerque_env import Game, Match, games, load_game
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.drawn import draw_game
from alquerque_env.render import Picture, draw_rgb, draw_svg
from alquerque_env.render.palette import FRAME_BOTTOM

IMAGES = Path(__file__).parent / "images"
ICON = Path(__file__).parent.parent / "alquerque_env/web/static/icon.png"
LARGE = 360
ICON_SIZE = 180

CHAIN = "c2-c3 c4xc2 c1xc3 a3xc1 c3xa3 b4-b3 a3xc3 c1xc4 d3-c3 d4xb2 a1xc3 c4xc1 c1xa1"
"""Turns of Fetaix with `man_capture_dirs="all"`; the last one can go on."""

MATCH = (
    "b2-c3 d4xb2 a1xc3 a3xa1 c3xa3 a4xa2 d3-d4 d5xd3 d2xd4 e5xc3 e3xe5 b4-a4 e5xb2 a1xe5 b1-a1 c4-b4 a1xa3 a4xa2 "
    "e1-d2 e5xe1xc3 c2xc4xa4 a5xa3 c1-b1 a2-a1 b1-c1 a3-b2 c1xa3 a1xe1 a3-b3 e1-a5 b3-a3 a5xa1"
)
"""A match of Fetaix: `alphabeta:3` (South) against `fetaix-small:64` (North), after four random turns."""

STEP, CAPTURE, END = 700, 900, 4000
"""Milliseconds for which a picture of the match is shown."""

COLOURS = 256


def play(game: Game | str, turns: str) -> Match:
    """A match after some turns."""
    match = Match(game)
    for turn in turns.split():
        match.push(turn)
    return match


def start(game: Game | str, scale: float = 0.5) -> str:
    """The start of a game as SVG; with `scale` 1 it is as large as the board asks for."""
    match = Match(game)
    return draw_svg(match.picture(), size=round(scale * match.game.board.picture_size))


def chain() -> str:
    """A piece in the middle of a chain of captures as SVG."""
    match = play(load_game("fetaix", man_capture_dirs="all"), CHAIN)
    return draw_svg(match.picture(targets=tuple(step.target for step in match.legal_steps)), size=LARGE)


def match_pictures() -> Iterator[tuple[Picture, int]]:
    """The match step by step: what each picture shows, and for how many milliseconds."""
    whole, match = play("fetaix", MATCH), Match("fetaix")
    yield match.picture(), STEP
    for step in whole.steps:
        match.push(step)
        yield match.picture(), END if match.is_over else CAPTURE if step.captured else STEP


def write_match(file: Path) -> None:
    """Writes the match as a GIF that begins again at its end."""
    from PIL import Image

    shown = list(match_pictures())
    drawn = [Image.fromarray(draw_rgb(picture, size=LARGE)) for picture, _ in shown]
    sheet = Image.new("RGB", (LARGE, LARGE * len(drawn)))
    for number, picture in enumerate(drawn):
        sheet.paste(picture, (0, LARGE * number))
    palette = sheet.quantize(COLOURS)
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in drawn]
    durations = [duration for _, duration in shown]
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)


def write_curves(file: Path) -> None:
    """Draws the curves in the model cards of some trained bots: score against `alphabeta:5` by minutes of training."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), dpi=90, layout="constrained")
    for axes, game in zip(figure.subplots(1, 2, sharey=True), ("alquerque", "fetaix"), strict=True):
        for name in ("small", "strong", "plain"):
            curve = json.loads((shipped_bots()[f"{game}-{name}"] / "meta.json").read_bytes())["curve"]
            minutes = [point["wall_time"] / 60 for point in curve]
            axes.plot(minutes, [100 * point["scores"]["alphabeta:5"] for point in curve], "o-", label=f"{game}-{name}")
        axes.set(title=game, xlabel="minutes of training", ylim=(0, 100), ylabel="score against alphabeta:5, %")
        axes.legend(loc="lower right")
    figure.savefig(file)


def write_drawn(file: Path) -> None:
    """Draws the starts of the first twelve games of the distribution, in two rows."""
    from PIL import Image

    size, across = 180, 6
    sheet = Image.new("RGB", (size * across, size * 2), "white")
    for seed in range(2 * across):
        picture = Image.fromarray(draw_rgb(Match(draw_game(seed)).picture(), size=size - 10))
        left, top = ((size - length) // 2 for length in picture.size)
        sheet.paste(picture, (seed % across * size + left, seed // across * size + top))
    sheet.quantize(COLOURS).save(file, optimize=True)


def write_icon(file: Path) -> None:
    """Draws the icon in few colours and without transparent corners, which telephones would fill with black."""
    import resvg_py
    from PIL import Image

    svg = file.with_suffix(".svg").read_text(encoding="utf-8")
    drawn = resvg_py.svg_to_bytes(svg_string=svg, width=ICON_SIZE, height=ICON_SIZE, background=FRAME_BOTTOM)
    Image.open(BytesIO(bytes(drawn))).convert("RGB").quantize(64).save(file, optimize=True)


if __name__ == "__main__":
    write_icon(ICON)
    write_drawn(IMAGES / "drawn.png")
    write_curves(IMAGES / "curves.png")
    for name in games():
        (IMAGES / f"{name}.svg").write_text(start(name), encoding="utf-8")
    (IMAGES / "chain.svg").write_text(chain(), encoding="utf-8")
    write_match(IMAGES / "match.gif")
