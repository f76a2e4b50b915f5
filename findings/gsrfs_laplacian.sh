#!/bin/sh
# The LaplacianScoreSelector of gsrfs selects constant columns first: their score is 0, its best.
# Seen with gsrfs 0.16.2 and scikit-learn 1.8.0 on the digits, in which three pixels are constant:
#     constant pixels: [0, 32, 39]
#     selected, best first: [0, 32, 39, 56, 31, 24, 16, 8, 63, 40]
#     scores of the first five: [0.0, 0.0, 0.0, 0.0, 0.0]
# Exits 0 while it is so, 1 when it is not any more, 2 when they cannot be installed.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install --quiet gsrfs==0.16.2 scikit-learn==1.8.0 || exit 2
"$place/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version
import numpy as np
from gsrfs import LaplacianScoreSelector
from sklearn.datasets import load_digits

X = load_digits().data
fitted = LaplacianScoreSelector(n_features=10).fit(X)
constant = np.flatnonzero(np.ptp(X, axis=0) == 0)
print("gsrfs", version("gsrfs"), "scikit-learn", version("scikit-learn"))
print("constant pixels:", constant.tolist())
print("selected, best first:", fitted.selected_indices_.tolist())
print("scores of the first five:", fitted.scores_[fitted.selected_indices_[:5]].round(3).tolist())
sys.exit(set(fitted.selected_indices_[: len(constant)]) != set(constant))
PYTHON
