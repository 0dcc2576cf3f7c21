"""The named fields of states and step tables, for the text of the rules.

A field is a name for a place in a sequence of words: `state.chain` stands for `state[STATE.CHAIN]`, and
`rules.no_moves` for `rules[TABLE.NO_MOVES]`. `binding.py` puts the places in, so that a field costs nothing. Words of a
state that only some games have are where the step table says: `state.stage` stands for `state[rules[TABLE.STAGE]]`.
"""

from typing import Any, Protocol, TypeAlias

from ..game import state_layout as STATE, table_layout as TABLE

Word: TypeAlias = Any
"""An integer or a bitboard; where many matches are played at once, one for each match."""

Flag: TypeAlias = Any
"""A truth value; where many matches are played at once, one for each match."""


class Places(Protocol):
    """A field of several words. As an argument of a call it stands for two: the sequence, and the first place."""

    def __getitem__(self, index: int, /) -> Word:
        """One of the words."""

    def __setitem__(self, index: int, word: Word, /) -> None:
        """Overwrites one of the words."""


class State(Protocol):
    """A state, or the states of many matches.

    Attributes:
      men, kings: A bitboard for each player.
      player: The player to move.
      chain: The point of a piece in the middle of a chain, or NO_POINT.
      quiet: Turns without progress.
      captured: Pieces captured in this chain that are not yet removed.
      barred: Vacant points on which this chain may not land.
      memory: For each relation, the pieces that may not step along it.
      memory_points: The remembered points of the piece on each point, under rules that need them.
      stage: Plies of the schedule that have been played, in games with a schedule.
      hand: The pieces that each player is still to drop, likewise.
      closed: The points that are closed for good, in games in which the board shrinks.
      ahead: The point straight ahead, to which this chain may not go on, in games in which chains must turn.
    """

    men: Places
    kings: Places
    player: Word
    chain: Word
    quiet: Word
    captured: Word
    barred: Word
    memory: Places
    memory_points: Places
    stage: Word
    hand: Places
    closed: Word
    ahead: Word

    def __getitem__(self, place: int, /) -> Word:
        """The word at a place."""


class Rules(Protocol):
    """A step table: the answers of the rules, and where its lists begin.

    Its fields are the names of `game/table_layout.py` in lower case. Those of several words are declared here; each
    other name is one word, and binding fails if the layout does not have it.
    """

    promotion: Places
    no_moves: Places
    loses_at: Places
    goal: Places
    flankers: Places

    def __getattr__(self, name: str, /) -> int:
        """A field of one word."""

    def __getitem__(self, place: int, /) -> int:
        """The word at a place."""


LAYOUTS = {"State": STATE, "Rules": TABLE}
"""The module with the places of the fields of each class."""
