"""Compare: every method on the data set in use, by clustering on what it selects."""

from cspca.ui.compare_page import PAGE

PAGE.draw()
