"""Kernels as Numba compiles them. Only an entry kernel that runs compiled imports this module.

The functions of the package are plain Python. What Numba compiles are copies of them, whose names stand for compiled
kernels, and for the words of `words/llvm.py` in place of `words/plain_words.py`.

Numba makes machine code of every function, optimises it, adds wrappers that take Python objects, and then links the
function into those that call it, where all of it is optimised again. A kernel that Python does not call needs only the
last step. Without the others all kernels are compiled in half the time.
"""

import dis
from collections.abc import Callable
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NoReturn, cast

from .kernel_cache import compile_kernel
from .kernel_types import INLINED, Words
from .words import llvm, plain_words
from .words.numba_parts import Compiler, CPUDispatcher, JITCodeLibrary, parse_assembly, types

WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of Numba."""

_PACKAGE = __package__.partition(".")[0]


def compile_entry(function: Callable[..., Any]) -> Any:
    """A function that Python calls with arrays, compiled on its first call; its machine code is kept on disk."""
    kernel = cast(FunctionType, function)
    code = kernel.__code__
    names = code.co_varnames[: code.co_argcount]
    # Behind empty lines, since Numba tells functions of one file apart by the lines where they begin.
    source = "\n" * (code.co_firstlineno - 1) + f"def {kernel.__name__}({', '.join(names)}):\n"
    source += f"    return kernel({', '.join(f'borrowed({name})' for name in names)})"
    made: dict[str, Any] = {"kernel": _linked(function), "borrowed": llvm.borrowed, "__name__": kernel.__module__}
    exec(compile(source, code.co_filename, "exec"), made)
    entry = made[kernel.__name__]
    entry.__qualname__ = f"{kernel.__qualname__}.entry"
    return _compiled(entry, no_cfunc_wrapper=True)


@cache
def _linked(function: Callable[..., Any]) -> Any:
    """A function that only other kernels call."""
    # Every option is set: Numba would otherwise take it from the first kernel that calls this one.
    options = {"forceinline": INLINED.get(function, False)} | WITHOUT_WRAPPERS
    linked = _compiled(_with_compiled_names(function), pipeline_class=LinkedCompiler, **options)
    linked.__class__ = LinkedKernel
    return linked


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    return compile_kernel(function, nogil=True, error_model="numpy", **options)


def _with_compiled_names(function: Callable[..., Any]) -> FunctionType:
    """A copy of a function whose names stand for what is compiled."""
    plain = cast(FunctionType, function)
    names = dict(plain.__globals__)
    for name in _global_names(plain.__code__) & names.keys():
        names[name] = _as_compiled(names[name])
    cells = plain.__closure__ and tuple(CellType(_as_compiled(cell.cell_contents)) for cell in plain.__closure__)
    copy = FunctionType(plain.__code__, names, plain.__name__, plain.__defaults__, cells)
    copy.__qualname__, copy.__module__, copy.__doc__ = plain.__qualname__, plain.__module__, plain.__doc__
    return copy


def _global_names(code: CodeType) -> set[str]:
    return {str(each.argval) for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}


def _as_compiled(value: Any) -> Any:
    """What a name in a plain kernel stands for in the compiled one."""
    if isinstance(value, ModuleType):
        return _module(value) if value.__name__.partition(".")[0] == _PACKAGE else value
    if isinstance(value, FunctionType):
        return _linked(value) if value in INLINED else _WORDS.get(value, value)
    return _linked(value.function) if hasattr(value, "run_plain") else value  # an entry kernel has it


@cache
def _module(module: ModuleType) -> ModuleType:
    """A module whose functions are the compiled ones; each is made when it is asked for."""
    found = ModuleType(module.__name__)
    found.__getattr__ = lambda name: _as_compiled(getattr(module, name))  # type: ignore[method-assign]
    return found


def _spread_word(numbers: Words, place: int, word: int, count: int, room: int) -> None:
    """Writes 1 or 0 for each of the low `count` bits of a word, from `place` on.

    Whole groups of 32 bytes are written where they fit, so up to 31 numbers behind the last one may be overwritten, but
    none from `place + room` on.
    """
    if count <= 32 <= room:  # the usual case; without the loops a batch is a twentieth faster
        llvm.spread_bits(numbers, place, word)
        return
    point = 0
    while point < count and point + 32 <= room:
        llvm.spread_bits(numbers, place + point, word >> point)
        point += 32
    while point < count:
        numbers[place + point] = word >> point & 1
        point += 1


INLINED[_spread_word] = True


class LinkedCompiler(Compiler):
    """Compiles a kernel that only other kernels call."""

    def define_pipelines(self) -> Any:
        """Chooses where the code of the kernel goes, which Numba would do later."""
        state = self.state
        state.library = _LinkedCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class LinkedKernel(CPUDispatcher):
    """A compiled kernel that only other kernels can call."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The signature of a call. Numba would compile the kernel again for every constant and width of an integer."""
        return super().get_call_template(tuple(map(_widened, args)), kws)

    def __call__(self, *_arguments: Any) -> NoReturn:
        """Refuses, since there is no machine code to run.

        Raises:
          TypeError: Always.
        """
        raise TypeError(f"only other kernels call {self.__name__}: make it an entry_kernel to call it from Python")


def _widened(kind: types.Type) -> types.Type:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.bitwidth < 64 else kind


class _LinkedCode(JITCodeLibrary):
    def _optimize_final_module(self) -> None:
        """Leaves it to the callers."""

    def _finalize_final_module(self) -> None:
        """Sets the code aside for the callers. Machine code is made of nothing but the variables that Numba sets."""
        self._shared_module = code = self._final_module
        for function in code.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"  # each caller has a copy
        names = [variable.name for variable in code.global_variables if "NumbaEnv" in variable.name]
        lines = [f'target triple = "{code.triple}"', *(f'@"{name}" = common global i64 0' for name in names)]
        self._final_module = parse_assembly("\n".join(lines))
        self._final_module.name = self.name
        super()._finalize_final_module()


_WORDS = {
    getattr(plain_words, name): getattr(llvm, name)
    for name, value in vars(plain_words).items()
    if isinstance(value, FunctionType) and hasattr(llvm, name)
} | {plain_words.spread_word: _linked(_spread_word)}
"""The words of kernels in plain Python, and for each the one for Numba."""
