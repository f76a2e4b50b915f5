"""What a process that parses gives up, so that code which takes it over finds nothing.

Each part holds where the system has it; Linux has all of them from 6.12 on. Without namespaces (in
most containers) messages that need no connection can be sent, and root can start processes.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

# What loaders, time zones and the like are read from, beside Python's own folders.
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/proc/self")
_NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000


def _system() -> Any:
    return ctypes.CDLL(None) if sys.platform == "linux" else None


def stand_alone() -> None:
    """Be in an empty folder that is gone already, with no network and no way to start a process.

    To be called while there is one thread.
    """
    os.umask(0o077)
    with suppress(OSError):
        os.chdir(os.path.abspath(os.sep))
        os.chdir(tempfile.mkdtemp())
        os.rmdir(os.getcwd())
    system = _system()
    if system is not None and (
        system.unshare(_NEW_NETWORK | _NEW_PROCESSES) == 0
        or system.unshare(_NEW_USER | _NEW_NETWORK | _NEW_PROCESSES) == 0
    ):
        # Where the first process of such a space has ended, there is never another.
        first = os.fork()
        if not first:
            os._exit(0)
        os.waitpid(first, 0)


def limit_resources(memory: int) -> None:
    """No more memory and time than parsing needs, no files written, no processes, no core dumps."""
    try:
        import resource
    except ImportError:  # not on Windows: there declared sizes are all that is checked
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, 120),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, 0),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def give_up_rights(folders: Iterable[str]) -> None:
    """Read nothing but libraries and these folders, start and signal nobody, and stay so.

    By Landlock, whose numbers are those of ``linux/landlock.h``.
    """
    system = _system()
    if system is None:
        return
    system.prctl(38, 1, 0, 0, 0)  # no new privileges
    # Of root's rights, or those in a space of its own, only reading what belongs to others.
    system.capset(struct.pack("Ii", 0x20080522, 0), struct.pack("6I", 4, 4, 0, 0, 0, 0))
    version = system.syscall(444, None, 0, 1)
    if version < 1:
        return
    n_rights = 13 + sum(version >= first for first in (2, 3, 5))
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = system.syscall(444, struct.pack("3Q", 2**n_rights - 1, 3, 3)[:size], size, 0)
    for path in {*_SYSTEM, sys.prefix, sys.base_prefix, *sys.path, *folders}:
        with suppress(OSError):
            place = os.open(path, os.O_PATH)
            reading = 4 | 8 * Path(path).is_dir()
            system.syscall(445, rules, 1, struct.pack("=Qi", reading, place), 0)
            os.close(place)
    system.syscall(446, rules, 0)
    os.close(rules)
