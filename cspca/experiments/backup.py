"""A copy of the whole store in one file, made while others work on it, and back again."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import IO

from cspca.experiments.database import (
    DATABASE,
    FILES,
    Database,
    StoreError,
    connect,
    store_home,
    telling,
    token_place,
)

_EXPECTED = re.compile(rf"{FILES}/([0-9a-f]{{64}})|{re.escape(DATABASE)}|owner-token")
"""What a copy holds, and nothing else comes out of it."""


def back_up(file: str | os.PathLike[str], home: str | os.PathLike[str] | None = None) -> int:
    """Write all that the store in `home` holds at one moment to `file`; return its bytes.

    Whoever works on the store waits for as long as its database is copied, mostly under a second.
    """
    target, place = Path(file), store_home(home)
    if not (place / DATABASE).exists():
        raise StoreError(f"There is no store in {place}: say which folder with --home.")
    with telling(f"The store in {place}"), Database(place) as store, _aside(place) as still:
        if store.in_memory:
            raise StoreError(store.note)
        (still / FILES).mkdir()
        _hold_still(store, still)
        with suppress(FileNotFoundError):
            shutil.copy2(token_place(place), still)
        with (
            telling(str(target.parent)),
            _whole(target) as stream,
            tarfile.open(fileobj=stream, mode="w") as tar,
        ):
            for path in sorted(entry for entry in still.rglob("*") if entry.is_file()):
                tar.add(path, path.relative_to(still))
    return target.stat().st_size


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    """Yield what becomes the file in the end; where that fails nothing of it is left."""
    half = target.with_name(f"{target.name}.{secrets.token_hex(4)}.half")
    try:
        with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def _hold_still(store: Database, still: Path) -> None:
    """Copy the database, and link the files that it speaks of: a link stays when a file goes."""
    with (
        closing(connect(str(store.home / DATABASE))) as writer,
        closing(connect(str(still / DATABASE))) as copy,
    ):
        # A file is removed by who may write the database, and by nobody else.
        writer.execute("BEGIN IMMEDIATE")
        store.connection.backup(copy)
        for (digest,) in copy.execute("SELECT file FROM cells UNION SELECT file FROM runs"):
            # What is lost already is for the doctor to find.
            with suppress(FileNotFoundError):
                if digest is not None:
                    _link(store.path(digest), still / FILES / digest)
        writer.execute("ROLLBACK")
        # Who is at work here will not be there.
        copy.execute("UPDATE cells SET until = NULL, claimant = NULL WHERE until IS NOT NULL")


def _link(path: Path, to: Path) -> None:
    try:
        os.link(path, to)
    except FileNotFoundError:
        raise
    except OSError:
        # A file system without links.
        shutil.copyfile(path, to)


def restore(file: str | os.PathLike[str], home: str | os.PathLike[str] | None = None) -> None:
    """Put a copy back, where no store is; a StoreError says what keeps it from being whole."""
    place = store_home(home)
    if (place / DATABASE).exists():
        raise StoreError(
            f"There is a store in {place} already: move it away, or say another folder with --home."
        )
    with telling(f"The store in {place}"):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with telling(str(file)), open(file, "rb") as stream, _aside(place) as still:
        try:
            with tarfile.open(fileobj=stream) as tar:
                for member in tar:
                    _take_out(tar, member, still)
        except (tarfile.TarError, EOFError) as error:
            raise StoreError(f"{file} is no whole copy of a store: take another one.") from error
        if not (still / DATABASE).exists():
            raise StoreError(f"{file} holds no store: take another one.")
        # The database comes last: without it there is no store yet.
        for path in sorted(still.rglob("*"), key=lambda source: source.name == DATABASE):
            if path.is_file():
                path.replace(place / path.relative_to(still))
            else:
                (place / path.name).mkdir(mode=0o700, exist_ok=True)


def _take_out(tar: tarfile.TarFile, member: tarfile.TarInfo, still: Path) -> None:
    match, content = _EXPECTED.fullmatch(member.name), tar.extractfile(member)
    if match is None or content is None:
        raise tarfile.ReadError("this is none of ours")
    target = still / member.name
    target.parent.mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as into:
        shutil.copyfileobj(content, into)
        into.seek(0)
        if match[1] not in (None, file_digest(into, "sha256").hexdigest()):
            raise tarfile.ReadError("this is damaged")


@contextmanager
def _aside(place: Path) -> Iterator[Path]:
    """A folder on the disk of the store, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="copy-", dir=place) as name:
        yield Path(name)
