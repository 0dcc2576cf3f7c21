r"""Match files: text for people and programs, in the manner of PDN, the notation of draughts.

    [Game "alquerque_murray"]
    [Version "1"]
    [South "human"]
    [North "alphabeta:3"]
    [Date "2026.11.21"]
    [Result "1-0"]
    [Reason "resigned"]

    1. c2-c3 c4xc2 2. c1xc3 {the board opens} b4-c4 1-0

* Headers come first, each with one value; in a value `"` and `\` follow a backslash. Only `Game` is required. `Version`
  is that of the game, `Options` holds the options that are not the defaults (`chain=single capture=optional`),
  `Position` the position text if the match did not begin at the game's start. `South` and `North` are names, `?` if
  unknown; `Date` is `2026.11.21`, with question marks for unknown digits. `Reason` is that of the outcome, or free text
  if the rules did not end the match. Other headers are kept.
* A match of a game from a file also has `GameFile`, the text that stands for the file, its board and what it extends,
  and `TableHash`, the hash of its rules. Without `GameFile` the game is the one of the package.
* Turns follow in position-text notation, in numbered pairs. `...` stands for the missing first turn if the match begins
  with the other player's: `1. ... c4xc2`. Numbers and these dots may be left out.
* A turn is whole: if its chain could go on, the player stopped. The last turn of a match may end with dots,
  `c2xc4...`: its chain was still open when the match was written.
* The result ends a match: `1-0` South wins, `0-1` North wins, `1/2-1/2` draw, `*` unknown. It agrees with the board if
  the match is over there; otherwise a player may have resigned, or both agreed on a draw.
* A variation stands in parentheses after the turn that it replaces, as in PDN and PGN, and may have variations in turn:
  `1. c2-c3 (1. d2-c3 b4xd2 (1... d4xd2)) 1... c4xc2`. One after the last turn of a match may begin with that same turn
  and go on; one of a match without turns begins at its start.
* Comments, `{...}` or `;` to the end of the line, stand after the turn that they are about, or before the first one.
  They are kept on one line; those between two matches belong to none.
* Judgements such as `!?`, `(?)` and `$4` may stand anywhere between tokens and are dropped.

A file may hold many matches.
"""

from .reader import read_records
from .record import Comment, Record, format_record
from .record_files import count_records, load_record, load_records, save_record

__all__ = [
    "Comment",
    "Record",
    "count_records",
    "format_record",
    "load_record",
    "load_records",
    "read_records",
    "save_record",
]
