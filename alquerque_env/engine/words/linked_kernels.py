"""Kernels that only other kernels call.

Numba makes machine code of every function, optimises it, adds wrappers that take Python objects, and then links the
function into those that call it, where all of it is optimised again. A kernel that Python does not call needs only the
last step. Without the others all kernels are compiled in half the time.
"""

from typing import Any, NoReturn

from .numba_parts import Compiler, CPUDispatcher, JITCodeLibrary, parse_assembly, types

WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of Numba."""


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
    """The code of a kernel, as its callers link it."""

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
