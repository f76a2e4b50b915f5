"""Data to figures: pure functions from arrays and tables to Plotly, to pictures and to sentences.

A Plotly figure carries the question that it answers as its title, and its text alternative in
``figure.layout.meta["alt"]``. Colours and markers are arguments: a method's stand in its registry.
"""
