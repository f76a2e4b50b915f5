"""Runs: all saved runs."""

from cspca.ui import frame
from cspca.ui.runs_page import body, lead

frame.page("runs", "What was computed?", lead=lambda nouns: lead(), body=body)
