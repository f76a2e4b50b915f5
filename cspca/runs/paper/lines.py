"""The Python and the command that repeat a reproduction, number for number."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Sequence
from dataclasses import replace

from cspca.runs.paper.protocol import PAPER, PARTS, QUICK, Protocol
from cspca.runs.recipes import Made

__all__ = ["reproduction_command", "reproduction_lines"]


def reproduction_lines(
    protocol: Protocol, recipe: Made, parts: Sequence[str] = tuple(PARTS)
) -> str:
    """Write the lines of Python that run a protocol and print what it finds.

    Parameters
    ----------
    protocol : Protocol
    recipe : Made
        How the data set is made.
    parts : sequence of str, default=all
        Those that are run.

    Returns
    -------
    str
        Python source; ``tables`` holds the rows by metric and ``claims`` the verdicts.
    """
    named = {PAPER: "PAPER", QUICK: "QUICK"}.get(protocol)
    known = named or "Protocol"
    chosen = named or (
        f"Protocol({protocol.n_seeds}, {protocol.grid!r}, {protocol.n_counts!r}, "
        f"{protocol.starts!r})"
    )
    names = ", ".join(recipe.names)
    only = "" if set(parts) == set(PARTS) else f", {list(parts)!r}"
    shown = (
        'for row in tables["accuracy"]:\n'
        "    print(row.title, row.printed, row.best, row.difference, row.honest)\n"
    )
    return (
        f"from cspca.datasets import {names}\n"
        "from cspca.evaluation.paper_claims import judge\n"
        f"from cspca.runs.paper import {known}, begin, findings_of, run_reproduction\n"
        "from cspca.runs.store import Store\n"
        "\n"
        f"d = {recipe.source}\n"
        'with Store("paper-runs") as store:  # what is done is kept: run it again to go on\n'
        f"    begun = begin(store, d, {chosen}{only})\n"
        "    found = findings_of(store, run_reproduction(store, begun, d))\n"
        "tables = found.tables\n"
        "claims = judge([found.evidence])\n"
        f"{shown if 'comparison' in parts else ''}"
        "for one in claims:\n"
        "    print(one.claim.says, one.verdict.value, one.number)\n"
    )


def reproduction_command(
    protocol: Protocol, recipe: Made, parts: Sequence[str] = tuple(PARTS)
) -> str:
    """Write the command that runs a protocol from a shell; empty where a shell cannot ask for it.

    Parameters
    ----------
    protocol : Protocol
        A shell knows the paper's and the quick one, with any number of seeds.
    recipe : Made
        A shell reads data by their name or as a file stands, not changed on the way.
    parts : sequence of str, default=all
    """
    call = ast.parse(recipe.source, mode="eval").body
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return ""
    named = isinstance(call.func, ast.Name) and call.func.id in ("load", "fetch", "load_file")
    what = call.args[0]
    if not named or not isinstance(what, ast.Constant) or not isinstance(what.value, str):
        return ""
    words = ["python", "-m", "cspca", "reproduce", what.value]
    for known, asked in ((PAPER, []), (QUICK, ["--quick"])):
        if replace(known, n_seeds=protocol.n_seeds) == protocol:
            words += asked
            if protocol != known:
                words += ["--seeds", str(protocol.n_seeds)]
            break
    else:
        return ""
    return shlex.join([*words, *([] if set(parts) == set(PARTS) else ["--parts", ",".join(parts)])])
