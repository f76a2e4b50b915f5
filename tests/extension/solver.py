"""Toy solver: the certified one under another name, so that its numbers are known."""

from __future__ import annotations

from cspca.solvers.admm import ADMM


class ToySolver(ADMM):
    """Iterates as ADMM does."""

    title = "Toy solver"
    colour = "#663399"
