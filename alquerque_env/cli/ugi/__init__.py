"""An engine: any bot of this package for programs that speak UGI, the Universal Game Interface.

It answers these commands, one a line. A turn is always a whole one, also where it is the rest of one that a position is
in the middle of.

`ugi`
    Name, author and options of the engine, then `ugiok`.
`setoption name NAME value VALUE`
    `Game` says what is played, `Level` which bot plays it, and the rules of the game are options by their own names.
    Another game has other rules at first; `ugi` lists them again. Options of a game that contradict each other are told
    once the game is needed, so that they can be set in any order. Each sets up the start of the game.
`isready`
    Loads and compiles what is needed, then `readyok`; at once while thinking.
`uginewgame`
    Sets up the start of the game.
`position startpos|fen TEXT [moves TURN ...]`
    Sets up a match. Single steps of a chain will do as well as whole turns. A chain that could go on where the list
    ends has been ended; one in the middle of which TEXT is goes on.
`query gameover|p1turn|result`
    `response` with `true` or `false`, and for the result `p1win`, `p2win`, `draw` or `none`. Player 1 is South.
`go [movetime MS] [depth TURNS] [nodes N] [infinite] [p1time MS p2time MS [p1inc MS p2inc MS] [movestogo TURNS]]`
    Thinks. What is given takes the place of the bot's own limit of that kind, all others stay: `go` alone plays as the
    bot does. `info` lines say what it thinks, `bestmove TURN` what it plays, `bestmove none` that it cannot.
`stop`
    Ends thinking, with the `bestmove` so far.
`quit`
    Ends the engine, as does the end of its input.

What it cannot understand or do it answers with `info string error: ...`, and everything stays as it was.
"""

from .serve import serve
from .ugi_engine import Engine
from .ugi_options import Settings

__all__ = ["Engine", "Settings", "serve"]
