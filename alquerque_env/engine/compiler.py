"""Compiles the kernels with Numba where it is installed; the same source runs without it.

A kernel is written for both: words are non-negative integers below 2**63 (`int64` when compiled), and everything it
reads or writes is a sequence of them. Python hands over arrays when compiled and lists or tuples when not; a kernel
that is called from Python borrows its arrays before it hands them on (see `pointers.py`).

Set `ALQUERQUE_JIT=0` to run the plain source although Numba is installed.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..game.kernel_arrays import JIT, WORD_BITS

_MASK = (1 << WORD_BITS) - 1
_LANES = 8
_LONG = 60 * 86_400.0
"""Seconds after which compiled kernels that nobody has used are deleted."""

if JIT:
    import numba
    import platformdirs

    from .words.llvm import (
        allocate,
        borrowed,
        clear_bytes,
        count_bits,
        count_lanes,
        fill_lanes,
        find_lane,
        invert_lanes,
        lowest_bit,
        narrow_lanes,
        nth_bit,
        plain_product,
        plain_sum,
        release,
        reverse_bits,
        spread_bits,
    )

    def _cache_folder() -> str:
        """A folder for compiled kernels that changes whenever the source of any kernel does.

        Numba's own cache looks at one file only, so a kernel that calls into another file would play old rules.
        """
        source = hashlib.sha256(numba.__version__.encode())
        for file in sorted(Path(__file__).parents[1].rglob("*.py")):
            text = file.read_bytes()
            if (
                b"kernel" in text
                or b"inlined" in text
                or file.name in ("table_layout.py", "index_layout.py", "llvm.py")
            ):
                source.update(text)
        folder = Path(platformdirs.user_cache_dir("alquerque-env")) / "kernels" / source.hexdigest()[:16]
        with suppress(OSError):
            _forget_others(folder)
        return str(folder)

    def _forget_others(folder: Path) -> None:
        """Deletes what versions of the package have left that nobody has used for long; notes that this one is used."""
        is_new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.iterdir() if is_new else ():
            if other.stat().st_mtime < time.time() - _LONG:
                shutil.rmtree(other, ignore_errors=True)

    _CACHE_FOLDER = _cache_folder()

    def _compiled(function: Callable[..., Any], **options: bool) -> Callable[..., Any]:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = before or _CACHE_FOLDER
        options |= {"nogil": True, "error_model": "numpy"}
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # there is no folder that can be written to
            return numba.njit(**options)(function)
        finally:
            numba.config.CACHE_DIR = before

    def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        """Compiles a function on its first call and keeps the result on disk."""
        return _compiled(function)

    def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
        """As `kernel`, but made part of every kernel that calls it."""
        return _compiled(function, forceinline=True)

    @inlined
    def wrapped_product(a, b):
        """Product modulo 2**63."""
        return plain_product(a, b) & _MASK

    @inlined
    def wrapped_sum(a, b):
        """Sum modulo 2**63."""
        return plain_sum(a, b) & _MASK

    @inlined
    def spread_word(numbers, place, word, count, room):
        """Writes 1 or 0 for each of `count` points of a word.

        Whole groups of bytes are written where there is room for them: up to 31 numbers behind may be overwritten, but
        none from `place + room` on.
        """
        if count <= 32 <= room:  # nearly always; without the loops a batch is a twentieth faster
            spread_bits(numbers, place, word)
            return
        point = 0
        while point < count and point + 32 <= room:
            spread_bits(numbers, place + point, word >> point)
            point += 32
        while point < count:
            numbers[place + point] = word >> point & 1
            point += 1

    @inlined
    def popcount(word):
        """Number of points in a word."""
        return count_bits(word)

    @inlined
    def lowest(word):
        """Lowest point of a word that has one."""
        return lowest_bit(word)

else:

    def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        """Leaves the function as it is."""
        return function

    inlined = kernel

    def borrowed(sequence: Any) -> Any:
        """The same sequence."""
        return sequence

    def allocate(rows: int, count: int) -> list[list[int]]:
        """`rows` rows of `count` words, to be released."""
        return [[0] * count for _ in range(rows)]

    def release(rows: list[list[int]]) -> None:
        """Ends the use of allocated rows."""

    def wrapped_product(a: int, b: int) -> int:
        """Product modulo 2**63."""
        return a * b & _MASK

    def wrapped_sum(a: int, b: int) -> int:
        """Sum modulo 2**63."""
        return a + b & _MASK

    def fill_lanes(w: list[int], place: int, word: int) -> None:
        """Sets all lanes to one word."""
        w[place : place + _LANES] = [word] * _LANES

    def invert_lanes(w: list[int], place: int, s: list[int], source: int) -> None:
        """Sets each lane to what is not in a word of its own."""
        w[place : place + _LANES] = [~word for word in s[source : source + _LANES]]

    def narrow_lanes(
        t: list[int], distances: int, origins: int, w: list[int], parents: int, sees: int, words: int
    ) -> int:
        """In each lane keeps the origins that see a point of a word at a distance; returns the lanes where any is left.

        The distances and the origins that have a point there stand in `t`; the origins to narrow, the words that they
        see and the result in `w`.
        """
        left = 0
        for lane in range(_LANES):
            word = w[parents + lane] & t[origins + lane]
            if word:
                distance = t[distances + lane]
                seen = w[sees + lane]
                word &= seen >> distance if distance >= 0 else seen << -distance
                if word:
                    left |= 1 << lane
            w[words + lane] = word
        return left

    def count_lanes(w: list[int], words: int) -> int:
        """Number of points in all lanes."""
        return sum(popcount(word) for word in w[words : words + _LANES])

    def find_lane(w: list[int], words: int, index: int) -> int:
        """The lane in which a point is, if the points of all lanes are counted through, and its index there.

        Returns:
          `lane << 32 | index in the lane`.
        """
        lane = 0
        while index >= popcount(w[words + lane]):
            index -= popcount(w[words + lane])
            lane += 1
        return lane << 32 | index

    def clear_bytes(numbers: Any, count: int) -> None:
        """Sets the first `count` numbers to 0."""
        numbers[:count] = [0] * count

    def spread_word(numbers: Any, place: int, word: int, count: int, room: int) -> None:  # noqa: ARG001
        """Writes 1 or 0 for each of `count` points of a word."""
        numbers[place : place + count] = [word >> point & 1 for point in range(count)]

    def reverse_bits(word: int, count: int) -> int:
        """The low `count` bits of a word in the other order."""
        return int(f"{word:0{count}b}"[::-1], 2)

    def popcount(word: int) -> int:
        """Number of points in a word."""
        return bin(word).count("1")

    def lowest(word: int) -> int:
        """Lowest point of a word that has one."""
        return (word & -word).bit_length() - 1

    def nth_bit(word: int, index: int) -> int:
        """The point of a word that has `index` others below it."""
        for _ in range(index):
            word &= word - 1
        return lowest(word)
