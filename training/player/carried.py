"""What differs from one exported player to another. The exporter writes its values in place of these."""

GAME = ""  # see `training.player.game`
NETWORK = (0, 0, False)  # width, number of blocks, whether it is told what steps gain
WEIGHTS = ""  # see `training.player.mlp`
