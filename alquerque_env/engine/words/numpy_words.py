"""What kernels on columns are written with; compiled by Numba where it is installed, else NumPy.

A column holds a word of each of several matches: a vector when compiled, an array `[B]` when not, of 32 or 64 bits. The
ways differ in one thing: a compiled kernel takes matches whatever player is to move, a column of players; without Numba
it takes those of one player, since choosing costs NumPy as much as any other work.
"""

from ...game.kernel_arrays import JIT

if JIT:
    from .simd_words import (
        any_of,
        columns_of,
        constant,
        count_each,
        draw_below,
        gather,
        gather_rows,
        give_to_player,
        nth_point,
        of_player,
        turned,
        where,
    )
else:
    import numpy as np

    where = np.where

    def columns_of(array):
        """The same array."""
        return array

    def constant(like, value):
        """A column like another one with one number in all places."""
        return np.full_like(like, value)

    def any_of(flags):
        """Whether a flag is set."""
        return flags.any()

    def of_player(player, sequence, place):
        """`sequence[place + player]`."""
        return sequence[place + player]

    def give_to_player(player, columns, place, own, other):
        """Sets `columns[place + player]` to `own` and the other of the two columns to `other`."""
        columns[place + player], columns[place + 1 - player] = own, other

    def turned(column, distance):
        """Words whose point `p` tells of the point `p + distance`; nothing is said of points that have none there."""
        return column >> distance if distance >= 0 else column << -distance

    def count_each(column):
        """Number of points in each word."""
        if hasattr(np, "bitwise_count"):
            return np.bitwise_count(column).astype(column.dtype)
        parts = column.view(np.uint8).reshape(len(column), -1)
        return np.unpackbits(parts, axis=1).sum(1, dtype=column.dtype)

    def nth_point(column, index):
        """The point of each word that has `index` others below it; any where there is none."""
        point = np.zeros_like(column)
        width = column.itemsize * 4
        while width:
            below = count_each(column & ((1 << width) - 1))
            passes = index >= below
            index = index - np.where(passes, below, 0)
            skipped = np.where(passes, width, 0).astype(column.dtype)
            column, point = column >> skipped, point + skipped
            width //= 2
        return point

    def gather(numbers, index):
        """`numbers[index]` for each place of a column."""
        return numbers[index]

    def gather_rows(columns, index):
        """In each place the word there of `columns[index]`."""
        return columns[index, np.arange(len(index))]

    def draw_below(states, n):
        """In each place a pseudo-random number in [0, n), n below 2**31; `states` are 64-bit words, one for each place.

        Source: Steele, Lea and Flood 2014, SplitMix.
        """
        states += np.uint64(0x9E3779B97F4A7C15)
        x = states
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
        x = (x ^ x >> np.uint64(31)) >> np.uint64(32)
        return (x * n.astype(np.uint64) >> np.uint64(32)).astype(n.dtype)
