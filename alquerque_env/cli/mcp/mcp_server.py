"""The tools that an MCP server offers to a language model: matches against bots, each kept as a record in a file."""

import secrets
from collections.abc import Sequence
from datetime import date
from inspect import getdoc
from itertools import count
from pathlib import Path
from typing import Any, Literal

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from ... import __version__
from ...bots.bot import Bot
from ...bots.load import load_bot
from ...errors import (
    AlquerqueError,
    BotError,
    IllegalStepError,
    RecordError,
    UnknownNameError,
    one_line,
    shorten,
)
from ...game import table_layout as TABLE
from ...game.game import Game
from ...game.options import OptionValue, spell
from ...game.rules_text import SIDES, rule_sentences
from ...game.step import join_turn
from ...match.match import Match
from ...match.records import Record, load_record, save_record
from ...match.status_text import outcome_sentence, standing
from ...render import draw_svg, draw_text
from ...render.raster import draw_png
from ...web.server_host import Catalogue
from ..terminal_match.typed_input import normal_text

INSTRUCTIONS = """Play board games of the alquerque family against a bot. list_games lists the games, and rules explains
one. begin begins a match and gives it a name, which the other tools take. Play a step or a whole turn at a time, in the
notation that rules explains, such as c2-c3; the bot answers at once. show draws the board. legal_moves lists the legal
steps if you need them."""

SEAT, SEED = "Seat", "Seed"
"""Headers of a record: the side of the model, and the seed of the bot's choices."""
REFUSED, UNDONE, SHOWN = "Refused", "Undone", "LegalMovesShown"
"""Headers that count: texts that were not legal, turns taken back, and how often the legal moves were shown."""

_SUFFIX = ".pdn"
_CLOCK = "H in it is followed by the number of turns without progress so far, both players' counted."


class Tools:
    """The tools: each method is one, and its docstring is what the model reads.

    They offer the games of the package and own ones from files. Bots have so many seconds for a step. The record in the
    file is all that is kept of a match: each call reads it, and every change is written at once.
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
        south, north = (name, opponent) if seat == 0 else (opponent, name)
        headers = {SEAT: str(seat), SEED: str(secrets.randbits(31) if seed is None else seed)}
        record = Record(Match(chosen), south=south, north=north, date=date.today(), headers=headers)
        self._load_bot(record)  # a wrong one is refused even if the model has the first turn
        self._answer(record)
        folder = self._folder
        path = next(path for number in count(1) if not (path := folder / f"{chosen.name}-{number}{_SUFFIX}").exists())
        save_record(path, record, overwrite=False)
        return "\n".join([f"Match {path.stem} is kept in {path}", *_turns_from(record, 0), *_standing(record)])

    def show(self, match: str, form: Literal["text", "png", "svg"] = "text") -> Any:
        """Show the board, the side to move and the position, or the result.

        Args:
            match: Name of the match.
            form: text draws the board with characters; png and svg give a picture.
        """
        _, record = self._open(match)
        picture = record.match.picture()
        if form == "png":
            return [Image(data=draw_png(picture, picture.board.picture_size), format="png"), *_standing(record)]
        return "\n".join([draw_text(picture) if form == "text" else draw_svg(picture), *_standing(record)])

    def legal_moves(self, match: str) -> str:
        """List the legal steps. The record counts how often you ask.

        Args:
            match: Name of the match.
        """
        path, record = self._open(match)
        _check_unfinished(record)
        _count(record, SHOWN)
        save_record(path, record)
        return " ".join(step.text for step in record.match.legal_steps)

    def play(self, match: str, move: str) -> str:
        """Play a step or a whole turn; when your turn ends, the bot answers. An illegal move changes nothing.

        Args:
            match: Name of the match.
            move: A step such as c2-c3 or c2xc4, a whole turn such as c2xc4xe4, or pass.
        """
        path, record = self._open(match)
        _check_unfinished(record)
        first = record.match.num_steps
        try:
            record.match.push(normal_text(move))
        except AlquerqueError as error:
            _count(record, REFUSED)
            save_record(path, record)
            # The package's own message lists the legal steps.
            if type(error) is IllegalStepError:
                raise IllegalStepError(f"{shorten(move)!r} is not legal in {record.match.position}") from None
            raise
        self._answer(record)
        save_record(path, record)
        return "\n".join([*_turns_from(record, first), *_standing(record)])

    def undo(self, match: str) -> str:
        """Take back your last turn with the answer of the bot, or your resignation. The record counts it.

        Args:
            match: Name of the match.
        """
        path, record = self._open(match)
        taken = " ".join(step.text for step in record.take_back([_seat(record)]))
        _count(record, UNDONE)
        save_record(path, record)
        return "\n".join([f"Taken back: {taken or 'the resignation'}.", *_standing(record)])

    def resign(self, match: str) -> str:
        """Give the match up.

        Args:
            match: Name of the match.
        """
        path, record = self._open(match)
        _check_unfinished(record)
        record.resign(_seat(record))
        save_record(path, record)
        return "\n".join(_standing(record))

    def record(self, match: str) -> str:
        """Show the record of a match: its headers and all turns.

        Args:
            match: Name of the match.
        """
        return str(self._open(match)[1])

    def _open(self, name: str) -> tuple[Path, Record]:
        """Reads a match by the name of its file in the folder, which is no path."""
        known = sorted(path.stem for path in self._folder.glob(f"*{_SUFFIX}"))
        if name not in known:
            raise UnknownNameError("match", name, known)
        path = self._folder / f"{name}{_SUFFIX}"
        record = load_record(path)
        if record.headers.get(SEAT) not in ("0", "1") or not record.headers.get(SEED, "").isdecimal():
            raise RecordError(f"match {name!r} was not begun here: its record has no headers {SEAT} and {SEED}")
        return path, record

    def _load_bot(self, record: Record) -> Bot:
        """The opponent. Its choices depend on the seed and the steps played alone."""
        match, spec = record.match, (record.north, record.south)[_seat(record)]
        seed = int(record.headers[SEED]) + match.num_steps
        return load_bot(spec, match.game, seed=seed, time_limit=self._seconds, tables=False, programs=False)

    def _answer(self, record: Record) -> None:
        """Lets the bot play until it is the model's turn."""
        match, bot = record.match, None
        try:
            while not match.is_over and match.player != _seat(record):
                bot = bot or self._load_bot(record)
                match.push(bot.choose(match))
        except AlquerqueError as error:
            spec = (record.north, record.south)[_seat(record)]
            raise BotError(f"{spec} failed, so that nothing was played: {error}") from None


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


def _seat(record: Record) -> int:
    return int(record.headers[SEAT])


def _count(record: Record, header: str) -> None:
    record.headers[header] = str(int(record.headers.get(header, "0")) + 1)


def _check_unfinished(record: Record) -> None:
    if record.is_over:
        raise AlquerqueError("the match is over; undo takes your last turn back")


def _turns_from(record: Record, first: int) -> list[str]:
    """Sentences that say what was played from the step with this number on."""
    said, end = [], 0
    for player, steps in record.match.history:
        begin, end = end, end + len(steps)
        if end > first:
            turn = join_turn([step.text for step in steps[max(0, first - begin) :]])
            said.append(f"{_who(record, player)} plays {turn}.")
    return said


def _standing(record: Record) -> list[str]:
    """Sentences that say who is to move, or who won and why; and the position as text."""
    match = record.match
    if match.outcome is not None:
        said = [outcome_sentence(match, match.outcome)]
    elif record.winner is not None:
        loser = SIDES[1 - record.winner]
        said = [f"{SIDES[record.winner]} wins: {loser} {record.reason or 'resigned'}."]
    elif record.is_over:
        said = [f"Draw: {record.reason or 'agreed'}."]
    else:
        said = [f"{_who(record, match.player)} is to move.", *filter(None, [standing(match)])]
    return [*said, f"Position: {match.position}"]


def _who(record: Record, player: int) -> str:
    return f"{SIDES[player]} ({(record.south, record.north)[player]})"


def _option(game: Game, name: str) -> str:
    """An option with its value and what else it can be."""
    option = game.option_table[name]
    value: OptionValue = game.options[name]
    others = ", ".join("a number" if known == "N" else spell(known) for known in option.values if known != value)
    return f"{name}={spell(value)}: {option.question} Other values: {others or 'none'}."
