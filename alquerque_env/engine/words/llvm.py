"""Pointers for kernels compiled by Numba.

An array argument costs Numba seven machine words a call, a reference count at every use and a sign test at every index.
The kernels pass words about in small functions, so they borrow an array once and hand on a pointer to its numbers:
`p = borrowed(a)` can be indexed like `a`, by non-negative indices only, for as long as the caller keeps `a` alive.
A two-dimensional array becomes `Rows`, whose rows are pointers.
"""

import operator

from llvmlite import binding, ir
from numba.core import cgutils, config, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np.arrayobj import make_array

from ...game.kernel_arrays import WORD_BITS


class Pointer(types.Type):
    """Pointer to numbers of one type."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"Pointer({dtype})")


class Rows(types.Type):
    """Pointer to rows of numbers of one type, with the distance between rows."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"Rows({dtype})")


@register_model(Pointer)
class PointerModel(models.PrimitiveModel):
    """A pointer."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, manager.lookup(kind.dtype).get_data_type().as_pointer())


@register_model(Rows)
class RowsModel(models.StructModel):
    """A pointer to the first row and the length of a row."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, [("first", Pointer(kind.dtype)), ("length", types.int64)])


@infer_global(operator.getitem)
class GetItem(AbstractTemplate):
    """Types `pointer[index]` and `rows[index]`."""

    def generic(self, args, keywords):
        container, index = args
        if isinstance(index, types.Integer) and isinstance(container, Pointer):
            return signature(container.dtype, container, types.int64)
        if isinstance(index, types.Integer) and isinstance(container, Rows):
            return signature(Pointer(container.dtype), container, types.int64)
        return None


@infer_global(operator.setitem)
class SetItem(AbstractTemplate):
    """Types `pointer[index] = value`."""

    def generic(self, args, keywords):
        container, index, _ = args
        if isinstance(index, types.Integer) and isinstance(container, Pointer):
            return signature(types.none, container, types.int64, container.dtype)
        return None


@lower_builtin(operator.getitem, Pointer, types.int64)
def _load(context, builder, sig, args):
    value = builder.load(builder.gep(args[0], [args[1]]))
    return context.data_model_manager[sig.return_type].from_data(builder, value)


@lower_builtin(operator.setitem, Pointer, types.int64, types.Number)
@lower_builtin(operator.setitem, Pointer, types.int64, types.Boolean)
def _store(context, builder, sig, args):
    value = context.data_model_manager[sig.args[2]].as_data(builder, args[2])
    builder.store(value, builder.gep(args[0], [args[1]]))
    return context.get_dummy_value()


@lower_builtin(operator.getitem, Rows, types.int64)
def _row(context, builder, sig, args):
    rows = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
    return builder.gep(rows.first, [builder.mul(args[1], rows.length)])


@intrinsic
def borrowed(typing_context, array):
    """A pointer to the numbers of an array with contiguous rows."""
    if not isinstance(array, types.Array):
        return None
    result = Pointer(array.dtype) if array.ndim == 1 else Rows(array.dtype)

    def emit(context, builder, sig, args):
        owned = make_array(array)(context, builder, args[0])
        if array.ndim == 1:
            return owned.data
        stride = cgutils.unpack_tuple(builder, owned.strides)[0]
        rows = cgutils.create_struct_proxy(result)(context, builder)
        rows.first = owned.data
        rows.length = builder.sdiv(stride, owned.itemsize)
        return rows._getvalue()

    return result(array), emit


@intrinsic
def allocate(typing_context, rows, count):
    """Rows of words, to be released by the kernel that asked for them."""
    result = Rows(types.int64)

    def emit(context, builder, sig, args):
        size = builder.mul(builder.mul(args[0], args[1]), context.get_constant(types.int64, 8))
        fresh = cgutils.create_struct_proxy(result)(context, builder)
        memory = context.nrt.allocate(builder, size)
        fresh.first = builder.bitcast(memory, ir.IntType(64).as_pointer())
        fresh.length = args[1]
        return fresh._getvalue()

    return result(types.int64, types.int64), emit


@intrinsic
def release(typing_context, rows):
    """Frees allocated rows."""

    def emit(context, builder, sig, args):
        owned = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
        context.nrt.free(builder, builder.bitcast(owned.first, ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.none(rows), emit


@intrinsic
def popcount(typing_context, word):
    """Number of one bits."""

    def emit(context, builder, sig, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), emit


@intrinsic
def lowest(typing_context, word):
    """Index of the lowest one bit of a word that is not 0."""

    def emit(context, builder, sig, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), emit


def _deposits_fast() -> bool:
    """Whether the processor has PDEP, and not in microcode as AMD's before Zen 3."""
    if config.CPU_NAME or config.CPU_FEATURES:  # code is asked for another processor
        return False
    slow = binding.get_host_cpu_name() in ("bdver4", "znver1", "znver2")
    return binding.get_host_cpu_features().get("bmi2", False) and not slow


DEPOSITS_FAST = _deposits_fast()


@intrinsic
def nth_bit(typing_context, word, index):
    """Index of the one bit that has `index` others below it: by one instruction where that is fast, else by halving."""

    def emit(context, builder, sig, args):
        word, index = args
        if DEPOSITS_FAST:
            word = _call(builder, "llvm.x86.bmi.pdep.64", _word, builder.shl(ir.Constant(_word, 1), index), word)
            return builder.cttz(word, context.get_constant(types.boolean, True))
        place = ir.Constant(_word, 0)
        for width in (32, 16, 8, 4, 2, 1):
            below = builder.ctpop(builder.and_(word, ir.Constant(_word, (1 << width) - 1)))
            passes = builder.icmp_signed(">=", index, below)
            index = builder.sub(index, builder.select(passes, below, ir.Constant(_word, 0)))
            skipped = builder.select(passes, ir.Constant(_word, width), ir.Constant(_word, 0))
            word = builder.lshr(word, skipped)
            place = builder.add(place, skipped)
        return place

    return types.int64(types.int64, types.int64), emit


# LLVM cuts vectors of eight words into what the machine has. Scratch words need not be aligned.
LANES = 8
_word = ir.IntType(64)
_lanes = ir.VectorType(_word, LANES)


def _load_lanes(builder, words, place):
    return builder.load(builder.bitcast(builder.gep(words, [place]), _lanes.as_pointer()), align=8)


def _store_lanes(builder, value, words, place):
    builder.store(value, builder.bitcast(builder.gep(words, [place]), _lanes.as_pointer()), align=8)


def _in_all_lanes(builder, word):
    one = builder.insert_element(ir.Constant(_lanes, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _call(builder, name, result, *args):
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(function, args)


@intrinsic
def fill_lanes(typing_context, w, place, word):
    """Sets all lanes to one word."""

    def emit(context, builder, sig, args):
        words, place, word = args
        _store_lanes(builder, _in_all_lanes(builder, word), words, place)
        return context.get_dummy_value()

    return types.none(w, types.int64, types.int64), emit


@intrinsic
def invert_lanes(typing_context, w, place, s, source):
    """Sets each lane to what is not in a word of its own."""

    def emit(context, builder, sig, args):
        words, place, state, source = args
        _store_lanes(builder, builder.not_(_load_lanes(builder, state, source)), words, place)
        return context.get_dummy_value()

    return types.none(w, types.int64, s, types.int64), emit


@intrinsic
def narrow_lanes(typing_context, t, distances, origins, w, parents, sees, words):
    """In each lane keeps the origins that see a point of a word at a distance; returns the lanes where any is left.

    A rotation brings the seen points to their origins: what comes round the end falls on points that are no origins of
    the lane, since those have a point at that distance.
    """

    def emit(context, builder, sig, args):
        t, distances, origins, w, parents, sees, words = args
        seen = _load_lanes(builder, w, sees)
        turned = _call(builder, "llvm.fshr.v8i64", _lanes, seen, seen, _load_lanes(builder, t, distances))
        left = builder.and_(_load_lanes(builder, w, parents), _load_lanes(builder, t, origins))
        left = builder.and_(left, turned)
        _store_lanes(builder, left, w, words)
        any_left = builder.icmp_unsigned("!=", left, ir.Constant(_lanes, [0] * LANES))
        return builder.zext(builder.bitcast(any_left, ir.IntType(LANES)), _word)

    return types.int64(t, types.int64, types.int64, w, types.int64, types.int64, types.int64), emit


@intrinsic
def spread_bits(typing_context, numbers, place, word):
    """Writes the low 32 bits of a word as bytes of 1 or 0."""

    def emit(context, builder, sig, args):
        numbers, place, word = args
        bits = builder.bitcast(builder.trunc(word, ir.IntType(32)), ir.VectorType(ir.IntType(1), 32))
        kind = ir.VectorType(ir.IntType(8), 32)
        target = builder.bitcast(builder.gep(numbers, [place]), kind.as_pointer())
        builder.store(builder.zext(bits, kind), target, align=1)
        return context.get_dummy_value()

    return types.none(numbers, types.int64, types.int64), emit


@intrinsic
def reverse_bits(typing_context, word, count):
    """The low `count` bits of a word in the other order."""

    def emit(context, builder, sig, args):
        word, count = args
        turned = _call(builder, "llvm.bitreverse.i64", _word, word)
        return builder.lshr(turned, builder.sub(ir.Constant(_word, 64), count))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def count_lanes(typing_context, w, words):
    """Number of points in all lanes."""

    def emit(context, builder, sig, args):
        counts = _call(builder, "llvm.ctpop.v8i64", _lanes, _load_lanes(builder, *args))
        return _call(builder, "llvm.vector.reduce.add.v8i64", _word, counts)

    return types.int64(w, types.int64), emit


@intrinsic
def wrapped_product(typing_context, a, b):
    """Product modulo 2**63. Numba's own would tell LLVM that it cannot overflow."""

    def emit(context, builder, sig, args):
        return builder.and_(builder.mul(*args), ir.Constant(_word, (1 << WORD_BITS) - 1))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def wrapped_sum(typing_context, a, b):
    """Sum modulo 2**63, likewise."""

    def emit(context, builder, sig, args):
        return builder.and_(builder.add(*args), ir.Constant(_word, (1 << WORD_BITS) - 1))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def find_lane(typing_context, w, words, index):
    """The lane in which a point is, if the points of all lanes are counted through, and its index there.

    Returns:
      `lane << 32 | index in the lane`.
    """

    def emit(context, builder, sig, args):
        w, words, index = args
        counts = _call(builder, "llvm.ctpop.v8i64", _lanes, _load_lanes(builder, w, words))
        ends = counts
        for distance in (1, 2, 4):
            ends = builder.add(ends, _moved_up(builder, ends, distance))
        passed = builder.icmp_signed("<=", ends, _in_all_lanes(builder, index))
        lane = builder.ctpop(builder.zext(builder.bitcast(passed, ir.IntType(LANES)), _word))
        before = builder.select(passed, counts, ir.Constant(_lanes, [0] * LANES))
        rest = builder.sub(index, _call(builder, "llvm.vector.reduce.add.v8i64", _word, before))
        return builder.or_(builder.shl(lane, ir.Constant(_word, 32)), rest)

    return types.int64(w, types.int64, types.int64), emit


def _moved_up(builder, lanes, distance):
    """Lanes moved to higher ones, zeros behind them."""
    zeros = ir.Constant(_lanes, [0] * LANES)
    places = [LANES + lane - distance if lane >= distance else 0 for lane in range(LANES)]
    return builder.shuffle_vector(zeros, lanes, ir.Constant(ir.VectorType(ir.IntType(32), LANES), places))


@intrinsic
def clear_bytes(typing_context, numbers, count):
    """Sets the first `count` bytes to 0, at least a cache line of them."""

    def emit(context, builder, sig, args):
        numbers, count = args
        size = 8 * LANES
        kind = ir.VectorType(ir.IntType(8), size)
        nothing = ir.Constant(kind, [0] * size)

        def clear(place):
            target = builder.bitcast(builder.gep(numbers, [place]), kind.as_pointer())
            builder.store(nothing, target, align=1)

        last = builder.sub(count, ir.Constant(_word, size))
        with cgutils.for_range_slice(builder, ir.Constant(_word, 0), last, ir.Constant(_word, size)) as (place, _):
            clear(place)
        clear(last)
        return context.get_dummy_value()

    return types.none(numbers, types.int64), emit
