"""How a command ends: exit codes, and errors that are one sentence."""

from __future__ import annotations

__all__ = ["FAILED", "INTERRUPTED", "OK", "USAGE", "ShellError"]

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
