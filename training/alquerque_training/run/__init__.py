"""A training run: its folder, its sessions, its progress and its plot."""
