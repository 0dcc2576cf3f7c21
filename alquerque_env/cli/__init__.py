"""The console program `alquerque`: `main` reads the command line, and each command is a module of `commands`."""
