"""Convex sparse PCA with a certificate of global optimality.

X. Chang, F. Nie, Y. Yang, H. Huang, *A Convex Sparse PCA for Feature Analysis*, arXiv 1411.6233.
"""

from cspca.estimator import CSPCA

__version__ = "0.1.0"

__all__ = ["CSPCA", "__version__"]
