"""Training configs: what can be set, and how a config file is read."""
