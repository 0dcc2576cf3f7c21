"""What differs from one exported player to another. The exporter writes its values in place of these."""

GAME = ""  # see `export.player.carried_game`
NETWORK = (0, 0, None)  # width, number of blocks, depth in turns of the search features if it has them
EXPLORATION = 0.0  # weight of the policy against what a search has found out
WEIGHTS = ""  # see `export.player.plain_mlp`
