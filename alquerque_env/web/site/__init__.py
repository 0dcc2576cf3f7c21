"""The page as files for any web server: the package's own engine plays in the browser.

| File | |
|---|---|
| `site_folder.py` | writes the folder |
| `answers.py`, `carried_bots.py`, `carried_tables.py` | what answers the requests of the page; runs in MicroPython |
| `table_data.py` | writes endgame tables for it |
| `files/` | the scripts that take the place of the server |
| `micropython/` | MicroPython, compiled to WebAssembly |
"""
