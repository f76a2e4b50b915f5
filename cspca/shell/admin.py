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

OWNER = option("who", metavar="ID", help="of a job or a visitor, as `admin who` shows it")


@command("admin who\nadmin who --json")
def _usage(arguments: argparse.Namespace) -> int:
    """Show who uses what: visitors by a hash, their jobs, memory, unread uploads and disk."""
    report = _server(arguments.home) or {}
    with opened(arguments.home) as store:
        visitors = {
            owner: {"runs": runs, "disk": size} for owner, (runs, size) in store.usage().items()
        }
    for owner, size in report.get("memory", {}).items():
        visitors.setdefault(owner, {})["memory"] = size
    for visitor, size in report.get("uploads", {}).items():
        visitors.setdefault(visitor, {})["unread"] = size
    jobs = report.get("jobs", [])
    for job in jobs:
        usage = visitors.setdefault(job["visitor"], {})
        usage["jobs"] = usage.get("jobs", 0) + 1
    status = {"server": report.get("status", "none"), "faults": report.get("faults", [])}
    if arguments.json:
        answer(status | {"visitors": visitors, "jobs": jobs}, as_json=True)
        return OK
    sizes = ("memory", "unread", "disk")
    rows = [
        [owner, usage.get("jobs", 0), usage.get("runs", 0), *(_mb(usage, size) for size in sizes)]
        for owner, usage in sorted(visitors.items(), key=lambda pair: -pair[1].get("memory", 0))
    ]
    say_table(["visitor", "jobs", "runs", *(f"{size} (MB)" for size in sizes)], rows)
    if jobs:
        say_table(list(jobs[0]), [job.values() for job in jobs])
    say(f"The server is {status['server']}." if report else _NO_SERVER)
    for fault in status["faults"]:
        say(fault)
    return FAILED if status["faults"] else OK


@command("admin stop mMqjz1mf\nadmin stop ae39496c", OWNER)
def _stop(arguments: argparse.Namespace) -> int:
    """Stop a job, or all jobs of a visitor; what is finished is kept."""
    return _act(arguments, job=arguments.who, visitor=arguments.who)


@command("admin evict ae39496c", OWNER)
def _evict(arguments: argparse.Namespace) -> int:
    """Stop all jobs of a visitor and let go what the server's memory has of them."""
    return _act(arguments, visitor=arguments.who, evict=arguments.who)


@command("admin backup /backups/monday.tar", option("file", metavar="FILE"))
def _backup(arguments: argparse.Namespace) -> int:
    """Copy the whole store to one file, also while a server works on it."""
    from cspca.experiments.backup import back_up

    size = back_up(arguments.file, arguments.home)
    answer(
        {"file": arguments.file, "bytes": size},
        f"{arguments.file}: {size:,} bytes",
        as_json=arguments.json,
    )
    return OK


@command("admin restore monday.tar --home /data/cspca", option("file", metavar="FILE"))
def _restore(arguments: argparse.Namespace) -> int:
    """Put a copy of a store back, where no store is yet."""
    from cspca.experiments.backup import restore

    restore(arguments.file, arguments.home)
    answer({"file": arguments.file}, f"Restored from {arguments.file}.", as_json=arguments.json)
    return OK


ADMIN = Command(
    "Show who uses a server, stop and evict, back up and restore its store.",
    "admin who\nadmin stop ae39496c\nadmin backup monday.tar",
    actions={
        "who": _usage,
        "stop": _stop,
        "evict": _evict,
        "backup": _backup,
        "restore": _restore,
    },
)


_NO_SERVER = "No server answers for this store; `streamlit run app.py` begins one."


def _act(arguments: argparse.Namespace, **what: str) -> int:
    report = _server(arguments.home, **what)
    if report is None:
        raise ShellError(_NO_SERVER, FAILED)
    stopped = report["stopped"]
    if not stopped and not report.get("freed"):
        words = f"No visitor and no run here is {arguments.who}: `admin who` shows who has what."
        raise ShellError(words, FAILED)
    words = f"Stopped: {', '.join(stopped) or 'nothing'}."
    if "freed" in report:
        words += f" Let go: {report['freed'] / 2**20:,.1f} MB."
    answer(report, words, as_json=arguments.json)
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
        ) as response:
            return json.load(response)
    except HTTPError as error:
        # One that is ill says so, and all the rest.
        return json.load(error) if error.code == 503 else None
    except (URLError, ValueError):
        return None


def _mb(of: dict[str, Any], name: str) -> str:
    return f"{of.get(name, 0) / 2**20:,.1f}"
