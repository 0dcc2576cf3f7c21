"""Actors that play in other processes, on this machine or others, while the learner learns."""
