"""Paper: its tables, figures and claims on the data set in use, ours beside."""

from cspca.ui.paper_page import PAGE

PAGE.draw()
