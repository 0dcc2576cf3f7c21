"""Values that differ between exported players. The exporter replaces these."""

GAME = ""  # packed JSON, see `alquerque_env.engine.bundle.carried_game`
# Width, number of blocks, depth in turns of the search features if it has them, and whether it sees the clock.
NETWORK = (0, 0, None, True)
SYMMETRIES = ""  # packed JSON, those of the game for a network of canonical images, else none
EXPLORATION = 0.0  # exploration constant of PUCT
WEIGHTS = ""  # see `export.player.plain_mlp`
