"""How a command ends: exit codes, and errors that are one sentence."""

from __future__ import annotations

import argparse
from typing import NoReturn

from cspca.shell.terminal import note

__all__ = ["FAILED", "INTERRUPTED", "OK", "USAGE", "Parser", "ShellError"]

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Done; failed or not certified; wrong usage, as argparse has it; stopped by Ctrl-C."""


class ShellError(ValueError):
    """A command cannot do what is asked; the message is one sentence that says what to do.

    Parameters
    ----------
    message : str
    code : int, default=USAGE
        With which the program ends.
    """

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Parser(argparse.ArgumentParser):
    """Parser that says what is wrong in one sentence, and where to read what is right.

    Argparse puts all options before it, up to twenty lines in which the sentence is lost.
    """

    def error(self, message: str) -> NoReturn:
        """End the program with :data:`USAGE`."""
        wrong = message.removeprefix("argument ").removesuffix(".")
        note(f"Error: {wrong[:1].upper()}{wrong[1:]}. See {self.prog} --help.")
        raise SystemExit(USAGE)
