"""The numbers of every method as of its revision: kept results of the same revision may be mixed.

Where a test here fails, the numbers of that method have changed: if that is meant, raise its
`revision` in the registry and write the file anew: ``python -m tests.selection.test_revisions``.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import make_faces
from cspca.selection import METHODS

KEPT = Path(__file__).with_name("revisions.json")
N_PEOPLE = 6


def scores(key):
    """Scores of 100 pixels of rendered faces, one of them dead, and no tie of what is left over."""
    X = np.array(make_faces(N_PEOPLE, 16, 10, random_state=2).data)
    X[:, 7] = 0.5
    return METHODS[key].make(N_PEOPLE).fit(X).signed_scores_


@pytest.mark.parametrize("key", METHODS)
def test_the_numbers_are_those_of_the_revision(key):
    kept = json.loads(KEPT.read_text())
    if key not in kept and METHODS[key].revision == 1:
        pytest.skip("a new method, of which nothing is kept yet")
    assert METHODS[key].revision == kept[key]["revision"]
    # Kernels of another processor move a fit that ends at a gap of 1e-3, and nothing else so far.
    near = 1e-6 if key == "cspca" else 1e-9
    np.testing.assert_allclose(scores(key), kept[key]["scores"], rtol=1e-6, atol=near)


if __name__ == "__main__":
    found = {
        key: {
            "revision": method.revision,
            "scores": [float(f"{one:.10g}") for one in np.asarray(scores(key))],
        }
        for key, method in METHODS.items()
    }
    KEPT.write_text(json.dumps(found) + "\n")
