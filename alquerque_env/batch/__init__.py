"""Many matches at once: their action masks, observations and results, for environments and self-play.

`make_batch.py` chooses among three kinds of batch with one interface, `batch.py`. Each writes the action masks,
observations and results of its matches itself:

| File | |
|---|---|
| `simd_batch.py` | compiled, one match a SIMD lane |
| `scalar_batch.py` | compiled, match by match, under all rules |
| `numpy_batch.py` | NumPy arrays, without Numba |
| `single.py` | one match, for environments of one match |
| `step_result.py` | what a step returns |
| `rollouts.py`, `rollout_kernels.py` | random matches |
| `branching.py` | random matches with their turns and legal actions |
"""
