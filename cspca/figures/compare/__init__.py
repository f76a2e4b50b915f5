"""Figures that compare methods: scores, curves, overlaps and times, each with a sentence."""

from cspca.figures.compare.bars import Bar, alt_score_bars, score_bars
from cspca.figures.compare.curves import Curve, alt_feature_curves, feature_curves
from cspca.figures.compare.overlaps import alt_overlap, overlap_heatmap
from cspca.figures.compare.times import TimeBar, alt_times, time_bars

__all__ = [
    "Bar",
    "Curve",
    "TimeBar",
    "alt_feature_curves",
    "alt_overlap",
    "alt_score_bars",
    "alt_times",
    "feature_curves",
    "overlap_heatmap",
    "score_bars",
    "time_bars",
]
