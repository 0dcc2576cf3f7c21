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
    plain = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        env={**os.environ, "ALQUERQUE_JIT": "0"},
    )
    compiled, by_numpy = lockstep_digest.digests(), json.loads(plain.stdout)
    assert compiled.keys() == by_numpy.keys()
    assert len(compiled) > 200
    differing = {case: digests for case, digests in compiled.items() if digests != by_numpy[case]}
    assert not differing, sorted(differing)[:5]
