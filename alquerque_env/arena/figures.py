"""Common parts of all charts: making and writing figures, colours and bands. Imports matplotlib late."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import AlquerqueError, require
from ..files.atomic import open_whole

FORMATS = (".png", ".svg", ".pdf")

# Colour-blind safe, by Okabe and Ito.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "0.6"

PANEL = 4.6, 3.6  # width and height of a panel in inches

FAINT = 0.3  # opacity of a grid


def check_picture(path: Path) -> None:
    """Refuses a picture that could not be written, before the work that it shows begins."""
    if path.suffix.lower() not in FORMATS:
        raise AlquerqueError(f"the picture is {str(path)!r}, expected a name that ends in {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise AlquerqueError(f"there is no folder {str(path.parent)!r} for the picture")
    require("matplotlib", "arena")


def make_figure(width: float, height: float, title: str | None = None, dpi: int = 110) -> Any:
    """Makes an empty figure of a size in inches."""
    require("matplotlib", "arena")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=dpi, layout="constrained")
    if title is not None:
        figure.suptitle(title)
    return figure


def save_figure(figure: Any, path: Path, **options: Any) -> None:
    """Writes a figure whole or not at all (`AlquerqueError`), in the format of the file name's ending."""
    try:
        with open_whole(path) as file:
            figure.savefig(file, format=path.suffix[1:].lower(), **options)
    except OSError as error:
        raise AlquerqueError(
            f"picture {str(path)!r} cannot be written: {error.strerror}; correct that and draw it again"
        ) from None


def draw_band(
    axes: Any,
    places: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    colour: str,
    label: str | None = None,
) -> None:
    """Draws intervals as a band over their places; a single interval as a line."""
    if len(places) == 1:
        axes.vlines(places, low, high, color=colour, alpha=0.4, linewidth=3, label=label)
    else:
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0, label=label)


def show_shares(axis: Any) -> None:
    """Sets the limits of an axis of shares, with room for marks at 0 and 1."""
    (axis.axes.set_xlim if axis is axis.axes.xaxis else axis.axes.set_ylim)(-0.03, 1.03)
