"""What tests of sets with known truth share."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from cspca.datasets import Dataset, FeatureTruth
from cspca.evaluation import clustering_accuracy


def truth_of(dataset: Dataset) -> FeatureTruth:
    assert isinstance(dataset.truth, FeatureTruth)
    return dataset.truth


def accuracy(dataset: Dataset, features: np.ndarray) -> float:
    """Clustering accuracy of K-means by these features alone."""
    model = KMeans(dataset.n_classes, n_init=10, random_state=0)
    return clustering_accuracy(dataset.target, model.fit_predict(dataset.data[:, features]))
