"""Convex sparse PCA with a certificate of global optimality.

X. Chang, F. Nie, Y. Yang, H. Huang, *A Convex Sparse PCA for Feature Analysis*, arXiv 1411.6233.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cspca.estimator import CSPCA
    from cspca.path import cspca_path

__version__ = "0.2.0"

__all__ = ["CSPCA", "__version__", "cspca_path"]


def __getattr__(name: str) -> Any:
    """Import the estimator and the path when they are first asked for.

    They bring scikit-learn, which takes a second to load; whoever needs only the data sets or the
    figures, such as the first page of the dashboard, should not wait for it.
    """
    if name == "CSPCA":
        from cspca.estimator import CSPCA

        return CSPCA
    if name == "cspca_path":
        from cspca.path import cspca_path

        return cspca_path
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
