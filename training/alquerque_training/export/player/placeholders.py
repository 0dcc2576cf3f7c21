"""Values that differ between exported players. The exporter replaces these."""

GAME = ""  # packed JSON, see `alquerque_env.engine.bundle.carried_game`
# Width, number of blocks, depth in turns of the search features if it has them, whether it sees the clock.
NETWORK = (0, 0, None, True)
EXPLORATION = 0.0  # exploration constant of PUCT
WEIGHTS = ""  # see `export.player.plain_mlp`
