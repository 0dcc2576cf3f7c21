"""A bot as an engine for programs that speak UGI, the Universal Game Interface."""
