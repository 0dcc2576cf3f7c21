"""Match files of a session: read, written on demand, and kept when play ends before the match does."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from ...errors import AlquerqueError, RecordError
from ...files.atomic import remove_partials
from ...files.lock import LockedError, locked_file
from ...files.user_folders import user_state_folder
from ...match.records import Record, count_records, load_record, save_record
from ...match.records.record import UNKNOWN_DATE, as_date
from ...match.status_text import outcome_sentence

# Most matches that are kept with the same second in their names.
_SAME_SECOND = 100


class LoadedMatch(NamedTuple):
    """A match read from a file, to be played on; its result there is taken back."""

    path: str
    record: Record
    description: str  # what a person should know
    text: str  # of the match in the file
    is_alone: bool  # whether the file has no other match, so that it may be replaced


def load_match(path: str, number: int = 1) -> LoadedMatch:
    """Reads an unfinished match from a file, the one with this number from 1; `RecordError` if there is none."""
    remarks: list[str] = []
    record = load_record(path, number, tell=remarks.append)
    match, count = record.match, count_records(path)
    if match.outcome is not None:
        end = outcome_sentence(match, match.outcome).removesuffix(".")
        raise RecordError(f"the match in {path!r} is over and cannot be resumed ({end})")
    played = len(match.turns)
    turns = f"{played or 'no'} turn{'s' * (played != 1)}"
    said = [f"{match.game.title}, {turns}, {record.south} (South) against {record.north} (North)."]
    if count > 1:
        said.append(f"This is match {number} of {count} in {path}.")
    if record.is_over:
        said.append(f"In the file it ended {record.result} ({record.reason or 'no reason given'}); it resumes here.")
    said += [f"{remark}." for remark in remarks]
    if record.date == UNKNOWN_DATE:
        record.date = as_date(date.today())
    text = str(record)
    record.end("*")
    return LoadedMatch(path, record, " ".join(said), text, count == 1)


@dataclass
class MatchSaver:
    """Writes the match of a session to files: after each turn, since the process may be killed, and when play ends."""

    save_to: str | None = None  # the file that the user named with `--save`; None if there is none
    # The file in the user's state folder that holds the match while it is played; None if there is none.
    autosave: str | None = None
    # Files that may be overwritten: this session wrote them, or loaded the only match in them.
    _own: set[str] = field(default_factory=set)
    # The file that was read or written last, and the text of the match in it.
    _latest: tuple[str, str] = ("", "")

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
        """Goes on with a match from a file."""
        self.autosave = None
        self._latest = "", ""
        if loaded.is_alone:
            self._latest = loaded.path, loaded.text
            self._own.add(_resolve(loaded.path))

    def file_with(self, record: Record) -> str | None:
        """A file of the user that holds a match already; None if there is none."""
        path, text = self._latest
        is_users = path not in ("", self.save_to, self.autosave)
        return path if is_users and text == str(record) and os.path.isfile(path) else None

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

    def save(self, path: str, record: Record) -> None:
        """Writes a match to a file that the user named; `RecordError` if it cannot be or may not be overwritten."""
        target, text = _resolve(path), str(record)
        # Not twice: a process that is killed while it writes leaves a partial file, which nobody removes beside a match
        # that is over.
        if self._latest == (path, text) and os.path.isfile(path):
            return
        save_record(path, text, overwrite=target in self._own)
        self._own.add(target)
        self._latest = path, text

    def save_in_state_folder(self, record: Record) -> str:
        """Writes a match to the user's state folder, unless a file holds it already; returns the file."""
        if (path := self.file_with(record)) is not None:
            return path
        if self.autosave is None:
            self.autosave = _new_file(record)
            self._own.add(_resolve(self.autosave))
            self._latest = self.autosave, str(record)
        self.save(self.autosave, record)
        return self.autosave

    def save_turn(self, record: Record) -> None:
        """Writes a match that continues; raises `RecordError` if it cannot be written."""
        if self.save_to is not None:
            self.save(self.save_to, record)
        else:
            self.save_in_state_folder(record)

    def save_at_end(self, record: Record, *, is_unfinished: bool) -> tuple[str | None, list[str]]:
        """Writes a match when play ends: to `save_to`; if that fails or is None, an unfinished one to the state folder.

        Returns the file that holds the match, None if there is none, and what to tell the user.
        """
        path, notes = None, []
        try:
            if self.save_to is not None:
                self.save(self.save_to, record)
                path = self.save_to
        except RecordError as error:
            notes.append(str(error))
        try:
            if path is None and (is_unfinished or notes):
                path = self.save_in_state_folder(record)
        except RecordError as error:
            notes.append(f"The match is not saved: {error}.")
        if path is not None:
            notes.append(f"The match is saved in {path}.")
        if self.autosave not in (None, path):
            with suppress(OSError):
                os.unlink(self.autosave)
        return path, notes


def _new_file(record: Record) -> str:
    """Writes a match under a new name in the user's state folder; returns the file."""
    folder = user_state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    remove_partials(folder, days=1)  # of a process that was killed while it wrote
    begun = f"{record.match.game.name}-{datetime.now():%Y%m%d-%H%M%S}"
    # Other sessions may have taken the name in the same second.
    for suffix in ("", *(f"-{number}" for number in range(2, _SAME_SECOND + 1))):
        path = str(folder / f"{begun}{suffix}.pdn")
        try:
            save_record(path, record, overwrite=False)
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
