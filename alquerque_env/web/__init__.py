"""The page for playing in the browser, and its server on the loopback interface.

The page in `static/` knows no rules and asks the server for every step. The server keeps no matches: each request
carries the whole match, so tabs, reloads and restarts of the server do not disturb each other.

| Server | |
|---|---|
| `app.py` | the addresses of the requests and their handlers |
| `bot_requests.py` | a bot's turn, a hint, an analysis |
| `match_requests.py` | a match after its steps; match files; pictures |
| `request_bodies.py` | the JSON that requests carry |
| `page_view.py` | what the page shows of a match, and of a game; the picture of its board |
| `bot_pool.py` | the loaded bots |
| `request_guard.py` | refuses requests from other pages, too large ones, and too many at once |
| `server.py` | the HTTP server: closes idle and slow connections |

| Page | |
|---|---|
| `main.js` | connects the parts of the page |
| `play.js` | the match on the page, and its changes |
| `board.js` | draws the pieces on the board's picture (from `render/svg.py`); turns clicks, drags and keys into steps |
| `hint.js` | asks for a hint |
| `analysis.js` | the analysis: value bar, curve and best turns |
| `players.js`, `turn_list.js`, `status_text.js` | players, turns and status around the board |
| `new_game_dialog.js`, `rules_dialog.js`, `match_file_dialog.js` | the dialogs |
| `storage.js` | matches in the browser's storage |
| `server.js` | sends requests |
"""

from ..errors import require

for _package in ("pydantic", "starlette", "uvicorn"):
    require(_package, "web")
