"""Prints the result of an arena as tables, and draws the score of each player against each other."""

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..errors import one_line
from .arena_result import ArenaResult
from .figures import check_picture, make_figure, save_figure
from .ratings import elo_difference
from .schedule import default_judges
from .sprt import Verdict

PLAIN_WIDTH = 140  # width in characters if the output is not a terminal

_NAME_WIDTH = 24  # characters for names, before columns are left out; longer names are folded

_COUNTS = "drawn", "lost", "won"
_GAP = 3  # characters between two columns

_COLOURS = "RdBu"  # red and blue can also be told apart by almost all colour-blind people

_LONGEST_NAME = 22
_DARK = 0.32  # distance of a score from 1/2 at which its colour is too dark for black text


def print_result(result: ArenaResult, console: Console) -> None:
    """Prints the ratings, the pairings and the notes."""
    openings, width = result.openings, console.width
    judge = result.settings.judge_of(result.game)
    balance = f"{openings['balanced']} balanced according to {judge}, of {openings['tried']} tried"
    if openings["published"]:
        balance = f"balanced according to {default_judges(result.game)[-1]}, of the published list"
    count = f"{openings['played']} opening{'s' * (openings['played'] != 1)}"
    title = f"{result.game.title}: {count} ({balance}), each from both seats"
    parts: list[RenderableType] = [Text(title), _ratings(result, width)]
    if result.players[0].seat_ratings is not None:
        parts.append(_seat_ratings(result, width))
    parts.append(_pairings(result, width))
    if result.sprt is not None:
        parts.append(Text(one_line(sprt_sentence(result.sprt, result.pairings[0].first, result.pairings[0].second))))
    parts += [Text(one_line(f"Note: {note}.")) for note in result.notes]
    console.print(Group(*parts), soft_wrap=False, highlight=False)


def _ratings(result: ArenaResult, width: int) -> Table:
    head = ("player", "Elo", "95%", "games", "score", "won", "drawn", "lost", "as player 0 / 1", "mean steps")
    rows = [
        (
            player.name,
            "0" if player.name == result.anchor else f"{player.rating.value:+.0f}",
            "anchor" if player.name == result.anchor else f"{player.rating.low:+.0f} to {player.rating.high:+.0f}",
            str(player.total.games),
            f"{player.total.share.value:.1%}",
            *map(str, astuple(player.total)),
            " / ".join(f"{seat.share.value:.0%}" for seat in player.seats),
            f"{player.mean_steps:.0f}",
        )
        for player in result.players
    ]
    return fit_table(head, rows, ("mean steps", "as player 0 / 1", "games", *_COUNTS), width)


def _seat_ratings(result: ArenaResult, width: int) -> Table:
    head = ("player", *(title for seat in result.game.seats for title in (f"Elo as {seat}", f"95% as {seat}")))
    rows = [
        (
            player.name,
            *(
                cell
                for rating in player.seat_ratings or ()
                for cell in (f"{rating.value:+.0f}", f"{rating.low:+.0f} to {rating.high:+.0f}")
            ),
        )
        for player in result.players
    ]
    return fit_table(head, rows, (), width)


def _pairings(result: ArenaResult, width: int) -> Table:
    head = ("pairing", "score", "95%", "Elo of it", "won", "drawn", "lost", "pairs 0 ½ 1 1½ 2")
    rows = [
        (
            f"{pairing.first} v. {pairing.second}",
            f"{pairing.score.value:.1%}",
            f"{pairing.score.low:.1%} to {pairing.score.high:.1%}",
            "{:+.0f} ({:+.0f} to {:+.0f})".format(*map(elo_difference, astuple(pairing.score))),
            *map(str, astuple(pairing.total)),
            " ".join(map(str, pairing.pairs)),
        )
        for pairing in result.pairings
    ]
    return fit_table(head, rows, ("Elo of it", "pairs 0 ½ 1 1½ 2", *_COUNTS), width)


def fit_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], spare: Sequence[str] = (), width: int = PLAIN_WIDTH
) -> Table:
    """A table of numbers that fits a terminal, if need be without `spare` columns and with long names folded."""
    lengths = {name: max(map(len, cells)) for name, *cells in zip(head, head, *rows, strict=True)}
    figures = list(head[1:])
    needed = min(lengths[head[0]], _NAME_WIDTH)
    for name in spare:
        if needed + sum(lengths[figure] + _GAP for figure in figures) + _GAP > width:
            figures.remove(name)
    table = Table(box=box.SIMPLE_HEAD, title=None, pad_edge=False)
    table.add_column(head[0], overflow="fold")
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True)
    for name, *cells in rows:
        shown = dict(zip(head[1:], cells, strict=True))
        table.add_row(Text(one_line(name)), *(shown[figure] for figure in figures))
    return table


def sprt_sentence(verdict: Verdict, first: str, second: str) -> str:
    """Writes the state of a test as a sentence."""
    question = verdict.question
    low, high = question.bounds
    shown = f"log-likelihood ratio {verdict.ratio:+.2f}, bounds {low:+.2f} and {high:+.2f}"
    if verdict.accepted is None:
        return f"SPRT: not decided after all matches; {shown}."
    claim = f"{question.elo1:+g} Elo or more" if verdict.accepted == "elo1" else f"{question.elo0:+g} Elo or less"
    return f"SPRT: {first} is {claim} from {second}; {shown}."


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
