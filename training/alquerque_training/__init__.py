"""Self-play training of players for the games of `alquerque_env`. Needs the extra `train`."""
