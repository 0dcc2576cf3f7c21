"""What all tests share."""

import atexit
import os
import shutil
import tempfile

# A fresh folder of compiled kernels for the whole run, unless the caller names one; workers inherit it.
if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="alquerque-kernels-")
    atexit.register(shutil.rmtree, os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)
