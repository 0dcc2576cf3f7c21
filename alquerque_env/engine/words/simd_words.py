"""SIMD vectors for kernels compiled by Numba: one integer for each of several matches.

`Vector` is a vector of integers, `Flags` a vector of booleans, and `Vectors` a pointer to vectors. A vector has `WIDTH`
bits; LLVM splits it into the registers of the machine.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.extending import intrinsic as numba_intrinsic, lower_builtin, models, register_model

from .. import simd_layout as SIMD
from ..splitmix import FIRST_FACTOR, INCREMENT, SECOND_FACTOR
from .llvm import DEPOSITS_FAST, Pointer, Template
from .numba_parts import cgutils, infer_global, make_array, signature, types

intrinsic: Any = numba_intrinsic  # its type would be that of the function that emits code


class Vector(types.Type):
    """A vector of integers of `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Vector({bits})")


class Flags(types.Type):
    """A vector of booleans, as many as a vector of integers of `bits` bits has lanes."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Flags({bits})")


class Vectors(types.Type):
    """A pointer to vectors."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Vectors({bits})")


def _word(bits: int) -> ir.Type:
    return ir.IntType(bits)


def _vector(bits: int) -> ir.Type:
    return ir.VectorType(_word(bits), SIMD.WIDTH // bits)


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """LLVM's type of `Vector`."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _vector(kind.bits))


@register_model(Flags)
class FlagsModel(models.PrimitiveModel):
    """LLVM's type of `Flags`."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), SIMD.WIDTH // kind.bits))


@register_model(Vectors)
class VectorsModel(models.PrimitiveModel):
    """LLVM's type of `Vectors`."""

    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _vector(kind.bits).as_pointer())


def _constant(bits, value):
    return ir.Constant(_vector(bits), [value] * (SIMD.WIDTH // bits))


def _in_all(builder, bits, word):
    """A vector with one integer in all lanes."""
    if word.type.width > bits:
        word = builder.trunc(word, _word(bits))
    elif word.type.width < bits:
        word = builder.sext(word, _word(bits))
    one = builder.insert_element(ir.Constant(_vector(bits), ir.Undefined), word, ir.Constant(_index, 0))
    return builder.shuffle_vector(
        one, one, ir.Constant(ir.VectorType(_index, SIMD.WIDTH // bits), [0] * (SIMD.WIDTH // bits))
    )


_index = ir.IntType(32)


def _as_vector(builder, bits, kind, value):
    return value if isinstance(kind, Vector) else _in_all(builder, bits, value)


def _load(builder, vectors, place):
    # The arrays behind are aligned to integers only.
    return builder.load(builder.gep(vectors, [place]), align=8)


def _call(builder, name, result, *args):
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(function, args)


def _each(builder, bits, work):
    """A vector of what `work` returns for each lane, a constant."""
    result = ir.Constant(_vector(bits), ir.Undefined)
    for place in range(SIMD.WIDTH // bits):
        index = ir.Constant(_index, place)
        result = builder.insert_element(result, work(index), index)
    return result


def _bits_of(*kinds: types.Type) -> int | None:
    """Bits of a lane of the arguments that are vectors, or None if there is none."""
    return next((kind.bits for kind in kinds if isinstance(kind, Vector | Flags | Vectors)), None)


def _operator(function: Callable[..., Any], emit: Callable[..., Any], compares: bool = False) -> None:
    """Defines an operator on two vectors, or on a vector and an integer."""

    @infer_global(function)
    class Operator(Template):
        def generic(self, args, keywords):
            bits = _bits_of(*args)
            if bits is None or not all(isinstance(arg, Vector | types.Integer) for arg in args):
                return None
            taken = [arg if isinstance(arg, Vector) else types.int64 for arg in args]
            return signature(Flags(bits) if compares else Vector(bits), *taken)

    def lower(context, builder, sig, args):
        bits = sig.return_type.bits
        pairs = zip(sig.args, args, strict=True)
        return emit(builder, *(_as_vector(builder, bits, kind, value) for kind, value in pairs))

    for kinds in ((Vector, Vector), (Vector, types.int64), (types.int64, Vector)):
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
    class Operator(Template):
        def generic(self, args, keywords):
            same = all(isinstance(arg, Flags) for arg in args)
            return signature(args[0], *args) if same else None

    @lower_builtin(function, Flags, Flags)
    def lower(context, builder, sig, args):
        return getattr(builder, name)(*args)


_flags_operator(operator.and_, "and_")
_flags_operator(operator.or_, "or_")


@infer_global(operator.invert)
class Invert(Template):
    """Types `~vector` and `~flags`."""

    def generic(self, args, keywords):
        return signature(args[0], args[0]) if isinstance(args[0], Vector | Flags) else None


@lower_builtin(operator.invert, Vector)
@lower_builtin(operator.invert, Flags)
def _invert(context, builder, sig, args):
    return builder.not_(args[0])


@infer_global(operator.getitem)
class GetVector(Template):
    """Types `vectors[place]`."""

    def generic(self, args, keywords):
        vectors, place = args
        if isinstance(vectors, Vectors) and isinstance(place, types.Integer):
            return signature(Vector(vectors.bits), vectors, types.int64)
        return None


@infer_global(operator.setitem)
class SetVector(Template):
    """Types `vectors[place] = vector` and `vectors[place] = number`."""

    def generic(self, args, keywords):
        vectors, place, value = args
        if not isinstance(vectors, Vectors) or not isinstance(place, types.Integer):
            return None
        return signature(types.none, vectors, types.int64, value if isinstance(value, Vector) else types.int64)


@lower_builtin(operator.getitem, Vectors, types.int64)
def _get_vector(context, builder, sig, args):
    return _load(builder, *args)


@lower_builtin(operator.setitem, Vectors, types.int64, Vector)
@lower_builtin(operator.setitem, Vectors, types.int64, types.int64)
def _set_vector(context, builder, sig, args):
    vectors, place, value = args
    vector = _as_vector(builder, sig.args[0].bits, sig.args[2], value)
    builder.store(vector, builder.gep(vectors, [place]), align=8)
    return context.get_dummy_value()


@intrinsic
def vectors_of(typing_context, array):
    """A pointer to the rows of an array `[rows, WIDTH // bits]`, valid while the caller keeps the array alive."""
    result = Vectors(array.dtype.bitwidth)

    def emit(context, builder, sig, args):
        return builder.bitcast(make_array(array)(context, builder, args[0]).data, _vector(result.bits).as_pointer())

    return result(array), emit


@intrinsic
def constant(typing_context, like, value):
    """A vector of the type of another one with one integer in all lanes."""

    def emit(context, builder, sig, args):
        return _in_all(builder, like.bits, args[1])

    return Vector(like.bits)(like, types.int64), emit


@intrinsic
def where(typing_context, flags, a, b):
    """In each lane `a` if the flag is set, else `b`; vectors or integers."""

    def emit(context, builder, sig, args):
        a, b = (_as_vector(builder, flags.bits, *pair) for pair in zip(sig.args[1:], args[1:], strict=True))
        return builder.select(args[0], a, b)

    taken = [kind if isinstance(kind, Vector) else types.int64 for kind in (a, b)]
    return Vector(flags.bits)(flags, *taken), emit


@intrinsic
def any_of(typing_context, flags):
    """Whether any flag is set."""

    def emit(context, builder, sig, args):
        kind = ir.IntType(SIMD.WIDTH // flags.bits)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], kind), ir.Constant(kind, 0))

    return types.boolean(flags), emit


@intrinsic
def of_player(typing_context, player, sequence, place):
    """In each lane `sequence[place + player]`, for a vector of players."""
    bits = player.bits

    def emit(context, builder, sig, args):
        players, sequence, place = args
        is_second = builder.icmp_signed("!=", players, _constant(bits, 0))
        places = place, builder.add(place, ir.Constant(place.type, 1))
        if isinstance(sig.args[1], Vectors):
            first, second = (_load(builder, sequence, at) for at in places)
        else:
            first, second = (_in_all(builder, bits, builder.load(builder.gep(sequence, [at]))) for at in places)
        return builder.select(is_second, second, first)

    return Vector(bits)(player, sequence, types.int64), emit


@intrinsic
def give_to_player(typing_context, player, vectors, place, own, other):
    """In each lane sets `vectors[place + player]` to `own` and the opponent's integer to `other`."""

    def emit(context, builder, sig, args):
        players, vectors, place, own, other = args
        is_second = builder.icmp_signed("!=", players, _constant(player.bits, 0))
        after = builder.add(place, ir.Constant(place.type, 1))
        builder.store(builder.select(is_second, other, own), builder.gep(vectors, [place]), align=8)
        builder.store(builder.select(is_second, own, other), builder.gep(vectors, [after]), align=8)
        return context.get_dummy_value()

    return types.none(player, vectors, types.int64, own, other), emit


@intrinsic
def shifted(typing_context, vector, distance):
    """Shifts bitboards by `distance`: bit `p` of the result is bit `p + distance`. Others are arbitrary."""

    def emit(context, builder, sig, args):
        kind = _vector(vector.bits)
        distances = _as_vector(builder, vector.bits, sig.args[1], args[1])
        return _call(
            builder, f"llvm.fshr.v{SIMD.WIDTH // vector.bits}i{vector.bits}", kind, args[0], args[0], distances
        )

    return vector(vector, distance if isinstance(distance, Vector) else types.int64), emit


@intrinsic
def reverse_bits(typing_context, vector, count):
    """The low `count` bits of each lane in reverse order."""
    bits = vector.bits

    def emit(context, builder, sig, args):
        words = _call(builder, f"llvm.bitreverse.v{SIMD.WIDTH // bits}i{bits}", _vector(bits), args[0])
        unused = builder.sub(ir.Constant(args[1].type, bits), args[1])
        return builder.lshr(words, _in_all(builder, bits, unused))

    return vector(vector, types.int64), emit


@intrinsic
def count_each(typing_context, vector):
    """Number of one bits in each lane."""

    def emit(context, builder, sig, args):
        return _call(builder, f"llvm.ctpop.v{SIMD.WIDTH // vector.bits}i{vector.bits}", _vector(vector.bits), args[0])

    return vector(vector), emit


@intrinsic
def nth_point(typing_context, vector, index):
    """In each lane the index of the one bit with `index` others below it; arbitrary if there is none."""
    bits = vector.bits

    def emit(context, builder, sig, args):
        words, index = args
        if not DEPOSITS_FAST:
            return _bisect(builder, bits, words, index)
        ranks = builder.shl(_constant(bits, 1), index)

        def deposit(place):
            rank, word = builder.extract_element(ranks, place), builder.extract_element(words, place)
            return _call(builder, f"llvm.x86.bmi.pdep.{bits}", _word(bits), rank, word)

        only = _each(builder, bits, deposit)
        below = builder.and_(builder.not_(only), builder.sub(only, _constant(bits, 1)))
        points = _call(builder, f"llvm.ctpop.v{SIMD.WIDTH // bits}i{bits}", _vector(bits), below)
        return builder.and_(points, _constant(bits, bits - 1))

    return vector(vector, index), emit


def _bisect(builder, bits, words, index):
    """As `nth_point`, by bisection."""
    point = _constant(bits, 0)
    width = bits // 2
    while width:
        low = builder.and_(words, _constant(bits, (1 << width) - 1))
        below = _call(builder, f"llvm.ctpop.v{SIMD.WIDTH // bits}i{bits}", _vector(bits), low)
        passes = builder.icmp_signed(">=", index, below)
        index = builder.sub(index, builder.select(passes, below, _constant(bits, 0)))
        skipped = builder.select(passes, _constant(bits, width), _constant(bits, 0))
        words = builder.lshr(words, skipped)
        point = builder.add(point, skipped)
        width //= 2
    return point


@intrinsic
def gather(typing_context, numbers, index):
    """`numbers[index]` in each lane."""
    bits = index.bits

    def emit(context, builder, sig, args):
        numbers, places = args

        def fetch(place):
            at = builder.sext(builder.extract_element(places, place), ir.IntType(64))
            return builder.load(builder.gep(numbers, [at]))

        return _each(builder, bits, fetch)

    same = isinstance(numbers, Pointer) and numbers.dtype.bitwidth == bits
    return (Vector(bits)(numbers, index), emit) if same else None


@intrinsic
def gather_rows(typing_context, vectors, index):
    """In each lane the integer of `vectors[index]` in this lane."""
    bits = vectors.bits

    def emit(context, builder, sig, args):
        vectors, rows = args
        words = builder.bitcast(vectors, _word(bits).as_pointer())

        def fetch(place):
            row = builder.sext(builder.extract_element(rows, place), ir.IntType(64))
            first = builder.mul(row, ir.Constant(row.type, SIMD.WIDTH // bits))
            at = builder.add(first, builder.sext(place, row.type))
            return builder.load(builder.gep(words, [at]))

        return _each(builder, bits, fetch)

    return Vector(bits)(vectors, index), emit


@intrinsic
def draw_below(typing_context, states, n):
    """In each lane a pseudo-random integer in [0, n), n below 2**31. `states` has a SplitMix state a lane."""
    bits = n.bits
    count = SIMD.WIDTH // bits
    wide = ir.VectorType(ir.IntType(64), count)

    def every(value):
        return ir.Constant(wide, [value] * count)

    def emit(context, builder, sig, args):
        place = builder.bitcast(args[0], wide.as_pointer())
        x = builder.add(builder.load(place, align=8), every(INCREMENT))
        builder.store(x, place, align=8)
        for shift, factor in ((30, FIRST_FACTOR), (27, SECOND_FACTOR)):
            x = builder.mul(builder.xor(x, builder.lshr(x, every(shift))), every(factor))
        x = builder.lshr(builder.xor(x, builder.lshr(x, every(31))), every(32))
        below = args[1] if bits == 64 else builder.zext(args[1], wide)
        drawn = builder.lshr(builder.mul(x, below), every(32))
        return drawn if bits == 64 else builder.trunc(drawn, _vector(bits))

    return Vector(bits)(states, n), emit
