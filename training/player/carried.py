"""What differs from one exported player to another. The exporter writes its values in place of these."""

GAME = ""  # see `training.player.game`
NETWORK = (0, 0, None)  # width, number of blocks, turns tried in full if it is told what steps gain
WEIGHTS = ""  # see `training.player.mlp`
