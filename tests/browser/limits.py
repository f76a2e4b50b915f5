"""How far work of a server of `held_app.py` goes: a test sets it, the server reads it."""

import contextlib
import json
import math
from dataclasses import dataclass
from pathlib import Path

HELD = Path(__file__).with_name("held_app.py")
"""The script of such a server."""


@dataclass(frozen=True)
class Limits:
    """Limits of the work of the server with this home."""

    home: Path

    def set(self, **counts: int) -> None:
        """Hold fits at these `iterations`, films at these `frames`, runs at these `cells`.

        The server begins with what a browser sends after `milliseconds`.
        """
        new = self.home / "limits.new"
        new.write_text(json.dumps(counts))
        new.replace(self.home / "limits.json")

    def of(self, kind: str) -> float:
        """Limit of one of these; infinite where none is set."""
        with contextlib.suppress(FileNotFoundError):
            return float(json.loads((self.home / "limits.json").read_text()).get(kind, math.inf))
        return math.inf
