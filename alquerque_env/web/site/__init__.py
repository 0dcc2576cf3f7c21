"""The page as files for any web server: the package's own engine plays in the browser.

| File | |
|---|---|
| `site_folder.py` | writes the folder |
| `answers.py`, `carried_bots.py` | what answers the requests of the page; runs in MicroPython |
| `files/` | the scripts that take the place of the server |
| `micropython/` | MicroPython, compiled to WebAssembly |
"""
