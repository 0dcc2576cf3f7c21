"""Files that are not in the wheel, since few people need them: `alquerque fetch` gets them as `release.json` says."""

import hashlib
import json
import os
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import AlquerqueError, UnknownNameError
from ..progress import Progress, Watch, unwatched
from .atomic import open_whole
from .user_folders import user_cache_folder

_RELEASE: Mapping[str, Any] = json.loads(Path(__file__).with_name("release.json").read_text(encoding="utf-8"))
PARTS: Mapping[str, Mapping[str, Any]] = _RELEASE["parts"]
"""What can be fetched, by name: `about`, `command`, which makes it, and `files`, with `bytes` and `sha256` of each."""

ADDRESS = "ALQUERQUE_RELEASE"
"""The environment variable with the address of the files, in place of the one in `release.json`."""

_CHECKOUT = Path(__file__).parents[2]
_SECONDS, _PIECE = 30, 1 << 16  # without an answer; bytes


def fetched_folder() -> Path:
    """The folder of fetched files, with the paths that they have in a checkout. It need not exist."""
    chosen = os.environ.get("ALQUERQUE_FETCHED")
    return Path(chosen) if chosen else user_cache_folder() / "fetched"


def how_to_fetch(name: str) -> str:
    """The sentence that says what to do where a part is missing; empty if it is there or is none of the release."""
    if name not in PARTS or all(_find(path) for path in PARTS[name]["files"]):
        return ""
    return f"{PARTS[name]['about']} is not in the wheel: alquerque fetch {name}"


def fetch(name: str, watch: Watch = unwatched) -> list[Path]:
    """Fetches the files of a part, each whole or not at all, and returns those that were not there yet.

    Raises:
      AlquerqueError: If there is no such part or no address, or a file cannot be fetched or is another one.
      OSError: If a file cannot be written, with its name.
    """
    if name not in PARTS:
        raise UnknownNameError("part of the release", name, PARTS)
    missing = {path: facts for path, facts in PARTS[name]["files"].items() if not _find(path)}
    address, command = os.environ.get(ADDRESS) or _RELEASE["address"], PARTS[name]["command"]
    if missing and not address:
        raise AlquerqueError(
            f"no address is known from which to fetch {PARTS[name]['about']}; make it by {command}, or set {ADDRESS} "
            "to the address of the files, such as file:///home/me/alquerque-env, a checkout"
        )
    for path, facts in missing.items():
        target = fetched_folder() / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_whole(target) as file:
            _download(f"{address.rstrip('/')}/{path}", file, facts, watch)
    return [fetched_folder() / path for path in missing]


def _find(path: str) -> bool:
    return any((folder / path).is_file() for folder in (_CHECKOUT, fetched_folder()))


def _download(url: str, file: BinaryIO, facts: Mapping[str, Any], watch: Watch) -> None:
    """Copies what an address has, if it is what the release says."""
    digest, done, size = hashlib.sha256(), 0, facts["bytes"]
    for piece in _read(url):
        file.write(piece)
        digest.update(piece)
        done += len(piece)
        watch(Progress("bytes", done, size, about=url.rpartition("/")[2]))
        if done > size:
            break
    if done != size or digest.hexdigest() != facts["sha256"]:
        found = f"it has {done:,} of {size:,} bytes" if done < size else "it is not the file of this release"
        raise AlquerqueError(f"cannot use {url}: {found}; nothing of it is kept")


def _read(url: str) -> Iterator[bytes]:
    try:
        if not url.startswith(("https://", "http://", "file://")):
            raise ValueError("expected an address that begins with https://, http:// or file://")
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            while piece := answer.read(_PIECE):
                yield piece
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise AlquerqueError(f"cannot fetch {url}: {reason}; nothing of it is kept, try again") from None
