"""What differs from one exported player to another. The exporter writes its values in place of these."""

TITLE = ""  # of the game
NAME = ""  # of the game, its id
GAME = ""  # see `training.player.game`
NETWORK = (0, 0)  # width and number of blocks
WEIGHTS = ""  # see `training.player.mlp`
