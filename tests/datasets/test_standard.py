"""A data set whose columns are standardised, and that a fit cannot tell how they were moved."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from cspca import CSPCA, datasets
from cspca.datasets import Dataset, DatasetError, load, standardised


def test_columns_are_those_of_scikit_learn_but_for_one_number():
    digits = load("digits")
    found = standardised(digits)
    expected = StandardScaler().fit_transform(digits.data)
    largest = np.abs(expected).max()
    np.testing.assert_allclose((found.data - 0.5) * 2 * largest, expected, atol=1e-12)
    assert found.data[:, 0].tolist() == [0.5] * len(found.data)
    assert "Every pixel was standardised: its mean, " in found.recognised
    made = eval(found.recipe.source, vars(datasets))
    assert made.sha256 == found.sha256
    # One number more or less is nothing to a fit by relative penalties.
    one, other = (CSPCA(0.2, 0.1, tol=1e-6).fit(X) for X in (found.data, expected))
    assert one.rank_ == other.rank_
    np.testing.assert_allclose(one.feature_scores_, other.feature_scores_, atol=1e-3)


def test_what_never_changes_cannot_be_standardised():
    flat = Dataset(np.full((3, 4), 0.3), name="flat")
    with pytest.raises(DatasetError, match="flat: no feature changes from one sample to the next"):
        standardised(flat)
