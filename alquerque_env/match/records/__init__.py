r"""Match files, which people and programs read and write, in the manner of PDN, the notation of draughts.

    [Game "alquerque_murray"]
    [Version "1"]
    [South "human"]
    [North "alphabeta:3"]
    [Date "2026.11.21"]
    [Result "1-0"]
    [Reason "resigned"]

    1. c2-c3 c4xc2 2. c1xc3 {the board opens} b4-c4 1-0

* Headers come first, one value each; in a value `"` and `\` follow a backslash. `Game` alone is needed. `Version` is
  that of the game, `Options` holds its options where they are not the defaults (`chain=single capture=optional`),
  `Position` the position text where the match did not begin at the game's start. `South` and `North` are names, `?` if
  unknown; `Date` is `2026.11.21`, with question marks for digits that are not known. `Reason` is that of the outcome,
  or words of one's own where the rules did not end the match. Other headers are kept.
* Turns follow in the project's notation, in pairs with a number. `...` stands for the turn of the player who begins a
  game, where the other one began this match: `1. ... c4xc2`. Numbers and these dots may be left out.
* A turn is whole: an optional chain that could go on was stopped. A chain that was still open when the match was
  written, which only the last turn can be, ends with dots: `c2xc4...`.
* The result ends a match: `1-0` South wins, `0-1` North wins, `1/2-1/2` a draw, `*` not known. It agrees with the
  board where the match is over there; elsewhere somebody may have resigned, or both agreed.
* Comments, `{...}` or `;` to the end of the line, may stand anywhere between words, and are dropped.

A file may hold many matches.
"""

from .reader import read_records
from .record import Record, format_record
from .record_files import count_records, load_record, load_records, save_record

__all__ = ["Record", "count_records", "format_record", "load_record", "load_records", "read_records", "save_record"]
