"""Measures the first visit of the static page: `python benchmarks/first_visit.py`.

Writes the page, serves it as a host that compresses does, opens it in a fresh browser a few times, and prints the bytes
that were sent, and until the first match can be played the seconds on the clock and those that the browser's processes
worked, which depend less on what else the machine does. Needs the extra `dev`, Linux and Chromium.
"""

import gzip
import os
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

sys.path.append(str(Path(__file__).parent.parent))
from alquerque_env import games, load_game
from alquerque_env.web.site.site_folder import write_site
from tests.browser import CHROMIUM, FLAGS
from tests.web.file_host import hosted

VISITS = 5
PLAYABLE = "body:not([inert]) #field[aria-busy=false] .spot"


def worked() -> float:
    """The processor seconds of all processes that this one has started, and that these have."""
    parents, seconds = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # has ended
        parents[int(file.parent.name)] = int(fields[1])
        seconds[int(file.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    own = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(seconds[process] for process in own - {os.getpid()})


with TemporaryDirectory() as folder, sync_playwright() as playwright:
    site = Path(folder) / "site"
    size = write_site(site, [load_game(name) for name in games()], load_game("alquerque"))
    print(f"the folder has {size / 1e6:.1f} MB in {sum(path.is_file() for path in site.rglob('*'))} files")
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    seconds, busy = [], []
    for _ in range(VISITS):
        with hosted(site) as host:
            page = browser.new_page()
            before, begun = worked(), time.perf_counter()
            page.goto(host.address)
            page.wait_for_selector(PLAYABLE, state="attached")
            seconds.append(time.perf_counter() - begun)
            busy.append(worked() - before)
            sent = sum(host.sent.values())
            page.close()
    print(f"first visit: {sent / 1e3:.0f} kB, compressed with gzip")
    files = (path for path in site.rglob("*") if path.is_file() and path.relative_to(site).as_posix() not in host.sent)
    later = [(path.suffix == ".table", len(gzip.compress(path.read_bytes()))) for path in files]
    print(f"fetched afterwards: {sum(size for is_table, size in later if not is_table) / 1e3:.0f} kB")
    print(f"tables, fetched when they are asked for: {sum(size for is_table, size in later if is_table) / 1e3:.0f} kB")
    for name, count in sorted(host.sent.items(), key=lambda item: -item[1])[:4]:
        print(f"  {name}: {count / 1e3:.0f} kB")
    print(f"playable after {min(seconds):.2f} to {max(seconds):.2f} s, median {median(seconds):.2f} s")
    print(f"processor time of the browser: {min(busy):.2f} to {max(busy):.2f} s, median {median(busy):.2f} s")
