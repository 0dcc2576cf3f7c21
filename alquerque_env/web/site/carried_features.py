"""What the evaluation of a search looks at, as `site_folder` has written it with the game."""

from typing import Any


def evaluation_features(game: Any) -> Any:
    """Replaces `alquerque_env.search.static_evaluation.evaluation_features`, which needs the compiler of games."""
    return tuple(map(int, game.evaluation_features))
