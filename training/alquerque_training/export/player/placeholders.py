"""Values that differ between exported players. The exporter replaces these."""

GAME = ""  # packed JSON, see `alquerque_env.engine.bundle.carried_game`
NETWORK = ""  # packed JSON, see `export.player.plain_mlp` and `plain_family`
EXPLORATION = 0.0  # exploration constant of PUCT
WEIGHTS = ""  # likewise
