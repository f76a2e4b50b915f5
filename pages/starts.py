"""Convergence and starts: both solvers from the paper's seven starts, against the optimum."""

from cspca.ui.starts_page import PAGE

PAGE.draw()
