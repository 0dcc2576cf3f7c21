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
| `forms.py`, `compiled_parts.py` | compiled kernels or plain Python: which to use now, and what has been compiled |
| `compiler.py`, `kernel_types.py`, `words/` | how kernels are compiled, and what they are written with |
"""
