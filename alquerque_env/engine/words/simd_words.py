"""Vectors for kernels compiled by Numba: a word of each of several matches in one register.

`Column` is such a vector, `Flags` one of truth values and `Columns` a pointer to rows of words, of which `rows[place]`
is a column. A column has as many words as `WIDTH` bits hold; LLVM cuts vectors into what the machine has.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np.arrayobj import make_array

from ..simd_layout import WIDTH
from .llvm import DEPOSITS_FAST, Pointer


class Column(types.Type):
    """A word of `bits` bits of each match."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Column({bits})")


class Flags(types.Type):
    """A truth value of each match, for columns of `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Flags({bits})")


class Columns(types.Type):
    """Pointer to columns."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Columns({bits})")


def _word(bits: int) -> ir.Type:
    return ir.IntType(bits)


def _vector(bits: int) -> ir.Type:
    return ir.VectorType(_word(bits), WIDTH // bits)


@register_model(Column)
class ColumnModel(models.PrimitiveModel):
    """A vector of words."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _vector(kind.bits))


@register_model(Flags)
class FlagsModel(models.PrimitiveModel):
    """A vector of bits."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), WIDTH // kind.bits))


@register_model(Columns)
class ColumnsModel(models.PrimitiveModel):
    """A pointer to vectors."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _vector(kind.bits).as_pointer())


def _constant(bits, value):
    return ir.Constant(_vector(bits), [value] * (WIDTH // bits))


def _in_all(builder, bits, word):
    """One word in all places of a column."""
    if word.type.width > bits:
        word = builder.trunc(word, _word(bits))
    elif word.type.width < bits:
        word = builder.sext(word, _word(bits))
    one = builder.insert_element(ir.Constant(_vector(bits), ir.Undefined), word, ir.Constant(_index, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_index, WIDTH // bits), [0] * (WIDTH // bits)))


_index = ir.IntType(32)


def _as_column(builder, bits, kind, value):
    return value if isinstance(kind, Column) else _in_all(builder, bits, value)


def _load(builder, columns, place):
    # Rows of words need not be aligned as vectors are.
    return builder.load(builder.gep(columns, [place]), align=8)


def _call(builder, name, result, *args):
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(function, args)


def _each(builder, bits, work):
    """A column of what `work` makes for each place, a constant."""
    result = ir.Constant(_vector(bits), ir.Undefined)
    for place in range(WIDTH // bits):
        index = ir.Constant(_index, place)
        result = builder.insert_element(result, work(index), index)
    return result


def _bits_of(*kinds: types.Type) -> int | None:
    """Bits of the words of those arguments that are columns, or None if there is none."""
    return next((kind.bits for kind in kinds if isinstance(kind, Column | Flags | Columns)), None)


def _operator(function: Callable[..., Any], emit: Callable[..., Any], compares: bool = False) -> None:
    """Defines an operator on two columns, or on a column and a number."""

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, keywords):
            bits = _bits_of(*args)
            if bits is None or not all(isinstance(arg, Column | types.Integer) for arg in args):
                return None
            taken = [arg if isinstance(arg, Column) else types.int64 for arg in args]
            return signature(Flags(bits) if compares else Column(bits), *taken)

    def lower(context, builder, sig, args):
        bits = sig.return_type.bits
        pairs = zip(sig.args, args, strict=True)
        return emit(builder, *(_as_column(builder, bits, kind, value) for kind, value in pairs))

    for kinds in ((Column, Column), (Column, types.int64), (types.int64, Column)):
        lower_builtin(function, *kinds)(lower)


def _comparison(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.icmp_signed(sign, a, b)


for _function, _name in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    _operator(_function, lambda builder, a, b, name=_name: getattr(builder, name)(a, b))
for _function, _name in (
    (operator.eq, "=="),
    (operator.ne, "!="),
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
):
    _operator(_function, _comparison(_name), compares=True)


def _flags_operator(function: Callable[..., Any], name: str) -> None:
    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, keywords):
            same = all(isinstance(arg, Flags) for arg in args)
            return signature(args[0], *args) if same else None

    @lower_builtin(function, Flags, Flags)
    def lower(context, builder, sig, args):
        return getattr(builder, name)(*args)


_flags_operator(operator.and_, "and_")
_flags_operator(operator.or_, "or_")


@infer_global(operator.invert)
class Invert(AbstractTemplate):
    """Types `~column` and `~flags`."""

    def generic(self, args, keywords):
        return signature(args[0], args[0]) if isinstance(args[0], Column | Flags) else None


@lower_builtin(operator.invert, Column)
@lower_builtin(operator.invert, Flags)
def _invert(context, builder, sig, args):
    return builder.not_(args[0])


@infer_global(operator.getitem)
class GetColumn(AbstractTemplate):
    """Types `columns[place]`."""

    def generic(self, args, keywords):
        columns, place = args
        if isinstance(columns, Columns) and isinstance(place, types.Integer):
            return signature(Column(columns.bits), columns, types.int64)
        return None


@infer_global(operator.setitem)
class SetColumn(AbstractTemplate):
    """Types `columns[place] = column` and `columns[place] = number`."""

    def generic(self, args, keywords):
        columns, place, value = args
        if not isinstance(columns, Columns) or not isinstance(place, types.Integer):
            return None
        return signature(types.none, columns, types.int64, value if isinstance(value, Column) else types.int64)


@lower_builtin(operator.getitem, Columns, types.int64)
def _get_column(context, builder, sig, args):
    return _load(builder, *args)


@lower_builtin(operator.setitem, Columns, types.int64, Column)
@lower_builtin(operator.setitem, Columns, types.int64, types.int64)
def _set_column(context, builder, sig, args):
    columns, place, value = args
    column = _as_column(builder, sig.args[0].bits, sig.args[2], value)
    builder.store(column, builder.gep(columns, [place]), align=8)
    return context.get_dummy_value()


@intrinsic
def columns_of(typing_context, array):
    """The columns of an array `[places, WIDTH // bits]`, for as long as the caller keeps it alive."""
    result = Columns(array.dtype.bitwidth)

    def emit(context, builder, sig, args):
        return builder.bitcast(make_array(array)(context, builder, args[0]).data, _vector(result.bits).as_pointer())

    return result(array), emit


@intrinsic
def constant(typing_context, like, value):
    """A column like another one with one number in all places."""

    def emit(context, builder, sig, args):
        return _in_all(builder, like.bits, args[1])

    return Column(like.bits)(like, types.int64), emit


@intrinsic
def where(typing_context, flags, a, b):
    """In each place `a` where the flag is set, else `b`; columns or numbers."""

    def emit(context, builder, sig, args):
        a, b = (_as_column(builder, flags.bits, *pair) for pair in zip(sig.args[1:], args[1:], strict=True))
        return builder.select(args[0], a, b)

    taken = [kind if isinstance(kind, Column) else types.int64 for kind in (a, b)]
    return Column(flags.bits)(flags, *taken), emit


@intrinsic
def any_of(typing_context, flags):
    """Whether a flag is set."""

    def emit(context, builder, sig, args):
        kind = ir.IntType(WIDTH // flags.bits)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], kind), ir.Constant(kind, 0))

    return types.boolean(flags), emit


@intrinsic
def of_player(typing_context, player, sequence, place):
    """In each place `sequence[place + player]`, for a column of players."""
    bits = player.bits

    def emit(context, builder, sig, args):
        players, sequence, place = args
        is_second = builder.icmp_signed("!=", players, _constant(bits, 0))
        places = place, builder.add(place, ir.Constant(place.type, 1))
        if isinstance(sig.args[1], Columns):
            first, second = (_load(builder, sequence, at) for at in places)
        else:
            first, second = (_in_all(builder, bits, builder.load(builder.gep(sequence, [at]))) for at in places)
        return builder.select(is_second, second, first)

    return Column(bits)(player, sequence, types.int64), emit


@intrinsic
def give_to_player(typing_context, player, columns, place, own, other):
    """Sets `columns[place + player]` to `own` and the other of the two columns to `other`."""

    def emit(context, builder, sig, args):
        players, columns, place, own, other = args
        is_second = builder.icmp_signed("!=", players, _constant(player.bits, 0))
        after = builder.add(place, ir.Constant(place.type, 1))
        builder.store(builder.select(is_second, other, own), builder.gep(columns, [place]), align=8)
        builder.store(builder.select(is_second, own, other), builder.gep(columns, [after]), align=8)
        return context.get_dummy_value()

    return types.none(player, columns, types.int64, own, other), emit


@intrinsic
def turned(typing_context, column, distance):
    """Words whose point `p` tells of the point `p + distance`; nothing is said of points that have none there."""

    def emit(context, builder, sig, args):
        kind = _vector(column.bits)
        distances = _as_column(builder, column.bits, sig.args[1], args[1])
        return _call(builder, f"llvm.fshr.v{WIDTH // column.bits}i{column.bits}", kind, args[0], args[0], distances)

    return column(column, distance if isinstance(distance, Column) else types.int64), emit


@intrinsic
def reversed_points(typing_context, column, count):
    """The low `count` bits of each word in the other order."""
    bits = column.bits

    def emit(context, builder, sig, args):
        words = _call(builder, f"llvm.bitreverse.v{WIDTH // bits}i{bits}", _vector(bits), args[0])
        unused = builder.sub(ir.Constant(args[1].type, bits), args[1])
        return builder.lshr(words, _in_all(builder, bits, unused))

    return column(column, types.int64), emit


@intrinsic
def count_each(typing_context, column):
    """Number of points in each word."""

    def emit(context, builder, sig, args):
        return _call(builder, f"llvm.ctpop.v{WIDTH // column.bits}i{column.bits}", _vector(column.bits), args[0])

    return column(column), emit


@intrinsic
def nth_point(typing_context, column, index):
    """The point of each word that has `index` others below it; any where there is none."""
    bits = column.bits

    def emit(context, builder, sig, args):
        words, index = args
        if not DEPOSITS_FAST:
            return _halved(builder, bits, words, index)
        ranks = builder.shl(_constant(bits, 1), index)

        def deposit(place):
            rank, word = builder.extract_element(ranks, place), builder.extract_element(words, place)
            return _call(builder, f"llvm.x86.bmi.pdep.{bits}", _word(bits), rank, word)

        only = _each(builder, bits, deposit)
        below = builder.and_(builder.not_(only), builder.sub(only, _constant(bits, 1)))
        points = _call(builder, f"llvm.ctpop.v{WIDTH // bits}i{bits}", _vector(bits), below)
        return builder.and_(points, _constant(bits, bits - 1))

    return column(column, index), emit


def _halved(builder, bits, words, index):
    point = _constant(bits, 0)
    width = bits // 2
    while width:
        low = builder.and_(words, _constant(bits, (1 << width) - 1))
        below = _call(builder, f"llvm.ctpop.v{WIDTH // bits}i{bits}", _vector(bits), low)
        passes = builder.icmp_signed(">=", index, below)
        index = builder.sub(index, builder.select(passes, below, _constant(bits, 0)))
        skipped = builder.select(passes, _constant(bits, width), _constant(bits, 0))
        words = builder.lshr(words, skipped)
        point = builder.add(point, skipped)
        width //= 2
    return point


@intrinsic
def gather(typing_context, numbers, index):
    """`numbers[index]` for each place of a column."""
    bits = index.bits

    def emit(context, builder, sig, args):
        numbers, places = args

        def fetch(place):
            at = builder.sext(builder.extract_element(places, place), ir.IntType(64))
            return builder.load(builder.gep(numbers, [at]))

        return _each(builder, bits, fetch)

    same = isinstance(numbers, Pointer) and numbers.dtype.bitwidth == bits
    return (Column(bits)(numbers, index), emit) if same else None


@intrinsic
def gather_rows(typing_context, columns, index):
    """In each place the word there of `columns[index]`."""
    bits = columns.bits

    def emit(context, builder, sig, args):
        columns, rows = args
        words = builder.bitcast(columns, _word(bits).as_pointer())

        def fetch(place):
            row = builder.sext(builder.extract_element(rows, place), ir.IntType(64))
            first = builder.mul(row, ir.Constant(row.type, WIDTH // bits))
            at = builder.add(first, builder.sext(place, row.type))
            return builder.load(builder.gep(words, [at]))

        return _each(builder, bits, fetch)

    return Column(bits)(columns, index), emit


@intrinsic
def draw_below(typing_context, states, n):
    """In each place a pseudo-random number in [0, n), n below 2**31; `states` are 64-bit words, one for each place.

    Source: Steele, Lea and Flood 2014, SplitMix.
    """
    bits = n.bits
    count = WIDTH // bits
    wide = ir.VectorType(ir.IntType(64), count)

    def every(value):
        return ir.Constant(wide, [value] * count)

    def emit(context, builder, sig, args):
        place = builder.bitcast(args[0], wide.as_pointer())
        x = builder.add(builder.load(place, align=8), every(0x9E3779B97F4A7C15))
        builder.store(x, place, align=8)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = builder.mul(builder.xor(x, builder.lshr(x, every(shift))), every(factor))
        x = builder.lshr(builder.xor(x, builder.lshr(x, every(31))), every(32))
        below = args[1] if bits == 64 else builder.zext(args[1], wide)
        drawn = builder.lshr(builder.mul(x, below), every(32))
        return drawn if bits == 64 else builder.trunc(drawn, _vector(bits))

    return Column(bits)(states, n), emit
