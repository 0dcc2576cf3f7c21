"""Bots that play by a trained network, evaluated with NumPy.

| File | |
|---|---|
| `model_card.py` | reads and checks a checkpoint's files: the model card `meta.json` and the weights |
| `numpy_bot.py` | loads a checkpoint and evaluates its network, without torch |
| `network_bot.py` | the bot, whatever evaluates its network; the exported player carries its `Chooser` |
"""
