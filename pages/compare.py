"""Compare: CSPCA beside other methods, over its penalties, and Algorithm 1 beside the optimum."""

from cspca.ui import compare_tabs

compare_tabs.draw()
