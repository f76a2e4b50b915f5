"""The paper reproduced on one data set: runs in the store, tables, and evidence for its claims."""

from __future__ import annotations

from cspca.runs.paper.lines import reproduction_command, reproduction_lines
from cspca.runs.paper.protocol import MARK, PAPER, PARTS, QUICK, Protocol, recognised, sweeps_of
from cspca.runs.paper.reading import (
    Findings,
    Uncertified,
    findings_of,
    sensitivity_at,
    start_facts,
)
from cspca.runs.paper.reproduction import (
    Reproduction,
    begin,
    protocol_of,
    reproductions,
    run_reproduction,
)

__all__ = [
    "MARK",
    "PAPER",
    "PARTS",
    "QUICK",
    "Findings",
    "Protocol",
    "Reproduction",
    "Uncertified",
    "begin",
    "findings_of",
    "protocol_of",
    "recognised",
    "reproduction_command",
    "reproduction_lines",
    "reproductions",
    "run_reproduction",
    "sensitivity_at",
    "start_facts",
    "sweeps_of",
]
