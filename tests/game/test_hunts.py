"""Hunts: what they share stands in a base, and what one side or the schedule says is checked."""

import pickle
from pathlib import Path

import pytest

from alquerque_env import games, load_game
from alquerque_env.errors import RulesError, UnknownNameError
from alquerque_env.game.animals import animal_drawings
from alquerque_env.game.game import Game, load_text
from alquerque_env.game.rules_text import endings, play_sentences, rule_sentences, start_sentence
from alquerque_env.game.schedule_text import blocks
from tests.own_games import game_text

HUNT = Path(__file__).with_name("small_hunt.toml").read_text(encoding="utf-8")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hunt(changes: dict[str, str] | None = None, /, **options: object) -> Game:
    """The small hunt with parts of its text changed, from a file in the current folder."""
    text = HUNT
    for before, after in (changes or {}).items():
        assert before in text
        text = text.replace(before, after)
    Path("mine.toml").write_text(text, encoding="utf-8")
    return load_game("mine.toml", **options)


NO_SCHEDULE = {'schedule = ["3 times: north drops, south moves"]': "", 'north = ""': 'north = "a1 b1 c1"'}
SYMMETRIC = {
    "north drops, south moves": "first drops, second drops",
    'south = "b2"': 'south = ""',
    "[south]": '[south]\ncaptures = "leap"',
    "[north]": '[north]\ncaptures = "leap"',
}


def test_a_base_is_no_game() -> None:
    assert "hunt" not in games()
    with pytest.raises(UnknownNameError, match=r"^no game 'hunt'"):
        load_game("hunt")


def test_a_hunt_has_the_answers_of_the_base_that_it_leaves_out(here: Path) -> None:
    game = hunt()

    assert [game.captures(player) for player in (0, 1)] == ["leap", "none"]
    assert (game.rules.man_steps, game.rules.progress, game.rules.no_moves) == ("all", "capture", "loss")
    assert game.options["chain"] == "single"
    assert game.loses_at == (0, 0)
    assert hunt(loses_at=2).loses_at == (0, 2)


def test_an_answer_of_a_hunt_takes_the_place_of_that_of_the_base(here: Path) -> None:
    asked = (
        'capture.default = "compulsory"\nno_moves = { default = "loss", values = ["loss", "draw"], source = "here" }'
    )
    game = hunt({"[options]": f'[rules]\nchain = "compulsory"\n[options]\n{asked}'})

    assert game.rules.chain == "compulsory"
    assert "chain" not in game.option_table
    assert list(game.option_table["no_moves"].values) == ["loss", "draw"]
    assert game.options["capture"] == "compulsory"
    assert list(game.option_table["capture"].values) == list(load_game("adugo").option_table["capture"].values)


def test_a_hunt_asks_what_happens_to_north_alone_if_it_cannot_move(here: Path) -> None:
    other = hunt(no_moves="pass")

    assert (hunt().no_moves, other.no_moves) == (("loss", "loss"), ("loss", "pass"))
    assert hunt().option_table["no_moves"].question == "What happens when North cannot move?"
    assert (hunt().num_actions + 1, hunt().actions) == (other.num_actions, other.actions[:-1])
    told = rule_sentences(other)
    assert {"North without a legal move passes.", "South without a legal move loses."} <= set(told)
    assert "A player without a legal move loses." in rule_sentences(hunt())
    assert load_game("indian_and_jackrabbits_tiwa", no_moves="pass").no_moves == ("pass", "pass")


def test_nobody_is_asked_who_begins_where_the_schedule_names_the_sides(here: Path) -> None:
    assert "who_starts" not in hunt().option_table
    assert hunt().first_player == 1
    assert hunt(NO_SCHEDULE, who_starts="player_0").first_player == 0


def test_first_and_second_are_whom_the_option_says(here: Path) -> None:
    ways = [hunt(SYMMETRIC, who_starts=f"player_{player}").schedule for player in (0, 1)]

    assert [[ply.player for ply in way] for way in ways] == [[0, 1] * 3, [1, 0] * 3]


def test_the_text_of_a_hunt_needs_no_base(here: Path) -> None:
    game = hunt(loses_at=1)

    assert "extends" not in game.file_text
    assert load_text(game.name, game.file_text, loses_at=1) == game
    assert pickle.loads(pickle.dumps(game)) == game
    (here / "again").mkdir()
    (here / "again" / "mine.toml").write_text(game.to_toml(), encoding="utf-8")
    assert load_game(here / "again" / "mine.toml", loses_at=1).table_hash == game.table_hash


def test_a_hunt_may_be_extended(here: Path) -> None:
    hunt()
    (here / "other.toml").write_text(
        'extends = "mine.toml"\nschedule = ["2 times: north drops, south moves"]\n', encoding="utf-8"
    )

    assert load_game("other.toml").hands == (0, 2)
    assert load_game("other.toml").captures(1) == "none"


def test_a_schedule_that_is_added_to_a_hunt_says_who_begins(here: Path) -> None:
    hunt(NO_SCHEDULE)
    (here / "other.toml").write_text(
        'extends = "mine.toml"\nschedule = ["south moves, north moves"]\n', encoding="utf-8"
    )

    assert load_game("other.toml").first_player == 0
    assert "who_starts" not in load_game("other.toml").option_table


def test_every_hunt_names_the_animals_of_its_sides_and_only_people_have_none() -> None:
    hunts = [load_game(name) for name in games() if load_game(name).has_roles]
    assert {side.piece for game in hunts for side in game.sides if not side.drawing} == {"man", "hunter", "Indian"}


def test_an_animal_without_a_drawing_is_refused_with_those_that_have_one(here: Path) -> None:
    assert hunt({"[south]": '[south]\nanimal = "tiger"'}).sides[0].drawing == animal_drawings()["tiger"]
    with pytest.raises(RulesError, match=rf"'unicorn', expected one of: {', '.join(animal_drawings())}($|[^\w,])"):
        hunt({"[south]": '[south]\nanimal = "unicorn"'})


def test_a_number_that_has_lost_at_once_is_refused_when_it_is_chosen(here: Path) -> None:
    hunt()
    with pytest.raises(RulesError, match=r"^mine: loses_at=7, but north has 3 pieces and has lost at once"):
        load_game("mine.toml", loses_at=7)


def test_an_optional_chain_is_refused_before_another_ply_of_its_player(here: Path) -> None:
    changes = {"3 times: north drops, south moves": "3 times: north drops, south moves 2"}
    assert hunt(changes).rules.chain == "single"
    with pytest.raises(RulesError, match="leave open where the first move ends"):
        hunt(changes, chain="optional")


def test_the_base_is_among_what_a_file_may_extend(here: Path) -> None:
    with pytest.raises(RulesError, match=r"extends is 'hunts', .*; did you mean 'hunt'\?"):
        hunt({'extends = "hunt"': 'extends = "hunts"'})


# The rules in sentences.


def test_the_sentences_of_a_hunt_call_the_pieces_by_their_names(here: Path) -> None:
    game = hunt(loses_at=1)
    told = " ".join(play_sentences(game))

    assert start_sentence(game).endswith(
        "South begins with an ox, and North has 3 gnats in hand; the other 8 points are vacant."
    )
    assert "South aims to reduce the gnats to 1, or to leave North without a legal move." in told
    assert "A gnat cannot capture." in told
    assert "An ox captures an adjacent enemy" in told
    assert "South must capture" in " ".join(play_sentences(hunt(capture="compulsory")))
    assert endings(game)[0].sentence == "North with 1 gnats or fewer, those in hand counted, loses."


def test_the_steps_of_each_side_are_told_where_they_differ(here: Path) -> None:
    told = " ".join(play_sentences(hunt({"[north]": '[north]\nman_steps = "none"'})))

    assert "An ox steps along a line to an adjacent vacant point, in any direction. A gnat does not step." in told


def test_a_goal_is_told_with_its_points(here: Path) -> None:
    game = hunt({"[north]": '[north]\ngoal = "a1 b1"'})

    assert [(ending.reason, ending.sentence) for ending in endings(game)][1] == (
        "goal",
        "North wins when it holds a1 and b1.",
    )


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            "3 times: north drops, south moves",
            "North begins and drops 3 gnats, one in each turn; South moves meanwhile.",
        ),
        ("2 times: north drops 2, south moves", "North begins. Twice in turn, North drops 2 gnats and South moves."),
        ("south moves, north drops 2 on a1 c1", "South begins and moves. North drops 2 gnats on a1 or c1."),
        (
            "north drops 2 off b2, south removes",
            "North begins and drops 2 gnats anywhere but on b2. South removes a gnat",
        ),
    ],
)
def test_a_schedule_is_told_in_sentences(lines: str, told: str, here: Path) -> None:
    game = hunt({"3 times: north drops, south moves": lines})

    assert told in " ".join(play_sentences(game))


def test_a_schedule_falls_into_blocks() -> None:
    found = blocks(load_game("tiger_and_buffaloes").schedule)

    assert [([number for _, number in plies], times) for plies, times in found] == [([4, 1], 2), ([3], 1), ([1], 1)]


def test_a_symmetric_game_with_a_schedule_speaks_of_pieces(here: Path) -> None:
    text = game_text().replace('south = "a1 b1 c1"', 'south = ""').replace('north = "a3 b3 c3"', 'north = ""')
    Path("mine.toml").write_text(f'schedule = ["3 times: first drops, second drops"]\n{text}', encoding="utf-8")
    game = load_game("mine.toml")

    assert game.is_symmetric
    assert "South has 3 pieces in hand, and North has 3 pieces in hand; all 9 points" in start_sentence(game)
    assert "3 times in turn, South drops a piece and North drops a piece." in " ".join(play_sentences(game))


HUNTS = [name for name in games() if load_game(name).has_roles]


@pytest.mark.parametrize("name", HUNTS)
def test_south_captures_in_every_hunt_and_north_cannot(name: str) -> None:
    game = load_game(name)

    leaps = "odd_rows" if name in ("rimau", "rimau_rimau_malaysia") else "leap"
    assert [game.captures(player) for player in (0, 1)] == [leaps, "none"]
    assert min(len(game.start[player]) + game.hands[player] for player in (0, 1)) > 0


PIECES: list[tuple[str, dict[str, object], tuple[int, int]]] = [
    ("catch_the_hare", {}, (1, 12)),
    ("catch_the_hare", {"pieces": 11}, (1, 11)),
    ("catch_the_hare", {"pieces": 10, "board": "orthogonal"}, (1, 10)),
    ("adugo", {}, (1, 14)),
    ("fox_and_geese", {}, (1, 13)),
    ("fox_and_geese", {"pieces": 17, "board": "orthogonal", "man_steps": "forward_sideways"}, (1, 17)),
    ("bagh_chal", {}, (4, 20)),
    ("aadu_puli_attam", {}, (3, 15)),
    ("main_tapal_empat", {}, (2, 18)),
    ("main_tapal_empat", {"drop_order": "ludii", "man_steps": "all", "loses_at": "none"}, (1, 24)),
    ("main_tapal_empat_straits", {}, (2, 24)),
    ("tiger_and_buffaloes", {}, (3, 11)),
    ("sua_ghin_gnua", {"drop_order": "batches"}, (3, 12)),
    ("lay_gwet_kyah", {"pieces": 11, "board": "spaces"}, (3, 11)),
    ("rimau_rimau", {}, (2, 24)),
    ("rimau_rimau_malaysia", {}, (2, 24)),
    ("indian_and_jackrabbits_tiwa", {}, (1, 12)),
    ("indian_and_jackrabbits_tohono", {}, (1, 12)),
    ("rimau", {}, (1, 24)),
]


def test_the_pieces_of_every_hunt_are_counted() -> None:
    assert {name for name, _, _ in PIECES} == set(HUNTS)


@pytest.mark.parametrize(("name", "options", "pieces"), PIECES)
def test_each_side_has_the_pieces_of_the_sources(
    name: str, options: dict[str, object], pieces: tuple[int, int]
) -> None:
    game = load_game(name, **options)

    assert tuple(len(game.start[player]) + game.hands[player] for player in (0, 1)) == pieces
