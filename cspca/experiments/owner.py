"""Who owns a store: whoever can read the token that lies in its folder.

The dashboard exchanges the token for a cookie; a shell needs none, for it reads the store itself.
"""

from __future__ import annotations

import hmac
import os
import secrets
from functools import cache
from pathlib import Path
from typing import Final

from cspca.experiments.database import store_home

TOKEN: Final = "token"
"""Name of the owner's token in an address."""

_TOKEN_FILE: Final = "owner-token"
_ADDRESS_FILE: Final = "dashboard-address"


def owner_token(home: str | os.PathLike[str] | None = None) -> str:
    """Return the token of a store, which is made when somebody first asks for it."""
    path = store_home(home) / _TOKEN_FILE
    try:
        return _read(path) or _made(path)
    except OSError:
        # A folder that cannot be written or looked at: the token holds until this process ends.
        return _passing(path)


def owner_secret(home: str | os.PathLike[str] | None = None) -> str:
    """Return what the owner's cookie holds: it proves the token and does not tell it."""
    return hmac.new(owner_token(home).encode(), b"cspca owner", "sha256").hexdigest()[:32]


def token_place(home: str | os.PathLike[str] | None = None) -> Path:
    """Where the token lies."""
    return store_home(home) / _TOKEN_FILE


def owner_link(address: str, home: str | os.PathLike[str] | None = None) -> str:
    """Return the link that opens a dashboard with its owner's rights."""
    return f"{address}/?{TOKEN}={owner_token(home)}"


def note_address(address: str, home: str | os.PathLike[str] | None = None) -> None:
    """Leave the address of the dashboard of a store where only its owner can write."""
    try:
        _write(store_home(home) / _ADDRESS_FILE, address)
    except OSError:
        return


def noted_address(home: str | os.PathLike[str] | None = None) -> str:
    """Return the address of the dashboard that was last begun on a store; empty without one."""
    try:
        return _read(store_home(home) / _ADDRESS_FILE)
    except OSError:
        return ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def _made(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    _write(fresh, secrets.token_hex(16))
    try:
        # Whole or not at all, and only one of two processes that begin at once.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return _read(path)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


@cache
def _passing(path: Path) -> str:
    return secrets.token_hex(16)
