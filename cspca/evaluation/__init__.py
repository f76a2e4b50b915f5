"""Clustering on selected features: metrics, the paper's protocol, fair comparisons."""

from __future__ import annotations

from cspca.evaluation.choices import chosen_on_other_starts
from cspca.evaluation.comparison import (
    COLUMNS,
    Comparison,
    Plan,
    Ranking,
)
from cspca.evaluation.groups import GroupContrast, group_contrast
from cspca.evaluation.kmeans import Clusterings, kmeans
from cspca.evaluation.metrics import (
    METRICS,
    Metric,
    Silhouette,
    clustering_accuracy,
    neighbour_accuracy,
    normalized_mutual_information,
    reconstruction_error,
)
from cspca.evaluation.outliers import (
    RankingQuality,
    clean_error,
    ranking_curve,
    ranking_quality,
    subspace_sine,
    three_scores,
)
from cspca.evaluation.rebuilding import Rebuilding
from cspca.evaluation.reproducibility import (
    low_probability_bound,
    selection_reproducibility,
    unimodal_bound,
)
from cspca.evaluation.statistics import (
    Interval,
    RankTest,
    Standing,
    Summary,
    jaccard,
    mark_best,
    paired_difference,
    rank_test,
)
from cspca.evaluation.steps import compare

__all__ = [
    "COLUMNS",
    "METRICS",
    "Clusterings",
    "Comparison",
    "GroupContrast",
    "Interval",
    "Metric",
    "Plan",
    "RankTest",
    "Ranking",
    "RankingQuality",
    "Rebuilding",
    "Silhouette",
    "Standing",
    "Summary",
    "chosen_on_other_starts",
    "clean_error",
    "clustering_accuracy",
    "compare",
    "group_contrast",
    "jaccard",
    "kmeans",
    "low_probability_bound",
    "mark_best",
    "neighbour_accuracy",
    "normalized_mutual_information",
    "paired_difference",
    "rank_test",
    "ranking_curve",
    "ranking_quality",
    "reconstruction_error",
    "selection_reproducibility",
    "subspace_sine",
    "three_scores",
    "unimodal_bound",
]
