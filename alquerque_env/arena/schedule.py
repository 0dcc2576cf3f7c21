"""Who meets whom, and in which order the matches are played."""

from collections.abc import Iterator
from typing import NamedTuple


class Key(NamedTuple):
    """Names a match of an arena.

    Attributes:
      pairing: Place in the list of pairings.
      opening: Place in the list of openings.
      seat: Where the first player of the pairing sits, 0 or 1.
    """

    pairing: int
    opening: int
    seat: int


class Batch(NamedTuple):
    """Matches of one pairing that are played at once, by bots of their own.

    Attributes:
      pairing: Place in the list of pairings.
      number: Which batch of the pairing.
      openings: Places of its openings; each is played from both seats.
    """

    pairing: int
    number: int
    openings: range

    @property
    def keys(self) -> list[Key]:
        """Its matches."""
        return [Key(self.pairing, opening, seat) for opening in self.openings for seat in (0, 1)]


def make_pairings(num_players: int, *, gauntlet: bool) -> list[tuple[int, int]]:
    """Who meets whom: everyone everyone else once, or the first player all others."""
    rows = range(1 if gauntlet else num_players)
    return [(first, second) for first in rows for second in range(first + 1, num_players)]


def make_batches(num_pairings: int, num_openings: int, batch_size: int) -> Iterator[Batch]:
    """All matches in order; all pairings advance together, so that an arena that is cut short knows something of each.

    Args:
      num_pairings: How many pairings.
      num_openings: How many openings each of them plays.
      batch_size: Matches in a batch, two for each opening.
    """
    openings = batch_size // 2
    for number, start in enumerate(range(0, num_openings, openings)):
        for pairing in range(num_pairings):
            yield Batch(pairing, number, range(start, min(start + openings, num_openings)))
