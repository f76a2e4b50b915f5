"""Reports: one HTML file that says all of a result, and needs nothing beside it."""

from __future__ import annotations

from cspca.report.report import report

__all__ = ["report"]
