"""``admin``: who uses what of a server, stop and evict, a copy of the store and back again."""

from __future__ import annotations

import argparse
import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from cspca.shell.options import FAILED, OK, Command, ShellError, command, option
from cspca.shell.runs import opened
from cspca.shell.terminal import answer, say, say_table

WHO = option("who", metavar="ID", help="of a job or a visitor, as `admin who` shows it")


@command("admin who\nadmin who --json")
def _who(asked: argparse.Namespace) -> int:
    """Show who uses what: visitors by a hash, their jobs, memory, unread uploads and disk."""
    told = _server(asked.home) or {}
    with opened(asked.home) as store:
        visitors = {
            who: {"runs": runs, "disk": size} for who, (runs, size) in store.usage().items()
        }
    for who, size in told.get("memory", {}).items():
        visitors.setdefault(who, {})["memory"] = size
    for visitor, size in told.get("uploads", {}).items():
        visitors.setdefault(visitor, {})["unread"] = size
    jobs = told.get("jobs", [])
    for job in jobs:
        one = visitors.setdefault(job["visitor"], {})
        one["jobs"] = one.get("jobs", 0) + 1
    found = {"server": told.get("status", "none"), "faults": told.get("faults", [])}
    if asked.json:
        answer(found | {"visitors": visitors, "jobs": jobs}, as_json=True)
        return OK
    sizes = ("memory", "unread", "disk")
    rows = [
        [who, one.get("jobs", 0), one.get("runs", 0), *(_mb(one, size) for size in sizes)]
        for who, one in sorted(visitors.items(), key=lambda one: -one[1].get("memory", 0))
    ]
    say_table(["visitor", "jobs", "runs", *(f"{size} (MB)" for size in sizes)], rows)
    if jobs:
        say_table(list(jobs[0]), [job.values() for job in jobs])
    say(f"The server is {found['server']}." if told else _NO_SERVER)
    for fault in found["faults"]:
        say(fault)
    return FAILED if found["faults"] else OK


@command("admin stop mMqjz1mf\nadmin stop ae39496c", WHO)
def _stop(asked: argparse.Namespace) -> int:
    """Stop a job, or all jobs of a visitor; what is finished is kept."""
    return _act(asked, job=asked.who, visitor=asked.who)


@command("admin evict ae39496c", WHO)
def _evict(asked: argparse.Namespace) -> int:
    """Stop all jobs of a visitor and let go what the server's memory has of them."""
    return _act(asked, visitor=asked.who, evict=asked.who)


@command("admin backup /backups/monday.tar", option("file", metavar="FILE"))
def _backup(asked: argparse.Namespace) -> int:
    """Copy the whole store to one file, also while a server works on it."""
    from cspca.experiments.backup import back_up

    size = back_up(asked.file, asked.home)
    answer({"file": asked.file, "bytes": size}, f"{asked.file}: {size:,} bytes", as_json=asked.json)
    return OK


@command("admin restore monday.tar --home /data/cspca", option("file", metavar="FILE"))
def _restore(asked: argparse.Namespace) -> int:
    """Put a copy of a store back, where no store is yet."""
    from cspca.experiments.backup import restore

    restore(asked.file, asked.home)
    answer({"file": asked.file}, f"Restored from {asked.file}.", as_json=asked.json)
    return OK


ADMIN = Command(
    "Show who uses a server, stop and evict, back up and restore its store.",
    "admin who\nadmin stop ae39496c\nadmin backup monday.tar",
    actions={
        "who": _who,
        "stop": _stop,
        "evict": _evict,
        "backup": _backup,
        "restore": _restore,
    },
)


_NO_SERVER = "No server answers for this store; `streamlit run app.py` begins one."


def _act(asked: argparse.Namespace, **what: str) -> int:
    told = _server(asked.home, **what)
    if told is None:
        raise ShellError(_NO_SERVER, FAILED)
    stopped = told["stopped"]
    if not stopped and not told.get("freed"):
        words = f"No visitor and no run here is {asked.who}: `admin who` shows who has what."
        raise ShellError(words, FAILED)
    words = f"Stopped: {', '.join(stopped) or 'nothing'}."
    if "freed" in told:
        words += f" Let go: {told['freed'] / 2**20:,.1f} MB."
    answer(told, words, as_json=asked.json)
    return OK


def _server(home: str | None, **what: str) -> Any:
    """What the server of a store says to its owner; None where none answers."""
    from cspca.experiments.database import noted_address, owner_token

    # It is on this machine, whatever it listens to.
    address = noted_address(home).replace("//0.0.0.0", "//127.0.0.1")
    token = {"Authorization": f"Bearer {owner_token(home)}"}
    place = f"{address}/healthz" + (f"?{urlencode(what)}" if what else "")
    try:
        with urlopen(
            Request(place, headers=token, method="POST" if what else "GET"), timeout=60
        ) as found:
            return json.load(found)
    except HTTPError as error:
        # One that is ill says so, and all the rest.
        return json.load(error) if error.code == 503 else None
    except (URLError, ValueError):
        return None


def _mb(of: dict[str, Any], name: str) -> str:
    return f"{of.get(name, 0) / 2**20:,.1f}"
