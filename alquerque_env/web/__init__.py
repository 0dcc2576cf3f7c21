"""The page for playing in the browser, and its server on the loopback interface.

The page in `static/` knows no rules and asks for every step. Nobody keeps matches for it: each request carries the whole
match, so tabs, reloads and restarts of the server do not disturb each other.

| File | |
|---|---|
| `answers.py`, `game_answers.py` | the requests about matches and games, each with its answer; the static page shares them |
| `*_view.py` | what the page shows of something, as JSON |
| `server_host.py`, `catalogue.py`, `bot_pool.py` | what the server answers from |
| `app.py`, `server.py`, `request_bodies.py`, `request_guard.py` | requests over HTTP: what they carry, and who may ask |
"""
