"""The rules of play on one state: legal actions, apply, outcome, observe.

| File | |
|---|---|
| `rules/` | the text of the rules: legal actions, the state after an action, the outcome, what is observed |
| `moves.py` | steps and captures of one match, from the step table |
| `fields.py`, `binding.py` | the named fields of the text, and how it is bound to integers or tensors |
| `rules_scalar.py`, `random_play.py` | the rules for one match |
| `rules_torch.py`, `torch_moves.py`, `torch_table.py`, `torch_layout.py` | the rules for many matches at once |
| `splitmix.py` | random numbers |
| `entry_points.py` | what Python calls |
| `compiler.py`, `forms.py` | what a kernel is, and whether it runs compiled or as plain Python |
| `compiled_kernels.py`, `kernel_cache.py` | how Numba compiles kernels, and where their code is kept |
| `kernel_types.py`, `words/` | what kernels are written with |
"""
