"""What each side of a game aims at, told to the person who plays it."""

from .game import Game
from .rules_text import takes
from .ruleset import NORTH, SOUTH

COLOURS = ("white", "dark")
"""What the pieces of South and of North look like in pictures."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def aims(game: Game) -> tuple[str, str]:
    """The aims of South and of North, such as `Capture all twelve dark pieces, or block them.`, each a sentence."""
    south, north = (_aim(game, player) for player in (SOUTH, NORTH))
    return south, north


def seats(game: Game) -> tuple[str, str]:
    """Which pieces a person has who plays South or North: `You are white.` or `You are the tigers (white).`, say."""
    if not game.has_roles:
        return f"You are {COLOURS[SOUTH]}.", f"You are {COLOURS[NORTH]}."
    south, north = (f"You are the {_pieces(game, player)} ({COLOURS[player]})." for player in (SOUTH, NORTH))
    return south, north


def common_aim(game: Game) -> str:
    """The aims for people who play both sides, or watch."""
    if game.has_roles:
        told = (
            f"{_pieces(game, player).capitalize()} ({COLOURS[player]}): {_lower(_aim(game, player))}"
            for player in (SOUTH, NORTH)
        )
        return " ".join(told)
    alike = [aim.replace(f"{COLOURS[1 - player]} pieces", "enemy pieces") for player, aim in enumerate(aims(game))]
    if alike[SOUTH] == alike[NORTH]:
        return alike[SOUTH]
    return " ".join(f"{COLOURS[player].capitalize()}: {_lower(aim)}" for player, aim in enumerate(aims(game)))


def spell_number(number: int) -> str:
    """A small number in words, a large one in digits."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _aim(game: Game, player: int) -> str:
    blocks = game.no_moves[1 - player] == "loss"
    if not takes(game, player) and not game.sides[player].goal:
        if not blocks:
            return "Hold out: this side cannot win."
        enemy = _pieces(game, 1 - player)
        it = "it has" if game.most_pieces[1 - player] == 1 else "they have"
        return f"Surround the {enemy}, so that {it} no move left."
    clauses = [f"capture {_victims(game, 1 - player)}"] if takes(game, player) else []
    if game.sides[player].goal:
        clauses.append(_goal(game, player))
    if blocks:
        clauses.append(
            f"block {'it' if game.most_pieces[1 - player] == 1 else 'them'}"
            if takes(game, player)
            else f"leave the {_pieces(game, 1 - player)} without a move"
        )
    *others, last = clauses
    text = f"{', '.join(others)}, or {last}" if others else last
    return f"{text[0].upper()}{text[1:]}."


def _victims(game: Game, player: int) -> str:
    """The pieces of a side that must be captured."""
    count, few = game.most_pieces[player], game.loses_at[player]
    if game.has_roles:
        side = game.sides[player]
        if not few:
            return f"all {spell_number(count)} {side.pieces}" if count > 1 else f"the {side.piece}"
        return f"{spell_number(count - few)} of the {spell_number(count)} {side.pieces}"
    pieces = f"{COLOURS[player]} pieces"
    few = 3 if game.rules.lose_at_three else few
    return f"all but {spell_number(few)} {pieces}" if few else f"all {spell_number(count)} {pieces}"


def _goal(game: Game, player: int) -> str:
    """What a side has to do with the points that win."""
    goal, labels = game.sides[player].goal, game.board.labels
    ys = [y for _, y in game.board.points]
    middle = (min(ys) + max(ys)) / 2
    across = (
        game.board.points[point][1] >= middle if player == SOUTH else game.board.points[point][1] <= middle
        for point in goal
    )
    if len(goal) == game.most_pieces[player] and all(across):
        return f"bring all {spell_number(len(goal))} {game.sides[player].pieces} across the board"
    return f"hold {', '.join(labels[point] for point in sorted(goal))}"


def _pieces(game: Game, player: int) -> str:
    side = game.sides[player]
    if not game.has_roles:
        return f"{COLOURS[player]} pieces"
    return side.piece if game.most_pieces[player] == 1 else side.pieces


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
