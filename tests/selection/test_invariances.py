"""What must not decide a selection, method by method, and every exception with its sentence.

A change of the samples that says nothing new (their order, that of the features, the unit, copies,
constant features, single precision) leaves the scores as they are. Where it does not, `CHANGES`
names the reason, which the method's own description says too; that it does change is tested, so
that the table holds no exception that is none.
"""

from cspca.selection import METHODS

CHOOSING = [key for key in METHODS if key != "all"]

TIGHT = {
    "cspca": {"tol": 1e-9, "max_iter": 20_000},
    "spca-psd": {"tol": 1e-7, "max_iter": 20_000},
}
"""Methods that end at a certified gap, which leaves the scores open."""

UNIT = {"variance": 2, "pca": 1}
"""Power of the unit that the scores have themselves."""

_IN_THE_UNIT = "in the squared unit of `X`"
_COUNTED = "a sample that is there twice counts twice"

CHANGES = {
    "another unit": {
        "mcfs": "``XᵀX``",
        "udfs": _IN_THE_UNIT,
        "sparse-pca": "goes with the scale of `X`",
        "ndfs": "in the unit of `X`",
        "spca-psd": _IN_THE_UNIT,
        "spcafs": _IN_THE_UNIT,
    },
    "every sample twice": {
        "sparse-pca": "√n_samples",
        "spca-psd": "number of samples",
    },
    "one sample five times": {
        "variance": _COUNTED,
        "cspca": _COUNTED,
        "pca": _COUNTED,
        "sparse-pca": _COUNTED,
        "spca-psd": _COUNTED,
        "greedy": _COUNTED,
        "pivoted-qr": _COUNTED,
        "leverage": _COUNTED,
        "fspca": _COUNTED,
        "spcafs": _COUNTED,
        "u2fs": _COUNTED,
        "inf-fs": _COUNTED,
    },
    "constant features": {"inf-fs": "Constant features are nodes too"},
    "a copy of a feature": {
        "greedy": "0 for features that the picked ones span",
        "pivoted-qr": "As in :class:`GreedySubset`",
        "u2fs": "a copy of a feature goes before the other",
    },
}
