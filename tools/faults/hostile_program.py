"""A hostile program: a UGI engine or an exported player that does harm at the places that `PLAN` names.

`hostile_engines.py` writes copies of this file with a plan in them.
"""

import os
import random
import signal
import subprocess
import sys
import time

PLAN: dict = {}
"""What it does:

* `start`: the harm that it does first,
* `at`: the harm that it does at a command, by the word and how often it has come, as "go 3",
* `turns`: its turns by the number of turns before them, and by position,
* `stays`: whether it stays after `quit`,
* `pids`: the file for the ids of its processes, `seed`: of what it makes up.
"""

chance = random.Random(PLAN.get("seed"))


def write(data: bytes, to: int = 1) -> None:
    while data:
        data = data[os.write(to, data) :]


def without_end(make, to: int = 1) -> None:
    while True:
        write(make(), to)


def note(pid: int) -> None:
    with open(PLAN["pids"], "a") as file:
        file.write(f"{pid}\n")


def leave_child(escapes: bool) -> None:
    """A child that holds all pipes; one that escapes is in a session of its own."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    note(subprocess.Popen([sys.executable, "-ISc", code], start_new_session=escapes).pid)


def words() -> bytes:
    known = ("bestmove", "none", "pass", "info", "string", "error", "score", "mate", "cp", "pv", "ugiok", "readyok")
    more = (*known, "\x1b[31m", "\x9b2J", "9" * 40, "-1", "a1-b2", "é\u2028", "depth", "nodes", "x" * 5000)
    return " ".join(chance.choices(more, k=chance.randrange(9))).encode() + b"\n"


HARM = {
    "words": lambda: write(b"".join(words() for _ in range(20))),
    "bytes": lambda: write(chance.randbytes(5000)),
    "escapes": lambda: write(b"\x1b[31mred\x07\x1b]0;title\x07\x9b2J\n"),
    "illegal": lambda: write(b"bestmove a1-a5\na1-a5\n"),
    "another game": lambda: write(b"bestmove e2e4\ne2e4\n"),
    "long answer": lambda: write(b"bestmove " + b"a1-b2" * 1500 + b"\n"),
    "nothing": lambda: write(b"bestmove\n\n"),
    "complains": lambda: write(b"info string error: \x1b[2Jno idea\n"),
    "endless line": lambda: without_end(lambda: b"x" * 65536),
    "endless bytes": lambda: without_end(lambda: chance.randbytes(1000)),
    "flood": lambda: without_end(lambda: words() * 50),
    "flood of long lines": lambda: without_end(lambda: b"info string " + b"x" * 60_000 + b"\n"),
    "flood of errors": lambda: without_end(lambda: words() * 50, to=2),
    "endless error": lambda: without_end(lambda: b"x" * 65536, to=2),
    "errors": lambda: write(b"\x1b[31mdreadful\x07\n" * 100, to=2),
    "late": lambda: time.sleep(3),
    "never": lambda: time.sleep(600),
    "exit": lambda: os._exit(chance.randrange(256)),
    "last words": lambda: (write(b"\x1b[31m" + b"dreadful \x9b31m" * 90 + b"\n", to=2), os._exit(1)),
    "signal": lambda: os.kill(os.getpid(), chance.choice((signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT))),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "close output": lambda: (os.close(1), time.sleep(600)),
    "close errors": lambda: os.close(2),
    "close input": lambda: (os.close(0), time.sleep(600)),
    "close all": lambda: (os.close(0), os.close(1), os.close(2), time.sleep(600)),
    "child": lambda: leave_child(escapes=False),
    "child and exit": lambda: (leave_child(escapes=False), os._exit(0)),
    "child escapes": lambda: leave_child(escapes=True),
    "child escapes and exit": lambda: (leave_child(escapes=True), os._exit(0)),
    "deaf": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "half a line": lambda: write(b"bestmove "),
}


def play() -> None:
    """Talks UGI."""
    come: dict[str, int] = {}
    before = 0
    for line in sys.stdin:
        word, *rest = line.split() or [""]
        come[word] = come.get(word, 0) + 1
        for name in PLAN["at"].get(f"{word} {come[word]}", ()):
            HARM[name]()
        if word == "ugi":
            write(b"id name hostile\nugiok\n")
        elif word == "isready":
            write(b"readyok\n")
        elif word == "position":
            before = len(rest) - rest.index("moves") - 1 if "moves" in rest else 0
        elif word == "go":
            write(f"info depth 1 score cp 3\nbestmove {PLAN['turns'].get(before, 'none')}\n".encode())
        elif word == "quit" and not PLAN["stays"]:
            break


if __name__ == "__main__":
    note(os.getpid())
    for name in PLAN["start"]:
        HARM[name]()
    if "--position" in sys.argv:
        write(PLAN["turns"].get(sys.argv[sys.argv.index("--position") + 1], "none").encode() + b"\n")
    else:
        play()
