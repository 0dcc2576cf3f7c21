"""Match files of a session: read, written on demand, and kept when play ends before the match does."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from ...errors import AlquerqueError, RecordError
from ...files.atomic import remove_partials
from ...files.lock import LockedError, locked_file
from ...files.user_folders import user_state_folder
from ...game.step import Step
from ...match.match import Match
from ...match.records import Comment, Record, count_records, load_record, save_record
from ...match.records.record import UNKNOWN_DATE
from ...match.status_text import outcome_sentence
from .players import HUMAN, is_person

# Most matches that are kept with the same second in their names.
_SAME_SECOND = 100


@dataclass(frozen=True)
class LoadedMatch:
    """A match read from a file, its place there, from 1, the number of matches in the file, and remarks on the file."""

    path: str
    record: Record
    number: int
    count: int
    remarks: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, str]:
        """Names of South and North in the file."""
        return self.record.south, self.record.north

    @property
    def human(self) -> int | None:
        """The side that a person played; None if two people played, or none."""
        sides = [side for side, name in enumerate(self.names) if is_person(name)]
        return sides[0] if len(sides) == 1 else None

    def person_name(self, side: int) -> str | None:
        """Name of the person who played a side; None if the file has no name."""
        name = self.names[side]
        return name if is_person(name) and name != HUMAN else None


def load_match(path: str, number: int = 1) -> LoadedMatch:
    """Reads an unfinished match from a file, the one with this number from 1; `RecordError` if there is none."""
    remarks: list[str] = []
    record = load_record(path, number, tell=remarks.append)
    loaded = LoadedMatch(path, record, number, count_records(path), remarks)
    match = loaded.record.match
    if match.outcome is not None:
        end = outcome_sentence(match, match.outcome).removesuffix(".")
        raise RecordError(f"the match in {path!r} is over and cannot be resumed ({end})")
    return loaded


class Forfeit(NamedTuple):
    """The end of a match that one side lost without a position that ends it."""

    loser: int
    reason: str

    @property
    def result(self) -> str:
        """The result in the notation of match files."""
        return ("0-1", "1-0")[self.loser]


def match_text(
    match: Match,
    names: tuple[str, str],
    day: date | str,
    headers: Mapping[str, str],
    forfeit: Forfeit | None,
    variations: Sequence[Sequence[Step]] = (),
    comments: Sequence[Comment] = (),
) -> str:
    """The text of a match file, with the names of South and North, other headers, variations and comments."""
    south, north = names
    result, reason = (None, None) if forfeit is None else (forfeit.result, forfeit.reason)
    record = Record(
        match,
        south=south,
        north=north,
        date=day,
        result=result,
        reason=reason,
        headers=headers,
        variations=variations,
        comments=comments,
    )
    return str(record)


@dataclass
class MatchSaver:
    """Writes the match of a session to files: after each turn, since the process may be killed, and when play ends."""

    save_to: str | None = None  # the file that the user named with `--save`; None if there is none
    # The file in the user's state folder that holds the match while it is played; None if there is none.
    autosave: str | None = None
    _game: str = "alquerque"  # of the text that was made last
    _date: date | str = field(default_factory=date.today)
    _headers: Mapping[str, str] = field(default_factory=dict)
    _variations: Sequence[Sequence[Step]] = ()
    _comments: Sequence[Comment] = ()
    # Files that may be overwritten: this session wrote them, or loaded the only match in them.
    _own: set[str] = field(default_factory=set)
    # The file that was read or written last, and the text of the match in it.
    _latest: tuple[str, str] | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps other sessions from writing to `save_to`, and removes what a killed one left beside it."""
        with ExitStack() as stack:
            if self.save_to is not None:
                try:
                    stack.enter_context(locked_file(Path(self.save_to)))
                except LockedError:
                    raise
                except (OSError, ValueError):
                    pass  # what hinders the lock hinders saving too, which says so
            yield

    def continue_match(self, loaded: LoadedMatch) -> None:
        """Takes date, headers, variations and comments from a file with which the session continues."""
        record = loaded.record
        self._variations, self._comments = record.variations, record.comments
        self._date = record.date if record.date != UNKNOWN_DATE else self._date
        self._headers = record.headers
        self._latest = self.autosave = None
        if loaded.count == 1:
            self._own.add(_resolve(loaded.path))
            # A file with a result does not hold the unfinished match.
            if record.result == "*":
                self._latest = loaded.path, self.text(record.match, loaded.names)

    def text(self, match: Match, names: tuple[str, str], forfeit: Forfeit | None = None) -> str:
        """The text of the match file, with the names of South and North."""
        self._game = match.game.name
        return match_text(match, names, self._date, self._headers, forfeit, self._variations, self._comments)

    def file_with(self, text: str) -> str | None:
        """A file that holds a match already and will not be overwritten; None if there is none."""
        path, held = self._latest or ("", "")
        return path if held == text and path != self.save_to and os.path.isfile(path) else None

    def check_target(self) -> None:
        """Refuses a `save_to` in no folder, or of a file that this session may not overwrite."""
        if self.save_to is None:
            return
        target = _resolve(self.save_to)
        if os.path.lexists(target) and target not in self._own:
            raise AlquerqueError(f"--save is {self.save_to!r}, which exists already; choose another name")
        if not os.path.isdir(os.path.dirname(target)):
            raise AlquerqueError(
                f"--save is {self.save_to!r}, but its folder does not exist; make it, or choose another"
            )

    def save(self, path: str, text: str) -> None:
        """Writes a match to a file that the user named; `RecordError` if it cannot be or may not be overwritten."""
        target = _resolve(path)
        save_record(path, text, overwrite=target in self._own)
        self._own.add(target)
        self._latest = path, text

    def save_in_state_folder(self, text: str) -> str:
        """Writes a match to the user's state folder, unless a file holds it already; returns the file."""
        if (path := self.file_with(text)) is not None:
            return path
        if self.autosave is None:
            self.autosave = _new_file(self._game, text)
        else:
            save_record(self.autosave, text, overwrite=True)
        self._latest = self.autosave, text
        return self.autosave

    def save_turn(self, text: str) -> None:
        """Writes a match that continues; raises `RecordError` if it cannot be written."""
        if self.save_to is not None:
            self.save(self.save_to, text)
        else:
            self.save_in_state_folder(text)

    def save_at_end(self, text: str, *, is_unfinished: bool) -> tuple[str | None, list[str]]:
        """Writes a match when play ends: to `save_to`; if that fails or is None, an unfinished one to the state folder.

        Returns the file that holds the match, None if there is none, and what to tell the user.
        """
        path, notes = None, []
        try:
            if self.save_to is not None:
                # Not twice: a process that is killed while it writes leaves a partial file, which nobody removes
                # beside a match that is over.
                if self._latest != (self.save_to, text) or not os.path.isfile(self.save_to):
                    self.save(self.save_to, text)
                path = self.save_to
        except RecordError as error:
            notes.append(str(error))
        try:
            if path is None and (is_unfinished or notes):
                path = self.save_in_state_folder(text)
        except RecordError as error:
            notes.append(f"The match is not saved: {error}.")
        if path is not None:
            notes.append(f"The match is saved in {path}.")
        if self.autosave not in (None, path):
            with suppress(OSError):
                os.unlink(self.autosave)
        return path, notes


def _new_file(game: str, text: str) -> str:
    """Writes a match of a game under a new name in the user's state folder; returns the file."""
    folder = user_state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    remove_partials(folder, days=1)  # of a process that was killed while it wrote
    now = f"{datetime.now():%Y%m%d-%H%M%S}"
    # Other sessions may have taken the name in the same second.
    for suffix in ("", *(f"-{number}" for number in range(2, _SAME_SECOND + 1))):
        path = str(folder / f"{game}-{now}{suffix}.pdn")
        try:
            save_record(path, text, overwrite=False)
        except RecordError as error:
            problem = error
            if not os.path.lexists(path):
                break
        else:
            return path
    raise problem


def _resolve(path: str) -> str:
    """The absolute path without symbolic links; the path itself if it is invalid."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
