#!/bin/sh
# scikit-learn's VarianceThreshold() says in variances_, "variances of individual features", the
# smaller of variance and range: at threshold 0 a feature that varies more scores less.
# Seen with scikit-learn 1.9.1 on the digits, whose pixels have 17 values:
#     variances of the five largest: [42.7 41.5 40.  39.3 39.2]
#     variances_ of the same pixels: [16. 16. 16. 16. 16.]
#     34 pixels share variances_ = 16.0, the range; with threshold=1e-9 they are variances:
#     [42.7 41.5 40.  39.3 39.2]
# Exits 0 while it is so, 1 when it is not any more, 2 when it cannot be installed.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install --quiet scikit-learn==1.9.1 || exit 2
"$place/env/bin/python" - <<'PYTHON'
import sys
import numpy as np, sklearn
from sklearn.datasets import load_digits
from sklearn.feature_selection import VarianceThreshold

X = load_digits().data
fitted = VarianceThreshold().fit(X)
variance = X.var(axis=0)
print("scikit-learn", sklearn.__version__)
print("variances of the five largest:", np.sort(variance)[::-1][:5].round(1))
print("variances_ of the same pixels:", fitted.variances_[np.argsort(-variance)[:5]].round(1))
tied = int((fitted.variances_ == 16).sum())
print(tied, "pixels share variances_ = 16.0, the range; with threshold=1e-9 they are variances:")
other = VarianceThreshold(1e-9).fit(X).variances_
print(other[np.argsort(-variance)[:5]].round(1))
sys.exit(not (tied > 1 and np.allclose(other, variance)))
PYTHON
