"""The cross-table of an arena as a picture: the score of each row against each column."""

from pathlib import Path

import numpy as np

from .arena_result import ArenaResult
from .figures import check_picture, make_figure, save_figure

_COLOURS = "RdBu"  # red and blue can also be told apart by almost all colour-blind people

_LONGEST_NAME = 22
_DARK = 0.32  # distance of a score from 1/2 at which its colour is too dark for black text


def draw_cross_table(result: ArenaResult, path: Path) -> None:
    """Draws the scores of all pairings, the strongest player on top."""
    check_picture(path)
    names = [player.name for player in result.players]
    scores, lows, highs = _cells(result)
    size = 1.15 * len(names)
    figure = make_figure(size + 4.0, size + 2.2, dpi=150)
    axes = figure.add_subplot()
    shades = axes.imshow(np.ma.masked_invalid(scores), cmap=_COLOURS, vmin=0, vmax=1)
    axes.set_facecolor("0.85")
    for row, column in np.argwhere(~np.isnan(scores)):
        score, low, high = (of[row, column] for of in (scores, lows, highs))
        colour = "white" if abs(score - 0.5) > _DARK else "black"
        axes.text(column, row, f"{score:.0%}", ha="center", va="bottom", color=colour, fontsize=12)
        axes.text(column, row + 0.08, f"{low:.0%} – {high:.0%}", ha="center", va="top", color=colour, fontsize=8)
    rows = [
        f"{_short(player.name)}\n{player.rating.value:+.0f} ({player.rating.low:+.0f} to {player.rating.high:+.0f})"
        if player.name != result.anchor
        else f"{_short(player.name)}\n0"
        for player in result.players
    ]
    axes.set_yticks(range(len(names)), rows)
    axes.set_xticks(
        range(len(names)), [_short(name) for name in names], rotation=35, ha="right", rotation_mode="anchor"
    )
    axes.set_ylabel("player, Elo (95%)")
    axes.set_xlabel("against")
    axes.set_title(f"{result.game.name}: score of the row against the column", fontsize=11)
    axes.tick_params(length=0)
    figure.colorbar(shades, ax=axes, label="score", shrink=0.8, format=lambda score, _: f"{score:.0%}")
    # The constrained layout leaves no room for labels of two lines.
    save_figure(figure, path, bbox_inches="tight")


def _cells(result: ArenaResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns scores of rows against columns and the ends of their intervals; nan for pairs without a match."""
    place = {player.name: number for number, player in enumerate(result.players)}
    scores, lows, highs = (np.full((len(place), len(place)), np.nan) for _ in range(3))
    for pairing in result.pairings:
        there = place[pairing.first], place[pairing.second]
        scores[there], lows[there], highs[there] = pairing.score.value, pairing.score.low, pairing.score.high
        scores[there[::-1]] = 1 - pairing.score.value
        lows[there[::-1]], highs[there[::-1]] = 1 - pairing.score.high, 1 - pairing.score.low
    return scores, lows, highs


def _short(name: str) -> str:
    """Shortens a long name in the middle, because the end of a path tells the most."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:4]}…{name[5 - _LONGEST_NAME :]}"
