"""Self-play training of players for the games of `alquerque_env`. Needs the extra `train`."""

from alquerque_env.start import check_unpacked as _check_unpacked

_check_unpacked(__file__)
