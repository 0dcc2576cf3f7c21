"""The page for playing in the browser, and its server on the loopback interface.

The page in `static/` knows no rules and asks the server for every step. The server keeps no matches: each request
carries the whole match, so tabs, reloads and restarts of the server do not disturb each other.

| File | |
|---|---|
| `answers.py`, `game_answers.py` | the answers to requests, shared with the static page |
| `*_view.py` | what the page shows of something, as JSON |
| `server_host.py`, `bot_pool.py`, `checkpoint_folders.py` | what the server answers from |
| `app.py`, `server.py`, `request_bodies.py`, `request_guard.py` | requests over HTTP |
"""
