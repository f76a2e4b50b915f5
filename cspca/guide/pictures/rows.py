"""Two pixels of four weights: the nearest matrix that is not longer than 1, in three norms."""

import numpy as np

from cspca.proximal import row_norms, shrink_rows

directions = np.array([[0.7, 0.6, -0.3, 0.2], [0.2, -0.6, 0.7, 0.3]])
directions /= row_norms(directions)[:, None]
lengths = np.linspace(0, 2, 16)


def nearest(B):
    """The rows, shrunk by as much as leaves them a length of 1 in all."""
    longest = np.sort(row_norms(B))[::-1]
    excess = (np.cumsum(longest) - 1) / np.arange(1, len(B) + 1)
    return shrink_rows(B, max(0.0, excess.max()))


# By the length of row 1, then of row 2.
targets = np.array([[directions * [[x], [y]] for y in lengths] for x in lengths])
pairs = targets.reshape(-1, 2, 4)
by_rows = np.array([nearest(B) for B in pairs]).reshape(targets.shape)
by_entries = np.array([nearest(B.reshape(8, 1)) for B in pairs]).reshape(targets.shape)
by_size = np.array([B / max(1.0, np.linalg.norm(B)) for B in pairs]).reshape(targets.shape)
