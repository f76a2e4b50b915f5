"""Who owns a store: whoever can read the token that lies in its folder.

The dashboard exchanges the token for a cookie; a shell needs none, for it reads the store itself.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from cspca.experiments.database import store_home, write_whole

TOKEN: Final = "token"
"""Name of the owner's token in an address."""

_ADDRESS: Final = "dashboard-address"

Home = str | os.PathLike[str] | None


def token_place(home: Home = None) -> Path:
    """Where the token lies."""
    return store_home(home) / "owner-token"


def owner_token(home: Home = None) -> str:
    """Return the token of a store, which is made when somebody first asks for it."""
    path = token_place(home)
    try:
        if not path.exists():
            fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            write_whole(fresh, secrets.token_hex(16).encode(), mode=0o600)
            try:
                os.link(fresh, path)
            except FileExistsError:
                pass  # Another process has begun at the same time.
            finally:
                fresh.unlink()
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return _passing(path)


@cache
def _passing(path: Path) -> str:
    """A token until this process ends, of a folder that cannot be written or looked at."""
    return secrets.token_hex(16)


def owner_secret(home: Home = None) -> str:
    """Return what the owner's cookie holds: it proves the token and does not tell it."""
    return hmac.new(owner_token(home).encode(), b"cspca owner", "sha256").hexdigest()[:32]


def owner_link(address: str, home: Home = None) -> str:
    """Return the link that opens a dashboard with its owner's rights."""
    return f"{address}/?{TOKEN}={owner_token(home)}"


def note_address(address: str, home: Home = None) -> None:
    """Leave the address of the dashboard of a store where only its owner can write."""
    with suppress(OSError):
        write_whole(store_home(home) / _ADDRESS, address.encode(), mode=0o600)


def noted_address(home: Home = None) -> str:
    """Return the address of the dashboard that was last begun on a store; empty without one."""
    with suppress(OSError):
        return (store_home(home) / _ADDRESS).read_text(encoding="utf-8")
    return ""
