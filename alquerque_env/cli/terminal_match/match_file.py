"""The match of a session in files: read, written on demand, and set aside when play ends before the match does."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

import platformdirs

from ...errors import AlquerqueError, RecordError
from ...match.match import Match
from ...match.records import Record, count_records, format_record, load_record, save_record
from ...match.records.record import UNKNOWN_DATE
from ...match.status_text import outcome_sentence
from .players import HUMAN, is_person

# More matches than these do not end in the same second.
_SAME_SECOND = 100


@dataclass(frozen=True)
class Found:
    """A match in a file.

    Attributes:
      path: The file.
      record: The match, with what the file says about it.
      number: Its place in the file, from 1.
      count: How many matches the file holds.
    """

    path: str
    record: Record
    number: int
    count: int

    @property
    def names(self) -> tuple[str, str]:
        """Who played South and North, as the file calls them."""
        return self.record.south, self.record.north

    @property
    def human(self) -> int | None:
        """The side that a person played, None if both did or neither."""
        sides = [side for side, name in enumerate(self.names) if is_person(name)]
        return sides[0] if len(sides) == 1 else None

    def called(self, side: int) -> str | None:
        """The name of the person who played a side, None if it was nobody in particular."""
        name = self.names[side]
        return name if is_person(name) and name != HUMAN else None


def find_match(path: str, number: int = 1) -> Found:
    """Reads a match that can be gone on with.

    Args:
      path: The file.
      number: The place of the match in it, from 1.

    Raises:
      RecordError: If the file cannot be read or has no such match, or if the match is over.
    """
    found = Found(path, load_record(path, number), number, count_records(path))
    match = found.record.match
    if match.outcome is not None:
        end = outcome_sentence(match, match.outcome).removesuffix(".")
        raise RecordError(f"the match in {path!r} is over, so there is nothing to go on with ({end})")
    return found


class Forfeit(NamedTuple):
    """How a match has ended that the board does not end.

    Attributes:
      loser: The side that has lost.
      reason: Why.
    """

    loser: int
    reason: str

    @property
    def result(self) -> str:
        """As records have it."""
        return ("0-1", "1-0")[self.loser]


@dataclass
class Keeper:
    """Keeps the match of one session: in a file beside play, since a process may be killed, and where play ends.

    Attributes:
      save_to: Where the match is written, at the latest when play ends, however it ends; None for nowhere.
      beside: The file in the user's state directory that has the match while it is played; None where there is none.
    """

    save_to: str | None = None
    beside: str | None = None
    _date: date | str = field(default_factory=date.today)
    _headers: Mapping[str, str] = field(default_factory=dict)
    # Files that nobody misses when they are replaced: this session wrote them, or goes on with the only match in them.
    _own: set[str] = field(default_factory=set)
    # The file that was read or written last, and the text of the match in it.
    _latest: tuple[str, str] | None = None

    def adopt(self, found: Found) -> None:
        """Takes over what a file says about the match with which the session goes on."""
        record = found.record
        self._date = record.date if record.date != UNKNOWN_DATE else self._date
        self._headers = record.other_headers
        self._latest = self.beside = None
        if found.count == 1:
            self._own.add(_resolve(found.path))
            # Where the file says how the match ended, it does not hold one that goes on.
            if record.result == "*":
                self._latest = found.path, self.text(record.match, found.names)

    def text(self, match: Match, names: tuple[str, str], forfeit: Forfeit | None = None) -> str:
        """The record of the match.

        Args:
          match: The match.
          names: Who plays South and North.
          forfeit: How it has ended, where not on the board.
        """
        south, north = names
        result, reason = (None, None) if forfeit is None else (forfeit.result, forfeit.reason)
        return format_record(
            match, south=south, north=north, date=self._date, result=result, reason=reason, headers=self._headers
        )

    def file_of(self, text: str) -> str | None:
        """The file that holds a record already and goes on doing so, None if there is none."""
        path, held = self._latest or ("", "")
        return path if held == text and path != self.save_to and os.path.isfile(path) else None

    def check_target(self) -> None:
        """Refuses now what could not be written later.

        Raises:
          AlquerqueError: If `save_to` is there already and is no file of this session, or its folder is not there.
        """
        if self.save_to is None:
            return
        target = _resolve(self.save_to)
        if os.path.lexists(target) and target not in self._own:
            raise AlquerqueError(f"--save is {self.save_to!r}, which exists already; choose another name")
        if not os.path.isdir(os.path.dirname(target)):
            raise AlquerqueError(f"--save is {self.save_to!r}, but there is no such folder; make it, or choose another")

    def save(self, path: str, text: str) -> None:
        """Writes a record where the person wants it.

        Raises:
          RecordError: If a file of somebody else is there, or it cannot be written.
        """
        target = _resolve(path)
        save_record(path, text, overwrite=target in self._own)
        self._own.add(target)
        self._latest = path, text

    def set_aside(self, text: str) -> str:
        """Writes a record under a new name in the user's state directory, unless a file holds it already.

        Returns:
          The file.

        Raises:
          RecordError: If it cannot be written.
        """
        if (path := self.file_of(text)) is not None:
            return path
        if self.beside is not None:
            save_record(self.beside, text, overwrite=True)
            self._latest = self.beside, text
            return self.beside
        folder = Path(os.path.abspath(platformdirs.user_state_dir("alquerque-env")))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecordError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
        now = f"{datetime.now():%Y%m%d-%H%M%S}"
        # Others may have taken the name in the same second.
        for suffix in ("", *(f"-{number}" for number in range(2, _SAME_SECOND + 1))):
            path = str(folder / f"alquerque-{now}{suffix}.pdn")
            try:
                save_record(path, text, overwrite=False)
            except RecordError as error:
                problem = error
                if not os.path.lexists(path):
                    break
            else:
                self._latest, self.beside = (path, text), path
                return path
        raise problem

    def keep_beside(self, text: str) -> None:
        """Writes a match that goes on.

        Raises:
          RecordError: If it cannot be written.
        """
        if self.save_to is not None:
            self.save(self.save_to, text)
        else:
            self.set_aside(text)

    def keep(self, text: str, *, is_unfinished: bool) -> tuple[str | None, list[str]]:
        """Writes a record when play ends: where it was asked for; else, of an unfinished match, wherever it can.

        Returns:
          The file that holds the record, None if there is none; and what to tell the person.
        """
        path, notes = self._keep(text, is_unfinished=is_unfinished)
        if self.beside not in (None, path):
            with suppress(OSError):
                os.unlink(self.beside)
        return path, notes

    def _keep(self, text: str, *, is_unfinished: bool) -> tuple[str | None, list[str]]:
        notes = []
        if self.save_to is not None:
            try:
                self.save(self.save_to, text)
            except RecordError as error:
                notes.append(str(error))
            else:
                return self.save_to, [f"The match is saved in {self.save_to}."]
        if not is_unfinished and not notes:
            return None, []
        try:
            path = self.set_aside(text)
        except RecordError as error:
            return None, [*notes, f"The match is not saved: {error}."]
        return path, [*notes, f"The match is saved in {path}."]


def _resolve(path: str) -> str:
    """The file that a path leads to; the path itself if it cannot be one."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
