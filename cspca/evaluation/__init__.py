"""Clustering on selected features: metrics, the paper's protocol, fair comparisons."""

from __future__ import annotations

from cspca.evaluation.cells import (
    METRICS,
    Cell,
    CellResult,
    Group,
    MethodPlan,
    Plan,
    Ranking,
    parameters_of,
)
from cspca.evaluation.comparison import (
    Choice,
    Comparison,
    Point,
    Row,
    compare,
    evaluate_selection,
)
from cspca.evaluation.honest import best_of_grid, choose_without_labels, honest_score
from cspca.evaluation.kmeans import Clusterings, kmeans
from cspca.evaluation.metrics import clustering_accuracy, normalized_mutual_information
from cspca.evaluation.planning import make_plan
from cspca.evaluation.running import GroupResult, measure_cells, rank_features, run
from cspca.evaluation.statistics import (
    Interval,
    RankTest,
    Summary,
    jaccard,
    mark_best,
    paired_difference,
    rank_test,
)
from cspca.evaluation.unlabelled import Silhouette, reconstruction_error, stability

__all__ = [
    "METRICS",
    "Cell",
    "CellResult",
    "Choice",
    "Clusterings",
    "Comparison",
    "Group",
    "GroupResult",
    "Interval",
    "MethodPlan",
    "Plan",
    "Point",
    "RankTest",
    "Ranking",
    "Row",
    "Silhouette",
    "Summary",
    "best_of_grid",
    "choose_without_labels",
    "clustering_accuracy",
    "compare",
    "evaluate_selection",
    "honest_score",
    "jaccard",
    "kmeans",
    "make_plan",
    "mark_best",
    "measure_cells",
    "normalized_mutual_information",
    "paired_difference",
    "parameters_of",
    "rank_features",
    "rank_test",
    "reconstruction_error",
    "run",
    "stability",
]
