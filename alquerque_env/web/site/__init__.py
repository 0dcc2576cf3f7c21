"""The page as files for any web server: the package's own engine plays in the browser.

| File | |
|---|---|
| `site_folder.py` | writes the folder |
| `carried_….py` | answers requests about matches, in MicroPython |
| `files/` | the scripts that take the place of the server |
| `micropython/` | MicroPython, compiled to WebAssembly |
"""
