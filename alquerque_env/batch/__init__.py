"""Many matches at once, for batched environments, self-play and rollouts."""
