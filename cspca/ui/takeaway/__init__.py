"""What a visitor takes away, the same on every page: files, charts as pictures, and the Python.

A page calls :func:`take_away` once, with what it has. Files are made on the click.
"""

from cspca.ui.takeaway.charts import Chart
from cspca.ui.takeaway.files import File, file_name, report_file
from cspca.ui.takeaway.part import Lines, take_away
from cspca.ui.takeaway.recipes import recipe_of

__all__ = [
    "Chart",
    "File",
    "Lines",
    "file_name",
    "recipe_of",
    "report_file",
    "take_away",
]
