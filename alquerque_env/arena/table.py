"""The result of an arena as tables for people."""

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from .elo import elo_difference
from .ratings import Estimate
from .result import ArenaResult
from .sprt import Verdict

PLAIN_WIDTH = 140
"""Columns where the output is not a terminal."""


def print_result(result: ArenaResult, console: Console) -> None:
    """Prints the ratings, who met whom, and what to be careful about."""
    console.print(Group(*_parts(result)), soft_wrap=False, highlight=False)


def _parts(result: ArenaResult) -> list[RenderableType]:
    openings = result.openings
    balance = f"{openings['balanced']} balanced, of {openings['tried']} tried"
    title = f"{result.game.title}: {openings['played']} openings ({balance}), each from both seats"
    parts: list[RenderableType] = [Text(title), _ratings(result), _pairings(result)]
    if result.sprt is not None:
        parts.append(Text(sprt_sentence(result.sprt, result.pairings[0].first, result.pairings[0].second)))
    parts += [Text(f"Note: {note}.") for note in result.notes]
    return parts


def _ratings(result: ArenaResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=None, pad_edge=False)
    table.add_column("player", overflow="fold")
    for column in ("Elo", "95 %", "games", "score", "won", "drawn", "lost", "as player 0 / 1", "mean steps"):
        table.add_column(column, justify="right", no_wrap=True)
    for player in result.players:
        is_anchor = player.name == result.anchor
        table.add_row(
            Text(player.name),
            f"{player.rating.value:+.0f}" if not is_anchor else "0",
            "anchor" if is_anchor else f"{player.rating.low:+.0f} to {player.rating.high:+.0f}",
            str(player.games),
            f"{player.score:.1%}",
            str(player.wins),
            str(player.draws),
            str(player.losses),
            " / ".join(f"{score:.0%}" for score in player.seat_scores),
            f"{player.mean_steps:.0f}",
        )
    return table


def _pairings(result: ArenaResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("pairing", overflow="fold")
    for column in ("score", "95 %", "Elo of it", "won", "drawn", "lost", "pairs 0 ½ 1 1½ 2"):
        table.add_column(column, justify="right", no_wrap=True)
    for pairing in result.pairings:
        table.add_row(
            Text(f"{pairing.first} v. {pairing.second}"),
            f"{pairing.score.value:.1%}",
            f"{pairing.score.low:.1%} to {pairing.score.high:.1%}",
            _elo_range(pairing.score),
            str(pairing.wins),
            str(pairing.draws),
            str(pairing.losses),
            " ".join(map(str, pairing.pairs)),
        )
    return table


def _elo_range(score: Estimate) -> str:
    return f"{elo_difference(score.value):+.0f} ({elo_difference(score.low):+.0f} to {elo_difference(score.high):+.0f})"


def sprt_sentence(verdict: Verdict, first: str, second: str) -> str:
    """What the test says, as a sentence."""
    question = verdict.question
    low, high = question.bounds
    shown = f"log-likelihood ratio {verdict.ratio:+.2f}, bounds {low:+.2f} and {high:+.2f}"
    if verdict.accepted is None:
        return f"SPRT: not decided after all matches; {shown}."
    claim = f"{question.elo1:+g} Elo or more" if verdict.accepted == "elo1" else f"{question.elo0:+g} Elo or less"
    return f"SPRT: {first} is {claim} from {second}; {shown}."
