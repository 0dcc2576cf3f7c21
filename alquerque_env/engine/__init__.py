"""The rules of play on one state: legal actions, apply, outcome, observe.

| File | |
|---|---|
| `rules.py` | legal actions, the state after an action, the outcome, the observation |
| `moves.py` | steps and captures, from the step table |
| `undo_memory.py` | the no-undo rule: which steps back a piece may not take |
| `rules_simd.py`, `simd_table.py`, `simd_layout.py` | the same rules for many matches at once |
| `entry_points.py` | what Python calls |
| `compiler.py`, `kernel_types.py`, `words/` | how kernels are compiled, and what they are written with |
"""
