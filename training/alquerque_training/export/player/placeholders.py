"""What differs from one exported player to another. The exporter writes its values in place of these."""

GAME = ""  # see `export.player.carried_game`
NETWORK = (0, 0, None)  # width, number of blocks, turns tried in full if it is told what steps gain
EXPLORATION = 0.0  # weight of the policy against what a search has found out
WEIGHTS = ""  # see `export.player.plain_mlp`
