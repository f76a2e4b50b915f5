"""The numbers of every robust method as of its revision: kept results may be mixed.

Where a test here fails, the numbers of that method have changed: if that is meant, raise its
`revision` in the registry and write the file anew: ``python -m tests.robust.test_revisions``.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import make_faces, plant_outliers
from cspca.robust import ROBUST, RobustSettings, explain

KEPT = Path(__file__).with_name("revisions.json")


def scores(key):
    """Of 40 rendered faces, some of them ruined."""
    scene = plant_outliers(make_faces(5, 8, 8, random_state=2), "ruined", 0.2)
    return explain(key, scene.X, RobustSettings(4, 0.1, center=True)).scores


@pytest.mark.parametrize("key", ROBUST)
def test_the_numbers_are_those_of_the_revision(key):
    kept = json.loads(KEPT.read_text())[key]
    assert ROBUST[key].revision == kept["revision"]
    # The geometric median is known to its own tolerance, within which kernels differ.
    within = 2e-3 if key == "gms" else 1e-5
    np.testing.assert_allclose(scores(key), kept["scores"], rtol=within, atol=1e-6)


if __name__ == "__main__":
    found = {
        key: {"revision": entry.revision, "scores": [float(f"{one:.10g}") for one in scores(key)]}
        for key, entry in ROBUST.items()
    }
    KEPT.write_text(json.dumps(found) + "\n")
