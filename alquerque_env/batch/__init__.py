"""Many matches at once: their action masks, observations and results, for environments and self-play.

All kinds of batch have one interface, `batch.py`. `make_batch.py` chooses by the backend, the rules and the number of
matches:

| File | played by | chosen |
|---|---|---|
| `simd_batch.py` | compiled vectors, one match a lane | for 8 matches and more, under rules that the vectors cover |
| `scalar_batch.py` | compiled integers, match by match, under all rules | elsewhere |
| `numpy_batch.py` | NumPy arrays; few matches, and other rules, match by match | where kernels are not compiled |
| `torch_batch.py` | PyTorch tensors on a device | if asked for |
| `match_batch.py` | `Match` objects | by `envs/opponent_vector.py`, for opponents that look at the whole match |

An environment of one match plays it with `single.py`, which does as little work a step as possible. `step_result.py`
has the commands to a batch and what a step returns; `rollouts.py` and `rollout_kernels.py` play random matches
and count their turns and legal actions.
"""
