"""Sensitivity: a grid of α and β on the data set in use."""

from cspca.ui.sensitivity_page import PAGE

PAGE.draw()
