"""Many matches at once: their action masks, observations and results, for environments and self-play.

All kinds of batch have the interface of `Batch`. `make_batch.py` chooses:

| File | played by | chosen |
|---|---|---|
| `batch.py` | kernels, match by match | by default |
| `torch_batch.py` | PyTorch's tensors on a device, all matches together | if asked for |

An environment of one match plays it with `single.py`, which does as little work a step as possible. `rollouts.py` plays
random matches and counts their turns and legal actions.
"""
