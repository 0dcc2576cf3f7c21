"""A match of a language model against a bot. Its record in a file is all that is kept of it."""

from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path

from ...bots.load import load_bot
from ...errors import AlquerqueError, BotError, IllegalStepError, RecordError, UnknownNameError, shorten
from ...game.game import Game
from ...game.rules_text import SIDES
from ...game.step import join_turn
from ...match.match import Match
from ...match.records import load_record, save_record
from ...match.status_text import outcome_sentence, standing
from ..terminal_match.match_file import Forfeit, match_text
from ..terminal_match.session import RESIGNED
from ..terminal_match.typed_commands import before_turn_of
from ..terminal_match.typed_input import normal_text

SEAT, SEED = "Seat", "Seed"
"""Headers of the record: the side of the model, and the seed of the bot's choices."""
REFUSED, UNDONE, SHOWN = "Refused", "Undone", "LegalMovesShown"
"""Headers that count: texts that were not legal, turns taken back, and how often the legal moves were shown."""

SUFFIX = ".pdn"


@dataclass
class KeptMatch:
    """A match with its file. The model is to move in it, or it is over; every change is written at once."""

    path: Path
    match: Match
    names: tuple[str, str]  # of South and North; that of the bot is its spec
    headers: dict[str, str]
    date: date | str
    forfeit: Forfeit | None = None

    @classmethod
    def begin(
        cls, folder: Path, game: Game, opponent: str, seat: int, seed: int, name: str, seconds: float
    ) -> "KeptMatch":
        """Begins a match under a new name in a folder; if the bot has the first turn, it plays it."""
        names = (name, opponent) if seat == 0 else (opponent, name)
        headers = {SEAT: str(seat), SEED: str(seed)}
        kept = cls(folder, Match(game), names, headers, date.today())
        load_bot(opponent, game, seed=seed, time_limit=seconds, tables=False, programs=False)
        kept._answer(kept.match, seconds)
        kept.path = next(path for number in count(1) if not (path := folder / f"{game.name}-{number}{SUFFIX}").exists())
        save_record(kept.path, kept.text, overwrite=False)
        return kept

    @classmethod
    def open(cls, folder: Path, name: str) -> "KeptMatch":
        """Opens a match by the name of its file in a folder, which is no path."""
        known = sorted(path.stem for path in folder.glob(f"*{SUFFIX}"))
        if name not in known:
            raise UnknownNameError("match", name, known)
        path = folder / f"{name}{SUFFIX}"
        record = load_record(path)
        match, headers = record.match, record.headers
        if headers.get(SEAT) not in ("0", "1") or not headers.get(SEED, "").isdecimal():
            raise RecordError(f"match {name!r} was not begun here: its record has no headers {SEAT} and {SEED}")
        forfeit = None
        if not match.is_over and record.result != "*":
            if record.result not in ("1-0", "0-1"):
                raise RecordError(
                    f"match {name!r} is drawn by its result, but not on the board; make the result * again"
                )
            forfeit = Forfeit(int(record.result == "1-0"), record.reason or RESIGNED)
        return cls(path, match, (record.south, record.north), headers, record.date, forfeit)

    @property
    def text(self) -> str:
        """The record."""
        return match_text(self.match, self.names, self.date, self.headers, self.forfeit)

    @property
    def seat(self) -> int:
        """The side of the model."""
        return int(self.headers[SEAT])

    def play(self, text: str, seconds: float) -> None:
        """Plays a step or a turn of the model; if its turn ends, the bot answers. After an error nothing is played."""
        self.check_unfinished()
        ahead = self.match.copy()
        try:
            ahead.push(normal_text(text))
        except AlquerqueError as error:
            self.count(REFUSED)
            # The package's own message lists the legal steps.
            if type(error) is IllegalStepError:
                raise IllegalStepError(f"{shorten(text)!r} is not legal in {self.match.position}") from None
            raise
        self._answer(ahead, seconds)
        self.match = ahead
        self._save()

    def undo(self) -> str:
        """Takes back the resignation of the model, or its last turn and what followed; returns what that was."""
        taken = "the resignation"
        if self.forfeit is None:
            before = before_turn_of(self.match, [self.seat])
            taken = " ".join(step.text for step in self.match.steps[len(before.steps) :])
            self.match = before
        self.forfeit = None
        self.count(UNDONE)
        return taken

    def resign(self) -> None:
        """Gives the match up."""
        self.check_unfinished()
        self.forfeit = Forfeit(self.seat, RESIGNED)
        self._save()

    def count(self, header: str) -> None:
        """Adds one to a number in the headers."""
        self.headers[header] = str(int(self.headers.get(header, "0")) + 1)
        self._save()

    def check_unfinished(self) -> None:
        """Raises `AlquerqueError` if the match is over."""
        if self.forfeit is not None or self.match.is_over:
            raise AlquerqueError("the match is over; undo takes your last turn back")

    def turns_from(self, first: int) -> list[str]:
        """Sentences that say what was played from the step with this number on."""
        said, end = [], 0
        for player, steps in self.match.history:
            begin, end = end, end + len(steps)
            if end > first:
                turn = join_turn([step.text for step in steps[max(0, first - begin) :]])
                said.append(f"{self._who(player)} plays {turn}.")
        return said

    def standing(self) -> list[str]:
        """Sentences that say who is to move, or who won and why; and the position as text."""
        match, outcome = self.match, self.match.outcome
        if self.forfeit is not None:
            said = [f"{SIDES[1 - self.forfeit.loser]} wins: {SIDES[self.forfeit.loser]} {self.forfeit.reason}."]
        elif outcome is not None:
            said = [outcome_sentence(match, outcome)]
        else:
            said = [f"{self._who(match.player)} is to move.", *filter(None, [standing(match)])]
        return [*said, f"Position: {match.position}"]

    def _who(self, player: int) -> str:
        return f"{SIDES[player]} ({self.names[player]})"

    def _answer(self, match: Match, seconds: float) -> None:
        """Lets the bot play until it is the model's turn. Its choices depend on the seed and the steps played alone."""
        spec, seed = self.names[1 - self.seat], int(self.headers[SEED]) + len(match.steps)
        bot = None
        try:
            while not match.is_over and match.player != self.seat:
                bot = bot or load_bot(spec, match.game, seed=seed, time_limit=seconds, tables=False, programs=False)
                match.push(bot.choose(match))
        except AlquerqueError as error:
            raise BotError(f"{spec} failed, so that nothing was played: {error}") from None

    def _save(self) -> None:
        save_record(self.path, self.text)
