"""The two readers of the step table, compiled kernels and NumPy, tell the same to the bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import lockstep_digest
import pytest

from alquerque_env.jit import JIT


@pytest.mark.skipif(not JIT, reason="there is only one reader without Numba")
def test_both_readers_agree_in_every_field_under_every_option_value() -> None:
    script = Path(lockstep_digest.__file__)
    plain = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env={**os.environ, "ALQUERQUE_JIT": "0"}
    )
    with plain:
        compiled = lockstep_digest.digests()
        by_numpy = json.loads(plain.communicate(timeout=600)[0])
    assert plain.returncode == 0
    assert compiled.keys() == by_numpy.keys()
    assert len(compiled) > 200
    differing = {case: digests for case, digests in compiled.items() if digests != by_numpy[case]}
    assert not differing, sorted(differing)[:5]
