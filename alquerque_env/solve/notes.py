"""The notes of unfinished work, as JSON with a checksum: what is being solved, and what is done."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ..errors import LONGEST_PATH, TableError, made_for_other_rules, shorten
from ..files.atomic import write_whole
from ..files.lock import locked_file

T = TypeVar("T")

SUM = "sha256"


@contextmanager
def held(path: Path | None, note: Callable[[str], None] | None) -> Iterator[None]:
    """Holds the lock on a file or folder during the context, in a folder that it makes; does nothing for None.

    While another process holds it, the call waits, and `note` is called with a sentence that names that process.
    """
    with ExitStack() as stack:
        if path is not None:
            try:
                with suppress(FileExistsError):  # a file, which the lock refuses with a better reason
                    path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked_file(path, note or (lambda _sentence: None)))
            except OSError as error:
                raise cannot_write(path, error) from None
        yield


def write_notes(file: Path, identity: Mapping[str, Any], rest: Mapping[str, Any]) -> None:
    """Writes notes; raises `TableError` if it cannot."""
    content = {**identity, **rest}
    try:
        write_whole(file, json.dumps({**content, SUM: _sum(content)}).encode())
    except OSError as error:
        raise cannot_write(file, error) from None


def read_notes(file: Path, identity: Mapping[str, Any], parse: Callable[[dict[str, Any]], T]) -> T:
    """Reads notes that begin with `identity`, what is being solved; `code` there is a hash of the code that solves it.

    Returns what `parse` makes of the rest; what that raises means that the notes are damaged, a `TableError`.
    """
    try:
        rest = json.loads(file.read_text(encoding="utf-8"))
        checksum = rest.pop(SUM, None)
        is_whole = checksum == _sum(rest)
        found = {name: rest.pop(name) for name in identity if name in rest}
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise damaged(file) from None
    hashes = found.get("table_hash"), identity["table_hash"]
    if found.get("game") == identity["game"] and hashes[0] != hashes[1]:
        what, remedy = f"the unfinished work in {file.parent}", "delete that folder to begin again"
        raise TableError(made_for_other_rules(what, *hashes, remedy))
    if found.get("code") != identity.get("code"):
        raise TableError(
            f"the unfinished work in {file.parent} is from another version of the package: delete that folder to "
            "begin again"
        )
    if found != identity:
        raise TableError(
            f"{file.parent} holds the work on {shorten(str(found), LONGEST_PATH)}, not on {dict(identity)}; delete it"
        )
    try:
        if is_whole:
            return parse(rest)
    except (ValueError, ArithmeticError, KeyError, AttributeError, TypeError):
        pass
    raise damaged(file)


def damaged(file: Path) -> TableError:
    """The error for a damaged file of unfinished work."""
    return TableError(f"{file} is damaged: delete {file.parent} to begin again")


def cannot_write(file: Path, error: OSError, remedy: str = "") -> TableError:
    """The error for a file of unfinished work that cannot be written; `remedy` is what helps besides."""
    reason = error.strerror or str(error)
    way_on = f"fix that{remedy}, and the same command resumes"
    return TableError(f"cannot write {file}: {reason}; what is done is kept: {way_on}")


def _sum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
