"""Pointers and bit operations for kernels compiled by Numba.

Numba passes an array as seven machine words, counts references at every use and tests the sign of every index. The
kernels are many small functions, so an entry kernel is given `p = borrowed(a)` in place of an array `a`, and passes it
on; `compiled_kernels.py` writes that call. `p` is indexed like `a`, by non-negative indices only, and is valid while
the caller keeps `a` alive. A two-dimensional array becomes `Rows`, whose rows are pointers.
"""

import operator
from functools import update_wrapper
from inspect import Signature, signature as signature_of

from llvmlite import binding, ir
from numba.extending import intrinsic, lower_builtin, models, register_model

from ...game.kernel_arrays import WORD_BITS
from .numba_parts import (
    AbstractTemplate,
    TypingError,
    cgutils,
    config,
    infer_global,
    make_array,
    signature,
    types,
)


class Pointer(types.Type):
    """A pointer to numbers of one type."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"Pointer({dtype})")


class Rows(types.Type):
    """A pointer to rows of numbers of one type, with the distance between rows."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"Rows({dtype})")


@register_model(Pointer)
class PointerModel(models.PrimitiveModel):
    """LLVM's type of `Pointer`."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, manager.lookup(kind.dtype).get_data_type().as_pointer())


@register_model(Rows)
class RowsModel(models.StructModel):
    """LLVM's type of `Rows`: a pointer to the first row and the length of a row."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, [("first", Pointer(kind.dtype)), ("length", types.int64)])


class Template(AbstractTemplate):
    """How the types of a result follow from those of the arguments; asked before Numba's own, which are many."""

    metadata = {"target": "cpu"}  # noqa: RUF012 - a field of Numba


@infer_global(operator.getitem)
class GetItem(Template):
    """Types `pointer[index]` and `rows[index]`."""

    def generic(self, args, keywords):
        container, index = args
        if isinstance(index, types.Integer) and isinstance(container, Pointer):
            return signature(container.dtype, container, types.int64)
        if isinstance(index, types.Integer) and isinstance(container, Rows):
            return signature(Pointer(container.dtype), container, types.int64)
        return None


@infer_global(operator.setitem)
class SetItem(Template):
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


def _type_alike(function, results):
    """Types a function of arguments of one type as Numba does."""

    @infer_global(function)
    class Alike(Template):
        def generic(self, args, keywords):
            return signature(results[args[0]], *args) if args[0] in results and args[0] == args[-1] else None


_TO_INTEGER = {types.int64: types.int64}
_TO_EITHER = _TO_INTEGER | {types.boolean: types.boolean}
_TO_FLAG = {types.int64: types.boolean}
for _names, _results in (
    ("add sub mul iadd isub imul lshift rshift invert neg", _TO_INTEGER),
    ("and_ or_ xor iand ior ixor", _TO_EITHER),
    ("eq ne lt le gt ge", _TO_FLAG),
):
    for _name in _names.split():
        _type_alike(getattr(operator, _name), _results)
_type_alike(bool, _TO_EITHER | _TO_FLAG)


def _pointer_type(array: types.Type) -> types.Type:
    if not isinstance(array, types.Array):
        return array
    if array.layout != "C":  # a pointer knows no strides
        raise TypingError(f"kernels take contiguous arrays, not {array}")
    return Pointer(array.dtype) if array.ndim == 1 else Rows(array.dtype)


def _pointer(context, builder, array, value):
    if not isinstance(array, types.Array):
        return value
    owned = make_array(array)(context, builder, value)
    if array.ndim == 1:
        return owned.data
    rows = cgutils.create_struct_proxy(Rows(array.dtype))(context, builder)
    rows.first = owned.data
    rows.length = builder.sdiv(cgutils.unpack_tuple(builder, owned.strides)[0], owned.itemsize)
    return rows._getvalue()


@intrinsic
def borrowed(typing_context, array):
    """A pointer to the numbers of a contiguous array, valid while the caller keeps the array alive.

    A named tuple of arrays becomes one of pointers; numbers in it stay. For an array that is not contiguous the kernel
    is not compiled.
    """
    is_tuple = isinstance(array, types.BaseNamedTuple)
    if is_tuple:
        result = types.NamedTuple([_pointer_type(field) for field in array.types], array.instance_class)
    else:
        result = _pointer_type(array)

    def emit(context, builder, sig, args):
        if not is_tuple:
            return _pointer(context, builder, array, args[0])
        fields = zip(array.types, cgutils.unpack_tuple(builder, args[0]), strict=True)
        return context.make_tuple(builder, result, [_pointer(context, builder, *field) for field in fields])

    return result(array), emit


def _operation(result=types.int64):
    """Makes an intrinsic of what emits its code for arguments, any integers as int64; it returns None for nothing."""

    def make(emit):
        def define(typing_context, *kinds):
            def generate(context, builder, sig, args):
                made = emit(context, builder, *args)
                return context.get_dummy_value() if made is None else made

            return result(*(types.int64 if isinstance(kind, types.Integer) else kind for kind in kinds)), generate

        parameters = list(signature_of(emit).parameters.values())[1:]  # the context of typing in place of the two
        define.__signature__ = Signature(parameters)
        return intrinsic(update_wrapper(define, emit, updated=()))

    return make


@_operation(Rows(types.int64))
def allocate(context, builder, rows, count):
    """`rows` rows of `count` integers, not initialised, to be released by the kernel that asked for them."""
    size = builder.mul(builder.mul(rows, count), context.get_constant(types.int64, 8))
    fresh = cgutils.create_struct_proxy(Rows(types.int64))(context, builder)
    fresh.first = builder.bitcast(context.nrt.allocate(builder, size), ir.IntType(64).as_pointer())
    fresh.length = count
    return fresh._getvalue()


@_operation(types.none)
def release(context, builder, rows):
    """Frees allocated rows."""
    owned = cgutils.create_struct_proxy(Rows(types.int64))(context, builder, rows)
    context.nrt.free(builder, builder.bitcast(owned.first, ir.IntType(8).as_pointer()))


@_operation()
def popcount(context, builder, word):
    """Number of one bits."""
    return builder.ctpop(word)


@_operation()
def lowest(context, builder, word):
    """Index of the lowest one bit of a word that is not 0."""
    return builder.cttz(word, context.get_constant(types.boolean, True))


def _deposits_fast() -> bool:
    """Whether the processor has a fast PDEP instruction. On AMD before Zen 3 it is slow microcode."""
    if config.CPU_NAME or config.CPU_FEATURES:  # Numba compiles for another processor
        return False
    slow = binding.get_host_cpu_name() in ("bdver4", "znver1", "znver2")
    return binding.get_host_cpu_features().get("bmi2", False) and not slow


DEPOSITS_FAST = _deposits_fast()


@_operation()
def nth_bit(context, builder, word, index):
    """Index of the one bit with `index` others below it, by PDEP where it is fast, else by bisection."""
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


# LLVM splits vectors of eight integers into the registers of the machine. Scratch space need not be aligned.
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


@_operation(types.none)
def fill_lanes(context, builder, words, place, word):
    """Sets all eight lanes from `place` on to one word."""
    _store_lanes(builder, _in_all_lanes(builder, word), words, place)


@_operation(types.none)
def invert_lanes(context, builder, words, place, state, source):
    """Sets each lane of `w` to the complement of a lane of `s`."""
    _store_lanes(builder, builder.not_(_load_lanes(builder, state, source)), words, place)


@_operation()
def narrow_lanes(context, builder, t, distances, origins, w, parents, sees, words):
    """Keeps, in each lane, the origins from which a point at the lane's distance is set in the bitboard looked at.

    Arguments and result are as in `plain_words.py`. A rotation does the shift: bits that come round the end fall on
    points that are no origins of the lane, since every origin has a point at that distance.
    """
    seen = _load_lanes(builder, w, sees)
    turned = _call(builder, "llvm.fshr.v8i64", _lanes, seen, seen, _load_lanes(builder, t, distances))
    left = builder.and_(_load_lanes(builder, w, parents), _load_lanes(builder, t, origins))
    left = builder.and_(left, turned)
    _store_lanes(builder, left, w, words)
    any_left = builder.icmp_unsigned("!=", left, ir.Constant(_lanes, [0] * LANES))
    return builder.zext(builder.bitcast(any_left, ir.IntType(LANES)), _word)


@_operation(types.none)
def spread_bits(context, builder, numbers, place, word):
    """Writes the low 32 bits of a word as bytes of 1 or 0."""
    bits = builder.bitcast(builder.trunc(word, ir.IntType(32)), ir.VectorType(ir.IntType(1), 32))
    kind = ir.VectorType(ir.IntType(8), 32)
    target = builder.bitcast(builder.gep(numbers, [place]), kind.as_pointer())
    builder.store(builder.zext(bits, kind), target, align=1)


@_operation()
def reverse_bits(context, builder, word, count):
    """The low `count` bits of a word in reverse order."""
    turned = _call(builder, "llvm.bitreverse.i64", _word, word)
    return builder.lshr(turned, builder.sub(ir.Constant(_word, 64), count))


@_operation()
def count_lanes(context, builder, w, words):
    """Number of one bits in all lanes."""
    counts = _call(builder, "llvm.ctpop.v8i64", _lanes, _load_lanes(builder, w, words))
    return _call(builder, "llvm.vector.reduce.add.v8i64", _word, counts)


@_operation()
def wrapped_product(context, builder, a, b):
    """Product modulo 2**63. Numba's own would tell LLVM that it cannot overflow."""
    return builder.and_(builder.mul(a, b), ir.Constant(_word, (1 << WORD_BITS) - 1))


@_operation()
def wrapped_sum(context, builder, a, b):
    """Sum modulo 2**63, likewise."""
    return builder.and_(builder.add(a, b), ir.Constant(_word, (1 << WORD_BITS) - 1))


@_operation()
def find_lane(context, builder, w, words, index):
    """Finds the one bit at an index, if those of all lanes are counted from the first lane on.

    Returns:
      `lane << 32 | index within the lane`.
    """
    counts = _call(builder, "llvm.ctpop.v8i64", _lanes, _load_lanes(builder, w, words))
    ends = counts
    for distance in (1, 2, 4):
        ends = builder.add(ends, _moved_up(builder, ends, distance))
    passed = builder.icmp_signed("<=", ends, _in_all_lanes(builder, index))
    lane = builder.ctpop(builder.zext(builder.bitcast(passed, ir.IntType(LANES)), _word))
    before = builder.select(passed, counts, ir.Constant(_lanes, [0] * LANES))
    rest = builder.sub(index, _call(builder, "llvm.vector.reduce.add.v8i64", _word, before))
    return builder.or_(builder.shl(lane, ir.Constant(_word, 32)), rest)


def _moved_up(builder, lanes, distance):
    """Lanes moved up by `distance`, with zeros below."""
    zeros = ir.Constant(_lanes, [0] * LANES)
    places = [LANES + lane - distance if lane >= distance else 0 for lane in range(LANES)]
    return builder.shuffle_vector(zeros, lanes, ir.Constant(ir.VectorType(ir.IntType(32), LANES), places))


@_operation(types.none)
def clear_bytes(context, builder, numbers, count):
    """Sets the first `count` bytes to 0, at least a cache line of them."""
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
