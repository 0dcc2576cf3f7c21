"""Observations written from a state, and states read from an observation."""

from alquerque_env.engine import rules_scalar as rules
from alquerque_env.engine.compiler import borrowed, entry_kernel


@entry_kernel
def write_observation(t, s, earlier, observation, place):
    rules.observe(borrowed(t), borrowed(s), earlier, borrowed(observation), place)


@entry_kernel
def recall_observation(t, observation, place, s):
    rules.recall(borrowed(t), borrowed(observation), place, borrowed(s))
