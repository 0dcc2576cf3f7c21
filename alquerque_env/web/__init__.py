"""The page for playing in the browser, and its server on the loopback interface.

The page in `static/` knows no rules and asks the server for every step. The server keeps no matches: each request
carries the whole match, so tabs, reloads and restarts of the server do not disturb each other.
"""
