"""The tools that an MCP server offers to a language model."""

import secrets
from collections.abc import Sequence
from inspect import getdoc
from pathlib import Path
from typing import Any, Literal

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from ... import __version__
from ...errors import AlquerqueError, one_line
from ...game import table_layout as TABLE
from ...game.game import Game
from ...game.options import OptionValue, spell
from ...game.rules_text import rule_sentences
from ...match.match import Match
from ...render import draw_svg, draw_text
from ...render.raster import draw_png
from ...web.catalogue import Catalogue
from .kept_match import SHOWN, KeptMatch

INSTRUCTIONS = """Play board games of the alquerque family against a bot. list_games lists the games, and rules explains
one. begin begins a match and gives it a name, which the other tools take. Play a step or a whole turn at a time, in the
notation that rules explains, such as c2-c3; the bot answers at once. show draws the board. legal_moves lists the legal
steps if you need them."""

_CLOCK = "H in it is followed by the number of turns without progress so far, both players' counted."


class Tools:
    """The tools: each method is one, and its docstring is what the model reads.

    They offer the games of the package and own ones from files. Bots have so many seconds for a step.
    """

    def __init__(self, own: Sequence[Game], folder: Path, seconds: float) -> None:
        self._catalogue = Catalogue(own)
        self._folder = folder
        self._seconds = seconds

    def list_games(self) -> str:
        """List the games, each with its id and its title."""
        return "\n".join(f"{name}: {game.title}" for name, game in self._catalogue.games.items())

    def rules(self, game: str, options: dict[str, str | int | bool] | None = None) -> str:
        """Explain the rules, the notation and the options of a game, and draw its start.

        Args:
            game: Id of the game.
            options: Options of the rules by name; those left out have their defaults.
        """
        chosen = self._catalogue.load(game, options or {})
        return "\n".join(
            [
                chosen.title,
                "",
                draw_text(Match(chosen).picture()),
                "",
                *(f"- {sentence}" for sentence in rule_sentences(chosen)),
                *([f"- {_CLOCK}"] if chosen.table.words[TABLE.COUNTS_QUIET] else []),
                "",
                "Options:",
                *(f"- {_option(chosen, name)}" for name in chosen.option_table),
            ]
        )

    def begin(
        self,
        game: str,
        opponent: str,
        seat: Literal[0, 1] = 0,
        seed: int | None = None,
        options: dict[str, str | int | bool] | None = None,
        name: str = "language model",
    ) -> str:
        """Begin a match, and say its name, the side to move and the position.

        Args:
            game: Id of the game.
            opponent: The bot: random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS, perfect, or the name of a trained bot,
                such as fetaix-small or fetaix-small:100 for 100 simulations.
            seat: Your side: 0 for South, 1 for North.
            seed: Makes the choices of the bot repeatable; a random one by default.
            options: Options of the rules by name; those left out have their defaults.
            name: Your name in the record.
        """
        chosen = self._catalogue.load(game, options or {})
        seed = secrets.randbits(31) if seed is None else seed
        kept = KeptMatch.begin(self._folder, chosen, opponent, seat, seed, name, self._seconds)
        return "\n".join([f"Match {kept.path.stem} is kept in {kept.path}", *kept.turns_from(0), *kept.standing()])

    def show(self, match: str, form: Literal["text", "png", "svg"] = "text") -> Any:
        """Show the board, the side to move and the position, or the result.

        Args:
            match: Name of the match.
            form: text draws the board with characters; png and svg give a picture.
        """
        kept = KeptMatch.open(self._folder, match)
        picture = kept.match.picture()
        if form == "png":
            return [Image(data=draw_png(picture, picture.board.picture_size), format="png"), *kept.standing()]
        return "\n".join([draw_text(picture) if form == "text" else draw_svg(picture), *kept.standing()])

    def legal_moves(self, match: str) -> str:
        """List the legal steps. The record counts how often you ask.

        Args:
            match: Name of the match.
        """
        kept = KeptMatch.open(self._folder, match)
        kept.check_unfinished()
        kept.count(SHOWN)
        return " ".join(step.text for step in kept.match.legal_steps)

    def play(self, match: str, move: str) -> str:
        """Play a step or a whole turn; when your turn ends, the bot answers. An illegal move changes nothing.

        Args:
            match: Name of the match.
            move: A step such as c2-c3 or c2xc4, a whole turn such as c2xc4xe4, or pass.
        """
        kept = KeptMatch.open(self._folder, match)
        first = len(kept.match.steps)
        kept.play(move, self._seconds)
        return "\n".join([*kept.turns_from(first), *kept.standing()])

    def undo(self, match: str) -> str:
        """Take back your last turn with the answer of the bot, or your resignation. The record counts it.

        Args:
            match: Name of the match.
        """
        kept = KeptMatch.open(self._folder, match)
        taken = kept.undo()
        return "\n".join([f"Taken back: {taken}.", *kept.standing()])

    def resign(self, match: str) -> str:
        """Give the match up.

        Args:
            match: Name of the match.
        """
        kept = KeptMatch.open(self._folder, match)
        kept.resign()
        return "\n".join(kept.standing())

    def record(self, match: str) -> str:
        """Show the record of a match: its headers and all turns.

        Args:
            match: Name of the match.
        """
        return KeptMatch.open(self._folder, match).text


class Server(MCPServer[Any]):
    """Offers `Tools`. A call waits until the one before has ended, and every error is one sentence."""

    def __init__(self, tools: Tools) -> None:
        super().__init__("alquerque", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
        self._one_at_a_time = anyio.Lock()
        for tool in (
            *(tools.list_games, tools.rules, tools.begin, tools.show, tools.legal_moves),
            *(tools.play, tools.undo, tools.resign, tools.record),
        ):
            self.add_tool(tool, description=getdoc(tool), structured_output=False)

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Calls a tool; `ToolError` has the sentence that the model reads."""
        try:
            async with self._one_at_a_time:
                return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                wrong = cause.errors()[0]
                argument = ".".join(map(str, wrong["loc"]))
                told = f"{argument} is missing" if wrong["type"] == "missing" else f"{argument}: {wrong['msg']}"
                raise ToolError(told) from None
            if isinstance(cause, (AlquerqueError, ImportError, OSError)):
                raise ToolError(one_line(str(cause))) from None
            raise


def _option(game: Game, name: str) -> str:
    """An option with its value and what else it can be."""
    option = game.option_table[name]
    value: OptionValue = game.options[name]
    others = ", ".join("a number" if known == "N" else spell(known) for known in option.values if known != value)
    return f"{name}={spell(value)}: {option.question} Other values: {others or 'none'}."
