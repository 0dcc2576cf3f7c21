"""The content of a picture: a position and the marks on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..game.board import Board

SIDES = ("South", "North")


class Piece(NamedTuple):
    """A piece on a point: a man or king of South (0) or North (1)."""

    player: int
    promoted: bool = False

    @property
    def title(self) -> str:
        """The piece in words, such as `North king`."""
        return f"{SIDES[self.player]} {'king' if self.promoted else 'man'}"


@dataclass(frozen=True)
class Picture:
    """A position and the marks on it. Immutable. Points are absolute, as the board numbers them.

    Attributes:
      board: Points and lines.
      pieces: The piece on each occupied point, as `(player, promoted)`.
      player: The player to move, None if the match is over.
      chain: Point of the piece in the middle of a chain, or None.
      last_turn: Points of the last turn in order: its origin, then each landing. Empty before the first turn, and if no
        piece moved.
      dropped: Points on which the last turn dropped pieces.
      captured: Points whose pieces the last turn captured.
      pending: Points of pieces captured in this chain that are not yet removed.
      targets: Points to show as legal targets.
      origins: Points of pieces to show as movable.
      closed: Points that are closed for good.
      hands: How many pieces `player_0` and `player_1` are still to drop.
      names: What a man of `player_0` and one of `player_1` are called.
      drawings: What is drawn on them, as SVG symbols, see `Side.drawing`; empty for nothing.
      caption: A line of text about the picture.
      turned: Whether the board is rotated by 180 degrees, as North sees it.
      has_names: Whether the names of points, or of columns and rows, are written.

    Raises:
      ValueError: If a point is not on the board, or a player is not 0 or 1.
    """

    board: Board
    pieces: Mapping[int, tuple[int, bool]] = field(default_factory=dict)
    player: int | None = None
    chain: int | None = None
    last_turn: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    captured: tuple[int, ...] = ()
    pending: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    hands: tuple[int, int] = (0, 0)
    names: tuple[str, str] = ("man", "man")
    drawings: tuple[str, str] = ("", "")
    caption: str = ""
    turned: bool = False
    has_names: bool = True

    def __post_init__(self) -> None:
        gone = *self.captured, *self.pending
        marked = *self.last_turn, *self.dropped, *self.targets, *self.origins, *self.closed
        for point in (*self.pieces, *gone, *marked, *(() if self.chain is None else (self.chain,))):
            if not 0 <= point < len(self.board.points):
                raise ValueError(f"picture: no point {point!r} on a board of {len(self.board.points)} points")
        for player in (*(player for player, _ in self.pieces.values()), self.player):
            if player not in (0, 1, None):
                raise ValueError(f"picture: no player {player!r}, expected 0 or 1")

    def piece(self, point: int) -> Piece | None:
        """Returns the piece on a point, None if it is vacant."""
        found = self.pieces.get(point)
        return None if found is None else Piece(*found)

    @property
    def victim_player(self) -> int | None:
        """The player whose pieces the last turn captured, None if it captured nothing."""
        if not self.captured:
            return None
        ends = self.last_turn[-1:] + self.dropped[-1:]
        mover = self.piece(ends[0]) if ends else None
        return self.player if mover is None else 1 - mover.player

    def name(self, piece: Piece) -> str:
        """Returns a piece in words, such as `South tiger`; a promoted one is a king."""
        return piece.title if piece.promoted else f"{SIDES[piece.player]} {self.names[piece.player]}"

    def side(self, player: int) -> str:
        """Returns a side in words: `South`, or `South (tiger)` where the men of the sides have different names."""
        return SIDES[player] if self.names[0] == self.names[1] else f"{SIDES[player]} ({self.names[player]})"

    @property
    def title(self) -> str:
        """The caption in one printable line, or the board's name if there is none."""
        return printable(self.caption) or printable(self.board.title)

    @property
    def description(self) -> str:
        """The position in words, for people who cannot see the picture."""
        sentences = [] if self.player is None else [f"{self.side(self.player)} to move."]
        for player, hand in enumerate(self.hands):
            names = [
                f"{'king ' if promoted else ''}{self.board.labels[point]}"
                for point, (owner, promoted) in sorted(self.pieces.items())
                if owner == player
            ]
            in_hand = f"; {hand} in hand" if hand else ""
            sentences.append(f"{self.side(player)}: {', '.join(names) or 'no pieces'}{in_hand}.")
        if self.closed:
            sentences.append(f"Closed: {', '.join(self.board.labels[point] for point in self.closed)}.")
        return " ".join(sentences)


def printable(text: str) -> str:
    """Returns a text in one line, without characters that XML or a font cannot hold."""
    return "".join(character if character.isprintable() else " " for character in text).strip()
