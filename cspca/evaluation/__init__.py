"""Clustering on selected features: metrics, the paper's protocol, fair comparisons."""

from __future__ import annotations

from cspca.evaluation.choices import (
    Choice,
    Row,
    best_choice,
    choose,
    chosen_on_other_starts,
    curve,
    measured,
    scores,
    summary,
)
from cspca.evaluation.comparison import Comparison, compare, evaluate_selection
from cspca.evaluation.kmeans import kmeans
from cspca.evaluation.lloyd import Clusterings
from cspca.evaluation.metrics import (
    METRICS,
    Metric,
    clustering_accuracy,
    normalized_mutual_information,
)
from cspca.evaluation.statistics import (
    Interval,
    RankTest,
    Summary,
    jaccard,
    mark_best,
    paired_difference,
    rank_test,
)
from cspca.evaluation.steps import (
    COLUMNS,
    Plan,
    Ranking,
    Task,
    cluster,
    long_table,
    parameters_text,
    plan,
    rank_features,
)
from cspca.evaluation.unlabelled import Silhouette, reconstruction_error, stability

__all__ = [
    "COLUMNS",
    "METRICS",
    "Choice",
    "Clusterings",
    "Comparison",
    "Interval",
    "Metric",
    "Plan",
    "RankTest",
    "Ranking",
    "Row",
    "Silhouette",
    "Summary",
    "Task",
    "best_choice",
    "choose",
    "chosen_on_other_starts",
    "cluster",
    "clustering_accuracy",
    "compare",
    "curve",
    "evaluate_selection",
    "jaccard",
    "kmeans",
    "long_table",
    "mark_best",
    "measured",
    "normalized_mutual_information",
    "paired_difference",
    "parameters_text",
    "plan",
    "rank_features",
    "rank_test",
    "reconstruction_error",
    "scores",
    "stability",
    "summary",
]
