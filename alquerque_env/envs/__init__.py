"""The games as environments: PettingZoo AEC, Gymnasium against an opponent, batched self-play."""
