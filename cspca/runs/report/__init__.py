"""Reports: one HTML file that says all of a result, and needs nothing beside it.

Figures are drawn by the Plotly inside the file; pictures are in it; whatever comes from a file of
somebody's is escaped; and the file forbids itself to load anything from anywhere.
"""

from cspca.runs.report.about import About, about_dataset
from cspca.runs.report.comparison import comparison_report
from cspca.runs.report.fit import Example, FitFindings, fit_report
from cspca.runs.report.paper import about_reproduction, paper_report
from cspca.runs.report.sensitivity import sensitivity_report
from cspca.runs.report.starts import starts_report
from cspca.runs.report.stored import run_report

__all__ = [
    "About",
    "Example",
    "FitFindings",
    "about_dataset",
    "about_reproduction",
    "comparison_report",
    "fit_report",
    "paper_report",
    "run_report",
    "sensitivity_report",
    "starts_report",
]
