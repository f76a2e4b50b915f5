"""Data to figures: pure functions from arrays and tables to Plotly, to pictures and to sentences.

A Plotly figure carries the question that it answers as its title, and its text alternative in
``figure.layout.meta["alt"]``. Colours and markers are arguments: a method's stand in its registry.
"""

from cspca.figures.bars import best_features, class_sizes, feature_spread
from cspca.figures.comparison import (
    comparison_bars,
    comparison_curves,
    comparison_overlap,
    comparison_times,
)
from cspca.figures.convergence import Course, convergence, live_convergence
from cspca.figures.importance import importance_map, importance_png, importance_svg
from cspca.figures.penalty_grid import penalty_grid
from cspca.figures.pictures import contact_sheet
from cspca.figures.scores import score_curve
from cspca.figures.skeleton import skeleton_svg
from cspca.figures.starts import starts

__all__ = [
    "Course",
    "best_features",
    "class_sizes",
    "comparison_bars",
    "comparison_curves",
    "comparison_overlap",
    "comparison_times",
    "contact_sheet",
    "convergence",
    "feature_spread",
    "importance_map",
    "importance_png",
    "importance_svg",
    "live_convergence",
    "penalty_grid",
    "score_curve",
    "skeleton_svg",
    "starts",
]
