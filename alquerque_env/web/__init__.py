"""Play in the browser: a small server on loopback, and a page that knows no rules and asks it for every step.

The server keeps no matches: the page sends the whole match with each question, so that any number of tabs, reloads and
restarts of the server do not disturb each other.
"""
