"""What differs from one exported player to another. The exporter writes its values in place of these."""

GAME = ""  # see `training.player.game`
NETWORK = (0, 0)  # width and number of blocks
WEIGHTS = ""  # see `training.player.mlp`
