"""The log of a server: one line of JSON an event, with ids and without data or names of files.

What happens is told to Python's loggers as everywhere; a message is written as it stands in the
code, never with what would be filled into it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import TextIO

TOLD = ("job", "visitor", "state", "seconds")
"""What an event may bring as ``extra``: beginnings of ids, and of a visitor's hash."""


SPEAKERS = ("cspca", "py", "streamlit", "uvicorn", "starlette")
"""Loggers, by the first part of their names, whose messages are templates without data."""


def hashed(secret: str) -> str:
    """What the store, the log and the operator know of a visitor's secret."""
    return hashlib.sha256(f"cspca visitor\0{secret}".encode()).hexdigest()


class Lines(logging.Formatter):
    """Writes an event as a line of JSON; of an error its type and the way to it."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one event."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "what": str(record.msg),
        }
        if not record.args and record.name.partition(".")[0] not in SPEAKERS:
            # What is no template may hold data: who speaks, and where, is enough.
            line["what"] = f"{record.name} reports something."
            line["way"] = [f"{record.filename}:{record.lineno} {record.funcName}"]
        line |= {name: getattr(record, name) for name in TOLD if hasattr(record, name)}
        line |= {name: getattr(record, name) for name in ("error", "way") if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            calls = traceback.extract_tb(record.exc_info[2])[-8:]
            line["way"] = [f"{Path(at.filename).name}:{at.lineno} {at.name}" for at in calls]
        return json.dumps(line)


class Stream(logging.StreamHandler[TextIO]):
    """Writes to what standard error is at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one event."""
        self.stream = sys.stderr
        super().emit(record)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: str | None = None,
) -> None:
    """Log a warning of a library: its kind and place in the code, for its words may hold data."""
    place = f"{Path(filename).name}:{lineno}"
    extra = {"error": category.__name__, "way": [place]}
    logging.getLogger("py.warnings").warning("A library warns.", extra=extra)


def begin() -> None:
    """Write what is told from now on as lines of JSON on standard error, and nowhere else."""
    # What libraries without handlers of their own tell, and warnings.
    logging.root.handlers = [Stream()]
    logging.root.handlers[0].setFormatter(Lines())
    warnings.showwarning = show_warning
    log = logging.getLogger("cspca")
    log.handlers, log.propagate = [logging.StreamHandler()], False
    log.setLevel(logging.INFO)
    # Who serves the pages has loggers too, and knows what was wrong with whose.
    for logger in list(logging.root.manager.loggerDict.values()):
        for handler in logger.handlers if isinstance(logger, logging.Logger) else ():
            handler.setFormatter(Lines())
