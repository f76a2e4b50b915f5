"""The records of comparisons before the long table, for what still builds on them."""

from __future__ import annotations

from cspca.evaluation.former.cells import (
    METRICS,
    Cell,
    CellResult,
    Group,
    MethodPlan,
    Plan,
    Ranking,
    parameters_of,
)
from cspca.evaluation.former.comparison import (
    Choice,
    Comparison,
    Point,
    Row,
    compare,
    evaluate_selection,
)
from cspca.evaluation.former.honest import best_of_grid, choose_without_labels, honest_score
from cspca.evaluation.former.planning import make_plan
from cspca.evaluation.former.running import GroupResult, measure_cells, rank_features, run
from cspca.evaluation.kmeans import kmeans
from cspca.evaluation.lloyd import Clusterings
from cspca.evaluation.metrics import clustering_accuracy, normalized_mutual_information
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
