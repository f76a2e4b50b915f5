"""What a crowd and its files do to a server: ``python -m tests.load [visitors|bombs|kills]``."""

import sys
from importlib import import_module

if __name__ == "__main__":
    name, given = "visitors", sys.argv[1:]
    if given and not given[0].startswith("-"):
        name, *given = given
    sys.exit(import_module(f"tests.load.{name}").main(given))
