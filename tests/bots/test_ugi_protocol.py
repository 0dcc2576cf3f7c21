"""The words of UGI: what is written is read again, and what cannot be read does no harm."""

import random

import pytest

from alquerque_env.bots.external.ugi_protocol import (
    Go,
    Info,
    ProtocolError,
    parse_go,
    parse_info,
    parse_position,
    parse_set_option,
    write_position,
)
from alquerque_env.errors import AlquerqueError


def test_what_is_written_is_read_again():
    rng = random.Random(2)
    for _ in range(200):
        maybe = [rng.choice([None, rng.randrange(1, 10**6)]) for _ in range(9)]
        go = Go(*maybe[:3], rng.random() < 0.5, *maybe[3:8])
        assert parse_go(str(go).split()[1:]) == (go, ())
        score, mate = rng.choice([(None, None), (rng.randrange(-999, 999), None), (None, rng.randrange(-9, 9))])
        info = Info(maybe[0], score, mate, maybe[1], maybe[2], rng.choice([(), ("a1-a2", "pass")]))
        assert parse_info(str(info)) == info


@pytest.mark.parametrize(
    ("text", "info"),
    [
        ("info depth 3 seldepth 5 score cp -12 time 4 nodes 9 tthits 0 pv a b", Info(3, -12, None, 9, 4, ("a", "b"))),
        ("info string score cp 5", Info()),
        ("info multipv 2 score cp 5 pv a", Info()),
        ("info multipv 1 score cp 5", Info(score=5)),
        ("info score cp 5 lowerbound", Info()),
        ("info score cp", Info()),
        ("info score cp x depth 99999999999999999999", Info()),
        ("info", Info()),
        ("", Info()),
        ("bestmove a", Info()),
    ],
)
def test_what_engines_say_is_read_as_far_as_it_goes(text, info):
    assert parse_info(text) == info


def test_the_time_of_a_clock_lasts_for_many_turns():
    assert Go().seconds(0) is None
    assert Go(movetime=1000).seconds(1) == pytest.approx(0.95)
    go = Go(p1time=60_000, p2time=300, p1inc=1000, p2inc=0)
    assert go.seconds(0) == pytest.approx(2.8)
    assert go.seconds(1) == pytest.approx(0.01)
    assert Go(p1time=-5, p2time=1).seconds(0) == pytest.approx(0.01)
    assert Go(p1time=1000, p1inc=60_000).seconds(0) == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("text", "go", "faults"),
    [
        ("wtime 100 btime 100 movetime 5", Go(movetime=5), ["go has no 'wtime 100 btime 100', which is skipped"]),
        ("ponder searchmoves c2-c3 depth 2", Go(depth=2), ["go has no 'ponder searchmoves c2-c3', which is skipped"]),
        ("movetime -1", Go(movetime=-1), []),
        ("depth 1 depth 2", Go(depth=2), ["go has depth twice; the last one counts"]),
        ("depth infinite", Go(infinite=True), ["go depth needs a whole number after it; depth is skipped"]),
        ("nodes", Go(), ["go nodes needs a whole number after it; nodes is skipped"]),
        ("p1time --1 nodes 7", Go(nodes=7), ["go p1time is '--1', expected a whole number of 0 or more"]),
        ("depth 1e6 p1inc -3", Go(), ["go depth is '1e6', expected", "go p1inc is '-3', expected"]),
    ],
)
def test_what_go_cannot_read_is_skipped_with_a_sentence(text, go, faults):
    found, told = parse_go(text.split())
    assert found == go
    assert len(told) == len(faults)
    assert all(sentence.startswith(begin) for sentence, begin in zip(told, faults, strict=True))
    assert found.seconds(0) is None or found.seconds(0) >= 0.01


def test_what_cannot_be_read_is_an_error_of_users():
    with pytest.raises(ProtocolError) as caught:
        parse_position(["fen"])
    assert isinstance(caught.value, AlquerqueError)


def test_the_value_of_an_option_may_have_spaces():
    assert parse_set_option("setoption name Level value ugi:./a b  c ") == ("Level", "ugi:./a b  c")
    assert parse_set_option("setoption name a b value") == ("a b", "")


@pytest.mark.parametrize("position", [None, "W:Wa1:Bb2"])
@pytest.mark.parametrize("turns", [[], ["a1xc3", "pass"]])
def test_a_position_is_read_as_it_is_written(position, turns):
    assert parse_position(write_position(position, turns).split()[1:]) == (position, turns)
