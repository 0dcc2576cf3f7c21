"""What is told by colour alone has a contrast of 3 to 1 to what it stands on, as WCAG 1.4.11 asks."""

import re
from pathlib import Path

import pytest

from alquerque_env.render import palette
from alquerque_env.render.palette import gradient

CSS = Path("alquerque_env/web/static/style.css").read_text(encoding="utf-8")
VARIABLES = dict(re.findall(r"--([a-z-]+): ([^;]+);", CSS))
LEAST = 3.0
COLOUR = re.compile(r"#[0-9a-f]{6}")
BOARD = [palette.DARK_SQUARE, palette.LIGHT_SQUARE, *COLOUR.findall(gradient("field"))]
PIECES = [*palette.PIECE_RIM, *(colour for side in ("south", "north") for colour in COLOUR.findall(gradient(side)))]


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["border", "accent", "warning", "faint"])
def test_lines_of_the_page_are_seen_on_its_grounds(name: str, theme: int) -> None:
    line, paper, panel = (COLOUR.findall(VARIABLES[each])[theme] for each in (name, "paper", "panel"))
    assert min(contrast(line, paper), contrast(line, panel)) >= LEAST


def test_all_that_can_be_used_has_the_border_that_is_seen() -> None:
    used = re.compile(r"(^|[ ,(])(button|select|input|textarea|\.button|\.card|\.chip)(?![-\w])")
    rules = re.findall(r"^ *([^{}/@]+?) \{([^}]*)\}", CSS, re.MULTILINE)
    bordered = {name: body for name, body in rules if re.search(r"border(-color)?: [^;]*var\(--edge\)", body)}
    assert len(bordered) >= 5
    assert [name for name in bordered if used.search(name)] == []


@pytest.mark.parametrize(
    ("mark", "rim"), [("legal", "legal-rim"), ("travel", "legal-rim"), ("hint", "legal-rim"), ("victim", "victim-rim")]
)
def test_marks_are_seen_on_their_rims_and_with_them_on_every_board_and_piece(mark: str, rim: str) -> None:
    colours = VARIABLES[mark], VARIABLES[rim]
    assert contrast(*colours) >= LEAST
    for ground in (*BOARD, *PIECES):
        assert max(contrast(colour, ground) for colour in colours) >= LEAST, ground


def test_animals_are_seen_on_the_pieces_of_both_sides() -> None:
    for animal, side in zip(palette.ANIMAL, ("south", "north"), strict=True):
        assert min(contrast(animal, ground) for ground in COLOUR.findall(gradient(side))) >= LEAST


def test_the_focus_and_closed_points_are_seen_on_the_board() -> None:
    """A light glow surrounds the ring of the focus, and a dark line a closed point."""
    (ring,) = re.findall(r"\.spot:focus-visible \{ stroke: (#\w{6}).*drop-shadow\([^)]*#fff\)", CSS)
    (line,) = re.findall(r"\.closed \{.*stroke: (#\w{6})", CSS)
    for ground in (*BOARD, *PIECES):
        assert max(contrast(ring, ground), contrast("#ffffff", ground)) >= LEAST, ground
    assert min(contrast(line, ground) for ground in BOARD) >= LEAST


def test_layers_of_marks_are_opaque_and_pictures_have_the_same_colours() -> None:
    rules = re.findall(
        r"^([^{}\n]*\.(?:travel|arrows|marks|targets|cross|victim|origin)[^{}\n]*) \{([^}]*)\}", CSS, re.M
    )
    assert [name for name, body in rules if "opacity" in body] == []
    for name in ("legal", "legal-rim", "victim", "victim-rim", "travel"):
        assert VARIABLES[name] == getattr(palette, name.upper().replace("-", "_"))
