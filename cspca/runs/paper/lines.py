"""The Python that repeats a reproduction, number for number."""

from __future__ import annotations

from cspca.runs.paper.protocol import PAPER, QUICK, Protocol
from cspca.runs.recipes import Made

__all__ = ["reproduction_lines"]


def reproduction_lines(protocol: Protocol, recipe: Made) -> str:
    """Write the lines of Python that run a protocol and print what it finds.

    Parameters
    ----------
    protocol : Protocol
    recipe : Made
        How the data set is made.

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
    return (
        f"from cspca.datasets import {names}\n"
        "from cspca.evaluation.paper_claims import judge\n"
        f"from cspca.runs.paper import {known}, begin, findings_of, run_reproduction\n"
        "from cspca.runs.store import Store\n"
        "\n"
        f"d = {recipe.source}\n"
        'with Store("paper-runs") as store:  # what is done is kept: run it again to go on\n'
        f"    begun = begin(store, d, {chosen})\n"
        "    found = findings_of(store, run_reproduction(store, begun, d))\n"
        "tables = found.tables\n"
        "claims = judge([found.evidence])\n"
        'for row in tables["accuracy"]:\n'
        "    print(row.title, row.printed, row.best, row.difference, row.honest)\n"
        "for one in claims:\n"
        "    print(one.claim.says, one.verdict.value, one.number)\n"
    )
