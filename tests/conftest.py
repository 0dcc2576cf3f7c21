"""What all tests share."""

import os
import tempfile

# A fresh folder of compiled kernels, unless the caller names one.
os.environ.setdefault("NUMBA_CACHE_DIR", tempfile.mkdtemp(prefix="alquerque-kernels-"))
