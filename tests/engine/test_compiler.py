"""How kernels are compiled into those that call them."""

import re

import pytest

from alquerque_env.engine.compiler import entry_kernel, inlined, kernel
from alquerque_env.engine.rules_scalar import mix
from alquerque_env.game.kernel_arrays import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")


def test_a_kernel_is_compiled_once_for_all_constants_and_all_callers(tmp_path, monkeypatch):
    from alquerque_env.engine.compiled_kernels import _linked, compile_entry  # imports Numba

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    @kernel  # too long for LLVM to inline it by itself
    def hashed(number: int, factor: int) -> int:
        number = mix(mix(mix(mix(mix(mix(mix(mix(number * factor))))))))
        number = mix(mix(mix(mix(mix(mix(mix(mix(number))))))))
        return mix(mix(mix(mix(mix(mix(mix(mix(number))))))))

    @inlined
    def both(number: int) -> int:
        return hashed(number, 2) + hashed(number, 3)

    @entry_kernel
    def total(number: int) -> int:
        return both(number) + hashed(number, 4)

    compiled = compile_entry(total.function)
    compiled(7)
    assert len(_linked(hashed).nopython_signatures) == 1
    (code,) = compiled.inspect_llvm().values()
    assert len(re.findall("^define .*hashed", code, re.MULTILINE)) == 1
