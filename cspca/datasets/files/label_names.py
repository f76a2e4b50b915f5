"""Names by which a file declares that an array holds labels, names, or an axis."""

from __future__ import annotations

import re
from typing import Final

LABEL_NAMES: Final = (
    "gnd", "y", "labels", "label", "target", "targets", "class", "classes", "subject", "person",
    "species", "cell_type", "celltype", "fine_labels", "coarse_labels", "group",
)  # fmt: skip
"""Names of labels, the most certain first."""

OTHER_ROLES: Final = frozenset(
    {
        "age", "batch", "date", "day", "fold", "frame", "id", "ids", "idx", "index", "indices",
        "mask", "n", "nclass", "order", "partition", "perm", "sample_weight", "set", "sex", "site",
        "split", "splits", "t", "time", "times", "timestamp", "usage", "weight", "weights", "year",
    }
)  # fmt: skip
"""Names of what is neither class nor feature: offered, never taken."""

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in small letters: of ``yTrain``, ``y_train``, ``y.train``."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def label_rank(name: str) -> int | None:
    """Return how certainly a name is one of labels, 0 the most; None if it is none."""
    last = re.split(r"[./]", name)[-1]
    lower = last.lower()
    if lower in LABEL_NAMES:
        return LABEL_NAMES.index(lower)
    # Without the word that says which part of a set they are.
    parts = ("train", "training", "trn", "test", "testing", "tst", "val", "valid", "validation")
    rest = [word for word in words_of(last) if word not in parts]
    joined = re.sub("^(train|trn|test|tst|val)|(train|trn|test|tst|val)$", "", lower).strip("_.")
    for candidate in ("_".join(rest), joined, rest[-1] if len(rest) > 1 else ""):
        if candidate in LABEL_NAMES:
            return len(LABEL_NAMES) + LABEL_NAMES.index(candidate)
    return None


def is_label_name(name: str) -> bool:
    """Whether a name declares that an array holds labels."""
    return label_rank(name) is not None
