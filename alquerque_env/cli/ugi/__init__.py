"""A bot as an engine for programs that speak UGI, the Universal Game Interface.

The engine reads these commands, one a line. Turns are whole turns; if a position is in the middle of a turn, the rest
of that turn.

`ugi`
    Prints the name, author and options of the engine, then `ugiok`.
`setoption name NAME value VALUE`
    `Game` sets the game, by its id or the path of a game file, and `Level` the bot, which may not start a program but
    the one of the command line. `GameFile` sets a game from a file by its id, a space and the text that match
    files keep of it. All other options are those of the rules. A new game has its default options; `ugi` lists them
    again. Options can be set in any order, so contradictions are reported when the game is first used. Each option
    resets the position to the start.
`isready`
    Loads and compiles the bot, then prints `readyok`; during a search it answers at once.
`uginewgame`
    Resets the position to the start.
`position startpos|fen TEXT [moves TURN ...]`
    Sets the position. `moves` takes whole turns and single steps of chains. A chain that could continue after the last
    step is ended, except the chain that TEXT is in the middle of.
`query gameover|p1turn|result`
    Prints `response` with `true` or `false`; for the result `p1win`, `p2win`, `draw` or `none`. Player 1 is South.
`go [movetime MS] [depth TURNS] [nodes N] [infinite] [p1time MS p2time MS [p1inc MS p2inc MS] [movestogo TURNS]]`
    Searches. Each argument replaces the bot's own limit of that kind. Prints `info` lines and then `bestmove TURN`, or
    `bestmove none` if there is no turn; with `infinite`, only after `stop` or `quit`. Unknown words and wrong values
    are skipped, each with an error message, since programs wait for `bestmove`; of an argument given twice the last one
    counts.
`stop`
    Ends the search and prints the best turn so far.
`quit`
    Ends the engine, as does the end of its input.

A command that is wrong or fails prints `info string error: ...` and, except for `go`, changes nothing.
"""

from .ugi_engine import Engine, EngineOptions, serve

__all__ = ["Engine", "EngineOptions", "serve"]
